"""Puts this folder on the import path, so that tests in sub-folders share `build` and `cases`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
