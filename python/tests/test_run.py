"""Models are run, led and looked at; the numbers are those of the library."""

import pickle
import sys

import numpy as np
import pytest

import keel


def test_lines_of_the_front_page(in_models, tmp_path):
    m = keel.load("four_bar.yaml", r=0.005)
    print(m.check())
    r = m.run(until=2, tolerance=1e-9)
    r["torque"], r.t, r.frame()
    s = m.simulation()
    s.step(0.01)
    x = s.state
    s.state = x
    r.plot("torque")
    r.report(tmp_path / "four_bar.html")
    assert r._repr_html_()

    assert m.parameters["r"] == 0.005
    assert r.ok and r.t[-1] == 2 and len(r) == len(r.t) == 201
    assert (tmp_path / "four_bar.html").stat().st_size > 100_000
    assert s.t == 0.01


def test_columns_are_arrays():
    r = keel.load("four_bar").run()
    assert r["crank"] == pytest.approx(2 * np.pi * r.t, abs=1e-9)
    assert r["t"] is not None and "torque" in r and "torqe" not in r
    assert r.units["t"] == "s" and set(r) == set(r.names)
    assert r.values.shape == (201, len(r.names))
    with pytest.raises(ValueError):
        r["torque"][0] = 1
    assert list(r.frame()["torque"]) == list(r["torque"])


def test_frames(monkeypatch):
    pandas = pytest.importorskip("pandas")
    r = keel.load("four_bar").run(until=0.1)
    frame = r.frame()
    assert isinstance(frame, pandas.DataFrame) and frame.index.name == "t"
    assert np.array_equal(frame["torque"], r["torque"]) and list(frame.index) == list(r.t)
    monkeypatch.setitem(sys.modules, "pandas", None)  # as if it were not there
    table = r.frame()
    assert isinstance(table, np.ndarray) and table.dtype.names == tuple(r.names)
    assert np.array_equal(table["torque"], r["torque"])


def test_arrays_outlive_their_run():
    torque = keel.load("four_bar").run()["torque"]
    copy = torque.copy()
    for _ in range(20):
        keel.load("four_bar").run()
    assert np.array_equal(torque, copy)


def test_options_hold_for_one_run():
    m = keel.load("four_bar")
    assert m.run(until=0.5, method="bdf").summary["method"]["integrator"] == "bdf"
    assert m.run().t[-1] == 2
    assert m.run(until=0.5, output=0.25, keep_invariants=False).t.tolist() == [0, 0.25, 0.5]


def test_parameters_are_numbers_or_formulas():
    m = keel.load("four_bar", speed="pi", r=0.01)
    assert m.parameters["speed"] == pytest.approx(np.pi)
    other = m.replace(r=0.02)
    assert (m.parameters["r"], other.parameters["r"]) == (0.01, 0.02)
    assert other.parameters["speed"] == m.parameters["speed"]


def test_models_from_text():
    m = keel.loads(
        "keel: 1\nequations: {coordinates: {x: 1}, kinetic: x'^2/2, potential: k*x^2/2}\n"
        "parameters: {k: 1}\nsimulate: {until: 1, tolerance: 1e-10}\n",
        k=4,
    )
    assert m.coordinates == ["x"] and not m.is_mechanism
    r = m.run()
    assert r["x"] == pytest.approx(np.cos(2 * r.t), abs=1e-8)
    assert m.check().mobility is None and m.check().degrees_of_freedom == 1


def test_checks_tell_what_repeats_what():
    c = keel.load("door").check()
    assert c.mobility == 1 and c.degrees_of_freedom == 1
    assert c.repeated[0]["joint"] == "hinge_2" and c.repeated[0]["of"] == ["hinge_1"]
    assert "hinge_2 repeats 5 conditions that hinge_1 already imposes" in repr(c)
    assert "hinge_2.x" in c.dependent and c["rank"] == 0


def test_shared_columns():
    r = keel.load("pendulum_redundant").run(until=0.1)
    assert any("lambda.rod" in name for name in r.shared)


def test_simulations_are_led():
    m = keel.load("pendulum")
    r = m.run(until=1, output=0.125, tolerance=1e-10)
    s = m.simulation(tolerance=1e-10)
    for t in r.t[1:]:
        s.advance(t)
        assert s["x"] == pytest.approx(r["x"][r.t == t][0], abs=1e-8)
    assert s.t == 1
    x = s.state
    s.advance(1.5)
    later = s["x"]
    s.state = x
    assert s.t == 1 and s.state.q == pytest.approx(x.q, abs=1e-12)
    assert s.advance(1.5)["x"] == pytest.approx(later, abs=1e-8)
    assert s.reset().t == 0 and s["x"] == m.run(until=0.1)["x"][0]
    assert s.step().t > 0 and set(s.outputs) == set(m.outputs)


def test_states_are_values():
    s = keel.load("four_bar").simulation()
    x = s.state
    assert x == x.copy() and pickle.loads(pickle.dumps(x)) == x
    x.q = x.q[:1]
    with pytest.raises(ValueError, match="state.q"):
        s.state = x


def test_models_and_runs_travel():
    m = pickle.loads(pickle.dumps(keel.load("four_bar", r=0.004)))
    r = m.run(until=0.1)
    again = pickle.loads(pickle.dumps(r))
    assert m.parameters["r"] == 0.004 and again.ok
    assert np.array_equal(again["torque"], r["torque"]) and again.summary == r.summary
    with pytest.raises(keel.Error, match="another process"):
        again.save("rows.csv")
    assert "iframe" not in again._repr_html_()


def test_rows_are_saved(tmp_path):
    r = keel.load("four_bar").run(until=0.1)
    r.save(tmp_path / "rows.csv")
    table = np.genfromtxt(tmp_path / "rows.csv", delimiter=",", names=True)
    assert np.array_equal(table["t"], r.t) and np.array_equal(table["torque"], r["torque"])
    with pytest.raises(keel.Error, match="no HDF5"):
        r.save(tmp_path / "rows.h5")
    with pytest.raises(keel.Error, match=".html"):
        r.report(tmp_path / "page.txt")
    with pytest.raises(keel.Error, match="No such file"):
        r.save(tmp_path / "no" / "rows.csv")


def test_pages_in_notebooks():
    text = keel.load("four_bar").run(until=0.1)._repr_html_()
    assert "<iframe srcdoc='" in text and "kept all promises" in text
    body = text.split("srcdoc='")[1].split("' style=")[0]
    assert "'" not in body and "<" not in body


def test_every_shipped_model_runs():
    assert "four_bar" in keel.models()
    for name in ("andrews", "door", "stewart", "rolling_coin", "wheelset"):
        assert keel.load(name).run(until=0.01).ok
