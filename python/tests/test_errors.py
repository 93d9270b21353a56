"""What is wrong is told: what, where, what was meant."""

import os
import signal
import sys
import threading
import time
import types
import warnings

import pytest

import keel


def message(kind, call):
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value), caught.value


def test_unknown_parameter():
    text, error = message(keel.ModelError, lambda: keel.load("four_bar", sped=1))
    assert "there is no parameter 'sped'" in text and "did you mean 'speed'?" in text
    assert error.diagnostics[0].severity == "error"


def test_wrong_options():
    m = keel.load("four_bar")
    assert "did you mean 'tolerance'?" in message(keel.ModelError, lambda: m.run(tolerence=1))[0]
    assert "did you mean 'bdf'?" in message(keel.ModelError, lambda: m.run(method="bdv"))[0]
    assert "tolerance" in message(keel.ModelError, lambda: m.simulation(tolerance=-1))[0]
    assert "'until'" in message(keel.ModelError, lambda: m.run(until=-1))[0]
    assert "small" in message(keel.ModelError, lambda: m.run(tolerance="small"))[0]
    with pytest.raises(TypeError):
        m.run(until=[1])


def test_wrong_files():
    text, error = message(keel.ModelError, lambda: keel.loads("keel: 1\nbodies: {a: {mas: 1}}\n", "my.yaml"))
    first = [d for d in error.diagnostics if "mas" in d.text][0]
    assert (first.file, first.line, first.column) == ("my.yaml", 2, 14)
    assert "my.yaml:2:14: error: unknown key 'mas' of a body: did you mean 'mass'?" in text
    assert "\n    bodies: {a: {mas: 1}}\n                 ^" in text


def test_every_broken_model_is_refused(top):
    for path in sorted((top / "tests" / "broken").glob("*.yaml")):
        with pytest.raises(keel.Error) as caught, warnings.catch_warnings():
            warnings.simplefilter("error")
            keel.load(path).run()
        assert caught.value.diagnostics and str(caught.value)


def test_missing_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "No such file" in message(keel.ModelError, lambda: keel.load("no_such.yaml"))[0]
    assert "keel.load('four_bar')" in message(keel.ModelError, lambda: keel.load("four_bar.yaml"))[0]


def test_unknown_quantities():
    m = keel.load("four_bar")
    assert "did you mean 'torque'?" in message(KeyError, lambda: m.run(until=0.1)["torqe"])[0]
    assert "did you mean 'torque'?" in message(KeyError, lambda: m.simulation()["torqe"])[0]


def test_failed_runs_keep_their_rows():
    m = keel.load("pendulum")
    text, error = message(keel.RunError, lambda: m.run(max_steps=10, until=100, output=0.01))
    assert "steps" in text and error.diagnostics
    assert len(error.run) > 1 and not error.run.ok and "ended at" in repr(error.run)


def test_broken_promises_warn():
    m = keel.load("pendulum")
    with pytest.warns(keel.BrokenPromise):
        r = m.run(method="rk4/index1/none", step=0.2, until=4)
    assert not r.ok and r.broken
    assert "BROKE ITS PROMISE" in repr(r) and "BROKE ITS PROMISE" in r._repr_html_()


def test_keyboard_interrupt_ends_a_run():
    m = keel.load("andrews")
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt) as caught:
        m.run(until=1e4, max_steps=1e12)
    assert time.monotonic() - begin < 5
    assert caught.value.run.t[-1] > 0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_errors_of_a_listener_come_out():
    def listener(t, until):
        raise RuntimeError(f"at {t} of {until}")

    with pytest.raises(RuntimeError, match="of 10000"):
        keel.load("andrews").run(until=1e4, max_steps=1e12, progress=listener)


def test_runs_are_stopped():
    begin = time.monotonic()
    r = keel.load("andrews").run(until=1e4, max_steps=1e12, stop=lambda: time.monotonic() > begin + 0.2)
    assert not r.ok and 0 < r.t[-1] < 1e4


def test_progress_in_a_terminal(capsys):
    begin = time.monotonic()
    keel.load("andrews").run(
        until=1e4, max_steps=1e12, progress=True, stop=lambda: time.monotonic() > begin + 0.2
    )
    assert "of 1e+04 [" in capsys.readouterr().err
    keel.load("four_bar").run()
    assert capsys.readouterr().err == ""


def test_progress_in_a_notebook(monkeypatch):
    """A line under the cell that is written anew and is empty at the end."""
    shown = []

    class Line:
        def update(self, data, raw):
            shown.append(data["text/plain"])

    module = types.ModuleType("IPython.display")
    module.display = lambda data, raw, display_id: Line()
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setattr("keel._progress._in_notebook", lambda: True)
    begin = time.monotonic()
    keel.load("andrews").run(until=1e4, max_steps=1e12, stop=lambda: time.monotonic() > begin + 0.8)
    assert "of 1e+04 [" in shown[0] and shown[-1] == ""
