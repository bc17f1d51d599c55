"""Django's settings. Only dashboard/env.py reads the environment; importing this module starts nothing."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import dj_database_url
from csp.constants import NONE, SELF

from dashboard import env
from dashboard.embedded import place

BASE_DIR = env.REPOSITORY
DATA_DIR = place.data_directory()

DEBUG = env.DEBUG.value()
SECRET_KEY = env.SECRET_KEY.value() or place.secret_key()
ALLOWED_HOSTS = env.ALLOWED_HOSTS.value()
CSRF_TRUSTED_ORIGINS = env.TRUSTED_ORIGINS.value()

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "csp",
    "runs",
    "dashboard",
    *env.APPS.value(),
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "dashboard.static_files.StaticFiles",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "dashboard.urls"
ASGI_APPLICATION = "dashboard.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# Without a URL the address is that of the embedded server, which manage.py starts. The pool serves the web,
# where a view runs in any thread and hands its connection back when the response is sent; Django wants
# CONN_MAX_AGE = 0 beside it. The health check replaces connections that a restart of the server has cut.
DATABASES: dict[str, dict[str, Any]] = {
    "default": {
        **dj_database_url.parse(env.DATABASE_URL.value() or place.database_url(), conn_max_age=0),
        "CONN_HEALTH_CHECKS": True,
    }
}
DATABASES["default"]["OPTIONS"] = {
    "connect_timeout": 5,
    "application_name": "leaseboard",
    **DATABASES["default"].get("OPTIONS", {}),
    "pool": {"min_size": 1, "max_size": env.POOL.value(), "timeout": 10},
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
# Hashed names let browsers keep files for ever. Until they are collected the finders serve plain names.
WHITENOISE_USE_FINDERS = DEBUG or not (STATIC_ROOT / "staticfiles.json").exists()
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "dashboard.static_files.HashedFiles"},
}

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
HTTPS = env.HTTPS.value()
SECURE_SSL_REDIRECT = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_HSTS_SECONDS = int(timedelta(days=365).total_seconds()) if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = HTTPS
SESSION_COOKIE_AGE = int(timedelta(hours=12).total_seconds())
CSRF_COOKIE_SECURE = HTTPS
CSRF_COOKIE_HTTPONLY = False
X_FRAME_OPTIONS = "DENY"

LEASEBOARD_WORKFLOWS = env.WORKFLOWS.value()
LEASEBOARD_BUILD = env.BUILD.value()
LEASEBOARD_TTL_SECONDS = env.TTL_SECONDS.value()
LEASEBOARD_HEARTBEAT_SECONDS = env.HEARTBEAT_SECONDS.value()
LEASEBOARD_GRACE_SECONDS = env.GRACE_SECONDS.value()
LEASEBOARD_WORKER = env.WORKER.value()
LEASEBOARD_POD = env.POD.value()
LEASEBOARD_NODE = env.NODE.value()
LEASEBOARD_POOL = env.POOL.value()
LEASEBOARD_SWEEP_SECONDS = 5
# A result over the first size, or one that would bring the map over the second, is kept beside the row.
LEASEBOARD_RESULT_BYTES = 8 * 1024
LEASEBOARD_COMPLETED_BYTES = 64 * 1024
VENDOR_SIMULATOR_URL = env.VENDOR_SIMULATOR_URL.value()

CELERY_BROKER_URL = env.CELERY_BROKER_URL.value() or place.broker_url()
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_CONNECTION_TIMEOUT = 0.7
# A page that publishes while the broker is away answers within two seconds: the message is a hint, and the
# sweep finds the row without it. Two attempts at 0.7 s stay below that. A worker's own blocking read has no
# time-out of its socket, since the event loop waits for it.
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = (
    {"write_timeout": 1}
    if CELERY_BROKER_URL.startswith("amqp")
    else {"socket_connect_timeout": 0.7, "socket_timeout": 0.7, "visibility_timeout": 3600}
)
CELERY_TASK_PUBLISH_RETRY = True
CELERY_TASK_PUBLISH_RETRY_POLICY = {
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0.2,
    "interval_max": 0.2,
}
CELERY_TASK_DEFAULT_QUEUE = "runs"
# The sweep must not wait behind runs: while every thread of every worker sits in a vendor's call, somebody
# still has to find the leases that lapsed. So it has a queue, and a small worker, of its own.
CELERY_TASK_ROUTES = {f"runs.{duty}": {"queue": "watch"} for duty in ("sweep", "fold", "partitions")}
CELERY_TASK_IGNORE_RESULT = True
CELERY_RESULT_BACKEND = None
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "beat-schedule")
CELERY_BEAT_SCHEDULE = {
    # A sweep that waited in the queue longer than its period would only repeat the next one.
    "sweep": {
        "task": "runs.sweep",
        "schedule": timedelta(seconds=LEASEBOARD_SWEEP_SECONDS),
        "options": {"expires": LEASEBOARD_SWEEP_SECONDS},
    },
    "fold": {"task": "runs.fold", "schedule": timedelta(seconds=5), "options": {"expires": 5}},
    "partitions": {"task": "runs.partitions", "schedule": timedelta(hours=1), "options": {"expires": 3600}},
}

DEFAULT_EXCEPTION_REPORTER_FILTER = "dashboard.faults.NoVariables"
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"()": "dashboard.faults.Line", "format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "INFO"},
    "loggers": {
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        "django.server": {"handlers": [], "propagate": True},
        # Whenever the broker comes back Celery explains late acknowledgement, which nothing here uses.
        "py.warnings": {"level": "ERROR"},
        # A draining worker gives its prefetched messages back, and says so as a warning each time.
        "kombu.transport.virtual": {"level": "ERROR"},
    },
}
