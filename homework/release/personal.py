"""Numbers of one's own: the inputs of predict-it exercises, drawn for each student from the instructor's secret.

An exercise takes part if its check accepts its numbers as options, and `numbers.toml` says what they may be.
"""

import ast
import copy
import hashlib
import random
import tomllib
from functools import cache
from pathlib import Path

from attention_course.checks import Part, speaking
from book.chapter import is_check

from ..chapter import Unclear, language_of


def read_numbers():
    """Return {check: (sentence for the student, {option: its possible values})}."""
    table = tomllib.loads(Path(__file__).with_name("numbers.toml").read_text("utf-8"))
    freeze = lambda value: tuple(value) if isinstance(value, list) else value  # noqa: E731
    return {
        check: (options.pop("sentence"), {name: [*map(freeze, values)] for name, values in options.items()})
        for check, options in table.items()
    }


NUMBERS = read_numbers()


@cache
def _key(secret):
    """What all seeds are made from: slow to make, so that a phrase cannot be guessed from the numbers it gave."""
    return hashlib.scrypt(secret.encode(), salt=b"attention by the numbers", n=2**14, r=8, p=1)


def seed(secret, *what):
    """Return a number for a purpose, which tells nothing about the secret or the numbers for other purposes."""
    return int.from_bytes(hashlib.sha256(_key(secret) + "\n".join(what).encode()).digest()[:8], "big")


def hidden_seeds(secret, stem, number):
    """Return the seeds of the hidden trials of a chapter."""
    return [seed(secret, stem, str(trial)) for trial in range(number)]


def draw(check, secret, student):
    """Return {option: value} of a check for a student: nothing for a check without personal numbers."""
    dice = random.Random(seed(secret, check, student))
    return {option: dice.choice(values) for option, values in NUMBERS.get(check, ("", {}))[1].items()}


def personalise(release, secret, student):
    """Return the student copy with the student's own numbers, in the prompts and in the calls of the checks."""
    notebook = copy.deepcopy(release)
    for i, cell in enumerate(notebook.cells):
        if not is_check(cell):
            continue
        tree, prompts = ast.parse(cell.source), []
        for call in [node for node in ast.walk(tree) if isinstance(node, ast.Call)]:
            numbers = draw(call.func.attr, secret, student)
            call.keywords += [ast.keyword(option, ast.Constant(value)) for option, value in numbers.items()]
            prompts += [Part(NUMBERS[call.func.attr][0], **numbers)] if numbers else []
        if prompts:
            cell.source = ast.unparse(tree)
            prompt = next(before for before in reversed(notebook.cells[:i]) if before.cell_type == "markdown")
            with speaking(language_of(release)):
                given = "; ".join(map(str, prompts))
                sentence = Part("**Your own numbers**, instead of those above: {numbers}.", numbers=given)
                prompt.source += f"\n\n> {sentence}"
    return notebook


def secret_from(environment):
    """Return the instructor's secret, from the environment variable that holds it."""
    if not environment.get("ATTENTION_SEED"):
        raise Unclear(
            "ATTENTION_SEED is not set. Hidden trials and personal numbers come from it: any words, kept secret, "
            "the same for the whole term, e.g. ATTENTION_SEED='three words of yours'."
        )
    return environment["ATTENTION_SEED"]
