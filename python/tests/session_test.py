"""Sessions and calls."""

import collections
import gc
import os
import signal
import threading
import time

import numpy as np
import pytest

import graphs
import tagflow

ENDLESS = {"n": 1}


def test_run_gives_results_in_the_form_of_the_fetches():
    session = tagflow.Session(graphs.add_one())
    pair = collections.namedtuple("Pair", "a b")
    feeds = {"x": 2.0}
    assert session.run("y", feeds) == 3
    assert session.run(["y", "x"], feeds) == [3, 2]
    assert session.run(("y",), feeds) == (3,)
    assert session.run({"a": "y", "b": ["x", "x:0"]}, feeds) == {"a": 3, "b": [2, 2]}
    assert session.run(pair("x", "y"), feeds) == pair(2, 3)
    assert session.run([], feeds) == []
    ordered = session.run(collections.OrderedDict(z="y", a="x"), feeds)
    assert list(ordered.items()) == [("z", 3), ("a", 2)]


def test_nodes_without_outputs_are_run_for_their_effect():
    session = tagflow.Session(graphs.variable())
    assert session.run("assign", {"value": 4.0}) is None
    assert session.run(["read", {"again": "read"}]) == [4, {"again": 4}]
    assert session.callable(["value"], "assign")(5.0) is None
    assert session.callable([], ["read"])() == [5]


def test_a_callable_takes_feeds_by_position():
    session = tagflow.Session(graphs.add_one())
    assert session.callable("x", "y")(1.0) == 2
    assert session.callable(["x"], ["y"])(1.0) == [2]
    assert session.callable(["x"], {"out": "y"})(1.0) == {"out": 2}
    f = session.callable(["x", "one"], "y")
    assert f(1.0, 5.0) == 6
    for arguments in [(), (1.0,), (1.0, 2.0, 3.0)]:
        with pytest.raises(TypeError, match="2 feeds"):
            f(*arguments)
    with pytest.raises(TypeError, match="by position"):
        f(x=1.0, one=2.0)
    assert "straight" in f.about()


@pytest.mark.parametrize("fetches", [None, 3, [None], object()])
def test_what_is_no_fetch_is_a_type_error(fetches):
    with pytest.raises(TypeError):
        tagflow.Session(graphs.add_one()).run(fetches, {"x": 1.0})


def test_feeds_are_a_dict_of_names():
    session = tagflow.Session(graphs.add_one())
    with pytest.raises(TypeError, match="dict"):
        session.run("y", [("x", 1.0)])
    with pytest.raises(TypeError, match="no tensor"):
        session.run("y", {3: 1.0})
    with pytest.raises(tagflow.Error, match="'x'"):
        session.run("y")
    with pytest.raises(tagflow.errors.NotFoundError, match="'z'"):
        session.run("y", {"z": 1.0, "x": 1.0})


def test_a_session_that_is_closed_says_so_and_its_calls_too():
    with tagflow.Session(graphs.add_one()) as session:
        f = session.callable(["x"], "y")
        assert f(1.0) == 2
    for use in (lambda: f(1.0), lambda: session.run("y", {"x": 1.0}),
                lambda: session.callable(["x"], "y")):
        with pytest.raises(tagflow.errors.FailedPreconditionError, match="closed"):
            use()
    session.close()


def test_a_callable_keeps_its_session():
    f = tagflow.Session(graphs.add_one()).callable(["x"], "y")
    gc.collect()
    assert f(1.0) == 2


@pytest.mark.parametrize("threads", [1, 2])
def test_control_c_ends_a_step(threads):
    session = tagflow.Session(graphs.endless(), threads=threads)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        session.run("out", ENDLESS)
    assert time.monotonic() - begin < 10
    assert session.run("out", {"n": 0}) == 0


def test_control_c_reaches_a_handler_that_was_set_later():
    seen = []
    session = tagflow.Session(graphs.endless())
    call = session.callable(["n"], "out")
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    call(0)
    before = signal.signal(signal.SIGINT, lambda *_: seen.append(1))  # right between two steps
    try:
        with pytest.raises(tagflow.errors.CancelledError):
            call(1)
        assert seen == [1]
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_ignored_control_c_is_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(tagflow.errors.DeadlineExceededError):
            tagflow.Session(graphs.endless()).run("out", ENDLESS, timeout=0.5)
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_run_python_while_a_step_runs():
    session = tagflow.Session(graphs.endless())
    failed = threading.Event()

    def run():
        with pytest.raises(tagflow.errors.DeadlineExceededError):
            session.run("out", ENDLESS, timeout=0.5)
        failed.set()

    thread = threading.Thread(target=run)
    thread.start()
    count = 0
    while not failed.is_set():
        count += 1
        time.sleep(0.001)
    thread.join()
    assert count > 50


def test_several_threads_use_one_session():
    session = tagflow.Session(graphs.add_one(), threads=2)
    f = session.callable(["x"], "y")
    failures = []

    def work(number):
        array = np.full(3000, number, np.float32)
        for _ in range(200):
            if not (f(array) == number + 1).all() or session.run("y", {"x": number}) != number + 1:
                failures.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_session_closed_while_a_step_runs_lets_it_end():
    session = tagflow.Session(graphs.counting())
    results = []
    thread = threading.Thread(target=lambda: results.append(session.run("out", {"n": 2_000_000})))
    thread.start()
    time.sleep(0.01)
    session.close()
    thread.join()
    assert results == [2_000_000]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_forked_child_makes_its_own_session(threads):
    session = tagflow.Session(graphs.add_one(), threads=threads)
    assert session.run("y", {"x": 1.0}) == 2
    child = os.fork()
    if child == 0:
        code = 1
        try:
            with pytest.raises(tagflow.errors.FailedPreconditionError, match="fork"):
                session.run("y", {"x": 1.0})
            del session
            own = tagflow.Session(graphs.counting(), threads=threads)
            assert own.run("out", {"n": 1000}) == 1000
            with pytest.raises(tagflow.errors.DeadlineExceededError):
                tagflow.Session(graphs.endless()).run("out", ENDLESS, timeout=0.05)
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert session.run("y", {"x": 1.0}) == 2


def test_a_second_interpreter_is_declined():
    interpreters = pytest.importorskip("_xxsubinterpreters", reason="of Python 3.11 and 3.12")
    interpreter = interpreters.create()
    with pytest.raises(interpreters.RunFailedError, match="main interpreter|ImportError"):
        interpreters.run_string(interpreter, "import tagflow._core")
    interpreters.destroy(interpreter)


def test_two_devices():
    session = tagflow.Session(graphs.add_one(), devices=["/device:CPU:0", "/device:CPU:1"])
    assert session.run("y", {"x": 1.0}) == 2


@pytest.mark.parametrize("executor", ["auto", "straight", "tokens", "native",
                                      "interpreted"])
def test_executors_and_passes(executor):
    session = tagflow.Session(graphs.counting(), executor=executor, passes="all", threads=1)
    f = session.callable(["n"], "out")
    assert f(17) == 17
    assert ("tokens" if executor == "tokens" else "straight") in f.about()
