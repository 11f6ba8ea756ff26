"""Move the book to another repository: `python book/repository.py https://github.com/you/your-fork`.

`repository.url` in `_config.yml` is the address of the book. A few files cannot ask for it, above all a notebook that
is opened in Colab by itself; they hold copies, which this command writes and `tests/test_repository.py` compares.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PLACES = ["_config.yml", "CITATION.cff", "README.md", "pyproject.toml", "chapters/*.ipynb"]
PLACES += ["homework/machine.ipynb", "homework/release/github/.github/workflows/check.yml"]
ADDRESS = re.compile(r"(https://github\.com/[\w.-]+/[\w.-]+|(https?|file)://(?!github\.com/)[\w.:~-]*(/[\w.~-]+)+)")


def check_address(url):
    """Return the address without the slash or the .git at its end, which browsers and the forge's buttons add.

    Raises ValueError if Git and pip cannot fetch from it.
    """
    address = url.strip().removesuffix("/").removesuffix(".git")
    if not ADDRESS.fullmatch(address):
        raise ValueError(f"URL is {url!r}; expected an address such as https://github.com/you/your-fork")
    return address


def find_address(root=ROOT):
    """Return the address of the book."""
    return re.search(r"^repository:\s+url: (\S+)", (root / "_config.yml").read_text("utf-8"), re.MULTILINE)[1]


def move(url, root=ROOT):
    """Write the address into every place, and return the files."""
    address, old = check_address(url), find_address(root)
    paths = [path for files in PLACES for path in sorted(root.glob(files))]
    for path in paths:
        path.write_bytes(path.read_bytes().replace(old.encode(), address.encode()))
    return paths


if __name__ == "__main__":
    try:
        moved = move("".join(sys.argv[1:]))
    except ValueError as error:
        sys.exit(f"Nothing was changed. {error}")
    print(f"{len(moved)} files name the repository now: {', '.join(path.name for path in moved)}")
