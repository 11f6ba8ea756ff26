"""Write what is counted on the instructors' page and in the file of wrong answers: `python -m tools.instructors_page`.

It also writes, at the head of each chapter, how long the exercises take. Points and minutes come from the chapters,
wrong answers and exam questions from homework/answers, and what the checks ask from the checks. The rest is written by
hand.
"""

import contextlib
import io
import re
import tomllib
import warnings
from collections import Counter, namedtuple

from attention_course import checks
from book import chapter
from book.chapter import CHAPTERS, ROOT, prose, read
from homework.answers import EXERCISES

PAGES = [ROOT / "pages" / "instructors.md", ROOT / "homework" / "wrong_answers.md"]
MINUTES = re.compile(r"(\d+) minutes, plus \d+ for exercises")
MADE = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- /made -->)", re.S)
PROMPT = re.compile(r"^\*\*(\d)\. (\w+) it\*\* \((\d) points?, (\d+) minutes\)\.", re.M)
ITEMS = tomllib.loads((ROOT / "tools" / "items.toml").read_text("utf-8"))  # that an exercise serves
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


def quote_check(check, wrong):
    """The question that a wrong answer meets; where there is none, the message."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            check(*wrong)
        except checks.Wrong as message:
            return quote(message)


def quote(message):
    seen, question = message.seen.values, str(message.question)
    if "error" in seen:
        return f"that it raised {seen['error']}, and at which sizes"
    if "reason" in seen:
        return f"If you {seen['reason']}: {question[0].lower()}{question[1:]}"
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
        asks = {name: quote_check(exercise.check, wrong) for name, wrong in shown.items()}
        usual = [(name, exercise.reveals[name], asks[name]) for name in shown if name in exercise.reveals]
        others = [(name, asks[name]) for name in shown if name not in exercise.reveals]
        if named := len(refused) - len(shown):
            others.append((f"{named} wrong names of tests", "to each why it would not have shown the fault"))
        if entry.chapter != previous:
            yield f"### {int(entry.chapter[:2])}. {entry.title}\n"
        previous = entry.chapter
        yield f"**{entry.number}. {entry.kind.capitalize()} it** · `checks.{exercise.check.__name__}`\n"
        if usual:
            yield format_table(("usual wrong answer", "reveals", "the check asks"), usual) + "\n"
        like = exercise.like
        also = f", and all {len(like.list_wrong())} of <code>{like.check.__name__}</code>" if like else ""
        rest = f"{'The other' if usual else 'The'} {len(refused) - len(usual)} that it refuses{also}"
        yield f"<details>\n<summary>{rest}</summary>\n"
        yield format_table(("wrong answer", "the check says"), others)
        yield "\n</details>\n"


def write_exercises():
    """One line for each exercise."""
    rows = []
    for entry in list_entries():
        exercise = entry.exercise
        wrong = len(exercise.list_refused()) + (len(exercise.like.list_wrong()) if exercise.like else 0)
        name, check = f"{int(entry.chapter[:2])}.{entry.number}", f"`{exercise.check.__name__}`"
        counted = entry.points, entry.minutes, check, len(exercise.list_accepted()), wrong
        rows.append((name, entry.kind, *counted, exercise.serves.replace(" ", ", ")))
    right, wrong = (sum(row[i] for row in rows) for i in (5, 6))
    yield f"{len(rows)} exercises: {right} right answers are accepted, {wrong} wrong ones refused.\n"
    yield format_table(("exercise", "kind", "points", "minutes", "check", "right ✓", "wrong ✗", "serves"), rows)


def write_term():
    """One line for each chapter: minutes, what it needs, what its exercises are worth."""
    rows, entries = [], list(list_entries())
    for path in CHAPTERS:
        need = read(path).cells[0].source.rpartition("\n")[2]
        needs = sorted({int(number) for number in re.findall(r"\((\d\d)_\w+\.ipynb\)", need)})
        own = [entry for entry in entries if entry.chapter == path.stem]
        title = f"[{int(path.stem[:2])}. {own[0].title}](../chapters/{path.stem}.ipynb)"
        points, minutes = sum(entry.points for entry in own), sum(entry.minutes for entry in own)
        reading = re.search(r"about (\d+) minutes", need)[1]
        rows.append((title, reading, ", ".join(map(str, needs)) or "none", len(own), points, minutes))
    yield format_table(("chapter", "reading", "needs", "exercises", "points", "minutes"), rows)


def read_exam():
    """Return {number of the chapter: its exam questions with their answers}, of which the page shows the questions."""
    return tomllib.loads((ROOT / "homework/answers/exam.toml").read_text("utf-8"))


def write_exam():
    for number, questions in read_exam().items():
        for letter, one in zip("ab", questions, strict=True):
            yield f"**{int(number)}{letter}.** {one['question']}\n"


WRITERS = {
    "term": write_term,
    "exam": write_exam,
    "exercises": write_exercises,
    "items": lambda: [format_table(("item", "what it is"), ITEMS.items())],
    "faults": write_wrong_answers,
}


def fill_minutes():
    """Yield the path and the text of each chapter, and of the front page, with the minutes of the exercises.

    Those of the front page are chapter 1's, to which it leads.
    """
    minutes = Counter()
    for entry in list_entries():
        minutes[entry.chapter] += entry.minutes
    for path in CHAPTERS:
        text = path.read_text("utf-8")
        said = f"{MINUTES.search(text)[1]} minutes, plus {minutes[path.stem]} for exercises"
        yield path, MINUTES.sub(said, text, count=1)
        if path == CHAPTERS[0]:
            front = ROOT / "intro.md"
            yield front, MINUTES.sub(said, front.read_text("utf-8"))


def fill_page(text):
    """Return the text of a page with the parts between its marks written again."""
    return MADE.sub(lambda mark: mark[1] + "\n".join(WRITERS[mark[2]]()).rstrip() + "\n" + mark[3], text)


if __name__ == "__main__":
    for path, text in [*fill_minutes(), *((path, fill_page(path.read_text("utf-8"))) for path in PAGES)]:
        path.write_text(text, "utf-8")
