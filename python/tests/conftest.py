import os
from pathlib import Path

import pytest

os.environ.setdefault("MPLBACKEND", "Agg")

TOP = Path(__file__).resolve().parents[2]


@pytest.fixture
def in_models(monkeypatch):
    """Work where the model files are."""
    monkeypatch.chdir(TOP / "models")


@pytest.fixture
def top():
    return TOP
