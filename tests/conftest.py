"""Puts this folder on the import path, so that tests below share `build` and `cases`; timing decides no test."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from hypothesis import settings

settings.register_profile("steady", deadline=None)
settings.load_profile("steady")
