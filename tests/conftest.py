"""Puts this folder on the import path, so that tests below share `build` and `cases`; timing decides no test."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import pytest
from hypothesis import settings

settings.register_profile("steady", deadline=None)
settings.load_profile("steady")


@pytest.fixture(autouse=True)
def _no_data_of_the_users(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions that a test keeps in the default place go to a folder of the test run's own."""
    folder = str(tmp_path_factory.getbasetemp() / "data")
    for variable in ("XDG_DATA_HOME", "LOCALAPPDATA", "WIN_PD_OVERRIDE_LOCAL_APPDATA"):
        monkeypatch.setenv(variable, folder)
    monkeypatch.setenv("ROLEBOOK_CACHE", "off")
