"""How the package behaves in a process: signals, threads, forks, imports, explanations."""

import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest

import kleene as kl


def run_python(code, **environment):
    """What a fresh interpreter prints: (status, stdout, stderr)."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=300,
                          env={**os.environ, **environment}, check=False)
    return done.returncode, done.stdout, done.stderr


# Each would take minutes.
LONG = {
    "matmul": "kl.matmul(np.ones((20000, 20000), 'f4'), np.ones((20000, 20000), 'f4'), 'log_plus')",
    "closure": "kl.closure(np.full((9000, 9000), -20.0), 'log_plus')",
    "batch": "kl.closure(np.full((20000, 100, 100), -20.0, 'f4'), 'log_plus')",
    "paths": "kl.shortest_paths(np.ones((9000, 9000)), method='dijkstra')",
}


@pytest.mark.parametrize("work", list(LONG))
def test_ctrl_c_ends_a_call(work):
    status, out, _ = run_python(f"""
        import os, signal, threading
        import numpy as np
        import kleene as kl
        threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            {LONG[work]}
        except KeyboardInterrupt:
            print("interrupted", kl.matmul([[1.0]], [[2.0]]))
    """)
    assert (status, out) == (0, "interrupted [[3.]]\n")


def test_what_a_signal_handler_does_with_kleene():
    """A handler that runs in the midst of a call may call, too."""
    found = []
    handler = signal.signal(signal.SIGALRM, lambda *_: found.append(kl.matmul([[1.0]], [[4.0]])[0, 0]))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.06)
        a = np.ones((1000, 1000), np.float32)
        for _ in range(1000):
            c = kl.matmul(a, a, "log_plus")
            if found:
                break
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    assert found[0] == 5.0
    np.testing.assert_allclose(c, 2 + np.log(1000), rtol=1e-5)


def test_progress_may_stop_a_call():
    def stop(done, total):
        raise LookupError(f"{0 < done <= total}")

    a = np.ones((1100, 1100), np.float32)
    with pytest.raises(LookupError, match="True"):
        kl.matmul(a, a, progress=stop)
    np.testing.assert_array_equal(kl.matmul(a, a), np.full((1100, 1100), 2.0))


def test_other_threads_run_during_a_call():
    """The interpreter's lock is free: a thread counts while the work goes on."""
    counts, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counts[0] += 1

    counter = threading.Thread(target=count)
    a = np.ones((500, 500))
    before = []

    def work():
        for _ in range(20):
            kl.closure(a)
            before.append(counts[0])
        done.set()

    worker = threading.Thread(target=work)
    counter.start()
    worker.start()
    worker.join()
    counter.join()
    assert before[-1] > before[0] > 0


def test_threads_run_at_the_same_time():
    rng = np.random.default_rng(1)
    tasks = [(rng.integers(0, 99, (90, 80)), rng.integers(0, 99, (80, 70))) for _ in range(8)]
    found = [None] * 8

    def work(i):
        for _ in range(20):
            found[i] = kl.matmul(*tasks[i], threads=1 + i % 3)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for i, (a, b) in enumerate(tasks):
        np.testing.assert_array_equal(found[i], (a[:, :, None] + b).min(1))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_works():
    status, out, errors = run_python("""
        import os
        import numpy as np
        import kleene as kl
        a = np.arange(300.0 * 300).reshape(300, 300)
        before = kl.matmul(a, a)
        child = os.fork()
        if child == 0:
            same = np.array_equal(kl.matmul(a, a), before) and kl.closure(a)[3, 4] == 904.0
            os._exit(0 if same else 1)
        print(os.waitpid(child, 0)[1])
    """)
    assert (status, out) == (0, "0\n"), errors


def test_thread_counts():
    assert kl.get_threads() >= 1
    kl.set_threads(3)
    try:
        assert kl.get_threads() == 3 and "3 threads" in kl.describe()
    finally:
        kl.set_threads(None)
    assert run_python("import kleene as kl; print(kl.get_threads())", OMP_NUM_THREADS="5")[1] == "5\n"
    with pytest.raises(ValueError, match="negative"):
        kl.set_threads(-2)


@pytest.mark.parametrize("threads, kind, words", [
    (1.5, TypeError, "threads: a whole number is needed, and not 1.5"),
    ("a", TypeError, "threads: a whole number is needed, and not 'a'"),
    (2**40, ValueError, "threads: 1099511627776; there are at most 2147483647"),
])
def test_thread_counts_that_are_none(threads, kind, words):
    a = np.ones((2, 2))
    for call in (kl.set_threads, lambda t: kl.matmul(a, a, threads=t), lambda t: kl.closure(a, threads=t),
                 lambda t: kl.shortest_paths(a, threads=t), lambda t: kl.bits.rank(kl.bits.pack(a), threads=t),
                 lambda t: kl.shortest_paths(a).paths([(0, 1)], threads=t), lambda t: kl.einsum("ij->i", a, threads=t)):
        with pytest.raises(kind, match=words):
            call(threads)
    kl.set_threads(np.int64(0))


def test_outputs_that_are_read_only_are_refused():
    a = np.ones((2, 2))
    out = np.zeros((2, 2))
    out.flags.writeable = False
    for call in (lambda: kl.matmul(a, a, out=out), lambda: kl.closure(a, out=out),
                 lambda: kl.einsum("ij,jk", a, a, out=out)):
        with pytest.raises(ValueError, match="out is read-only"):
            call()


def test_explanations():
    code = "import kleene as kl; kl.matmul([[1.0, 2.0]] * 2, [[2.0, 1.0]] * 2)"
    assert "gemm min_plus f64 2x2x2" in run_python(code, KLEENE_EXPLAIN="1")[2]
    assert run_python(code)[2] == ""
    assert "gemm" in run_python(code.replace("; kl.m", "; kl.explain(); kl.m"))[2]


def test_import_takes_in_numpy_alone():
    code = "import sys, kleene; print([m for m in ('scipy', 'torch', 'networkx', 'jax') if m in sys.modules])"
    assert run_python(code)[1] == "[]\n"
    code = "import kleene as kl; print(kl.bits.__name__, hasattr(kl, 'bit'), 'gradients' in dir(kl))"
    assert run_python(code)[1] == "kleene.bits False True\n"


def test_memory_that_is_not_to_be_had_is_refused_with_the_number():
    graph = kl.Graph(10**6, *[np.zeros(1, np.int32)] * 2, np.ones(1))
    with pytest.raises(MemoryError, match="8000000000000 bytes"):
        kl.shortest_paths(graph, method="dijkstra")
    a = np.broadcast_to(np.float64(0), (10**6, 10))
    with pytest.raises(MemoryError, match="8000000000000 bytes"):
        kl.matmul(a, a.T)
    with pytest.raises(MemoryError, match="8000000000000 bytes"):
        kl.closure(np.broadcast_to(np.float64(0), (10**6, 10**6)))


def test_the_extension_is_what_its_types_say():
    from kleene import _kleene

    text = (Path(kl.__file__).parent / "_kleene.pyi").read_text()
    told = set(re.findall(r"^(?:def |class )?(\w+)(?=[(:])", text, re.MULTILINE))
    assert told == {name for name in dir(_kleene) if not name.startswith("__")}
    assert (Path(kl.__file__).parent / "py.typed").exists()


def test_every_function_says_what_it_takes():
    for name in kl.__all__:
        thing = getattr(kl, name)
        assert name == "algebras" or thing.__doc__, name
    for function in (kl.matmul, kl.closure, kl.shortest_paths, kl.read, kl.write):
        assert "Raises" in function.__doc__


@pytest.mark.parametrize("call, words", [
    (lambda x: kl.matmul(x, x, check_domain=None), "check_domain: True or False is needed, and not None"),
    (lambda x: kl.matmul(x, x, mask=x > 0, replace=1), "replace: True or False is needed, and not 1"),
    (lambda x: kl.matmul(x, x, mask=x > 0, mask_complement=1), "mask_complement: True or False is needed, and not 1"),
    (lambda x: kl.matmul(x, x, mask=x > 0, replace=x), "replace: True or False is needed, and not an array"),
    (lambda x: kl.matmul(x, x, mask_complement=x), "mask_complement: True or False is needed, and not an array"),
    (lambda x: kl.closure(x, check_domain=1), "check_domain: True or False is needed, and not 1"),
    (lambda x: kl.closure(x[None], check_domain=1), "check_domain: True or False is needed, and not 1"),
    (lambda x: kl.einsum("ij->ji", x, out=x.copy(), accumulate=1), "accumulate: True or False is needed, and not 1"),
    (lambda x: kl.shortest_paths(x, method=None), "method: a string is needed, and not None"),
    (lambda x: kl.read(__file__, separator=3), "separator: a string is needed, and not 3"),
    (lambda x: kl.read(__file__, format=None), "format: a string is needed, and not None"),
    (lambda x: kl.read(__file__, header="yes"), "header: True or False is needed, and not 'yes'"),
    (lambda x: kl.read(__file__, directed=1), "directed: True or False is needed, and not 1"),
    (lambda x: kl.read(__file__, columns=3), "columns: a list of names or numbers is needed, and not 3"),
    (lambda x: kl.explain("no"), "on: True or False is needed, and not 'no'"),
    (lambda x: kl.order(3, lambda a, b: a < b), "name: a string is needed, and not 3"),
    (lambda x: kl.semiring(3, kl.max, kl.min, zero=0), "name: a string is needed, and not 3"),
    (lambda x: kl.matmul(x, x, out=x.tolist()), "out is of type list: an array is needed, to write the result to"),
    (lambda x: kl.einsum("ij->ji", x, out=x.tolist()), "out is of type list: an array is needed"),
    (lambda x: kl.closure(x, out=x.tolist()), "out is of type list: an array is needed"),
])
def test_arguments_of_another_type(call, words):
    with pytest.raises(TypeError, match=f"^{words}") as refused:
        call(np.ones((2, 2)))
    assert refused.value.__cause__ is None and "\n" not in str(refused.value)
