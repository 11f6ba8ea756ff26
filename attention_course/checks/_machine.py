"""The check of the machine with all parts, the last task of `homework/machine.ipynb`."""

from functools import reduce

import numpy as np

from ..machine import PARTS, Machine
from ._message import NotAttempted, Part, Wrong, say_right

WRITTEN = 6  # names


def machine(names, my_name, surprise, *parts):
    """Each part that fits, in the order of `PARTS`, earns a tenth; what was written and read counts if all parts do."""
    from ..assembly import Assembly  # which asks the chapters' checks, so it can't be imported before them

    if any(handed_in is ... for handed_in in (names, my_name, surprise)):
        raise NotAttempted(Part("the names, your name or its surprise is still …"))
    found = []
    for name, part in zip(PARTS, parts, strict=True):  # one by one, so that each is judged by itself
        if part is ...:
            found.append(Part("Your part {part} is missing.", part=name))
            continue
        alone = Assembly(**{name: part})
        alone.write(WRITTEN)
        alone.report()
        found += alone.found.values()
    if found := found or [*_list_wrong_results(names, my_name, surprise)]:
        reply = Wrong(reduce(lambda first, second: Part("{first} {second}", first=first, second=second), found))
        reply.share = 1 - len(found) / len(PARTS)
        raise reply
    say_right("all ten parts fit, and your machine writes {names}", names=", ".join(names))


def _list_wrong_results(names, my_name, surprise):
    """Yield what is wrong with what was handed in, beside what the package's machine writes and reads."""
    package = Machine()
    if not np.array_equal(names, package.write(WRITTEN)):
        yield Wrong(
            Part("The names are not those that the machine writes"),
            question="Does it have all of your parts, and did you ask for six names?",
        )
    try:
        right = package.read([my_name])[0]
    except (ValueError, TypeError) as error:
        yield Wrong(Part("Your name can't be read: {text}", text=str(error)))
        return
    try:
        fits = np.size(surprise) == len(right) and np.allclose(np.ravel(surprise), right, rtol=1e-4, atol=1e-5)
    except (ValueError, TypeError):
        fits = False
    if not fits:
        yield Wrong(
            Part("The surprise is not that of {name}", name=repr(my_name)),
            Part("an array with {number} numbers, one for each letter and one for the end", number=len(right)),
        )
