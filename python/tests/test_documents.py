"""The lines of docs/python.md, and the notebooks, run as they stand."""

import re
from pathlib import Path

import pytest

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
def test_notebooks(path, tmp_path):
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "notebooks are kept without results"
    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": tmp_path}}).execute()
