"""What a person follows: a list of runs of their own, each perhaps with a time to look at it again."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser

from dashboard.models import Follow

Person = AbstractBaseUser | AnonymousUser
MOST = 200


@dataclass(frozen=True)
class Following:
    """The runs that somebody follows, the newest first, and the times at which they want to look again."""

    run_ids: list[str]
    look_again: dict[str, datetime]

    def __len__(self) -> int:
        return len(self.run_ids)


def following(person: Person) -> Following:
    """What this person follows, up to the most that anybody may."""
    rows = list(Follow.objects.filter(user=person.pk).order_by("-id").values_list("run_id", "follow_up_at"))
    return Following([run_id for run_id, _ in rows], {run_id: at for run_id, at in rows if at})


def follow(person: Person, run_ids: Collection[str]) -> int:
    """Follow these runs too. Returns how many more could not be taken, since a list of one's own has an end."""
    known = set(following(person).run_ids)
    new = [run_id for run_id in dict.fromkeys(run_ids) if run_id not in known]
    room = max(0, MOST - len(known))
    rows = [Follow(user_id=int(person.pk or 0), run_id=run_id) for run_id in new[:room]]
    Follow.objects.bulk_create(rows, ignore_conflicts=True)
    return len(new) - len(rows)


def unfollow(person: Person, run_ids: Collection[str]) -> None:
    Follow.objects.filter(user=person.pk, run_id__in=run_ids).delete()
