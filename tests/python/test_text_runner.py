"""ExecuTorch's own runner of language models generates the text that torch would."""

import highwater
import pytest
from executorch.extension.llm.runner import GenerationConfig, TextLLMRunner
from support import llamas, spelling


class Conversation:
    """A runner and an eager model that are told the same prompts."""

    def __init__(self, name, folder):
        llama = llamas.build(name)
        (folder / "model.pte").write_bytes(llama.pte)
        self.tokenizer = spelling.write_tokenizer(folder / "tokenizer.json")
        self.runner = TextLLMRunner(str(folder / "model.pte"), str(folder / "tokenizer.json"))
        self.fresh = llama.fresh
        self.restart()

    def restart(self):
        self.runner.reset()
        self.eager, self.position = self.fresh(), 0

    def generate(self, prompt, count) -> str:
        pieces = []
        config = GenerationConfig(echo=False, temperature=0.0, max_new_tokens=count)
        self.runner.generate(prompt, config, pieces.append)
        return "".join(pieces)

    def check(self, prompt, count):
        said = spelling.tokens_until_end(self.tokenizer, self.eager, prompt, count, self.position)
        assert len(said) > 1, "a text of one token shows little"
        want = self.tokenizer.decode(said, skip_special_tokens=False)
        assert self.generate(prompt, count) == want
        # The last token was said, but not read.
        self.position += len(self.tokenizer.encode(prompt).ids) + len(said) - 1


@pytest.mark.parametrize("name", ["4w", "qwen3_4w"])
def test_the_text_is_that_of_torch(name, tmp_path):
    conversation = Conversation(name, tmp_path)
    conversation.check("How far is the sea?", 12)
    assert highwater.last_run()["gpu_objects"] == 0


def test_a_conversation_goes_on_and_starts_again(tmp_path):
    conversation = Conversation("4w", tmp_path)
    for prompt, count in (("Hello there", 8), ("!", 3), ("and what then?", 10)):
        conversation.check(prompt, count)
    conversation.restart()
    conversation.check("something else", 9)


@pytest.mark.parametrize("digits", [llamas.BOUND, llamas.CONTEXT], ids=["bound", "context"])
def test_a_prompt_that_is_too_long_fails_and_the_next_one_does_not(digits, tmp_path):
    conversation = Conversation("4w", tmp_path)
    conversation.check("Good morning", 4)
    with pytest.raises(RuntimeError):
        conversation.generate("0" * digits, 4)
    conversation.check("Good night", 4)
