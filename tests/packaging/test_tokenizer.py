"""The tokenizer in C++ gives the tokens and texts of Hugging Face's own package."""

import random
import subprocess
import unicodedata
from pathlib import Path

import pytest
from conftest import ROOT, build_example
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, processors, trainers
from tokenizers.pre_tokenizers import ByteLevel, Digits, Sequence, Split

SOURCE = Path(__file__).with_name("encode_texts")
LEARNED = (ROOT / "README.md").read_text() + (ROOT / "python/highwater/model.py").read_text()
WORLD = (
    "Größe, naïve café – Ещё текст 日本語のテキスト、漢字 한국어 עברית العربية हिन्दी ไทย "
    "😀👩‍👩‍👧 🇩🇪 ½ ² Ⅷ ١٢٣ 'ſ K I'LL we'Re \u00a0\u3000\u2028\u0085\u200b e\u0301\r\n\n"
)
PIECES = [
    *"aAbszZ  \n\r\t'\"019.,!?-_/<>|",
    *("'s", "'LL", " the", "ſ", "K", "é", "ß", "日", "の", "😀", "\u0301", "\u00a0", "\u3000"),
    *("½", "٣", "Ⅷ", "ǅ", "ʰ", "  ", "\n\n", "<end>", "<|say|>", "<word>", "\U00020000"),
]

# The patterns of GPT-4's, Llama 3's, Qwen's, GPT-4o's and DeepSeek's tokenizers.
LLAMA_3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
GPT_4 = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s*[\r\n]|\s+(?!\S)|\s"
)
CAPITAL, SMALL = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
SHORT = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
GPT_4O = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{CAPITAL}*{SMALL}+{SHORT}|[^\r\n\p{{L}}\p{{N}}]?{CAPITAL}+{SMALL}*{SHORT}"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
DEEPSEEK = (
    r"\p{N}{1,3}",
    r"[一-龥぀-ゟ゠-ヿ]+",
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
    r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
)


def splits(*patterns, behavior="isolated", invert=False):
    steps = [Split(Regex(pattern), behavior, invert) for pattern in patterns]
    return Sequence([*steps, ByteLevel(add_prefix_space=False, use_regex=False)])


CUTTERS = {
    "gpt-2": ByteLevel(add_prefix_space=False),
    "a space before": ByteLevel(add_prefix_space=True),
    "gpt-4": splits(GPT_4),
    "gpt-4o": splits(GPT_4O),
    "llama 3": splits(LLAMA_3),
    "only matches": splits(LLAMA_3, behavior="removed", invert=True),
    "qwen": splits(LLAMA_3.replace("{1,3}", "")),
    "deepseek": splits(*DEEPSEEK),
    "smollm": Sequence([Digits(individual_digits=True), ByteLevel(add_prefix_space=False)]),
    "numbers": Sequence([Digits(individual_digits=False), ByteLevel(add_prefix_space=False)]),
    "a literal": Sequence([Split(". ", "isolated"), ByteLevel(add_prefix_space=False)]),
    "no cuts": ByteLevel(add_prefix_space=False, use_regex=False),
    # What no tokenizer of those above needs, and PCRE2 and Oniguruma might see differently.
    "lines": splits(r"^\s+|[^\n]+?$"),
    "around": splits(r"(?<=[a-z])[A-Z]|\w+?(?=s)|(?<!\s)\W|(?:ab|b)+a"),
    "scripts": splits(r"\p{Han}+|\p{Hiragana}+|\p{Cyrillic}|[^\w\s]{,2}\d{2,}|\p{^L}"),
    "empty matches": splits(r"a*|\s"),
    "nothing back": splits(r"(?>\s*) |\w*+\w|(?i:[k-s]+|É)|\p{L}?+"),
}
# Of which each set is, but for characters that came after Unicode 14.
KINDS = (
    *(r"\s", r"\S", r"\d", r"\D", r"\w", r"\W", r"[\w]", r"\p{Han}", r"\p{Latin}", r"\p{^L}"),
    *(rf"\p{{{name}}}" for name in ("L", "M", "N", "P", "S", "Z", "Lu", "Ll", "Lt", "Lm", "Lo")),
    *(rf"\p{{{name}}}" for name in ("Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Po", "Sm", "Sc")),
    *(r".", r"(?i:s)", r"(?i:k)", r"(?i:[a-z])", r"\P{Lu}", r"[^\s\p{L}\p{N}]", r"\n", r"\v"),
)


def train(cutter, alphabet) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = cutter
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=800, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator([*LEARNED.split("\n\n"), *[WORLD] * 9, "2024 100 " * 9], trainer)
    tokenizer.add_special_tokens(["<end>"])
    tokenizer.add_tokens(
        [
            AddedToken("<|say|>", lstrip=True, rstrip=True),
            AddedToken("<word>", single_word=True, normalized=False),
            "  \n",
        ]
    )
    return tokenizer


def some_texts(count) -> list[str]:
    chance = random.Random(1)
    texts = ["", WORLD, LEARNED]
    for _ in range(count):
        begin, length = chance.randrange(len(LEARNED)), chance.randrange(200)
        texts.append(LEARNED[begin : begin + length])
        texts.append("".join(chance.choices(PIECES, k=chance.randrange(40))))
        texts.append("".join(chr(chance.randrange(1, 0xD800)) for _ in range(9)))
    return texts


@pytest.fixture(scope="module")
def program(site_packages, tmp_path_factory):
    folder = tmp_path_factory.mktemp("encode_texts")
    return build_example("encode_texts", folder, site_packages, source=SOURCE)


def answers(program, path, texts) -> list[str]:
    """Of each text its tokens, what they decode to, and the same from a stream."""
    asked = b"".join(text.encode() + b"\0" for text in texts)
    result = subprocess.run([program, path], input=asked, capture_output=True, check=False)
    assert result.returncode == 0, result.stderr.decode()
    *said, rest = result.stdout.decode().split("\0")
    assert not rest and len(said) == 3 * len(texts)
    return said


def check(program, tokenizer, path, texts):
    tokenizer.save(str(path))
    said = answers(program, path, texts)
    for text, tokens, decoded, streamed in zip(
        texts, said[::3], said[1::3], said[2::3], strict=True
    ):
        want = tokenizer.encode(text).ids
        assert [int(token) for token in tokens.split()] == want, repr(text)
        assert decoded == streamed == tokenizer.decode(want), repr(text)


@pytest.mark.parametrize("name", CUTTERS)
def test_tokens_and_texts_are_the_same(program, name, tmp_path):
    tokenizer = train(CUTTERS[name], ByteLevel.alphabet())
    check(program, tokenizer, tmp_path / "tokenizer.json", some_texts(150))


def test_kinds_of_characters_are_the_same(program, tmp_path):
    """Of all characters, only those that a set holds are kept."""
    tokenizer = train(CUTTERS["no cuts"], ByteLevel.alphabet())
    # Large blocks have thousands of a kind: every seventh is enough.
    codes = (*range(1, 0x3400), *range(0x3400, 0xD800, 7), *range(0xE000, 0x110000, 7))
    characters = "".join(c for c in map(chr, codes) if unicodedata.category(c) not in ("Cn", "Co"))
    for kind in KINDS:
        tokenizer.pre_tokenizer = splits(kind, behavior="removed", invert=True)
        tokenizer.save(str(tmp_path / "tokenizer.json"))
        kept = answers(program, tmp_path / "tokenizer.json", [characters])[1]
        want = tokenizer.decode(tokenizer.encode(characters).ids)
        assert sorted(set(kept) ^ set(want)) == [], kind


def test_a_vocabulary_without_some_bytes(program, tmp_path):
    tokenizer = train(CUTTERS["llama 3"], [])
    check(program, tokenizer, tmp_path / "tokenizer.json", some_texts(150))


def test_a_template_and_whole_pieces(program, tmp_path):
    tokenizer = train(CUTTERS["llama 3"], ByteLevel.alphabet())
    tokenizer.model.ignore_merges = True
    end = ("<end>", tokenizer.token_to_id("<end>"))
    template = processors.TemplateProcessing(
        single="<end> $A", pair="<end> $A $B", special_tokens=[end]
    )
    tokenizer.post_processor = processors.Sequence([processors.ByteLevel(), template])
    check(program, tokenizer, tmp_path / "tokenizer.json", some_texts(150))


def test_merges_cross_cuts_that_are_left_out():
    """Why patterns are read at all: without them, tokens are other ones."""
    cut = train(CUTTERS["gpt-2"], ByteLevel.alphabet())
    whole = Tokenizer.from_str(cut.to_str())
    whole.pre_tokenizer = CUTTERS["no cuts"]
    assert cut.encode(LEARNED).ids != whole.encode(LEARNED).ids


def test_another_kind_is_named(program, tmp_path):
    path = tmp_path / "tokenizer.json"
    Tokenizer(models.Unigram([("a", 0.0)])).save(str(path))
    result = subprocess.run([program, path], capture_output=True, text=True, check=False)
    assert result.returncode == 1 and "'Unigram'" in result.stderr
