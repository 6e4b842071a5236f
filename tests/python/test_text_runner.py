"""ExecuTorch's own runner of language models generates the text that torch would."""

import highwater
import llamas
import pytest
import spelling
from executorch.extension.llm.runner import GenerationConfig, TextLLMRunner


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
        tokens = self.tokenizer.encode(prompt).ids
        said = llamas.greedy(self.eager, tokens, count, self.position)
        end = self.tokenizer.token_to_id(spelling.END)
        if end in said:
            said = said[: said.index(end) + 1]
        assert len(said) > 1, "a text of one token shows little"
        want = self.tokenizer.decode(said, skip_special_tokens=False)
        assert self.generate(prompt, count) == want
        # The last token was said, but not read.
        self.position += len(tokens) + len(said) - 1


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


def test_a_prompt_over_the_bound_fails_and_the_next_one_does_not(tmp_path):
    conversation = Conversation("4w", tmp_path)
    conversation.check("Good morning", 4)
    with pytest.raises(RuntimeError):
        conversation.generate("0123456789" * 8, 4)
    conversation.check("Good night", 4)
