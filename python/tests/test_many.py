"""Many runs: in threads, in processes, one after the other without a leak, compared."""

import gc
import threading
import time

import numpy as np
import pytest

import keel


def largest_torque(run):
    return float(np.abs(run["torque"]).max())


def test_threads_give_the_numbers_of_one_thread():
    m = keel.load("andrews")
    expected = m.run().values
    results = [None] * 4

    def work(i):
        results[i] = m.run().values

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(result, expected) for result in results)


def test_runs_release_the_interpreter_lock():
    """While one thread runs, another one counts: it would stand still if the run held the lock."""
    m = keel.load("andrews")
    over = threading.Event()
    end = time.monotonic() + 0.5

    def work():
        m.run(until=1e4, max_steps=1e12, stop=lambda: time.monotonic() > end)
        over.set()

    thread = threading.Thread(target=work)
    thread.start()
    count = 0
    while not over.is_set():
        count += 1
        time.sleep(0.001)
    thread.join()
    assert count > 20


@pytest.mark.parametrize("pool", ["threads", "processes"])
def test_sweeps(pool):
    m = keel.load("four_bar")
    s = keel.sweep(m, {"r": [0.004, 0.008], "speed": [3, 6]}, each=largest_torque, pool=pool, until=1)
    assert s.cases[1] == {"r": 0.004, "speed": 6} and len(s) == 4
    assert s[1] == largest_torque(m.replace(r=0.004, speed=6).run(until=1))
    assert "kept all promises" in repr(s)
    runs = keel.sweep(m, [{"r": 0.004}, {"r": 0.005}], pool=pool, until=0.1)
    assert [run.model.parameters["r"] for run in runs] == [0.004, 0.005]


def test_sweeps_tell_what_failed():
    m = keel.load("pendulum")
    s = keel.sweep(m, [{"L": 1}, {"L": "0*1"}], until=0.1)
    assert s[0].ok and s[1] is None and list(s.errors) == [1] and "1 FAILED" in repr(s)
    s = keel.sweep(m, [{"L": 1}], method="rk4/index1/none", step=0.2, until=4)
    assert list(s.broken) == [0] and "1 BROKE THEIR PROMISE" in repr(s)
    with pytest.raises(ZeroDivisionError):
        keel.sweep(m, [{"L": 1}], each=lambda run: 1 / 0)
    with pytest.raises(ValueError, match="processes"):
        keel.sweep(m, [], pool="thread")


def test_methods_are_compared():
    c = keel.compare(
        keel.load("four_bar"), ["auto", "bdf", "generalized-alpha/index3"], tolerance=1e-6, until=0.5
    )
    assert len(c) == 3 and c["auto"].error < 1e-5 and c["bdf"].error < 1e-2
    assert c.uncertainty < 1e-8 and 0 < c["generalized-alpha/index3"].error < 0.5
    assert c["bdf"].steps > 0 and c["bdf"].evaluations > 0
    text = repr(c)
    assert "generalized-alpha/index3" in text and "evaluations" in text and "<table>" in c._repr_html_()
    wrong = keel.compare(keel.load("four_bar"), ["bdv"], until=0.1)
    assert "did you mean 'bdf'" in wrong["bdv"].failure and "FAILED" in repr(wrong)


def memory():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def test_two_thousand_simulations_do_not_leak():
    """The peak of a warm process must not grow: 2000 times 1 kB would be 2 MB."""

    def once(i):
        m = keel.load("four_bar", r=0.004 + 1e-6 * i)
        m.run(until=0.05)
        m.simulation().step(0.01).state
        with pytest.raises(keel.ModelError):
            m.run(untill=1)

    for i in range(200):
        once(i)
    gc.collect()
    before = memory()
    for i in range(2000):
        once(i)
    gc.collect()
    assert memory() - before < 1_000_000
