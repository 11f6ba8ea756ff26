"""All slow proofs by name: what is run, what must hold of its rows, what would refute it."""

import os
import subprocess
import sys
from functools import partial
from math import inf
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

from benchmarks import bench
from tools import claims, live, mutants, onnx_cases, same_model
from tools.chapter import CHAPTERS, ROOT, read
from tools.proofs import Proof, covers_chapter, covers_files, digest, reached, syntax

ARITHMETIC = [
    {"OMP_NUM_THREADS": "4"},
    {"OMP_NUM_THREADS": "2", "ATEN_CPU_CAPABILITY": "default"},
]


def pytest(*arguments, **environment):
    """Run tests and return a row for each: its name, its outcome, and the properties that it records."""
    with TemporaryDirectory() as folder:
        report = f"{folder}/report.xml"
        form = ["-o", "junit_family=xunit1", f"--junitxml={report}"]  # the form that has room for properties
        command = [sys.executable, "-m", "pytest", "-q", *form, *map(str, arguments)]
        wait = {"OMP_WAIT_POLICY": "passive"}
        subprocess.run(command, cwd=ROOT, env={**os.environ, **wait, **environment}, stdout=subprocess.DEVNULL)
        return [row(case) for case in ElementTree.parse(report).iter("testcase")]


def row(case):
    """What a report says of one test."""
    outcome = next((part.tag for part in case if part.tag != "properties"), "passed")
    properties = {one.get("name"): one.get("value") for one in case.iter("property")}
    return {"test": case.get("name"), "outcome": outcome} | properties


def not_passed(rows):
    if not rows:
        yield "no test was run"
    for row in rows:
        if row["outcome"] != "passed":
            yield f"{row.get('where', '')} {row['test']}: {row['outcome']}".strip()


def run_with_other_arithmetic(path):
    """Run a chapter with other numbers of threads and with another processor's instructions."""
    rows = []
    for settings in ARITHMETIC:
        where = " ".join(f"{name}={value}" for name, value in settings.items())
        rows += [{"where": where, **row} for row in pytest(path, **settings)]
    return rows


def with_more(requirements, run):
    """Install what a proof needs besides the lock, without what that asks for, and run it."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "-r", ROOT / requirements]
    subprocess.run(command, check=True)
    return run()


def covers_with_more(requirements, *paths):
    return covers_files(*paths) | {requirements: digest((ROOT / requirements).read_text("utf-8"))}


BAD_CLASS = [f"tests/test_homework_{name}.py" for name in ("class", "fair", "fan_out")]


def class_faults(rows):
    """What is wrong with the bad class: a test, or seconds of a quiet machine that a submission takes with two jobs."""
    yield from not_passed(rows)
    busy = max(float(row.get("busy", 1)) for row in rows)
    seconds = sorted(float(row["seconds"]) / busy for row in rows if "seconds" in row) or [inf]
    if (half := seconds[len(seconds) // 2]) > 3:
        yield f"a submission takes {half:.1f} s in the median; expected 3 or less"
    if seconds[-1] > 60:
        yield f"a submission takes {seconds[-1]:.1f} s; expected 60 or less"


def covers_texts(*paths):
    """What these files say, of Python its syntax, and not what they reach."""
    return {
        path.relative_to(ROOT).as_posix(): (syntax if path.suffix == ".py" else digest)(path.read_text("utf-8"))
        for path in paths
    }


def covers_class():
    """All of `homework/`, the checks of chapter 1, and the class."""
    checks = reached("from attention_src.checks import attention, doubled_query, mended_attention", without=())
    return covers_texts(
        *(ROOT / "homework").rglob("*.py"),
        *(ROOT / name for name in checks if name.startswith("attention_src/checks/")),
        *(ROOT / name for name in (*BAD_CLASS, "tests/classroom.py", "tools/bad_class.py")),
    )


def covers_first_chapter(*paths):
    """Chapter 1, and what is done with it in a test."""
    return covers_chapter(read(CHAPTERS[0]), CHAPTERS[0].stem) | covers_texts(*paths)


RUNNING_PAGE = [
    *(ROOT / "live").glob("*.*s"),
    *(ROOT / name for name in ("live/attention_live.py", "_ext/book_live.py", "tests/test_live_browser.py")),
]
FAILED = [{"test": "Cell 3", "outcome": "failure"}]

PROOFS = {
    "mutants": Proof(
        mutants.run,
        mutants.faults,
        partial(
            covers_files,
            "tools/mutants.py",
            *(f"tests/test_{name}.py" for name in ("scores", "weights", "masks", "attention", "positions")),
            libraries=("mutmut",),
        ),
        refuted=[{"of": 1000, "killed": 950}],
    ),
}
PROOFS |= {
    f"arithmetic-{path.stem}": Proof(
        partial(run_with_other_arithmetic, path),
        not_passed,
        partial(lambda path: covers_chapter(read(path), path.stem), path),
        refuted=FAILED,
    )
    for path in CHAPTERS
}
PROOFS["sabotage"] = Proof(
    partial(pytest, "-m", "proof", "tests/test_promise.py"),
    not_passed,
    partial(covers_first_chapter, ROOT / "conftest.py", ROOT / "tests" / "test_promise.py"),
    refuted=FAILED,
)
PROOFS["class"] = Proof(
    partial(pytest, "-m", "proof", *BAD_CLASS), class_faults, covers_class, refuted=FAILED, exact=False
)
PROOFS["running-page"] = Proof(
    partial(pytest, "-m", "proof", "tests/test_live_browser.py"),
    not_passed,
    partial(covers_first_chapter, *RUNNING_PAGE),
    refuted=FAILED,
)
PROOFS["onnx"] = Proof(
    partial(with_more, "proofs/onnx_requirements.txt", onnx_cases.run),
    onnx_cases.faults,
    partial(covers_with_more, "proofs/onnx_requirements.txt", "tools/onnx_cases.py"),
    refuted=[{"case": "test_attention_4d", "library": "torch", "outcome": "failed: Y"}],
)
PROOFS["benchmark"] = Proof(
    partial(with_more, "benchmarks/requirements.txt", bench.measure),
    bench.faults,
    partial(covers_with_more, "benchmarks/requirements.txt", "benchmarks/bench.py"),
    refuted=bench.TOO_SLOW,
    exact=False,
)
PROOFS["bert"] = Proof(
    partial(with_more, "proofs/bert_requirements.txt", same_model.run),
    same_model.faults,
    partial(covers_with_more, "proofs/bert_requirements.txt", "tools/same_model.py"),
    refuted=[{"text": "", "tokens": 3, "layer": 1, "states": 0.1, "weights": 0.0}],
    exact=False,
)
PROOFS |= claims.proofs() | live.proofs()
