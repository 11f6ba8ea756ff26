"""The language in which checks speak, from catalogues such as `locale/ko/LC_MESSAGES/checks.po`.

A catalogue translates templates. It is read at the first message that needs it, and what it lacks stays English.
"""

import os
import re
from ast import literal_eval
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

language = ContextVar("language", default=None)  # of the submission that is graded; otherwise that of the notebook


@cache
def catalogue(name):
    """Return {template: its translation}, empty for a language that has none."""
    path = Path(__file__).parent / "locale" / name / "LC_MESSAGES" / "checks.po"
    if not re.fullmatch("[a-z]{2,3}", name) or not path.is_file():
        return {}
    texts = {}
    for entry in path.read_text("utf-8").split("\n\n"):
        parts = re.findall(r'^(msgid|msgstr) ((?:".*"\n?)+)', entry, re.MULTILINE)
        pair = {kind: "".join(map(literal_eval, quoted.splitlines())) for kind, quoted in parts}
        if pair.get("msgid") and pair.get("msgstr") and "#, fuzzy" not in entry:
            texts[pair["msgid"]] = pair["msgstr"]
    return texts


def translate(template):
    """The template in the language of `language` or, without it, of the environment's ATTENTION_LANG."""
    return catalogue(language.get() or os.environ.get("ATTENTION_LANG", "en")).get(template, template)


@contextmanager
def speaking(name):
    """Let the checks within speak a language; None leaves it to the environment."""
    token = language.set(name)
    try:
        yield
    finally:
        language.reset(token)
