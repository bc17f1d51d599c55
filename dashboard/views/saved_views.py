"""Saved views: open one by its link, keep the list on the screen as one, rename, share and delete one's own."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from dashboard.filters.listing import Listing
from dashboard.models import SavedView
from dashboard.roles import ROLES, SEE_ORDERS, SHARE_VIEWS
from dashboard.saved import MOST, open_to, save
from dashboard.viewers import roles_of
from dashboard.views.access import may


class ViewForm(forms.Form):
    """A name, and the role that it is shared with. Only who may share views chooses one."""

    name = forms.CharField(max_length=80, strip=True)
    role = forms.ChoiceField(choices=[("", "only me"), *((role, role) for role in ROLES)], required=False)

    def __init__(self, request: HttpRequest, *args: Any, **options: Any) -> None:
        super().__init__(request.POST, *args, **options)
        self._may_share = request.user.has_perm(SHARE_VIEWS)

    def clean_role(self) -> str:
        role: str = self.cleaned_data["role"]
        if role and not self._may_share:
            raise forms.ValidationError("Your role may not share views.")
        return role


@require_safe
@may(SEE_ORDERS)
def opened(request: HttpRequest) -> HttpResponse:
    """The link of a view: to its list. A view of somebody else's and one that never was answer the same."""
    view = _of(request, request.GET.get("view", ""))
    return redirect(f"{reverse('orders')}?{view.query}&view={view.pk}")


@require_safe
@may(SEE_ORDERS)
def kept(request: HttpRequest) -> HttpResponse:
    """The views of one's own, to rename, share and delete."""
    views = SavedView.objects.filter(owner=request.user.pk)
    return render(request, "orders/views.html", {"views": views, "roles": ROLES})


@require_POST
@may(SEE_ORDERS)
def keep(request: HttpRequest) -> HttpResponse:
    """Keep the list that `query` describes under a name, and show it."""
    asked = Listing.parse(QueryDict(request.POST.get("query", "")))
    form = ViewForm(request)
    if not form.is_valid():
        messages.error(request, _problem(form))
        return redirect(asked.url())
    view = save(request.user, form.cleaned_data["name"], form.cleaned_data["role"], asked)
    if view is None:
        messages.error(request, f"Not saved: you have {MOST} views, which is the most. Delete one first.")
        return redirect(asked.url())
    return redirect(asked.url(view=str(view.pk)))


@require_POST
@may(SEE_ORDERS)
def change(request: HttpRequest) -> HttpResponse:
    """Rename or share a view of one's own."""
    view, form = _own(request), ViewForm(request)
    if not form.is_valid():
        messages.error(request, _problem(form))
        return redirect("orders-views")
    view.name, view.role = form.cleaned_data["name"], form.cleaned_data["role"]
    try:
        with transaction.atomic():
            view.save(update_fields=["name", "role"])
    except IntegrityError:
        messages.error(request, f"Not changed: you have a view “{view.name}” already.")
    return redirect("orders-views")


@require_POST
@may(SEE_ORDERS)
def delete(request: HttpRequest) -> HttpResponse:
    """Delete a view of one's own. The orders in it stay as they are."""
    _own(request).delete()
    return redirect("orders-views")


def _of(request: HttpRequest, number: str) -> SavedView:
    found = open_to(request.user, roles_of(request.user)).filter(pk=number) if number.isdigit() else None
    view = found.first() if found is not None and len(number) < 19 else None
    if view is None:
        raise Http404
    return view


def _own(request: HttpRequest) -> SavedView:
    view = _of(request, request.POST.get("view", ""))
    if view.owner_id != request.user.pk:
        raise Http404
    return view


def _problem(form: forms.Form) -> str:
    return "Not saved: " + " ".join(str(error) for errors in form.errors.values() for error in errors)
