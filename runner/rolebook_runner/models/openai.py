"""OpenAI Chat Completions, streamed: also every server that speaks it (spec §6)."""

from __future__ import annotations

from rolebook_runner.models.environment import Secret
from rolebook_runner.models.http import Sleep
from rolebook_runner.models.remote import Remote
from rolebook_runner.models.traffic import Traffic


class OpenAI(Remote):
    """One server; `base_url` ends with the version (`…/v1`), as all that speak the protocol give it."""

    def __init__(
        self, base_url: str, key: Secret | None, *, sleep: Sleep | None = None, traffic: Traffic | None = None
    ) -> None:
        headers = {"authorization": f"Bearer {key.reveal()}"} if key is not None else {}
        super().__init__("openai", base_url, key, headers, sleep, traffic)
