"""Run chapters: `python -m tools.run_chapters [NAME.ipynb ...]` stores outputs and rewrites numbers that have changed.

Outputs are stored in a form that diffs well. Numbers in sentences are rewritten from the expressions that they are
bound to, and in the Korean catalogue as in the English. What changed is listed, since the words around a number may no
longer be true. A chapter whose run fails stays as it was.
"""

import re
import sys
from pathlib import Path

import nbformat
import polib
from nbclient import NotebookClient
from tqdm import tqdm

from book.catalogue import find_catalogue, rewrite
from book.chapter import CHAPTERS, ROOT
from book.nbval_bound import bindings
from tools.translate import ENDS, agree


def run(path):
    """Execute a notebook in its folder and write it back, without times and the kernel's version.

    Returns what is to be read again: sentences that changed, conditions that no longer hold, expressions that fail.
    """
    notebook = nbformat.read(path, as_version=4)
    settings = {"timeout": 600, "kernel_name": "python3", "record_timing": False, "coalesce_streams": True}
    client = NotebookClient(notebook, resources={"metadata": {"path": str(path.parent)}}, **settings)
    messages, to_read, at_end = {}, [], []
    notebook.metadata.pop("language_info", None)
    with client.setup_kernel():
        ask = bindings.ask_kernel(client.kc, lambda message: client.wait_for_reply(message)["content"])
        for i, cell in enumerate(notebook.cells):
            if cell.cell_type == "code":
                client.execute_cell(cell, i)
            elif found := bindings.COMMENT.search(cell.source):
                if found["end"]:
                    at_end.append(cell)
                else:
                    to_read += rewrite_sentences(cell, ask, messages)
        for cell in at_end:
            to_read += rewrite_sentences(cell, ask, messages)
    nbformat.write(notebook, path)
    page = path.resolve().relative_to(ROOT).with_suffix("").as_posix()
    return [f"{page}: {text}" for text in to_read + rewrite_catalogue(find_catalogue(page), messages)]


def rewrite_sentences(cell, ask, messages):
    """Rewrite the numbers of a Markdown cell, and add its changed messages to `messages`, {old: new}."""
    if problems := bindings.list_problems(cell.source):
        return problems
    bound = bindings.take_apart(cell.source)
    values, failed = bindings.evaluate(bound, ask)
    source, changed = bindings.rewrite(bound, values)
    old, new = list_messages(bound.text), list_messages(bindings.without_bindings(source))
    messages.update((one, other) for one, other in zip(old, new, strict=True) if one != other)
    cell.source = source
    errors = [text for text in bindings.compare(bound, values) if "which fails" in text]
    return [f"{number.text} is now {now}: {number.sentence}" for number, now in changed] + errors + failed


def list_messages(text):
    """Return the messages of a Markdown text, as a catalogue has them, in their order."""
    found = []
    rewrite(text, lambda message, kind: found.append(message))
    return found


def rewrite_catalogue(path, messages):
    """Give changed messages of a catalogue their new numbers, in both languages; one that can't be is marked fuzzy."""
    if not messages or not path.is_file():
        return []
    catalogue, to_read = polib.pofile(str(path), wrapwidth=0), []
    for entry in catalogue:
        if not entry.obsolete and entry.msgid in messages:
            new = messages[entry.msgid]
            translated = translate_numbers(entry.msgid, new, entry.msgstr)
            entry.msgid = new
            if translated is None and entry.msgstr:
                entry.flags.append("fuzzy")
            entry.msgstr = entry.msgstr if translated is None else translated
            to_read.append(f"{'to translate again' if translated is None else 'translated'}: {entry.msgstr}")
    catalogue.save(str(path))
    return to_read


def translate_numbers(old, new, text):
    """Return a translation with its numbers, and the particles behind them, changed as in the English.

    None if it is not clear which number is which: a translation in another order in which a number stands twice.
    """
    before, after, here = ([number.text for number in bindings.find_numbers(one)] for one in (old, new, text))
    now = dict(zip(before, after, strict=True))
    if here != before and (len(now) < len(before) or not {*here} <= {*now}):
        return None
    changed = after if here == before else map(now.get, here)
    for number, value in reversed([*zip(bindings.find_numbers(text), changed, strict=True)]):
        behind = re.sub(rf"^({ENDS})(?![가-힣])", lambda found, v=value: agree(v[-1], found[0]), text[number.end :])
        text = text[: number.start] + value + behind
    return text


if __name__ == "__main__":
    to_read = [
        line for path in tqdm([Path(name) for name in sys.argv[1:]] or CHAPTERS, unit="chapter") for line in run(path)
    ]
    print(*to_read, sep="\n")
    print(
        f"{len(to_read)} numbers and translations to read again" if to_read else "No number in a sentence has changed."
    )
