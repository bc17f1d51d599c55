"""Static files under ASGI: whole, cached for ever under a hashed name, and out of the way of everything else."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from django.core.management import call_command
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.test import AsyncRequestFactory
from pytest_django import Settings

from dashboard.static_files import HashedFiles, StaticFiles


@pytest.fixture
def collected(settings: Settings, tmp_path: Path) -> HashedFiles:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "page.css").write_text("main { color: navy }")
    settings.STATICFILES_DIRS = [tmp_path / "source"]
    settings.STATIC_ROOT = tmp_path / "static"
    settings.WHITENOISE_USE_FINDERS = False
    call_command("collectstatic", verbosity=0, interactive=False)
    return HashedFiles()


async def beyond(request: HttpRequest) -> HttpResponse:
    return HttpResponse("a page")


async def get(path: str) -> HttpResponseBase:
    answer = StaticFiles(beyond)(AsyncRequestFactory().get(path))
    return answer if isinstance(answer, HttpResponseBase) else await answer


async def answered(path: str) -> tuple[int, bytes, dict[str, str]]:
    response = await get(path)
    assert isinstance(response, HttpResponse), "a stream would make Django warn under ASGI"
    return response.status_code, response.content, dict(response.items())


def run(path: str) -> tuple[int, bytes, dict[str, str]]:
    return asyncio.run(answered(path))


def test_a_hashed_file_is_whole_and_kept_for_ever(collected: HashedFiles) -> None:
    url = collected.url("page.css")
    assert url.startswith("/static/page.") and url != "/static/page.css"
    status, body, headers = run(url)
    assert (status, body) == (200, b"main { color: navy }")
    assert "immutable" in headers["Cache-Control"]
    assert headers["Content-Type"].startswith("text/css")


def test_everything_else_passes(collected: HashedFiles) -> None:
    assert run("/orders/")[1] == b"a page"


def test_before_the_first_collection_names_are_plain(settings: Settings, tmp_path: Path) -> None:
    settings.STATIC_ROOT = tmp_path / "nothing"
    assert HashedFiles().url("page.css") == "/static/page.css"
