"""A device that is lost: what was asked to recover goes on as if nothing had happened."""

from support import lost_device


def test_a_generation_goes_on_with_the_same_text_wherever_it_is_interrupted():
    done = lost_device.run(
        """
model = highwater.load(find_model("kjv"), recover=True)
options = dict(max_new_tokens=7, temperature=0.8, seed=3, steps_per_submit=3)
wanted = "".join(model.generate("In the beginning", **options))
for lost in range(3):
    text = ""
    for number, piece in enumerate(model.generate("In the beginning", **options)):
        text += piece
        if number == lost:
            assert lose() == 1
    assert text == wanted, (lost, text, wanted)
print("all the same")
"""
    )
    assert (done.returncode, done.stdout) == (0, "all the same\n"), done.stderr


def test_without_it_the_error_says_what_to_do_and_a_new_load_works():
    done = lost_device.run(
        """
model = highwater.load(find_model("kjv"))
"".join(model.generate("In the", max_new_tokens=2))
lose()
try:
    "".join(model.generate("In the", max_new_tokens=2))
except highwater.HighwaterError as error:
    print(error)
with highwater.load(find_model("kjv")) as model:
    print(len("".join(model.generate("In the", max_new_tokens=2))) > 0)
"""
    )
    assert done.returncode == 0, done.stderr
    said, works = done.stdout.splitlines()
    for words in ("device is lost", "unplugged by a test", "load the model again", "recover"):
        assert words in said
    assert works == "True"


def test_the_command_has_it_as_an_option():
    done = lost_device.run(
        """
from highwater.cli import terminal
from highwater.cli import main

say_text = terminal.say_text


def say_and_lose(text, *style):
    say_text(text, *style)
    if lose():
        print("|", end="")


terminal.say_text = say_and_lose
sys.argv = ["highwater", "generate", "kjv", "-p", "In the beginning", "-n", "6", *sys.argv[1:]]
main()
""",
        "--recover",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("In the beginning|")
    assert "6 written" in done.stderr
