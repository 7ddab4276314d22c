"""Anthropic's Messages API, streamed (platform.claude.com/docs/en/api/overview, read 2026-11)."""

from __future__ import annotations

from rolebook_runner.models.environment import Secret
from rolebook_runner.models.http import Sleep
from rolebook_runner.models.remote import Remote
from rolebook_runner.models.traffic import Traffic

_VERSION = "2023-06-01"


class Anthropic(Remote):
    """The API at `base_url`, which ends with the version (`…/v1`)."""

    def __init__(
        self, base_url: str, key: Secret | None, *, sleep: Sleep | None = None, traffic: Traffic | None = None
    ) -> None:
        headers = {"anthropic-version": _VERSION} | ({"x-api-key": key.reveal()} if key is not None else {})
        super().__init__("anthropic", base_url, key, headers, sleep, traffic)
