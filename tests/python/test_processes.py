"""Processes: forks are told at once, and a program ends with the code that it meant."""

import signal

import pytest
from support import subprocesses

CHILD = """
model = highwater.load(find_model("kjv"))
text = "".join(model.generate("In the", max_new_tokens=4))


def keep_busy():
    while True:
        "".join(model.generate("In the beginning", max_new_tokens=100, steps_per_submit=50))


if sys.argv[1] == "busy":
    threading.Thread(target=keep_busy, daemon=True).start()
    time.sleep(0.3)


def child():
    began = time.monotonic()
    for use in (
        lambda: "".join(model.generate("In the", max_new_tokens=4)),
        lambda: model.last_run,
        lambda: highwater.load(find_model("kjv")),
        highwater.devices,
    ):
        try:
            use()
            print("no error")
        except highwater.HighwaterError as error:
            if "was forked from process" not in str(error) or "spawn" not in str(error):
                print(error)
    model.close()
    if time.monotonic() - began > 10:
        print("not at once")
    sys.stdout.flush()
"""


@pytest.mark.parametrize("parent", ["idle", "busy"])
def test_a_forked_child_is_told_at_once(parent):
    done = subprocesses.run(
        CHILD
        + """
pid = os.fork()
if pid == 0:
    child()
    sys.exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print("".join(model.generate("In the", max_new_tokens=4)) == text)
""",
        parent,
    )
    assert (done.returncode, done.stdout) == (0, "5\nTrue\n"), done.stderr


@pytest.mark.parametrize("parent", ["idle", "busy"])
def test_so_is_a_child_of_multiprocessing(parent):
    done = subprocesses.run(
        CHILD
        + """
import multiprocessing
process = multiprocessing.get_context("fork").Process(target=child)
process.start()
process.join()
print(process.exitcode)
""",
        parent,
    )
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr


def test_a_child_may_load_if_the_parent_has_not():
    done = subprocesses.run(
        """
        if os.fork() == 0:
            with highwater.load(find_model("kjv")) as model:
                print(len("".join(model.generate("In the", max_new_tokens=4))) > 0)
            sys.exit(3)
        print(os.waitstatus_to_exitcode(os.wait()[1]))
        """
    )
    assert (done.returncode, done.stdout) == (0, "True\n3\n"), done.stderr


@pytest.mark.parametrize("after", [0.2, 0.5, 0.8])
def test_a_daemon_thread_inside_a_run_does_not_change_how_a_program_ends(after):
    done = subprocesses.run(
        """
        model = highwater.load(find_model("kjv"))

        def keep_busy():
            while True:
                "".join(model.generate("In the", max_new_tokens=100, steps_per_submit=50))

        for _ in range(2):
            threading.Thread(target=keep_busy, daemon=True).start()
        time.sleep(float(sys.argv[1]))
        sys.exit(7)
        """,
        after,
    )
    assert (done.returncode, done.stdout, done.stderr) == (7, "", "")


def test_a_daemon_thread_inside_a_load_does_not_either():
    done = subprocesses.run(
        """
        started = threading.Event()

        def keep_loading():
            while True:
                highwater.load(find_model("kjv"), progress=lambda *_: started.set()).close()

        threading.Thread(target=keep_loading, daemon=True).start()
        started.wait()
        sys.exit(7)
        """
    )
    assert (done.returncode, done.stdout, done.stderr) == (7, "", "")


def test_ctrl_c_ends_a_program_that_waits_for_a_daemon_thread():
    done = subprocesses.run(
        """
        import signal

        # A shell that starts tests in the background has them ignore it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        started = threading.Event()

        def stay(*_):
            started.set()
            time.sleep(100)

        def interrupt():
            time.sleep(1)
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=highwater.load, args=("kjv",), kwargs=dict(progress=stay),
                         daemon=True).start()
        started.wait()
        threading.Thread(target=interrupt, daemon=True).start()
        print("not lost")
        sys.exit(7)
        """,
        seconds=60,
    )
    assert (done.returncode, done.stdout) == (-signal.SIGINT, "not lost\n"), done.stderr


def test_progress_may_fork():
    done = subprocesses.run(
        """
        children = []

        def fork(*_):
            if not children:
                children.append(os.fork())
                if children[0] == 0:
                    sys.exit(5)

        with highwater.load("kjv", progress=fork) as model:
            print(os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]))
            print(len("".join(model.generate("In the", max_new_tokens=4))) > 0)
        """,
        seconds=60,
    )
    assert (done.returncode, done.stdout) == (0, "5\nTrue\n"), done.stderr
