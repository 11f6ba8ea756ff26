"""The reader's own machine: parts from several chapters, kept in a file beside the notebooks and put in together."""

import json
from base64 import b64encode
from contextlib import suppress
from inspect import getsource
from pathlib import Path
from textwrap import dedent, wrap

import numpy as np

from . import machine
from .assembly import Assembly
from .checks._message import Part
from .machine import HERE, PARTS

__all__ = ["put_into_machine", "write_program"]

FILE = Path("my_machine.json")  # in the folder of the notebook: {name of a part: source of the reader's function}
OF_THE_BOOK = "### BEGIN SOLUTION"  # in answers of the book's own, which are nobody's parts

PROGRAM = '''"""Your machine, which writes names. It needs NumPy alone: python my_machine.py 8"""

import numpy as np

YOURS = {{}}

{yours}
{machine}

if __name__ == "__main__":
    import sys
    from base64 import b64decode
    from io import BytesIO

    WEIGHTS = """
{weights}
"""
    with np.load(BytesIO(b64decode(WEIGHTS))) as file:
        arrays = {{name: file[name] for name in file.files}}
    arrays = {{name: x.astype(float) if x.dtype == "float16" else x for name, x in arrays.items()}}
    count = int(sys.argv[1]) if sys.argv[1:] else 8
    print(*Machine(arrays, **YOURS).write(count, seed=None), sep="\\n")
'''


def put_into_machine(seed=0, **parts):
    """Print what the machine writes with these parts and with those kept before; keep those that are right.

    A part is kept as its source, so only if it also works in a notebook that has nothing else but NumPy as `np`.
    The names are drawn from `seed`. Returns the machine.
    """
    sources = {name: find_source(part) for name, part in parts.items()}
    is_readers = not any(OF_THE_BOOK in source for source in sources.values())
    kept = read_kept() if is_readers else {}
    others = {name: part for name, source in kept.items() if (part := load_part(source))}
    assembly = Assembly(**others | parts)
    assembly.show(seed=seed)
    for name in parts.keys() - assembly.found.keys() if is_readers else ():
        alone = Assembly(**{name: load_part(sources[name])})
        alone.write(1), alone.read(["ada"])
        if name in alone.found:
            print(Part("Your part {part} needs something that is defined outside it, so it isn't kept.", part=name))
        else:
            with suppress(OSError):  # where no file can be written
                FILE.write_text(json.dumps(read_kept() | {name: sources[name]}, indent=1), "utf-8")
    return assembly


def find_source(part):
    """Return the source of a function; an empty text where there is none."""
    try:
        return dedent(getsource(part))
    except (OSError, TypeError):
        return ""


def load_part(source):
    """Return the function that some source defines; None if there is none."""
    names = {"np": np}
    try:
        exec(source, names)
        return next(value for name, value in names.items() if name not in ("np", "__builtins__"))
    except Exception:  # whatever a file has that somebody changed
        return None


def read_kept():
    """Return {name of a part: its source} of the file beside the notebook."""
    try:
        kept = json.loads(FILE.read_text("utf-8"))
        return {name: source for name, source in kept.items() if name in PARTS and isinstance(source, str)}
    except (OSError, ValueError, AttributeError):
        return {}


def write_program():
    """Return the machine with the parts that are kept as one Python file, with the weights; it needs NumPy alone."""
    form = '# Your part: {}\n{}\nYOURS["{}"] = {}\n'
    kept = [(name, source, load_part(source)) for name, source in read_kept().items()]
    yours = "\n".join(form.format(name, source.rstrip(), name, part.__name__) for name, source, part in kept if part)
    weights = b64encode(HERE.with_name("machine_names.npz").read_bytes()).decode()
    return PROGRAM.format(yours=yours, machine=getsource(machine), weights="\n".join(wrap(weights, 116)))
