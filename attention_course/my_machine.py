"""The reader's own machine: parts from several chapters, kept in a file beside the notebooks and put in together."""

import json
from base64 import b64encode
from contextlib import redirect_stdout
from functools import partial
from inspect import getsource
from io import StringIO
from pathlib import Path
from textwrap import dedent, wrap

import numpy as np

from . import machine
from .assembly import EXERCISES, Assembly, ask_exercise
from .checks._message import NotAttempted, Part
from .machine import HERE, PARTS, Machine

__all__ = ["describe_writing", "put_into_machine", "trace_writing", "write_program"]

FILE = Path("my_machine.json")  # in the folder of the notebook: {name of a part: source of the reader's function}
OF_THE_BOOK = "### BEGIN SOLUTION"  # in answers of the book's own, which are nobody's parts
GO_BACK = partial(
    Part,
    "Go back to the exercise, whose check helps to find the line. Until then the part that is kept is still {stays}.",
)

PROGRAM = '''"""Your machine, which writes names. It needs NumPy alone, since its weights are in this file."""

from base64 import b64decode
from io import BytesIO

import numpy as np

YOURS = {{}}

{yours}
{machine}


def load_weights(name):
    """Return the weights that are below in this file, half precision made float64, as a dict of arrays."""
    with np.load(BytesIO(b64decode(WEIGHTS))) as file:
        return {{key: file[key].astype(float) if file[key].dtype == "float16" else file[key] for key in file.files}}


WEIGHTS = """
{weights}
"""

if __name__ == "__main__":
    from argparse import ArgumentParser

    parser = ArgumentParser(description="Your machine writes names.")
    parser.add_argument("count", nargs="?", type=int, default=8, help="how many names, 8 unless you say it")
    print(*Machine(**YOURS).write(parser.parse_args().count, seed=None), sep="\\n")
'''


def put_into_machine(seed=0, **parts):
    """Print what the machine writes with these parts and with those kept before; keep those that are right.

    A part is kept as its source, so only if it also works in a notebook that has nothing else but NumPy as `np`. One
    that is not written yet, or is the book's own, leaves the one in its place that was there.
    The names are drawn from `seed`. Returns the machine.
    """
    sources = {name: find_source(part) for name, part in parts.items()}
    of_the_book = {name for name, source in sources.items() if OF_THE_BOOK in source}
    stored = read_kept()
    kept = {} if of_the_book else load_parts(stored)
    unwritten = of_the_book | {
        name for name, part in parts.items() if isinstance(ask_exercise(name, part), NotAttempted)
    }
    assembly = Assembly(**kept | {name: part for name, part in parts.items() if name not in unwritten})
    assembly.show(seed=seed)
    for name in sorted(assembly.found.keys() & kept.keys() - parts.keys()):  # somebody has changed the file
        where = {"part": name, "file": FILE, "number": int(EXERCISES[name].__module__[-2:])}
        print(Part("The {part} kept in {file} is wrong. Its exercise is in chapter {number}.", **where))
    for name in parts:
        stays = Part("the one that you wrote before") if name in kept else Part("the package's")
        if name in unwritten:
            print(Part("{part} is still {stays}.", part=name, stays=stays))
        elif name in assembly.found:
            print(GO_BACK(part=name, stays=stays))
        elif reason := find_what_it_lacks(name, sources[name]):
            seen = {"part": name, "reason": reason}
            print(Part("Your part {part} can't run in a program of its own ({reason}), so it isn't kept.", **seen))
            print(Part("Write all that it needs into the function; only np is known there."))
        else:
            stored |= {name: sources[name]}
            keep(stored)
    return assembly


def find_what_it_lacks(name, source):
    """Return why a machine that has nothing but this source of a part and NumPy can't run, or None if it can."""
    try:
        with redirect_stdout(StringIO()):
            machines = Machine(**{name: run_source(source)[1]}), Machine()
            (text, (yours,)), (right, (package,)) = ((each.write(1), each.read(["ada"])) for each in machines)
        if text != right or not np.allclose(yours, package):
            return Part("it changes what the machine still needs")
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def find_source(part):
    """Return the source of a function; an empty text where there is none."""
    try:
        return dedent(getsource(part))
    except (OSError, TypeError):
        return ""


def run_source(source):
    """Return the name and the value of what some source defines first; raise whatever it raises."""
    names = {"np": np}
    exec(source, names)
    return next((name, value) for name, value in names.items() if name not in ("np", "__builtins__"))


def read_kept():
    """Return {name of a part: its source} of the file beside the notebook; copy a damaged one before it is replaced."""
    try:
        text = FILE.read_bytes()
    except OSError:
        return {}
    try:
        kept = json.loads(text.decode("utf-8-sig"))
        fine = {name: kept[name] for name in PARTS if isinstance(kept.get(name), str)}
    except (ValueError, AttributeError):
        kept, fine = None, {}
    if fine != kept:
        copy = FILE.with_suffix(".damaged.json")
        copy.write_bytes(text)
        print(
            Part(
                "{file} is damaged. A copy is in {copy}. Parts that could be read: {parts}.",
                file=FILE,
                copy=copy,
                parts=len(fine),
            )
        )
    return fine


def keep(sources):
    """Write {name of a part: its source} into the file beside the notebook, or say why that can't be done."""
    try:
        FILE.write_text(json.dumps(sources, indent=1), "utf-8")
    except OSError as error:
        print(Part("{file} can't be written ({reason}), so nothing is kept.", file=FILE, reason=error.strerror))


def load_parts(sources):
    """Return {name of a part: function} of those sources of the file that can be loaded."""
    found = {}
    for name, source in sources.items():
        try:
            found[name] = run_source(source)[1]
        except Exception as error:  # whatever a file has that somebody changed
            seen = {"part": name, "file": FILE, "reason": f"{type(error).__name__}: {error}"}
            print(Part("{part} in {file} can't be loaded ({reason}), so the package's is used.", **seen))
    return found


def trace_writing(machine, count=6, seed=0, most=5):
    """Return for each of `count` texts that a machine writes its steps: {drawn, chances: [[letter, chance], …]}.

    The chances are the `most` largest and that of the letter that was drawn, by the dice of `seed`.
    """
    loop, texts = machine.parts["loop"], []

    def watched(next_chances, draw, *given):
        def note(chances):
            drawn, chances = draw(chances), np.nan_to_num(chances)
            shown = sorted({*np.argsort(-chances)[:most].tolist(), drawn}, key=lambda n: -chances[n])
            pairs = [[machine.tokens[n], round(float(chances[n]), 3)] for n in shown]
            texts[-1].append({"drawn": machine.tokens[drawn], "chances": pairs})
            return drawn

        texts.append([])
        return loop(next_chances, note, *given)

    machine.parts["loop"] = watched
    machine.write(count, seed)
    return texts


def describe_writing(seed=0):
    """Return as JSON what the machine's page shows: what the reader's machine and the package's write with a seed."""
    yours = Assembly(**load_parts(read_kept()))
    shown = {"yours": trace_writing(yours, seed=seed), "package": trace_writing(Machine(), seed=seed)}
    return json.dumps(shown | {"said": yours.report()})


def write_program():
    """Return the machine with the parts that are kept as one Python file, with the weights; it needs NumPy alone."""
    form = '# Your part: {}\n{}\nYOURS["{}"] = {}\n'
    kept = read_kept()
    sources = {name: kept[name].rstrip() for name in load_parts(kept)}
    yours = "\n".join(form.format(name, text, name, run_source(text)[0]) for name, text in sources.items())
    weights = b64encode(HERE.with_name("machine_names.npz").read_bytes()).decode()
    source, *_ = getsource(machine).partition("\n\nHERE = ")  # behind which it loads its weights from another file
    return PROGRAM.format(yours=yours, machine=source.rstrip(), weights="\n".join(wrap(weights, 116)))
