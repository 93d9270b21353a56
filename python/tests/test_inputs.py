"""Inputs are set while a simulation runs, by hand or by Python functions."""

import numpy as np
import pytest

import keel

CART = """\
keel: 1
name: cart
planar: true
inputs: {u: 0, wind.x: 0}
bodies: {cart: {mass: 2, centre: [0, 0], inertia: 1}}
joints: {rail: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: x}}
forces: {push: {type: force, body: cart, vector: [u + wind.x, 0]}}
outputs: {x: cart.x, speed: cart.x'}
simulate: {until: 1, tolerance: 1e-10}
"""


def test_inputs_are_held_until_they_are_set_again():
    s = keel.loads(CART).simulation()
    s.step(0.5, u=2.0)
    assert s["speed"] == pytest.approx(0.5, abs=1e-12) and s["u"] == 2
    s.step(0.5)
    s.step(0.5, u=-1.0)
    assert s["speed"] == pytest.approx(1 - 0.25, abs=1e-12)
    s.set(u=0, **{"wind.x": 4}).advance(2)
    assert s["speed"] == pytest.approx(0.75 + 1, abs=1e-12)
    with pytest.raises(KeyError, match="did you mean 'wind.x'"):
        s.step(0.1, **{"wind.y": 1})
    with pytest.raises(keel.RunError):
        s.step(0.1, u=float("nan"))


def test_controllers_are_python_functions():
    """x'' = -k x - d x', sampled and held: the closed form of every interval."""
    every, k, d = 0.01, 30.0, 3.0

    def spring(t, q, v):
        return -k * (q["x"] - 1) - d * v["rail.displacement"]

    s = keel.loads(CART).simulation()
    driven = s.drive(1, every, u=spring)
    x = speed = 0.0
    for row in range(100):
        assert driven["x"][row] == pytest.approx(x, abs=1e-11)
        force = -k * (x - 1) - d * speed
        assert driven["u"][row] == pytest.approx(force, abs=1e-8)
        x, speed = x + every * speed + every**2 / 2 * force / 2, speed + every * force / 2
    assert s.t == 1 and len(driven) == 101 and s["x"] == pytest.approx(x, abs=1e-11)
    assert np.array_equal(driven.t, driven["t"]) and "100" not in repr(driven.names)
    with pytest.raises(KeyError, match="sampled"):
        driven["y"]


def test_mechanisms_with_inputs_and_states():
    m = keel.Mechanism("servo", planar=True)
    m.inputs(target=0.3)
    m.body("arm", shape="rod", from_=[0, 0], to=[1, 0], mass=3)
    m.joint("pin", "revolute", "ground", "arm", at=[0, 0])
    m.definitions(error="target - pin.angle")
    m.state("integral", 0, "error")
    m.force("motor", "torque", joint="pin", value="20*error + 5*integral - 6*pin.angle'")
    m.outputs(angle="pin.angle")
    s = m.model().simulation()
    assert s.advance(20)["angle"] == pytest.approx(0.3, abs=1e-3)
    assert s.advance(40, target=-0.2)["angle"] == pytest.approx(-0.2, abs=1e-3)


SERVO = """\
keel: 1
name: cart with an actuator
planar: true
inputs: {u: 0}
states: {force: {start: 0, rate: (u - force)/0.02}}
bodies: {cart: {mass: 2, centre: [0, 0], inertia: 1}}
joints: {rail: {type: prismatic, bodies: [ground, cart], at: [0, 0], axis: x}}
forces: {push: {type: force, body: cart, vector: [force, 0]}}
outputs: {x: cart.x, speed: cart.x'}
simulate: {until: 1, tolerance: 1e-12}
"""


def exponential(a):
    """exp(a) by its series, halved 10 times first."""
    term = total = np.eye(len(a))
    for k in range(1, 20):
        term = term @ a / 2**10 / k
        total = total + term
    for _ in range(10):
        total = total @ total
    return total


def test_sampled_cascade_with_actuator_lag():
    """A controller of the position sets the speed that another one keeps, every millisecond; against the exact
    solution between samples: the exponential of the linear system of x, speed, force, u."""
    every, target = 0.001, 0.2
    memory = {"python": 0.0, "exact": 0.0}

    def cascade(which, x, speed):
        error = 12 * (target - x) - speed
        memory[which] += every * error
        return 40 * error + 150 * memory[which]

    def controller(t, q, v):
        return cascade("python", q["rail.displacement"], v["rail.displacement"])

    driven = keel.loads(SERVO).simulation().drive(1, every, u=controller)
    system = np.array([[0, 1, 0, 0], [0, 0, 0.5, 0], [0, 0, -50, 50], [0, 0, 0, 0]], dtype=float)
    over = exponential(system * every)
    y = np.zeros(4)
    for row in range(1000):
        y[3] = cascade("exact", y[0], y[1])
        assert abs(driven["x"][row] - y[0]) < 1e-9 and abs(driven["speed"][row] - y[1]) < 1e-9
        y = over @ y
    assert abs(driven["x"][1000] - y[0]) < 1e-9 and abs(y[0] - target) < 0.02
