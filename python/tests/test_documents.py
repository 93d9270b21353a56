"""The lines of docs/python.md, and the notebooks, run as they stand."""

import re
from pathlib import Path

import pytest

import keel

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


def test_lines_of_the_manual(top, tmp_path, monkeypatch, capsys):
    """One block after the other, in one namespace."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", (top / "docs" / "python.md").read_text(), re.M | re.S)
    assert len(blocks) > 5
    names = {"__name__": "manual"}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)
    assert "four-bar" in capsys.readouterr().out


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks(path, tmp_path, monkeypatch):
    """By the package under test, whichever Python the kernel is."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "notebooks are kept without results"
    monkeypatch.setenv("PYTHONPATH", str(Path(keel.__path__[0]).parent))
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": tmp_path}}).execute()
