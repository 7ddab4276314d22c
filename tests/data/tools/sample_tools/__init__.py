# ruff: noqa
# fmt: off
"""Tools that tests read from source and run for real: both must give one declaration."""

from .models import City as Town
from .plain import get_weather as forecast
