"""Numbers of one's own: the inputs of predict-it exercises, drawn for each student from the instructor's secret.

An exercise takes part if its check accepts its numbers as options, and a line of `NUMBERS` says what they may be.
"""

import ast
import copy
import hashlib
import random
from functools import cache

from book.chapter import is_check

from ..chapter import Unclear

NUMBERS = {  # check: (how the student is told, {option: what it may be})
    "doubled_query": ("the query of *The* is ({times}, 0)", {"times": (3, 4, 5)}),
    "temperature_for_ratio": (
        "the first two scores are {first} and {second}, and the ratio is {ratio}",
        {"first": (3, 3.5, 4), "second": (1.25, 1.75, 2.25), "ratio": (4, 5, 6)},
    ),
    "numbers_and_rank": (
        "d_model = {d_model}, d_k = {d_k}, d_v = {d_v}",
        {"d_model": (60, 80, 120, 160), "d_k": (4, 6, 10), "d_v": (14, 24, 32)},
    ),
    "who_may_look": (
        "{source} source words, padded to {places} positions, and {written} written words",
        {"source": (3, 4, 5), "places": (8, 9, 10), "written": (6, 7)},
    ),
    "layer_numbers": (
        "d_model = {d_model}, {num_heads} heads, {tokens} tokens",
        {"d_model": (384, 1152, 1536), "num_heads": (6, 8, 16, 24), "tokens": (50, 80, 120)},
    ),
    "block_parameters": (
        "d_model = {d_model}, {num_heads} heads, d_ff = {d_ff}",
        {"d_model": (128, 384, 512), "num_heads": (2, 4, 8), "d_ff": (640, 1536, 2048)},
    ),
    "patch_numbers": ("{size} × {size} pixels, patches of {patch}", {"size": (448, 672, 896), "patch": (14, 16, 28)}),
    "loss_numbers": (
        "{vocabulary} tokens; sentences of length {lengths}",
        {"vocabulary": (30522, 32000, 128256), "lengths": ((4, 7, 6), (8, 3, 5), (6, 2, 9))},
    ),
    "cache_bytes": (
        "{layers} layers, {heads} heads of {width} numbers; then {kv_heads} heads of keys and values",
        {"layers": (24, 32, 48), "heads": (48, 80, 96), "kv_heads": (4, 8, 16), "width": (64, 96)},
    ),
}


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
            prompts += [NUMBERS[call.func.attr][0].format(**numbers)] if numbers else []
        if prompts:
            cell.source = ast.unparse(tree)
            prompt = next(before for before in reversed(notebook.cells[:i]) if before.cell_type == "markdown")
            prompt.source += f"\n\n> **Important**\n> Your own numbers, instead of those above: {'; '.join(prompts)}."
    return notebook


def secret_from(environment):
    """Return the instructor's secret, from the environment variable that holds it."""
    if not environment.get("ATTENTION_SEED"):
        raise Unclear(
            "ATTENTION_SEED is not set. Hidden trials and personal numbers come from it: any words, kept secret, "
            "the same for the whole term, e.g. ATTENTION_SEED='three words of yours'."
        )
    return environment["ATTENTION_SEED"]
