"""Mechanisms built in Python are the files that a person would write."""

import numpy as np
import pytest

import keel


def four_bar():
    m = keel.Mechanism("four-bar crank-rocker", planar=True, gravity=9.81)
    m.parameters(steel=7850, r=0.008, speed="2*pi")
    m.points(O=[0, 0], C=[0.3, 0], A=[0, 0.1], B=[0.25, 0.25], P=np.array([0.15, 0.27]))
    m.body("crank", shape="rod", from_="O", to="A", radius="r", density="steel")
    m.body("coupler", shape="rod", from_="A", to="B", radius="r", density="steel", points=["P"])
    m.body("rocker", shape="rod", from_="C", to="B", radius="r", density="steel")
    m.joint("O", "revolute", "ground", "crank")
    m.joint("A", "revolute", "crank", "coupler")
    m.joint("B", "revolute", "coupler", "rocker")
    m.joint("C", "revolute", "ground", "rocker")
    m.motion("motor", of="O.angle", speed="speed")
    m.outputs(Px="P.x", torque="motor.torque")
    m.simulate(until=2, tolerance=1e-9, output=0.01)
    return m


def test_runs_as_the_file_does():
    built, shipped = four_bar().run(), keel.load("four_bar").run()
    assert np.array_equal(built["torque"], shipped["torque"]) and np.array_equal(built["Px"], shipped["Px"])
    assert four_bar().model(r=0.004).parameters["r"] == 0.004


def test_writes_what_a_person_would_write(tmp_path):
    text = four_bar().yaml()
    assert text.startswith("keel: 1\nname: four-bar crank-rocker\nplanar: true\ngravity: 9.81\n")
    assert "parameters: {steel: 7850, r: 0.008, speed: 2*pi}\n" in text
    assert "points: {O: [0, 0], C: [0.3, 0], A: [0, 0.1], B: [0.25, 0.25], P: [0.15, 0.27]}\n" in text
    assert "  crank: {shape: rod, from: O, to: A, radius: r, density: steel}\n" in text
    assert "  A: {type: revolute, bodies: [crank, coupler]}\n" in text
    assert "motions: {motor: {of: O.angle, speed: speed}}\n" in text
    assert all(len(line) <= 110 for line in text.splitlines())
    four_bar().save(tmp_path / "built.yaml")
    assert keel.load(tmp_path / "built.yaml").name == "four-bar crank-rocker"


def test_all_that_yaml_would_take_for_something_else():
    m = keel.Mechanism('a: "strange" # name, {yes}', gravity=[0, 0, -9.81])
    m.parameters({"k[1]": 40, "big": 1e20, "small": 1e-7})
    m.body("bar[1]", shape="rod", from_=[0, 0, 0], to=["max(1, 0.5)", 0, 0], mass="-1 + 3")
    m.joint("pin[1]", "revolute", "ground", "bar[1]", at=[0, 0, 0], axis="-y")
    m.force("spring", "torsion", joint="pin[1]", law="-k[1]*angle - 0.1*rate")
    m.start({"pin[1].angle": "30 deg", "pin[1].angle'": 2})
    m.outputs({"angle[1]": "pin[1].angle"})
    r = m.run(until=0.5)
    assert r.model.name == 'a: "strange" # name, {yes}'
    assert r["angle[1]"][0] == pytest.approx(np.pi / 6)
    assert r.model.parameters["big"] == 1e20


def test_long_parts_take_several_lines():
    m = keel.Mechanism("long", planar=True)
    m.body("b", shape="rod", from_=["0.123456789*cos(0)", 0], to=["cos(0.123456789)*1.23456789", 0], mass=1,
           points={"a": [0.1, 0], "c": [0.2, 0], "d": ["0.111111*2", 0]})
    text = m.yaml()
    assert "  b:\n    shape: rod\n" in text
    assert m.model().check().degrees_of_freedom == 3


def test_mistakes_are_told_with_their_line():
    m = four_bar()
    m.body("link", shape="rood", from_="O", to="A", mass=1)
    with pytest.raises(keel.ModelError) as caught:
        m.model()
    assert "did you mean 'rod'?" in str(caught.value) and "  link: {shape: rood" in str(caught.value)
    with pytest.raises(ValueError, match="'crank' already"):
        m.body("crank")
