"""The published encoder in NumPy against the book's torch blocks, and its tokenizer against the published one."""

import sys
import unicodedata
from itertools import product
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

from attention_course.encoder import IDEOGRAPHS, encode, read_vocabulary, read_weights, tokenize
from attention_course.interventions import overwrite
from attention_course.published import open_model
from attention_src.models.bert import minilm
from attention_src.models.published import FILES, published_folder
from web.model import find_model, write_model

SENTENCES = (
    "That is a happy person",
    "the cat sat on the mat because it was tired",
    "나는 밥을 먹었다",
    "The bank's café closed at 9:30, didn't it?",
    "word " * 70,
    "",
)
PIECES = (  # joined two by two they are 1,024 texts
    *("", " ", "\n\t\r", "the bank", "Banks", "UNAFFABLE", "antidisestablishmentarianism"),
    *("x" * 100, "y" * 101, "a b c " * 90),
    *("café", "cafe\u0301", "İstanbul", "ΣΟΦΟΣ", "straße", "Ångström", "ﬁne", "naïve résumé", "Žižek"),
    *("漢字かな", "나는 밥을", "ประเทศไทย", "हिन्दी", "עִבְרִית", "🙂👩‍👩‍👧🇰🇷", "don't—stop…", "3.14%,$5", "`~^_|\\"),
    *("a\x00b\x07c\u200bd\ufeff", "\u00a0\u3000\u2028\x85", "\ufffd\ue000", "[MASK] [mask] [SEP]x"),
)


@pytest.fixture(scope="module")
def model():
    return minilm()


@pytest.fixture(scope="module")
def weights():
    return read_weights(published_folder() / FILES[2])


@pytest.fixture(scope="module")
def vocabulary():
    return read_vocabulary(published_folder() / FILES[1])


@pytest.fixture(scope="module")
def published():
    tokenizer = Tokenizer.from_file(str(published_folder() / FILES[1]))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def near(found, torchs):
    return abs(found - torchs.numpy()).max() < 1e-5


@pytest.mark.parametrize("text", SENTENCES)
def test_every_layer_and_head_is_that_of_the_torch_blocks(text, model, weights, vocabulary):
    found, (_, states, maps) = encode(tokenize(text, vocabulary), weights), model(text)
    assert near(found["states"], states) and near(found["maps"], maps)
    assert near(found["sentence"], states[-1].mean(0) / states[-1].mean(0).norm())
    np.testing.assert_allclose(found["maps"] @ found["values"], found["outputs"], atol=1e-5)


@pytest.mark.parametrize("layer, head", [(0, 2), (3, 0), (5, 11)])
def test_a_head_switched_off_is_the_same_from_the_start_and_from_its_own_layer(layer, head, model, weights, vocabulary):
    ids = tokenize(SENTENCES[1], vocabulary)
    whole = encode(ids, weights)
    with overwrite(model.blocks[layer].attend.out_proj.weight[:, 32 * head : 32 * head + 32], 0):
        _, states, maps = model(SENTENCES[1])
    found = encode(ids, weights, off=(layer, head))
    assert near(found["states"], states) and near(found["maps"], maps)
    assert abs(found["sentence"] - whole["sentence"]).max() > 1e-4
    spared = encode(ids, weights, off=(layer, head), below=whole["states"][: layer + 1])
    np.testing.assert_array_equal(spared["states"], found["states"])
    np.testing.assert_array_equal(spared["maps"], found["maps"][layer:])


def test_the_first_token_is_useless_as_a_source_and_indispensable_as_a_place(model, weights, vocabulary):
    ids = tokenize(SENTENCES[1], vocabulary)
    whole = encode(ids, weights)["sentence"]
    zeroed, hidden = encode(ids, weights, zero=[0]), encode(ids, weights, hide=[0])
    assert abs(zeroed["values"][:, :, 0]).max() == 0 and abs(zeroed["values"][:, :, 1:]).max() > 1
    assert 1 - zeroed["sentence"] @ whole < 0.01 and 1 - hidden["sentence"] @ whole > 0.3
    x, visible = model(SENTENCES[1])[1][0], torch.arange(len(ids)).expand(len(ids), -1) > 0
    for layer, block in enumerate(model.blocks):
        with torch.no_grad():
            x, maps = block(x, mask=visible, need_weights=True)
        assert near(hidden["maps"][layer], maps) and near(hidden["states"][layer + 1], x)


def test_weights_that_are_cut_off_or_of_another_kind_are_refused():
    whole = (published_folder() / FILES[2]).read_bytes()
    for damaged in (b"", whole[:4], whole[:4000], whole[:-4], whole.replace(b'"F32"', b'"F64"', 1)):
        with pytest.raises(ValueError, match="no weights, or not all of them"):
            read_weights(damaged)


def test_the_tokens_of_a_thousand_texts_are_the_published_ones(vocabulary, published):
    texts = ["".join(pair) for pair in product(PIECES, PIECES)]
    assert len(set(texts)) > 950
    for text, right in zip(texts, published.encode_batch(texts), strict=True):
        assert tokenize(text, vocabulary) == right.ids, text


def find_different(characters, vocabulary, published):
    """Return the characters whose tokens differ, between two letters or alone, from the published ones."""
    texts = [text for c in characters for text in (f"a{c}b", c)]
    rights = published.encode_batch(texts)
    return {t.strip("ab") or t for t, right in zip(texts, rights, strict=True) if tokenize(t, vocabulary) != right.ids}


def test_every_common_character_has_the_published_tokens(vocabulary, published):
    common = [*range(0x600), *range(0x1E00, 0x2700), *range(0x3000, 0x3400), *range(0x1F300, 0x1FA00)]
    edges = [edge + step for pair in IDEOGRAPHS for edge in pair for step in (-1, 0, 1)]
    assert find_different(map(chr, common + edges), vocabulary, published) == set()


@pytest.mark.slow
def test_every_character_has_the_published_tokens_but_marks_of_late_scripts(vocabulary, published):
    """The published tokenizer knows the marks of an early Unicode, and Python those of a later one."""
    everything = [chr(i) for i in range(sys.maxunicode + 1) if not 0xD800 <= i < 0xE000]
    different = find_different(everything, vocabulary, published)
    assert 0 < len(different) < 900 and min(different) > "\u0600"
    assert {unicodedata.category(c)[0] for c in different} <= {*"MPCS"}


@pytest.fixture(scope="module")
def beside_a_page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "model"
    write_model(folder, find_model())
    return folder


@pytest.fixture
def browser(beside_a_page, monkeypatch):
    """Stand for a browser: a request is answered from the folder, and a file may arrive as `spoil` makes it."""
    asked, changes = [], {}

    class Request(SimpleNamespace):
        new = classmethod(lambda cls: cls())

        def open(self, method, address, later):
            self.name = address.removeprefix("../model/")

        def send(self):
            asked.append(self.name)
            content = changes.get(self.name, (beside_a_page / self.name).read_bytes())
            self.status = 200 if content else 404
            self.response = SimpleNamespace(to_bytes=lambda: content)

    module = ModuleType("js")
    module.XMLHttpRequest = Request
    monkeypatch.setitem(sys.modules, "js", module)
    monkeypatch.setattr(sys, "platform", "emscripten")
    return SimpleNamespace(asked=asked, changes=changes)


def test_cells_on_a_page_read_as_in_a_notebook_with_few_of_the_word_vectors(browser, weights, monkeypatch):
    read, rounded = open_model()
    found = read("That is a happy person")
    few = [name for name in browser.asked if name.startswith("words-")]
    assert 1 <= len(few) <= 7
    read("That is a happy person", weights=rounded)
    assert browser.asked.count(few[0]) == 1  # a second text loads nothing again
    monkeypatch.setattr(sys, "platform", "linux")
    here, _ = open_model()
    np.testing.assert_allclose(found["maps"], here("That is a happy person")["maps"], atol=1e-6)
    assert found["tokens"] == ["[CLS]", "that", "is", "a", "happy", "person", "[SEP]"]
    whole = here("That is a happy person", weights=weights)["maps"]
    assert 0 < np.abs(found["maps"] - whole).max() < 0.005  # the numbers are rounded


@pytest.mark.parametrize("content, error", [(b"", ConnectionError), (b"damaged", ValueError)])
def test_cells_on_a_page_say_which_file_is_missing_or_damaged(browser, content, error):
    browser.changes["blocks.safetensors"] = content
    with pytest.raises(error, match=r"blocks\.safetensors of the model"):
        open_model()
