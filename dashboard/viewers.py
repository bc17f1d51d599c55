"""Who looks, as far as it decides what is shown: the roles whose words the workflows' labels use."""

from __future__ import annotations

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser, Group

from dashboard.roles import ROLES

Roles = frozenset[str]


def roles_of(user: AbstractBaseUser | AnonymousUser) -> Roles:
    """The roles of a person; of a superuser all of them. Costs one query."""
    if not user.is_authenticated:
        return frozenset()
    if getattr(user, "is_superuser", False):
        return frozenset(ROLES)
    return frozenset(Group.objects.filter(user=user.pk, name__in=ROLES).values_list("name", flat=True))
