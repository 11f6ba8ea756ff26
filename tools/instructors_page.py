"""Write what is counted on the instructors' two pages: `python -m tools.instructors_page`.

Points and minutes come from the chapters, wrong answers from homework/answers, questions from the checks.
The rest is written by hand.
"""

import contextlib
import io
import re
import warnings
from collections import namedtuple

from attention_course import checks
from book import chapter
from book.chapter import CHAPTERS, ROOT, prose, read
from homework.answers import EXERCISES

PAGES = [ROOT / "pages" / "instructors.md", ROOT / "pages" / "wrong_answers.md"]
MADE = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- /made -->)", re.S)
PROMPT = re.compile(r"^\*\*(\d)\. (\w+) it\*\* \((\d) points?, (\d+) minutes\)\.", re.M)
ITEMS = {  # of the list of what the five source notes say, those that an exercise serves
    "S000-1": "attention is a weighted sum of values, the weights made from the query",
    "S000-2": "the formula softmax(QKᵀ/√d_k) V",
    "S000-3": "shapes for n queries and m keys",
    "S000-9": "the weights of *The cat*, row by row",
    "S000-11": "softmax runs over the keys",
    "S000-14": "self- and cross-attention, with masks",
    "S001-2": "from Bahdanau's network to the Transformer's block",
    "S001-3": "the additive score beside the dot product",
    "S001-4": "which decoder state asks",
    "S001-5": "several heads, joined and mixed",
    "S001-9": "the price: every token with every other",
    "S001-10": "queries, keys and values are projections",
    "S001-11": "three projections, not three pieces",
    "S001-17": "a picture as 16 × 16-pixel patches",
    "S001-19": "one function, self or cross by its arguments",
    "S001-20": "embeddings are shaped by the objective",
    "S001-21": "next-token prediction",
    "S002-1": "all positions of one sequence, or those before",
    "S002-2": "where the position enters",
    "S002-5": "any scores become positive weights with sum 1",
    "S002-6": "the ratio of weights is e to the gap",
    "S002-7": "subtract the largest score",
    "S002-10": "projections in code, then QKᵀ/√d_k",
    "S002-11": "the three lines scores, weights, context",
    "S002-20": "a value may differ from a key, in length too",
    "S003-7": "Q and K decide whom, V decides what",
    "S004-1": "at every step the decoder reads the encoder again",
    "S004-6": "Luong's step 1, scores",
    "S004-7": "step 2, distribution",
    "S004-8": "step 3, weighted sum",
    "S004-10": "what is handed to the decoder",
    "S004-11": "s̃ from context and state",
    "SALL-2": "no number without a test that could fail",
    "SALL-3": "every row of weights sums to 1",
}
Entry = namedtuple("Entry", "chapter title name number kind points minutes exercise")


def entries():
    """The exercises of the book, in order, as the chapters announce them."""
    for path in CHAPTERS:
        notebook = read(path)
        title = chapter.title(notebook)
        names = [exercise.name for exercise in chapter.exercises(notebook)]
        for name, prompt in zip(names, PROMPT.findall("\n".join(prose(notebook))), strict=True):
            number, kind, points, minutes = prompt
            yield Entry(path.stem, title, name, int(number), kind.lower(), int(points), int(minutes), EXERCISES[name])


def told(exercise, fault):
    """The question that whoever gave this answer is asked; where there is none, the message."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            exercise.check(*fault.answer)
        except checks.Wrong as wrong:
            seen, question = wrong.seen.values, str(wrong.question)
            if "error" in seen:
                return f"that it raised {seen['error']}, and at which sizes"
            if "reason" in seen:
                return f"If {seen['reason']}: {question[0].lower()}{question[1:]}"
            return question if wrong.question else str(wrong)


def table(head, rows):
    rows = [[re.sub(r"([|<])", r"\\\1", text) for text in row] for row in rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))


def faults(entry):
    """The wrong answers to an exercise: the usual ones with what they reveal, and the others folded.

    Which tests are wrong to name is left out, since it would leave the right one.
    """
    refused = {name: fault for name, fault in entry.exercise.list_refused().items() if not name.startswith("names “")}
    usual = [(name, fault.reveals, told(entry.exercise, fault)) for name, fault in refused.items() if fault.reveals]
    others = [(name, told(entry.exercise, fault)) for name, fault in refused.items() if not fault.reveals]
    named = len(entry.exercise.list_refused()) - len(refused)
    if named:
        others.append((f"{named} wrong names of tests", "to each why it would not have shown the fault"))
    yield f"**{entry.number}. {entry.kind.capitalize()} it** · `checks.{entry.exercise.check.__name__}`\n"
    if usual:
        yield table(("usual wrong answer", "reveals", "the check asks"), usual) + "\n"
    also = ""
    if entry.exercise.like:
        also = f", and all {len(entry.exercise.like.list_wrong())} of `{entry.exercise.like.check.__name__}`"
    the = "The other" if usual else "The"
    yield f":::{{dropdown}} {the} {len(others) - bool(named) + named} that it refuses{also}"
    yield table(("wrong answer", "the check says"), others)
    yield ":::\n"


def every_fault():
    chapter = ""
    for entry in entries():
        if entry.chapter != chapter:
            chapter = entry.chapter
            yield f"### {int(chapter[:2])}. {entry.title}\n"
        yield from faults(entry)


def exercises():
    """One line for each exercise."""
    rows = []
    for entry in entries():
        wrong = len(entry.exercise.list_refused()) + (
            len(entry.exercise.like.list_wrong()) if entry.exercise.like else 0
        )
        rows.append(
            (
                f"{int(entry.chapter[:2])}.{entry.number}",
                entry.kind,
                str(entry.points),
                str(entry.minutes),
                f"`{entry.exercise.check.__name__}`",
                str(len(entry.exercise.right)),
                str(wrong),
                entry.exercise.serves.replace(" ", ", "),
            )
        )
    right, wrong = (sum(int(row[i]) for row in rows) for i in (5, 6))
    yield f"{len(rows)} exercises: {right} right answers are accepted, {wrong} wrong ones refused.\n"
    yield table(("exercise", "kind", "points", "minutes", "check", "right ✓", "wrong ✗", "serves"), rows)


def term():
    """One line for each chapter: minutes, what it needs, what its exercises are worth."""
    rows, found = [], list(entries())
    for path in CHAPTERS:
        first = read(path).cells[0].source
        need = first.partition("**You need**")[2]
        needs = sorted({int(number) for number in re.findall(r"\((\d\d)_\w+\.ipynb\)", need)})
        own = [entry for entry in found if entry.chapter == path.stem]
        title = f"[{int(path.stem[:2])}. {own[0].title}](../chapters/{path.stem}.ipynb)"
        points, minutes = sum(entry.points for entry in own), sum(entry.minutes for entry in own)
        reading = re.search(r"About (\d+) minutes", need)[1]
        rows.append((title, reading, ", ".join(map(str, needs)) or "none", str(len(own)), str(points), str(minutes)))
    yield table(("chapter", "reading", "needs", "exercises", "points", "minutes"), rows)


def items():
    yield table(("item", "what it is"), [(name, what) for name, what in ITEMS.items()])


def page(text):
    """A page with the parts that are counted made anew."""
    parts = {"term": term, "exercises": exercises, "items": items, "faults": every_fault}
    return MADE.sub(lambda found: found[1] + "\n".join(parts[found[2]]()).rstrip() + "\n" + found[3], text)


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(page(path.read_text(encoding="utf-8")), encoding="utf-8")
