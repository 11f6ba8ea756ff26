"""Move the book to another repository: `python book/repository.py https://github.com/you/your-fork`.

`repository.url` in `_config.yml` is the address of the book. A few files cannot ask for it, above all a notebook that
is opened in Colab by itself; they hold copies, which this command writes and `tests/test_repository.py` compares.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PLACES = {  # files, and the words around the one address in each of them
    "_config.yml": r"^repository:\s+url: (\S+)",
    "CITATION.cff": r"^repository-code: (\S+)",
    "README.md": r"^git clone (\S+)",
    "pyproject.toml": r'^Repository = "([^"]+)"',
    "homework/release/github/.github/workflows/check.yml": r"git clone .* (https?://\S+|file://\S+) book$",
    "chapters/*.ipynb": r"%pip install -q (?:\\\"attention_src\[\w+\] @ )?git\+([^\s\"\\]+)",
}
ADDRESS = re.compile(r"(https://github\.com/[\w.-]+/[\w.-]+|(https?|file)://(?!github\.com/)[\w.:~-]*(/[\w.~-]+)+)")


def check_address(url):
    """Return the address without the slash or the .git at its end, which browsers and the forge's buttons add.

    Raises
    ------
    ValueError
        If Git and pip cannot fetch from it.
    """
    address = url.strip().removesuffix("/").removesuffix(".git")
    if not ADDRESS.fullmatch(address):
        raise ValueError(f"URL is {url!r}; expected an address such as https://github.com/you/your-fork")
    return address


def find_copies(root=ROOT):
    """Yield each file that names the repository, its text, and the match whose group 1 is the address.

    Raises
    ------
    ValueError
        If a place is gone, or a file names the repository twice.
    """
    for files, words in PLACES.items():
        paths = sorted(root.glob(files))
        if not paths:
            raise ValueError(f"{files} is missing; it names the repository")
        for path in paths:
            text = path.read_bytes().decode()  # line ends stay as they are
            found = list(re.finditer(words, text, re.MULTILINE))
            if len(found) != 1:
                name = path.relative_to(root).as_posix()
                raise ValueError(f"{name} names the repository {len(found)} times as {words!r}; expected once")
            yield path, text, found[0]


def move(url, root=ROOT):
    """Write the address into every place, once all places have been found, and return the files."""
    address = check_address(url)
    changes = {path: text[: match.start(1)] + address + text[match.end(1) :] for path, text, match in find_copies(root)}
    for path, text in changes.items():
        path.write_bytes(text.encode())
    return [*changes]


if __name__ == "__main__":
    try:
        moved = move("".join(sys.argv[1:]))
    except ValueError as error:
        sys.exit(f"Nothing was changed. {error}")
    print(f"{len(moved)} files name the repository now: {', '.join(path.name for path in moved)}")
