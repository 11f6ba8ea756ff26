"""Scores as tables: one for people, and those that Canvas and Moodle import, made from the roster they exported."""

import csv
import re

CANVAS = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]  # as its gradebook begins
CELL = re.compile(r"(^|[;\r\n\t])(\s*[=+@\t\r＝＋－＠-])")  # where a spreadsheet may begin to read a formula


def write(folder, page, students, roster):
    """Write `scores.csv`, and `scores-canvas.csv` or `scores-moodle.csv` if the roster is such a platform's."""
    _write(folder / "scores.csv", _scores(page, students))
    rows = {key: student.row for key, student in dict(roster).items()}
    header = list(next(iter(rows.values()), {}))
    totals = {student["key"]: student["total"] for student in students}
    worksheet = {"Identifier", "Grade"} <= set(header)  # Moodle's, to be filled in
    for name in ("canvas", "moodle"):
        (folder / f"scores-{name}.csv").unlink(missing_ok=True)
    if set(CANVAS[:2]) <= set(header):
        columns = [name for name in CANVAS if name in header]
        known = rf"{re.escape(page['title'])} \(\d+\)"  # its column there already, with Canvas's number
        title = next((name for name in header if re.fullmatch(known, name)), page["title"])
        lines = [[row[name] for name in columns] + [_plain(totals.get(key))] for key, row in rows.items()]
        points = ["    Points Possible", *[""] * (len(columns) - 1), _plain(page["of"])]
        _write(folder / "scores-canvas.csv", [[*columns, title], points, *lines], bom=False)
    elif worksheet or any(name.casefold() in ("email address", "id number") for name in header):  # Moodle's import
        column = "Grade" if worksheet else page["title"]
        lines = [[*(row | {column: _plain(totals.get(key))}).values()] for key, row in rows.items()]
        _write(folder / "scores-moodle.csv", [[*dict.fromkeys([*header, column])], *lines], bom=False)


def _scores(page, students):
    """A blank score means that a person has to look; the last columns say why."""
    titles = [exercise.title for exercise in page["exercises"]]
    yield ["student", "name", *titles, "total", "of", "late", "needs a person", "notes", "file"]
    for student in students:
        scores = [_plain(row["score"]) for row in student["rows"]]
        lost = [
            f"{row['title']}: {row['status']}, {row['english']}"
            for row in student["rows"]
            if row["status"] not in ("", "right")
        ]
        person, notes = ("; ".join(texts) for texts in (student["person"], student["noticed"] + lost))
        total, of, file = _plain(student["total"]), _plain(page["of"]), student["file"] or ""
        yield [student["key"], student["name"], *scores, total, of, student["late"], person, notes, file]


def _plain(score):
    return "" if score is None else f"{score:g}"


def _write(path, rows, bom=True):
    with path.open("w", newline="", encoding="utf-8-sig" if bom else "utf-8") as lines:
        csv.writer(lines).writerows([escape_formula(value) for value in row] for row in rows)


def escape_formula(text):
    """A text that no spreadsheet takes for a formula, even one that begins a new cell at each semicolon."""
    return CELL.sub(r"\1'\2", str(text)) if not re.fullmatch(r"-?\d+(\.\d+)?|\s+[A-Z].*", str(text)) else str(text)
