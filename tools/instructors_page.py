"""Write what is counted on the instructors' two pages: `python -m tools.instructors_page`.

Points and minutes come from the chapters, wrong answers from homework/answers, and questions from the checks.
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
ITEMS = {  # items from the list of what the five source notes say, if an exercise practises them
    "S000-1": "attention as a weighted sum of values whose weights come from the query",
    "S000-2": "the formula softmax(QKᵀ/√d_k) V",
    "S000-3": "the shapes for n queries and m keys",
    "S000-9": "the weights of *The cat*, row by row",
    "S000-11": "softmax over the keys",
    "S000-14": "self-attention and cross-attention with masks",
    "S001-2": "from Bahdanau's network to the Transformer's block",
    "S001-3": "the additive score and the dot product",
    "S001-4": "which decoder state is the query",
    "S001-5": "several heads that are joined and mixed",
    "S001-9": "the cost of comparing every token with every other",
    "S001-10": "queries, keys and values as projections",
    "S001-11": "three projections rather than three slices",
    "S001-17": "a picture as 16 × 16-pixel patches",
    "S001-19": "one function whose arguments make it self-attention or cross-attention",
    "S001-20": "how the objective shapes embeddings",
    "S001-21": "next-token prediction",
    "S002-1": "attention to all positions of a sequence, or only to earlier ones",
    "S002-2": "where position information comes in",
    "S002-5": "how any scores become positive weights that sum to 1",
    "S002-6": "the ratio of two weights as e raised to the gap",
    "S002-7": "subtracting the largest score",
    "S002-10": "the projections in code, followed by QKᵀ/√d_k",
    "S002-11": "scores, weights and context in three lines",
    "S002-20": "values that differ from keys, even in length",
    "S003-7": "Q and K choose where to attend, V says what to fetch",
    "S004-1": "a decoder that reads the encoder again at every step",
    "S004-6": "step 1 of Luong's attention, the scores",
    "S004-7": "step 2, the distribution",
    "S004-8": "step 3, the weighted sum",
    "S004-10": "what the decoder receives",
    "S004-11": "s̃ from the context and the state",
    "SALL-2": "a test that could fail behind every number",
    "SALL-3": "rows of weights that sum to 1",
}
Entry = namedtuple("Entry", "chapter title name number kind points minutes exercise")


def list_entries():
    """The exercises of the book, in order, as the chapters announce them."""
    for path in CHAPTERS:
        notebook = read(path)
        title = chapter.title(notebook)
        names = [exercise.name for exercise in chapter.exercises(notebook)]
        for name, prompt in zip(names, PROMPT.findall("\n".join(prose(notebook))), strict=True):
            number, kind, points, minutes = prompt
            yield Entry(path.stem, title, name, int(number), kind.lower(), int(points), int(minutes), EXERCISES[name])


def quote_check(exercise, wrong):
    """The question that a wrong answer meets; where there is none, the message."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            exercise.check(*wrong.answer)
        except checks.Wrong as message:
            seen, question = message.seen.values, str(message.question)
            if "error" in seen:
                return f"It reports {seen['error']} and the sizes at which it was raised."
            if "reason" in seen:
                return f"… if you {seen['reason']}. {question}"
            return question if message.question else str(message)


def format_table(head, rows):
    rows = [[re.sub(r"([|<])", r"\\\1", str(text)) for text in row] for row in rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))


def write_wrong_answers():
    """The wrong answers to each exercise: the usual ones with what they reveal, and the others folded.

    Which tests are wrong to name is left out, since it would leave the right one.
    """
    previous = ""
    for entry in list_entries():
        exercise, refused = entry.exercise, entry.exercise.list_refused()
        shown = {name: wrong for name, wrong in refused.items() if not name.startswith("names “")}
        asks = {name: quote_check(exercise, wrong) for name, wrong in shown.items()}
        usual = [(name, wrong.reveals, asks[name]) for name, wrong in shown.items() if wrong.reveals]
        others = [(name, asks[name]) for name, wrong in shown.items() if not wrong.reveals]
        if named := len(refused) - len(shown):
            others.append((f"{named} wrong names of tests", "why each would not have shown the fault"))
        if entry.chapter != previous:
            yield f"### {int(entry.chapter[:2])}. {entry.title}\n"
        previous = entry.chapter
        yield f"**{entry.number}. {entry.kind.capitalize()} it** · `checks.{exercise.check.__name__}`\n"
        if usual:
            yield format_table(("common wrong answer", "what it reveals", "what the check asks"), usual) + "\n"
        like = exercise.like
        also = f", and all {len(like.list_wrong())} of `{like.check.__name__}`" if like else ""
        yield f":::{{dropdown}} {'The other' if usual else 'The'} {len(refused) - len(usual)} it refuses{also}"
        yield format_table(("wrong answer", "what the check says"), others)
        yield ":::\n"


def write_exercises():
    """One line for each exercise."""
    rows = []
    for entry in list_entries():
        exercise = entry.exercise
        wrong = len(exercise.list_refused()) + (len(exercise.like.list_wrong()) if exercise.like else 0)
        name, check = f"{int(entry.chapter[:2])}.{entry.number}", f"`{exercise.check.__name__}`"
        rows.append((name, entry.kind, entry.points, entry.minutes, check, len(exercise.right), wrong))
    right, wrong = (sum(row[i] for row in rows) for i in (5, 6))
    yield f"{len(rows)} exercises: {right} right answers are accepted, {wrong} wrong ones refused.\n"
    yield format_table(("exercise", "kind", "points", "minutes", "check", "right ✓", "wrong ✗"), rows)


def write_term():
    """One line for each chapter: minutes, what it needs, what its exercises are worth."""
    rows, entries = [], list(list_entries())
    for path in CHAPTERS:
        opening = read(path).cells[0].source
        need = re.split("you need", opening, flags=re.I)[1]
        needs = sorted({int(number) for number in re.findall(r"\((\d\d)_\w+\.ipynb\)", need)})
        own = [entry for entry in entries if entry.chapter == path.stem]
        title = f"[{int(path.stem[:2])}. {own[0].title}](../chapters/{path.stem}.ipynb)"
        points, minutes = sum(entry.points for entry in own), sum(entry.minutes for entry in own)
        reading = re.search(r"about (\d+) minutes", opening, re.I)[1]
        rows.append((title, reading, ", ".join(map(str, needs)) or "none", len(own), points, minutes))
    yield format_table(("chapter", "reading", "needs", "exercises", "points", "minutes"), rows)


def write_items():
    """One line for each thing that the exercises practise."""
    served = {item: [] for item in ITEMS}
    for entry in list_entries():
        for item in entry.exercise.serves.split():
            served[item].append(f"{int(entry.chapter[:2])}.{entry.number}")
    yield format_table(("topic", "exercises"), ((ITEMS[item], ", ".join(served[item])) for item in ITEMS))


WRITERS = {"term": write_term, "exercises": write_exercises, "items": write_items, "faults": write_wrong_answers}


def fill_page(text):
    """Return the text of a page with the parts between its marks written again."""
    return MADE.sub(lambda mark: mark[1] + "\n".join(WRITERS[mark[2]]()).rstrip() + "\n" + mark[3], text)


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(fill_page(path.read_text(encoding="utf-8")), encoding="utf-8")
