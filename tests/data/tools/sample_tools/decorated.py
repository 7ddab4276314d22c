# ruff: noqa
# fmt: off
"""Decorators that keep a signature, and such as may not."""

import functools
from functools import lru_cache, partial, wraps

REGISTRY = []


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


def retried(times: int):
    def decorate(function):
        @wraps(function)
        async def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        return wrapper

    return decorate


def registered(function):
    REGISTRY.append(function)
    return function


def replaced(function):
    def wrapper(text: str):
        return function(text)

    return wrapper


@logged
def kept(city: str) -> str:
    """Kept."""
    return city


@retried(3)
@logged
def kept_twice(city: str = "x") -> str:
    return city


@registered
def given_back(city: str): ...


@lru_cache
def cached(city: str): ...


@functools.lru_cache(maxsize=3)
def cached_some(city: str): ...


@replaced
def lost(city: str, days: int):
    """Another text."""


class Lookup:
    """Looks up."""

    def __call__(self, word: str, limit: int = 3) -> str:
        return word * limit

    def bound(self, word: str):
        """Bound."""


lookup = Lookup()
bound = lookup.bound
part = partial(kept, city="x")
