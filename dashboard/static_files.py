"""WhiteNoise under ASGI: the same files, answered in one piece."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from asgiref.sync import iscoroutinefunction, markcoroutinefunction, sync_to_async
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

# WhiteNoise publishes no types.
# mypy: disable-error-code="misc"

Answer = HttpResponseBase | Awaitable[HttpResponseBase]


class HashedFiles(CompressedManifestStaticFilesStorage):
    """Names with a hash once `collectstatic` has run, plain names before, as in tests and a bare checkout."""

    def url(self, name: str, force: bool = False) -> str:
        if self.hashed_files or force:
            return str(super().url(name, force))
        return str(StaticFilesStorage.url(self, name))


class StaticFiles(WhiteNoiseMiddleware):
    """Serve a static file, or pass the request on.

    WhiteNoise streams a file by a plain iterator, at which Django warns under ASGI, and it would put every
    other request, event streams included, through a thread. Our files are small: their bytes go out whole,
    and a request for anything else stays on the event loop.
    """

    sync_capable = True
    async_capable = True

    get_response: Callable[[HttpRequest], Answer]

    def __init__(self, get_response: Callable[[HttpRequest], Answer]) -> None:
        super().__init__(get_response)
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Answer:
        path = request.path_info
        static_file = self.find_file(path) if self.autorefresh else self.files.get(path)
        if static_file is None:
            return self.get_response(request)
        if iscoroutinefunction(self):
            return sync_to_async(self.serve, thread_sensitive=False)(static_file, request)
        return self.serve(static_file, request)

    def add_files(self, root: str | Path, prefix: str) -> None:
        """A root that does not exist is ordinary before the first `collectstatic`, and no reason to warn."""
        if Path(root).is_dir():
            super().add_files(str(root), prefix)

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponse:
        found = static_file.get_response(request.method, request.META)
        body = b""
        if found.file is not None:
            with found.file as opened:
                body = opened.read()
        response = HttpResponse(body, status=int(found.status))
        del response["Content-Type"]
        for name, value in found.headers:
            response[name] = value
        return response
