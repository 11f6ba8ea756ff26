"""The same checks where classes live: one file with JSON out, Gradescope, a repository's workflow, nbgrader."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from base64 import b64decode
from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace

import nbformat
import psutil
import pytest
import yaml
from bad_class import CLASS, submission
from classroom import SECRET, chapter, homework, needs_root, needs_sandbox
from nbformat.v4 import new_code_cell, new_notebook

from attention_course import checks
from book.catalogue import translate_copy
from book.chapter import ROOT, add_solutions, fill_in_answers
from book.programs import find
from homework import release
from homework.release import gradescope
from web import site as book_site

CHAPTER = chapter(1)
TEMPLATE = ROOT / "homework" / "release" / "github" / ".github" / "workflows" / "check.yml"
SPY = "import glob\nfor path in glob.glob('BASE/**/*', recursive=True):\n    print(open(path).read())"


def hand_in(path, name):
    """Write what a student of the bad class hands in to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(submission(name))
    return path


@needs_sandbox
def test_one_file_is_checked_without_a_class_and_what_is_no_notebook_is_said(tmp_path):
    summary = json.loads(homework("check", hand_in(tmp_path / "x.ipynb", "named-no-test"), "--json"))
    assert (summary["chapter"], summary["points"], summary["of"]) == ("01_definition", 5, 6)
    assert [part["title"] for part in summary["exercises"]] == ["1. Write it", "2. Predict it", "3. Find it"]
    last = {"status": "partly right", "points": 1, "of": 2}
    last["message"] = "Your function is right, but no test is named yet."
    assert last.items() <= summary["exercises"][2].items()
    file = hand_in(tmp_path / "x.ipynb", "not-a-notebook")
    assert "not a notebook" in json.loads(homework("check", file, "--json"))["unjudged"]
    assert homework("check", file).startswith("Not judged: not a notebook")


def in_a_tree(base, *command, environment):
    """Run a command as root of a machine on which everybody may read Python, as on Gradescope's."""
    wall = [find("bwrap"), "--dev-bind", "/", "/", "--cap-add", "ALL"]
    if not os.access(sys.base_prefix, os.R_OK) or str(sys.base_prefix).startswith("/root"):
        above = [part for path in reversed(Path(sys.base_prefix).parents[:-2]) for part in ("--dir", str(path))]
        wall += ["--tmpfs", "/root", *above, "--ro-bind", sys.base_prefix, sys.base_prefix]
    done = subprocess.run([*wall, *command], capture_output=True, text=True, env=os.environ | environment, cwd=base)
    assert done.returncode == 0, done.stderr[-2000:]


FORGES = """try:
    open('BASE/results/mine.json', 'w')
except OSError:
    pass
""" + CLASS["forks-twice"].changes["add"].replace("98765", "98766")


class Autograder:
    """A tree as Gradescope lays it out, with the archive of a chapter in it."""

    def __init__(self, folder, number):
        self.base, self.chapter = folder / "autograder", chapter(int(number))
        gradescope.command(number, folder / "class", {"ATTENTION_SEED": SECRET})
        (packed,) = (folder / "class" / "gradescope").iterdir()
        with zipfile.ZipFile(packed) as archive:
            assert {"setup.sh", "run_autograder", "seed"} <= {*archive.namelist()}
            archive.extractall(self.base / "source")
        shutil.copy(self.base / "source" / "run_autograder", self.base)
        (self.base / "run_autograder").chmod(0o755)
        for above in (folder, *folder.parents):  # Gradescope's folder lies open to all; only `source` is closed
            if above.is_relative_to("/tmp") and above.parts[1:] != ("tmp",):
                above.chmod(above.stat().st_mode | 0o055)

    def grade(self, **handed_in):
        """Return the tests of results.json, by visibility, for files handed in: {name without ending: bytes}."""
        for kind in ("submission", "results"):
            shutil.rmtree(self.base / kind, ignore_errors=True)
        (self.base / "submission").mkdir()
        for name, data in handed_in.items():
            text = data.replace(b"BASE", str(self.base).encode())
            (self.base / "submission" / name.replace("_", ".")).write_bytes(text)
        environment = {"AUTOGRADER": str(self.base), "AUTOGRADER_PYTHON": sys.executable}
        environment |= {"PYTHONDONTWRITEBYTECODE": "1", "PATH": os.defpath}  # as everywhere, if the tests see less
        in_a_tree(self.base, str(self.base / "run_autograder"), environment=environment)
        text = (self.base / "results" / "results.json").read_text()
        assert SECRET not in text and "score" not in json.loads(text)
        by_visibility = {"visible": [], "after_due_date": [], "hidden": []}
        for test in json.loads(text)["tests"]:
            by_visibility[test["visibility"]].append(test)
        return by_visibility.values()


@pytest.fixture(scope="module")
def autograder(tmp_path_factory):
    return Autograder(tmp_path_factory.mktemp("gradescope"), "01")


def with_cell(name, source):
    """What a student of the bad class hands in, with one more cell."""
    notebook = nbformat.reads(submission(name).decode(), as_version=4)
    notebook.cells.insert(3, new_code_cell(source))
    return nbformat.writes(notebook).encode()


@needs_sandbox
@needs_root
def test_the_archive_grades_in_a_tree_as_gradescope_lays_it_out(autograder):
    visible, hidden, staff = autograder.grade(mine_ipynb=with_cell("named-no-test", SPY))
    assert [test["status"] for test in visible] == ["passed", "passed", "failed"]
    assert [(test["score"], test["max_score"]) for test in hidden] == [(3, 3), (1, 1), (1, 2)]
    assert staff == []


@needs_sandbox
@needs_root
def test_what_nobody_could_judge_is_no_0_on_gradescope_and_staff_is_told(autograder):
    visible, hidden, (for_person,) = autograder.grade(mine_ipynb=submission("took-scipy-inside"))
    assert [test.get("status") for test in visible] == [None, "passed", "passed"]
    assert [(test.get("score"), test.get("max_score")) for test in hidden] == [(None, None), (1, 1), (2, 2)]
    assert for_person["name"] == "Needs a person" and "1. Write it: uses a module that is not" in for_person["output"]
    assert "1. Write it: no score" in for_person["output"]


@needs_sandbox
@needs_root
def test_a_submission_without_a_notebook_is_no_0_on_gradescope(autograder):
    for handed_in, reason in ({}, "there is no file in this sub"), ({"x_pdf": b"%PDF-1.7"}, "not a notebook: a PDF"):
        (open_,), hidden, (for_person,) = autograder.grade(**handed_in)
        assert (open_["name"], open_["score"], open_["max_score"]) == ("Not graded yet", 0, 0) and hidden == []
        assert reason in for_person["output"]


@needs_sandbox
@needs_root
def test_every_flag_reaches_staff_on_gradescope_and_no_student(autograder):
    work = {"ann_ipynb": submission("lets-the-package-work"), "copy_ipynb": submission("named-no-test")}
    _, _, (for_person,) = autograder.grade(**work)
    assert "two files: " in for_person["output"] and "is kept" in for_person["output"]
    _, _, (for_person,) = autograder.grade(ann_ipynb=submission("lets-the-package-work"))
    assert for_person["output"] == "1. Write it: calls scaled_dot_product_attention of attention_src or torch"


@pytest.mark.slow
@needs_sandbox
@needs_root
def test_a_process_that_left_its_parent_ends_with_grading_and_cannot_write_results(autograder):
    _, hidden, _ = autograder.grade(mine_ipynb=with_cell("ann", FORGES))
    assert [test["score"] for test in hidden] == [3, 1, 2]
    assert [path.name for path in (autograder.base / "results").iterdir()] == ["results.json"]
    assert [p.pid for p in psutil.process_iter(["cmdline"]) if "98766" in (p.info["cmdline"] or [])] == []


@pytest.mark.slow
@needs_sandbox
@needs_root
def test_a_chapter_that_needs_the_package_and_a_korean_notebook_are_graded_on_gradescope(tmp_path):
    autograder = Autograder(tmp_path, "04")
    korean = translate_copy(autograder.chapter.solved(), "chapters/04_qkv_projection")
    for notebook, title in ((autograder.chapter.solved(), "1. Write it, also"), (korean, "1. 써 보기, 다른")):
        visible, hidden, staff = autograder.grade(mine_ipynb=nbformat.writes(notebook).encode())
        assert {test["status"] for test in visible} == {"passed"} and staff == [], visible
        assert all(test["score"] == test["max_score"] for test in hidden) and hidden[0]["name"].startswith(title)


@pytest.mark.skipif(sys.platform == "win32", reason="Linux or macOS (WSL)")
def test_the_workflow_of_a_repository_writes_what_the_checks_say(tmp_path):
    workflow = yaml.safe_load(TEMPLATE.read_text())
    *_, install, check = [step["run"] for step in workflow["jobs"]["check"]["steps"] if "run" in step]
    assert install.startswith("pip install") and "secrets." not in TEMPLATE.read_text()
    hand_in(tmp_path / "work" / "01_definition.ipynb", "named-another-test")
    (tmp_path / "book").symlink_to(ROOT)
    here = {name: value for name, value in os.environ.items() if name != "ATTENTION_SEED"}
    here |= {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"), "PATH": f"{sys.prefix}/bin:{os.environ['PATH']}"}
    check = check.replace("../work", str(tmp_path / "work"))  # a link's parent is another
    subprocess.run(["bash", "-eu", "-c", check], cwd=tmp_path, env=here, check=True)
    summary = (tmp_path / "summary.md").read_text()
    assert "✅ **1. Write it** (right)" in summary and "🟡 **3. Find it** (partly right)" in summary


def test_nbgrader_runs_the_checks_by_itself(tmp_path):
    from nbclient import NotebookClient
    from nbgrader.utils import determine_grade

    notebook = nbformat.read(hand_in(tmp_path / "x.ipynb", "named-no-test"), as_version=4)
    graded = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    notebook.cells = [new_code_cell("import numpy as np"), *graded]
    NotebookClient(notebook, allow_errors=True, timeout=120).execute()
    graded = [determine_grade(cell) for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade")]
    assert graded == [(3, 3), (1, 1), (0, 2)]  # nbgrader alone knows no parts


def test_copies_of_a_class_and_of_the_site_end_with_the_cell_for_handing_in(tmp_path):
    assert all("hand-in" not in cell.id for cell in CHAPTER.release.cells)
    ours = release.hand_out(CHAPTER.solved(), "01_definition", "attention-src").cells[-1]
    (tmp_path / "_sources").mkdir()
    nbformat.write(CHAPTER.source, tmp_path / "_sources" / "01_definition.ipynb")
    nbformat.write(new_notebook(cells=[new_code_cell("1 + 1")]), tmp_path / "_sources" / "warm_up.ipynb")
    config = SimpleNamespace(show_solutions="never", html_baseurl="")
    book_site._hand_out(SimpleNamespace(config=config), tmp_path)
    assert nbformat.read(tmp_path / "_sources" / "01_definition.ipynb", as_version=4).cells[-1] == ours
    assert len(nbformat.read(tmp_path / "_sources" / "warm_up.ipynb", as_version=4).cells) == 1


def test_copies_of_the_site_bring_solutions_and_those_of_a_class_never(tmp_path):
    path = tmp_path / "_sources" / "01_definition.ipynb"
    path.parent.mkdir()

    def write(setting):
        nbformat.write(CHAPTER.source, path)
        config = SimpleNamespace(show_solutions=setting, html_baseurl="")
        book_site._hand_out(SimpleNamespace(config=config), tmp_path)
        return path.read_text("utf-8")

    pattern = re.compile(r"take_solutions\(\\?\"([\w+/=]+)")
    found = json.loads(b64decode(pattern.search(write(False))[1]))
    assert [*found] == ["attention", "doubled_query", "mended_attention"]
    names = {}
    exec(f"import numpy as np\n{found['attention']}", names)
    checks.attention(names["my_attention"])
    copies = [write("never"), write(True), nbformat.writes(CHAPTER.release)]
    copies.append(nbformat.writes(release.hand_out(deepcopy(CHAPTER.release), "01_definition", "attention-src")))
    assert [pattern.search(text) for text in copies] == [None] * 4
    assert not any("take_solutions" in part.read_text("utf-8") for part in (ROOT / "homework").rglob("*.py"))


@needs_sandbox
def test_a_copy_of_the_site_is_graded_like_any_other(tmp_path):
    copy = fill_in_answers(add_solutions(deepcopy(CHAPTER.release), CHAPTER.source), CHAPTER.source)
    nbformat.write(copy, tmp_path / "x.ipynb")
    summary = json.loads(homework("check", tmp_path / "x.ipynb", "--json"))
    assert summary["points"] == summary["of"] == 6
