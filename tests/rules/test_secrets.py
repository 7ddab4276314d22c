"""Keys in their makers' forms. They are put together here, so that no scanner takes this file for a leak."""

from __future__ import annotations

import pytest
from build import ROOT, snapshot

from rolebook.rules import check_file
from rolebook.rules.secrets import secrets_in

RANDOM = "Zk3vQ8mT1xR6bN4cY9wLh2Gd7Js5Pf0aUeZk3vQ8mT1xR6bN4cY9wLh2Gd7Js5Pf0aUe"
KEYS = [
    "AIza" + RANDOM[:35],
    "gsk_" + RANDOM[:50],
    "xai-" + RANDOM[:64],
    "hf_" + RANDOM[:34],
    "ghp_" + RANDOM[:36],
    "github_pat_" + RANDOM[:60],
    "glpat-" + RANDOM[:20],
    "xoxb-" + "123-456-" + RANDOM[:24],
    "AKIA" + RANDOM[:16].upper(),
    "sk_live_" + RANDOM[:24],
    "SG." + RANDOM[:22] + "." + RANDOM[:43],
    "ya29." + RANDOM[:40],
    "eyJ" + RANDOM[:20] + ".eyJ" + RANDOM[:20] + "." + RANDOM[:20],
    "sk-or-v1-" + RANDOM[:40],
]


@pytest.mark.parametrize("key", KEYS, ids=lambda key: str(key)[:6])
def test_a_key_is_found_and_never_quoted(key: str) -> None:
    text = f"name: a\ninstruction: Use {key}, please.\n"
    (problem,) = check_file(snapshot({"root_agent.yaml": text}), f"{ROOT}/root_agent.yaml")
    assert (problem.rule, text[slice(*problem.span)]) == ("secret-in-file", key)
    assert RANDOM[:6].lower() not in problem.message.lower()


@pytest.mark.parametrize("key", KEYS, ids=lambda key: str(key)[:6])
def test_what_is_cut_or_masked_is_none(key: str) -> None:
    start = key[: len(key) - len(key.lstrip("abcdefghijklmnopqrstuvwxyzAIK_-."))] or key[:4]
    for text in (start + "...", start + "X" * 40, f"{start}YOUR_KEY_{RANDOM[:40]}", key[:8]):
        assert list(secrets_in(text)) == []
