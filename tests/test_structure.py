"""What a chapter is: its order, line widths, plain Markdown, predictions and exercises, asked of every chapter."""

import re
import tomllib
from collections import Counter
from itertools import chain

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

import tools.place_choices
from book.chapter import CHAPTERS, ROOT, code, fold_answers, grade_id, is_figure, mime, prose, read, read_outputs, tags
from book.nbval_bound import bindings
from book.nbval_bound.bindings import find_numbers
from tools.place_choices import place_choices

LAST = ["Common misconceptions", "Summary", "Exercises", "Sources"]
MYST = re.compile(r"^:::|^```\{|\{[a-z:]+\}`|^\+\+\+|^\(.*\)=$", re.M)
MACHINE = re.compile(r"/home/|/Users/|/root/|/tmp/|/work/|[A-Z]:\\\\|0x[0-9a-f]{6,}")
CHOICE = re.compile(r'<details class="(choice[^"]*)"[^>]*>\n?<summary>[^\n]+</summary>\n\n')
# an "as" before one of these words compares
REASON = re.compile(r"\b(since|because|though|although)\b|, as (?!before|by|for|if|in|many|with)")
MADE = re.compile(
    r'<details class="choice right" data-kind="(bars|cells|place)"[^>]*>\n?<summary>[^\n]+</summary>\n\n\|'
)
TALKING_DOWN = re.compile(r"\b(simply|obviously|trivially|as we all know|needless to say|as can be seen)\b", re.I)


def list_order_problems(notebook):
    first, install, imports = notebook.cells[:3]
    if not re.match(r"# \S", first.source):
        yield "the first cell does not begin with '# Title'"
    for needed in ("You will be able to", "· about ", " minutes, plus ", " for exercises · you need "):
        if needed not in first.source:
            yield f"the first cell does not say '{needed}'"
    if "remove-cell" not in tags(install) or 'find_spec("attention_src")' not in install.source:
        yield "the second cell is not the one that installs attention_src in Colab, tagged remove-cell"
    if "import" not in imports.source:
        yield "the third cell does not import"
    headings = re.findall(r"^(#{1,2}) (.+)$", "\n".join(prose(notebook)), re.M)
    if sum(level == "#" for level, _ in headings) != 1:
        yield "there is not exactly one H1"
    if [title for _, title in headings][-len(LAST) :] != LAST:
        yield f"the last sections are not {LAST}"


def list_width_problems(notebook):
    for cell in code(notebook)[1:]:  # the first is not on the page
        if max(map(len, cell.source.splitlines() or [""])) > 72:
            yield f"a line of more than 72 characters, cut off on the page: {max(cell.source.splitlines(), key=len)}"


def list_prose_problems(notebook):
    for source in prose(notebook):
        if MYST.search(source):
            yield f"MyST, which Colab shows raw: {MYST.search(source).group()!r}"
        if TALKING_DOWN.search(source):
            yield f"talks down: {TALKING_DOWN.search(source).group()!r}"
        if re.search(r"!\[[^]]*\]\(http|<img", source):
            yield "an image by URL"
        if re.search(r"<details>(?!\n<summary>.*</summary>\n\n)|[^\n]\n</details>", source):
            yield "<details> without <summary> and blank lines inside: its Markdown would not be rendered"
        if re.search(r"<summary>[^<]*[`*$].*</summary>", source):
            yield "Markdown in a <summary>, which shows it raw: write <code>, <em> or <i>"
        if re.search(r"^> \*\*(Note|Important|Warning)\*\*.*\S", source, re.M):
            yield "a callout whose bold word is not alone on its first line"


def list_alternative_problems(notebook):
    """A number in an alternative text is one that its own cell shows, or one that is bound in the chapter."""
    bound = {number.text.replace("−", "-") for text in prose(notebook) for number in find_numbers(text)}
    for cell in code(notebook):
        shown = [float(text) for text in re.findall(r"-?\d+\.\d+|-?\d+", read_outputs(cell))]
        for number in find_numbers(cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")):
            agrees = any(number.agrees(value / 100 if number.is_percent else value) for value in shown)
            if not agrees and number.text.replace("−", "-") not in bound:
                yield f"an alternative text says {number.text}, which nothing shows: {number.sentence!r}"


def list_output_problems(notebook):
    counts = [cell.execution_count for cell in code(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"execution counts {counts}, not 1..N: run the whole chapter from a fresh kernel"
    for cell in code(notebook):
        if [output.output_type for output in cell.outputs].count("stream") > 1:
            yield "a stream in pieces: `make run` joins them"
        name = f"the cell {cell.source.splitlines()[0]!r}"
        if is_figure(cell) and len(cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")) < 30:
            yield f"{name} draws a figure without an alternative text that says what it shows"
        if "nbval-ignore-output" in tags(cell) and not re.search(
            r"perf_counter|time\.|timeit|tracemalloc|peak", cell.source
        ):
            yield f"{name} is excused, but its output is no time"
        if set(tags(cell)) & {"nbval-skip", "skip-execution"} or "NBVAL_" in cell.source:
            yield f"{name} is skipped"
        if MACHINE.search(str(cell.outputs)) or MACHINE.search(cell.source):
            yield f"{name} shows a path or an address of one machine"
        for output in cell.outputs:
            yield from (f"{name} {problem}" for problem in list_letter_problems(mime(output).get("image/svg+xml", "")))
            if output.get("name") == "stderr" or output.output_type == "error":
                yield f"{name} stored an error or a warning"
            if set(mime(output)) & {"image/png", "image/jpeg"}:
                yield f"{name} stored a bitmap, which nobody compares"


def list_letter_problems(svg):
    """Letters must be 10 pt or more in a figure 317 pt wide; a wider one is shown smaller, and its letters with it."""
    if width := re.search(r'viewBox="0 0 ([\d.]+)', svg):
        sizes = [float(size) for size in re.findall(r"<text[^>]*?(?:font-size: |font: )(?:bold )?([\d.]+)px", svg)]
        small = min(sizes, default=10) * 316.8 / max(float(width[1]), 316.8)
        if small < 9.7:
            yield f"has letters of {small:.1f} pt where it is shown"


def list_exercise_problems(notebook):
    graded = list(filter(grade_id, code(notebook)))
    if not graded or len(graded) % 2:
        yield f"{len(graded)} cells of exercises, not one or more pairs of a solution and its check"
    for solution, check in zip(graded[::2], graded[1::2], strict=False):
        s, c = solution.metadata.nbgrader, check.metadata.nbgrader
        name = f"exercise {s.grade_id!r}"
        if not (s.solution and not s.grade and not s.locked and s.schema_version == c.schema_version == 3):
            yield f"{name}: its first cell is not an nbgrader solution cell of schema 3"
        if not (c.grade and c.locked and not c.solution and c.get("points", 0) > 0):
            yield f"{name}: its second cell is not a locked nbgrader test cell with points"
        if not re.search(r"### BEGIN SOLUTION\n(.|\n)*### END SOLUTION", solution.source):
            yield f"{name}: no solution region"
        if "checks." not in check.source:
            yield f"{name}: the check does not come from attention_course.checks"
    section = "\n".join(prose(notebook)).partition("## Exercises")[2]
    if section.count("<summary>Hint</summary>") < len(graded) // 2:
        yield "an exercise without a folded hint"


def list_prediction_problems(notebook):
    """Yield what is wrong with the predictions of a chapter."""
    cells, offered, answered = notebook.cells, 0, False
    for i, cell in enumerate(cells):
        predicts = cell.cell_type == "markdown" and "**Predict" in cell.source
        is_answer = "answer" in tags(cell)
        name = repr(cell.source[-70:])
        if predicts and not (i + 1 < len(cells) and "answer" in tags(cells[i + 1])):
            yield f"no answer follows {name}"
        if is_answer and not answered and not (i and "**Predict" in cells[i - 1].source):
            yield f"an answer without a prediction before it: {name}"
        if is_answer and (predicts or re.search("^#", cell.source, re.M)) and cell.cell_type == "markdown":
            yield f"an answer that predicts, or opens a section: {name}"
        choices = CHOICE.findall(cell.source)
        if len(choices) != cell.source.count('<details class="choice'):
            yield f"a choice without a summary and a blank line: {name}"
        if choices and not (predicts and 2 <= len(choices) <= 4 and choices.count("choice right") == 1):
            yield f"choices that are not two to four, one of them right, after a prediction: {name}"
        if "data-kind" in cell.source:
            if choices != ["choice asks", "choice right"] or not MADE.search(cell.source):
                yield f"what is to be made has not one question and then a table with the answer: {name}"
            made = cell.source.partition("data-kind")[2]
            unbound = bindings.list_unbound(bindings.take_apart(cell.source))
            yield from (f"nothing binds {number} in {row}" for number, row in unbound if row in made and row[0] == "|")
        if 0 < sum(map(bool, map(REASON.search, re.findall("<summary>(.+)</summary>", cell.source)))) < len(choices):
            yield f"a reason in some of the choices, but not in all: {name}"
        offered, answered = offered + bool(choices), is_answer
    if offered < 3:
        yield f"{offered} predictions offer choices, not at least 3"
    figures = sum(map(is_figure, code(notebook)))
    if not 3 <= figures <= 8:
        yield f"{figures} figures, not 3 to 8"


def list_problems(notebook):
    """Yield whatever is wrong with the form of a chapter."""
    yield from chain(list_order_problems(notebook), list_width_problems(notebook), list_prose_problems(notebook))
    yield from chain(list_alternative_problems(notebook), list_output_problems(notebook))
    yield from chain(list_exercise_problems(notebook), list_prediction_problems(notebook))


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_has_the_form_of_a_chapter(path):
    assert [*list_problems(read(path))] == []
    assert path.stat().st_size < 500_000


def count_giveaways(sources):
    """Count the predictions by the place of the right choice and by whether it is the longest: (Counter, excess, all).

    The excess is by how much the right one is more often the longest than it would be by chance.
    """
    places, excess = Counter(), 0
    for source in sources:
        right = [kind == "choice right" for kind in CHOICE.findall(source)]
        if right and "data-kind" not in source:
            lengths = [len(re.sub("<[^>]+>", "", text)) for text in re.findall("<summary>(.+)</summary>", source)]
            places[right.index(True)] += 1
            longest = [length == max(lengths) for length in lengths]
            excess += longest[right.index(True)] / sum(longest) - 1 / len(right)
    return places, excess, places.total()


def test_neither_place_nor_length_gives_the_right_choice_away():
    """After a change, `python -m tools.place_choices` puts the right choice at its place."""
    chapters = [prose(read(path)) for path in CHAPTERS]
    for sources in chapters:
        places, _, number = count_giveaways(sources)
        assert max(places.values()) <= max(number / 2, 2), sources[0][-70:]
    places, excess, number = count_giveaways(source for sources in chapters for source in sources)
    assert max(places.values()) < 0.37 * number and abs(excess) < 0.1 * number, (places, excess)


def test_a_choice_takes_the_expressions_of_its_numbers_along(tmp_path, capsys, monkeypatch):
    sources, given = [], []
    for question in "ABCDEFGH":
        source = f"From 0.1.\n\n**Predict.** {question}?"
        for kind, number in (("choice", 0.2), ("choice right", 0.3), ("choice", 0.4)):
            source += (
                f'\n\n<details class="{kind}"><summary>{number} of {10 * number:.0f}</summary>\n\nWhy?\n\n</details>'
            )
        given.append(f"{source}\n\n<!-- w[1], w[2], w[3], w[4]; a == 3; b == 4 -->")
        sources.append(place_choices(given[-1]))
    for source in sources:
        bound = bindings.take_apart(source)
        assert bound.expressions == [f"w[{number.text[-1]}]" for number in bound.numbers]
        assert not bindings.list_problems(source) and place_choices(source) == source
    assert len({*count_giveaways(sources)[0]}) == 3
    named, other = paths = tmp_path / "named.ipynb", tmp_path / "other.ipynb"
    monkeypatch.setattr(tools.place_choices, "CHAPTERS", [other])
    for path in paths:
        nbformat.write(new_notebook(cells=[*map(new_markdown_cell, given)]), path)
    tools.place_choices.main([str(named)])
    assert [[cell.source for cell in read(path).cells] for path in paths] == [sources, given]
    assert capsys.readouterr().out.count(f"{named}: the choices of ") == len({*sources} - {*given})


def test_a_copy_that_is_handed_out_shows_no_answer():
    for path in CHAPTERS:
        copy = fold_answers(read(path))
        for cell in (cell for cell in copy.cells if "answer" in tags(cell)):
            assert cell.source.startswith("<details>") if cell.cell_type == "markdown" else cell.outputs == []


def test_equation_tags_cell_ids_and_exercise_names_are_unique_in_the_book():
    notebooks = [read(path) for path in CHAPTERS]
    names = [tag for nb in notebooks for source in prose(nb) for tag in re.findall(r"\\tag\{([^}]*)\}", source)]
    names += [cell.id for nb in notebooks for cell in nb.cells]
    assert [name for name, count in Counter(names).items() if count > 1] == []


GREEK = "alpha|beta|gamma|delta|epsilon|theta|lambda|mu|varphi|phi|rho|sigma|tau|omega|ell"


def symbols(formula):
    """The letters of a formula, each with its index if the index is a name: s_ of s_{ij}, W_q of W_{q,i}."""
    formula = re.sub(r"\\tilde\{(\w)\}", r"\1~", formula.replace(r"_\text", "_"))
    formula = re.sub(rf"\\(begin|color|end|operatorname|tag|text)\{{[^}}]*\}}|\\(?!{GREEK})[A-Za-z]+", " ", formula)
    found = re.findall(rf"(\\(?:{GREEK})|[A-Za-z]~?)(?:\^\w)?(?:_\{{?(\w+))?", formula)
    return {f"{letter}_{index.strip('ijlt0123456789')}" for letter, index in found if letter not in "ijlt"}


def test_every_symbol_of_a_numbered_formula_is_on_the_page_of_notation():
    table = (ROOT / "pages/notation.md").read_text("utf-8").partition("\n## ")[0]
    known = [symbol for cell in re.findall(r"^\| (.*?) \|", table, re.M) for symbol in re.findall(r"\$(.*?)\$", cell)]
    texts = [source for path in CHAPTERS for source in prose(read(path))]
    formulas = [formula for text in texts for formula in re.findall(r"\$\$([^$]*\\tag[^$]*)\$\$", text)]
    assert len(formulas) > 15 and symbols(" ".join(formulas)) - symbols(" ".join(known)) == set()
    assert symbols(r"\tilde{s}_t = \max(\theta_i, x_\text{class} W_{q,i})") == {"s~_", r"\theta_", "x_class", "W_q"}


def test_what_is_left_to_the_slow_tests_is_there():
    for name in chain(*tomllib.loads((ROOT / "tests" / "slow.toml").read_text("utf-8")).values()):
        file, _, test = name.partition(".")
        assert f"\ndef {test}(" in (ROOT / "tests" / f"{file}.py").read_text("utf-8"), name
