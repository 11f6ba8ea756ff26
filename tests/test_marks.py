"""Evidence marks: each claim has one behind its sentence, in either edition, and nowhere where it does not belong."""

import json
import re

import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

from book.chapter import TRANSLATED
from evidence import claims
from web.evidence import name_claim
from web.marks import BEGIN, END, SIGN, carry_signs, put_signs

MODULES = claims.modules()
each_chapter = pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)


def sign(number):
    return f"{BEGIN}{number}{END}"


@each_chapter
@pytest.mark.parametrize("edition", ["", f"{TRANSLATED}/"], ids=["English", "Korean"])
def test_each_claim_has_a_mark_that_opens_its_card(parse, path, edition):
    page = parse(f"{edition}chapters/{path.stem}")
    marks = {mark["data-claim"]: mark for mark in page.find_all("button", "mark")}
    cards = {card["id"]: card for card in page.find_all(popover=True)}
    assert sorted(marks) == sorted(name_claim(path, claim) for claim in MODULES[path].CLAIMS)
    for name, mark in marks.items():
        card = cards[mark["popovertarget"]]
        assert card.select_one(".strip svg")
        assert card.find("a")["href"].endswith(f"#{name}")


@each_chapter
def test_a_mark_is_behind_the_sentence_of_its_claim(parse, path):
    page, letters = parse(f"chapters/{path.stem}"), re.compile(r"\W+")
    for claim in MODULES[path].CLAIMS:
        mark = page.find("button", {"data-claim": name_claim(path, claim)})
        before = "".join(text for text in mark.find_all_previous(string=True, limit=400)[::-1])
        words = re.sub(r"\$[^$]*\$|[*`_]", " ", claim.sentence)
        last = [word for word in letters.split(words) if word.isalpha()][-3:]
        assert all(word in before[-4000:] for word in last), claim.sentence


def test_signs_are_in_nothing_that_readers_get(site):
    for path in [*site.rglob("*.html"), *site.rglob("*.ipynb"), *site.rglob("searchindex.js")]:
        text = path.read_text("utf-8")
        assert BEGIN not in text and not re.search(r"\\ue20[01]", text), path
    index = json.loads(re.search(r"\((\{.*\})\)", (site / "searchindex.js").read_text("utf-8"))[1])
    assert "refut" not in {term for term, found in index["weights"].items() if found[::2] == [0]}
    assert "Varied:" not in str(index)


LONG = f"# A\n\nOne. The *two*\nof $a.b$ are so, mostly.{sign(0)} Three.{sign(1)}"
SIGNED = [  # sentences, and a text with the signs behind them
    (["The *two* of $a.b$ are so", "Three."], LONG),
    (["(One, it is.)"], f"(One, it is.){sign(0)} Two."),
    (["Two is bold."], f"One. **Two is bold.{sign(0)}** Three."),
    ([], "One."),
]


@pytest.mark.parametrize(("sentences", "signed"), SIGNED)
def test_a_sign_goes_behind_its_sentence_and_inside_the_stars_that_close_there(sentences, signed):
    cell = new_markdown_cell(SIGN.sub("", signed))
    notebook = put_signs(new_notebook(cells=[cell]), sentences)
    assert notebook == new_notebook(cells=[new_markdown_cell(signed, id=cell.id)])


def test_a_sentence_that_was_reworded_fails_and_is_named():
    with pytest.raises(ValueError, match=r"no sentence of the chapter is “It was so\."):
        put_signs(new_notebook(cells=[new_markdown_cell("It is so.")]), ["It was so."])


CARRIED = {
    f"One. Two.{sign(3)} Three.": f"하나예요. 둘이에요.{sign(3)} 셋이에요.",
    f"One.{sign(0)} Two.{sign(1)}": f"하나와 둘이에요.{sign(0)}{sign(1)}",
    f"One{sign(0)}": f"하나{sign(0)}",
    f"One. **Two.{sign(0)}** Three.": f"하나예요. **둘이에요.{sign(0)}** 셋이에요.",
    "One. Two.": "하나예요. 둘이에요.",
    f"More than 0.5 of them. So it is right, as X et al. said.{sign(0)} Why?":
    f"0.5보다 많아요. 그러니 맞아요. X 등이 말한 대로예요.{sign(0)} 왜 그럴까요?",
}  # fmt: skip


@pytest.mark.parametrize(("message", "carried"), CARRIED.items())
def test_signs_are_carried_over_to_the_translation(message, carried):
    assert carry_signs(message, SIGN.sub("", carried)) == carried
