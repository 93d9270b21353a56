#!/usr/bin/env python3
"""How long short runs take: best and median of 300, in milliseconds.

    build/python/venv/bin/python python/tests/time_runs.py
"""

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


main()
