"""Threads share models: each has its own text, none stops another, and Python goes on meanwhile."""

import contextlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import highwater
import numpy as np
import pytest
from highwater.shipped import find_model
from support import subprocesses

PROMPTS = ("In the beginning", "And Jesus wept", "In the beginning God created the heaven and")
SETTINGS = (dict(), dict(temperature=0.9, seed=3), dict(temperature=1.1, top_k=40, seed=2**40))


@pytest.fixture(scope="module")
def model():
    with highwater.load(find_model("kjv")) as model:
        yield model


def begin(model, i, steps=8):
    return model.generate(PROMPTS[i], max_new_tokens=24, steps_per_submit=steps, **SETTINGS[i])


@pytest.fixture(scope="module")
def alone(model):
    """What each generation gives when there is no other."""
    generations = []
    for i in range(len(PROMPTS)):
        generations.append(begin(model, i))
        list(generations[-1])
    assert len({g.text for g in generations}) == len(generations)
    return generations


def expect(generations, alone):
    assert [g.tokens for g in generations] == [g.tokens for g in alone]
    assert [g.text for g in generations] == [g.text for g in alone]
    assert [g.stopped_by for g in generations] == [g.stopped_by for g in alone]


@pytest.mark.parametrize("steps", [(1, 1, 1), (8, 8, 8), (1, 5, 16)], ids=str)
def test_generations_in_turn_give_what_each_gives_alone(model, alone, steps):
    generations = [begin(model, i, steps[i]) for i in range(len(PROMPTS))]
    under_way = list(generations)
    while under_way:
        under_way = [g for g in under_way if next(g, None) is not None]
    expect(generations, alone)


@pytest.mark.parametrize("steps", [1, 8])
def test_generations_in_threads_give_what_each_gives_alone(model, alone, steps):
    def work(i):
        generation = begin(model, i, steps)
        assert "".join(generation) == generation.text
        return generation

    with ThreadPoolExecutor(len(PROMPTS)) as pool:
        expect(list(pool.map(work, range(len(PROMPTS)))), alone)


def test_logits_and_the_generator_by_hand_come_between(model, alone):
    generation = begin(model, 0, steps=3)
    for i, _ in enumerate(generation):
        if i == 2:
            model.forward(np.array([[5, 6, 7]]), np.array([0]))
        if i == 4:
            generator = model.generator()
            assert generator.text == generation.whole
            generator.append([9])
            generator.draw(2)
    expect([generation], alone[:1])


def test_goes_on_with_the_generation_that_was_used_last(model, alone):
    first, second = begin(model, 0), begin(model, 1)
    next(second), next(first)
    rest = model.generate("", max_new_tokens=4, goes_on=True, **SETTINGS[0])
    list(rest)
    given = len(first.tokens)
    assert rest.tokens == alone[0].tokens[given : given + 4]
    # The other two are not disturbed by it, and closing one that was overtaken changes no text.
    second.close()
    list(first)
    expect([first], alone[:1])
    rest = model.generate("", max_new_tokens=1, goes_on=True, temperature=1.0, seed=1)
    assert rest.whole == first.whole


def test_one_generation_is_for_one_thread_at_a_time(model, alone):
    generation = model.generate(PROMPTS[0], max_new_tokens=200, steps_per_submit=200)
    next(generation)
    waiting = threading.Thread(target=next, args=(generation,))
    waiting.start()
    while waiting.is_alive() and not generation._asked.locked():
        time.sleep(0.001)
    with pytest.raises(highwater.HighwaterError, match="another thread is waiting"):
        next(generation)
    waiting.join()
    list(generation)
    assert generation.tokens[: len(alone[0].tokens)] == alone[0].tokens


def test_a_generation_that_is_closed_gains_nothing_from_a_thread_inside(model):
    """Wherever the other thread is: in a draw, or between tokens."""
    for delay in (0, 0.001, 0.005, 0.02, 0.05):
        generation = model.generate(PROMPTS[0], max_new_tokens=200, steps_per_submit=200)
        next(generation)
        pieces = []
        taking = threading.Thread(target=lambda g=generation, p=pieces: p.extend(g))
        taking.start()
        time.sleep(delay)
        generation.close()
        tokens, text = list(generation.tokens), generation.text
        assert generation.stopped_by == "caller" or len(tokens) == 200
        taking.join()
        assert (generation.tokens, generation.text) == (tokens, text)
        assert model.generator().text == generation.whole


def test_a_generation_may_be_closed_by_a_signal_inside_of_it(model, monkeypatch):
    generation = model.generate(PROMPTS[0], max_new_tokens=20)
    next(generation)
    draw = generation._draw
    monkeypatch.setattr(generation, "_draw", lambda: (generation.close(), draw()))
    tokens = list(generation.tokens)
    assert list(generation) == []
    assert (generation.tokens, generation.stopped_by) == (tokens, "caller")
    assert model.generator().text == generation.whole


def test_a_call_that_fails_leaves_the_generations_as_they_are(model, alone):
    generation = begin(model, 2)
    next(generation)
    for words in ("longer than", "token 1 is"):
        prompt = [1] * 1000 if words == "longer than" else [1, 10**9]
        with pytest.raises(highwater.HighwaterError, match=words):
            model.generate(prompt, goes_on=words == "longer than")
    list(generation)
    expect([generation], alone[2:])


def test_closing_waits_for_a_run_and_python_goes_on():
    model = highwater.load(find_model("kjv"))
    generator = model.generator()
    generator.append([1, 2])

    def keep_drawing():
        with contextlib.suppress(highwater.HighwaterError):
            while True:
                generator.draw(400)
                generator.rewind(2)

    threading.Thread(target=keep_drawing).start()
    time.sleep(0.3)
    closing = threading.Thread(target=model.close)
    closing.start()
    beats = 0
    while closing.is_alive():
        time.sleep(0.001)
        beats += 1
    assert beats > 5, "Python stood still"
    for use in (lambda: model.generate("x"), lambda: model.last_run, lambda: generator.draw(1)):
        with pytest.raises(highwater.HighwaterError, match=r"model\.pte is closed"):
            use()
    model.close()


def test_a_generation_of_a_closed_model_says_so():
    with highwater.load(find_model("kjv")) as model:
        generation = begin(model, 0, steps=1)
        next(generation)
    with pytest.raises(highwater.HighwaterError, match="is closed"):
        list(generation)
    generation.close()
    assert generation.stopped_by == "caller"


def test_interrupts_leave_a_model_as_it_was():
    done = subprocesses.run(
        """
        import random, signal

        model = highwater.load(find_model("kjv"))
        want = "".join(model.generate("In the", max_new_tokens=12))
        inside = False

        def interrupt(*_):
            global inside
            if inside:
                inside = False
                raise KeyboardInterrupt

        def send_interrupts():
            for _ in range(60):
                time.sleep(random.random() / 50)
                signal.raise_signal(signal.SIGINT)

        signal.signal(signal.SIGINT, interrupt)
        sending = threading.Thread(target=send_interrupts)
        sending.start()
        interrupts = 0
        while sending.is_alive():
            try:
                inside = True
                got = "".join(model.generate("In the", max_new_tokens=12))
                inside = False
                if got != want:
                    print(got)
            except KeyboardInterrupt:
                interrupts += 1
        if interrupts < 20:
            print("there were", interrupts)
        print("".join(model.generate("In the", max_new_tokens=12)) == want)
        """
    )
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_closing_models_while_another_loads_with_progress():
    done = subprocesses.run(
        """
        models = [highwater.load(find_model("kjv")) for _ in range(4)]
        started = threading.Event()

        def told(*_):
            started.set()
            time.sleep(0.001)

        loading = threading.Thread(target=highwater.load, args=(find_model("kjv"),),
                                   kwargs=dict(progress=told))
        loading.start()
        started.wait()
        models.pop().close()
        del models[0]
        while loading.is_alive() and models:
            models.pop().close()
        loading.join()
        print("done")
        """
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


def test_progress_may_run_and_close_other_models():
    done = subprocesses.run(
        """
        other = highwater.load(find_model("kjv"))
        told = set()

        def use_other(stage, done, total):
            if stage in told:
                return
            told.add(stage)
            thread = threading.Thread(target=lambda: "".join(other.generate("a", max_new_tokens=2)))
            thread.start()
            thread.join()
            "".join(other.generate("b", max_new_tokens=2))

        with highwater.load(find_model("kjv"), progress=use_other) as model:
            print(len("".join(model.generate("In the", max_new_tokens=3))) > 0, len(told))
        """
    )
    assert (done.returncode, done.stdout) == (0, "True 3\n"), done.stderr
