"""Token counts for an editor, which doesn't wait: estimates until the model's vocabulary is there."""

from __future__ import annotations

import threading

from rolebook.project.config import Config
from rolebook.prompt.tokens import Count, count_at_once, load, tokenizer_of

_asked: set[str] = set()


def counted(text: str, model: str | None, config: Config) -> Count:
    """The tokens of `text` for `model`, at once.

    The first call for a vocabulary has it loaded beside (0.1 to 0.6 s), so the counts after that are the real ones.
    """
    tokenizer = tokenizer_of(model, config.models)
    if tokenizer not in _asked:
        _asked.add(tokenizer)
        threading.Thread(target=load, args=(model, config.models), name=f"load {tokenizer}", daemon=True).start()
    return count_at_once(text, model, config.models)
