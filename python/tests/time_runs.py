#!/usr/bin/env python3
"""How long short runs take, best and median of 300 in milliseconds; how fast controllers in Python go.

    build/python/venv/bin/python python/tests/time_runs.py
"""

import math
import time

import keel


def measure(call, count=300):
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - begin))
    times.sort()
    return f"{times[0]:6.3f} {times[count // 2]:6.3f}"


def loop_of_ten():
    """A closed loop of ten bars with springs in its pins, and a motor."""
    m = keel.Mechanism("loop of ten", planar=True, gravity=9.81)
    m.inputs(u=0)
    pins = [(round(math.cos(math.pi * i / 10), 6), round(math.sin(math.pi * i / 10), 6)) for i in range(11)]
    for i in range(10):
        m.body(f"b{i}", shape="rod", from_=pins[i], to=pins[i + 1], mass=1)
        m.joint(f"p{i}", "revolute", f"b{i - 1}" if i else "ground", f"b{i}", at=pins[i])
    m.joint("p10", "revolute", "b9", "ground", at=pins[10])
    m.force("motor", "torque", joint="p0", value="u")
    for i in range(1, 10):
        m.force(f"spring{i}", "torsion", joint=f"p{i}", stiffness=50, damping=0.5)
    m.outputs(angle="p0.angle")
    return m.simulate(tolerance=1e-6).model()


def controlled(model, **options):
    """How much faster than real time a controller at 1 kHz goes."""
    s = model.simulation(**options)
    begin = time.perf_counter()
    s.drive(1, 0.001, u=lambda t, q, v: -3 * v["p0.angle"])
    return 1 / (time.perf_counter() - begin)


def main():
    m = keel.load("four_bar")
    s = m.simulation()
    cases = {
        "a run": lambda: m.run(until=2, tolerance=1e-9),
        "another parameter": lambda: m.replace(r=0.006),
        "another parameter and a run": lambda: m.replace(r=0.006).run(until=2, tolerance=1e-9),
        "a simulation": m.simulation,
        "a step of 1 ms, one quantity": lambda: s.step(0.001)["torque"],
    }
    for name, call in cases.items():
        print(f"{name:30} {measure(call)}")
    loop = loop_of_ten()
    for options in ({}, {"method": "dopri5"}, {"method": "rk4", "step": 0.001}):
        factor = max(controlled(loop, **options) for _ in range(5))
        print(f"1 kHz, {options.get('method', 'auto'):8}: {factor:.1f} times faster than real time")


main()
