"""A translation says what its English says: the same numbers, formulas, code, links and choices."""

import json
import re
import subprocess

import polib
import pytest

from attention_course import checks
from book.catalogue import find_catalogue, find_source, list_translatable, rewrite, site_words, translations
from book.chapter import pages, prose, read
from homework.answers import EXERCISES
from tools import translate
from tools.translate import (
    glossary,
    list_differences,
    list_exchanged_choices,
    list_old_terms,
    list_problems,
    messages,
    pair_choices,
    refresh,
)
from web.korean import words_for_scripts
from web.site import NODE

PAGES = [page for page in list_translatable() if page in pages()]
ENGLISH_TEXT = "The ratio is **2.03**, twice [chapter 2](02_softmax_and_scaling.ipynb), for $e^x$ and `x.T` of *cat*."
KOREAN_TEXT = "비는 **2.03**이에요. *cat*의 $e^x$와 `x.T`를 [2장](02_softmax_and_scaling.ipynb)처럼 두 배로 셉니다."


@pytest.mark.parametrize("page", list_translatable())
def test_no_translation_says_something_else(page):
    path = find_catalogue(page)
    catalogue = polib.pofile(str(path), wrapwidth=0)
    assert [f"{path.name}:{entry.linenum}: {fault}" for entry, fault in list_problems(catalogue)] == []


IMAGE = "![Seconds against n.](_static/time.svg)"
QUOTED = '**25** <span lang="ko">RNN 제거, **self-attention**을 기본 블록으로 스택</span>'
FAITHFUL = {
    ENGLISH_TEXT: KOREAN_TEXT,
    "It is one sixth of the rest.": "나머지의 6분의 1이에요.",
    "On 21 November 2026.": "2026년 11월 21일에요.",
    "This is its **query**.": "이것이 **쿼리**예요.",
    IMAGE: "![n에 따른 초.](_static/time.svg)",
    QUOTED: QUOTED,
}
UNFAITHFUL = [  # with what is said about it
    (IMAGE, "![n에 따른 초.](_static/memory.svg)", "image missing"),
    ("This is its **query**.", "이것이 **질의**예요.", "the glossary's word for query is 쿼리"),
    ("| key | a label |", "| 키 |", "cell"),
    ("about 2", "7만큼 더", "number"),  # another choice's
]


def test_a_faithful_translation_passes_and_another_does_not():
    assert {one: [*list_differences(one, other)] for one, other in FAITHFUL.items()} == {one: [] for one in FAITHFUL}
    for english, korean, said in UNFAITHFUL:
        assert any(said in found for found in list_differences(english, korean)), english


def test_the_glossary_has_no_old_term():
    assert [old for word in glossary().values() for old in list_old_terms("", word)] == []


def test_exchanged_choices_are_found():
    """Most of them: of all pairs of choices in the chapters nine of ten, by their words, numbers, formulas and code."""
    pairs, found = 0, 0
    for page in PAGES:
        catalogue = polib.pofile(str(find_catalogue(page)))
        assert list(list_exchanged_choices(catalogue)) == []
        for one, other in pair_choices(catalogue):
            one.msgstr, other.msgstr = other.msgstr, one.msgstr
            pairs, found = pairs + 1, found + bool(list(list_exchanged_choices([one, other])))
            one.msgstr, other.msgstr = other.msgstr, one.msgstr
    assert found >= 0.85 * pairs, f"{found} of {pairs}"


@pytest.mark.parametrize("page", PAGES)
def test_a_page_without_translations_stays_as_it_is(page):
    path = find_source(page)
    for text in prose(read(path)) if path.suffix == ".ipynb" else [path.read_text("utf-8")]:
        assert rewrite(text, lambda message, kind: None) == text


PAGE = r"""(target)=
# «Title|heading»

```python
# no heading
```
$$
x + y
$$
«| a | 1 ||row»
|---|---|
| 1 | 2 |
> «**Note**|text»
> «quoted
> text|text»
- «one item
  of two lines|item»
- «other|item»

{{ computed }}
:::{grid-item-card} «Card|title»
:link: chapters/01
«a\
b|text»
:::
«![seen](x.svg)|text»
<details class="choice"><summary>«about 2|choice»</summary>
<details class="choice right"><summary>«7 more|right choice»</summary>
<img alt="«seen|alternative»" src="x.svg">"""  # each message with its kind


def test_what_is_no_message_cannot_change():
    marked = re.compile(r"«(.+?)\|([a-z ]+)»", re.DOTALL)
    found = []
    rewritten = rewrite(marked.sub(r"\1", PAGE), lambda message, kind: found.append(message) or kind)
    assert rewritten == marked.sub(r"\2", PAGE)
    said = [re.sub(r"(?<!\\)\n(> | +)", " ", message) for message, _ in marked.findall(PAGE)]
    assert found == said


def test_a_changed_message_is_fuzzy_and_english_on_the_page(tmp_path, monkeypatch):
    now = {"The row sums to 1.": [("text", "01-01")]}
    monkeypatch.setattr(translate, "messages", lambda page: now)
    refresh("page", tmp_path)
    catalogue = polib.pofile(str(tmp_path / "page.po"), wrapwidth=0)
    catalogue[0].msgstr = "행의 합은 1이에요."
    catalogue.save()
    now = {"Another.": [("text", "01-02")], **now}
    kept = {entry.msgid: entry.msgstr for entry in refresh("page", tmp_path)}
    assert kept == {"Another.": "", "The row sums to 1.": "행의 합은 1이에요."}
    now = {"The row sums to 1 now.": [("text", "01-01")]}
    [entry] = refresh("page", tmp_path)
    assert entry.fuzzy and entry.msgstr == "행의 합은 1이에요." and entry.previous_msgid == "The row sums to 1."
    assert translations("page", tmp_path) == {}


def test_scripts_and_pages_say_the_same_words(tmp_path):
    known = ["Run cell 7", " The Tab key indents (Escape leaves the editor)", "Cell 3 stopped: NameError: name 'x'."]
    texts = [*known, "something else"]
    said = [site_words()(text) for text in texts]
    assert [one == text for one, text in zip(said, texts, strict=True)] == [False, False, False, True]
    call = f"console.log(JSON.stringify({json.dumps(texts)}.map(inWords)))"
    (tmp_path / "words.js").write_text(f"{words_for_scripts()}\n{call}")
    done = subprocess.run([NODE, tmp_path / "words.js"], capture_output=True, check=True, text=True)
    assert json.loads(done.stdout) == said


def parts_of(part):
    yield part
    for value in part.values.values():
        yield from parts_of(value) if isinstance(value, checks.Part) else ()


@pytest.mark.parametrize("name", ["ex01-attention", "ex01-doubled", "ex01-mend", "ex02-softmax"])
def test_every_wrong_answer_of_these_exercises_is_explained_in_korean(name):
    exercise, known, all_of_them = EXERCISES[name], translations("checks"), messages("checks")
    for arguments in exercise.list_refused().values():
        with pytest.raises(checks.Wrong) as refused:
            exercise.check(*arguments)
        english = str(refused.value)
        with checks.speaking("ko"):
            korean = str(refused.value)
        said = [one.template for part in refused.value.parts().values() for one in parts_of(part)]
        assert [text for text in said if text in all_of_them and text not in known] == []
        assert re.search("[가-힣]", korean) and korean != english == str(refused.value)
        assert sorted(re.findall(r"\d+(?:\.\d+)?", english)) == sorted(re.findall(r"\d+(?:\.\d+)?", korean))


def test_checks_speak_the_language_of_the_environment_and_english_where_it_is_not_known(monkeypatch):
    english, korean = next(iter(translations("checks").items()))
    for name, said in {"ko": korean, "xx": english, "../ko": english}.items():
        monkeypatch.setenv("ATTENTION_LANG", name)
        assert str(checks.Part(english)) == said
    assert str(checks.Part("no template {of}", of="ours")) == "no template ours"
