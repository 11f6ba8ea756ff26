"""An autograder for Gradescope: an archive with the checks of one chapter, in the form that it documents."""

import zipfile
from pathlib import Path

from book.chapter import ROOT, page_of

from ..chapter import find_chapter, number_of
from . import personal

HERE = Path(__file__).parent / "gradescope"
PACKED = "attention_src/**/* attention_course/**/* book/**/* homework/**/* chapters/*.ipynb".split()
PACKED += ["pyproject.toml", "requirements-dev.txt", "README.md", "_config.yml", "CITATION.cff"]


def command(chapter, course, environment):
    """Pack setup.sh, run_autograder, the checks, the chapter and the secret seed."""
    path, secret = find_chapter(chapter), personal.secret_from(environment)
    packed = (*PACKED, f"locale/*/{page_of(path)}.po")
    made = course / "gradescope" / f"{path.stem}.zip"
    made.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in HERE.iterdir():
            info = zipfile.ZipInfo(file.name, (2026, 1, 1, 0, 0, 0))
            info.external_attr = 0o755 << 16
            archive.writestr(info, file.read_bytes().replace(b"CHAPTER", number_of(path.stem).encode()))
        archive.writestr("seed", secret)
        for file in [file for files in packed for file in ROOT.glob(files)]:
            if file.is_file() and "__pycache__" not in file.parts:
                archive.write(file, file.relative_to(ROOT))
    print(f"Upload {made} as the autograder of a programming assignment. It holds the secret: keep it to yourself.")
