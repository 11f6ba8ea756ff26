"""A translation says what its English says: the same numbers, formulas, code, links and choices."""

import re

import polib
import pytest

from tools import translate
from tools.catalogue import FOLDER, messages, rewrite, source, translatable, translations
from tools.chapter import pages, prose, read
from tools.translate import faults, lies, refresh

ENGLISH_TEXT = "The ratio is **2.03**, twice [chapter 2](02_softmax_and_scaling.ipynb), for $e^x$ and `x.T` of *cat*."
KOREAN_TEXT = "비는 **2.03**이에요. *cat*의 $e^x$와 `x.T`를 [2장](02_softmax_and_scaling.ipynb)처럼 두 배로 셉니다."


def markdown(page):
    path = source(page)
    return prose(read(path)) if path.suffix == ".ipynb" else [path.read_text("utf-8")]


@pytest.mark.parametrize("page", translatable())
def test_no_translation_says_something_else(page):
    path = FOLDER / f"{page}.po"
    catalogue = polib.pofile(str(path), wrapwidth=0)
    assert [f"{path.name}:{entry.linenum}: {fault}" for entry, fault in faults(catalogue)] == []


def test_a_faithful_translation_passes():
    assert list(lies(ENGLISH_TEXT, KOREAN_TEXT)) == []
    assert list(lies("It is one sixth of the rest.", "나머지의 6분의 1이에요.")) == []


@pytest.mark.parametrize(
    "old, new, fault",
    [
        ("2.03", "2.30", "number missing: 2.03"),
        ("[2장](02_softmax_and_scaling.ipynb)", "2장", "link missing"),
        ("02_softmax", "03_softmax", "link that the English does not have"),
        ("$e^x$와", "", "formula missing: e^x"),
        ("`x.T`", "x.T", "code missing: x.T"),
        ("**2.03**", "2.03", "passage in bold missing"),
        ("**2.03**이", "**2.03(이)**이", "sign of a link or an emphasis"),  # CommonMark does not close it there
        ("처럼", "처럼 5번", "number that the English does not have: 5"),
        ("비는", "가중치은", "after 가중치 stands 는"),
    ],
)
def test_a_lie_is_found(old, new, fault):
    assert old in KOREAN_TEXT and any(fault in found for found in lies(ENGLISH_TEXT, KOREAN_TEXT.replace(old, new)))


def test_a_term_in_bold_has_the_word_of_the_glossary():
    assert list(lies("This is its **query**.", "이것이 **쿼리**예요.")) == []
    assert list(lies("This is its **query**.", "이것이 **질의**예요.")) == ["the glossary's word for query is 쿼리"]
    assert any("cell" in fault for fault in lies("| key | a label |", "| 키 |"))


def test_choices_keep_their_places():
    """Which choice is right, and where it stands, is no part of a message; an exchange of numbers is found."""
    choices = [
        '<details class="choice"><summary>about 2</summary>',
        '<details class="choice right"><summary>7 more</summary>',
    ]
    known = {"about 2": "약 2", "7 more": "7만큼 더"}
    said = rewrite("\n".join(choices), lambda message, kind: known[message]).split("\n")
    assert said == [
        choice.replace(english, korean) for choice, (english, korean) in zip(choices, known.items(), strict=True)
    ]
    assert list(lies("about 2", known["7 more"])) != []


@pytest.mark.parametrize("page", translatable())
def test_a_page_without_translations_stays_as_it_is(page):
    for text in markdown(page):
        assert rewrite(text, lambda message, kind: None) == text


SOURCE = """(target)=
# Title

```python
# no heading
```
$$
x + y
$$
| a | 1 |
|---|---|
| 1 | 2 |
> **Note**
> quoted
> text
- one item
  of two lines
- other

{{ computed }}
:::{grid-item-card} Card
:link: chapters/01
a\\
b
:::
<img alt="seen" src="x.svg">"""
REWRITTEN = """(target)=
# heading

```python
# no heading
```
$$
x + y
$$
row
|---|---|
| 1 | 2 |
> text
> text
- item
- item

{{ computed }}
:::{grid-item-card} title
:link: chapters/01
text
:::
<img alt="alternative" src="x.svg">"""


def test_what_is_no_message_cannot_change():
    found = {}
    assert rewrite(SOURCE, lambda message, kind: found.setdefault(message, kind)) == REWRITTEN
    assert list(found) == "Title,| a | 1 |,**Note**,quoted text,one item of two lines,other,Card,a\\\nb,seen".split(",")


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


def test_the_korean_page_counts_what_is_not_translated(site):
    for page in translatable():
        text = (site / "ko" / f"{page}.html").read_text("utf-8")
        note = re.search(r'<p class="untranslated">\D*(\d+)', text)
        missing = len(messages(page).keys() - translations(page).keys())
        assert (int(note[1]) if note else 0) == missing, page


def test_the_korean_pages_have_the_addresses_of_the_english_ones(site):
    for page in pages():
        english, korean = ((site / folder / f"{page}.html").read_text("utf-8") for folder in ("", "ko"))
        assert re.findall(r'<section[^>]* id="([^"]*)', korean) == re.findall(r'<section[^>]* id="([^"]*)', english)
        assert 'lang="ko"' in korean.partition("<head>")[0]


def test_every_file_that_a_korean_page_loads_is_there(site):
    for page in (site / "ko").rglob("*.html"):
        for target in re.findall(r'(?:src|href)="([^"#?:]+)[^":]*"', page.read_text("utf-8")):
            assert (page.parent / target).exists(), (page.name, target)
