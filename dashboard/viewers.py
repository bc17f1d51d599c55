"""Who looks, as far as it decides what is shown: the roles whose words the workflows' labels use. And who acts."""

from __future__ import annotations

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser, Group
from django.http import HttpRequest
from runs.actions import Actor

from dashboard.roles import ROLES

Roles = frozenset[str]


def roles_of(user: AbstractBaseUser | AnonymousUser) -> Roles:
    """The roles of a person; of a superuser all of them. Costs one query."""
    if not user.is_authenticated:
        return frozenset()
    if getattr(user, "is_superuser", False):
        return frozenset(ROLES)
    return frozenset(Group.objects.filter(user=user.pk, name__in=ROLES).values_list("name", flat=True))


def actor_of(request: HttpRequest, reason: str = "", via: str = "page") -> Actor:
    """Who acts by this request, as the log and the audit name them."""
    return acting(request.user, reason, via)


def acting(user: AbstractBaseUser | AnonymousUser, reason: str = "", via: str = "page") -> Actor:
    roles = ["superuser"] if getattr(user, "is_superuser", False) else sorted(roles_of(user))
    return Actor(user.get_username(), reason, ", ".join(roles), via)
