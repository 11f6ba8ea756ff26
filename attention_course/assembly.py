"""Put a reader's functions into the machine, and say where one first differs from the package's, come what may."""

from contextlib import redirect_stdout
from functools import partial, reduce
from inspect import signature
from io import StringIO

import numpy as np

from .checks import ch01, ch02, ch04, ch05, ch06, ch07, ch09, ch11, ch13
from .checks._ask import ask, ask_for, call
from .checks._message import NotAttempted, Part, Wrong, collecting, hold_back, remarks
from .machine import PARTS, Machine

__all__ = ["Assembly"]

RESULTS = {
    "attention": ("output", "weights"),
    "softmax": ("weights",),
    "projections": ("query", "key", "value"),
    "mask": ("mask",),
    "heads": ("output", "weights"),
    "block": ("x",),
    "loss": ("surprise", "loss"),
    "merge": ("output",),
    "tokenize": ("pieces",),
    "loop": ("numbers",),
}
EXERCISES = {  # the check of the exercise in which a part is written
    "attention": ch01.attention,
    "softmax": ch02.softmax,
    "projections": ch04.projections,
    "mask": ch05.decoder_mask,
    "heads": ch06.multi_head,
    "block": ch07.pre_norm_block,
    "loss": ch09.next_token_loss,
    "merge": ch11.merged_parts,
    "tokenize": ch13.pieces,
    "loop": ch13.loop,
}
AT_BOTH = ("softmax", "projections", "block")  # are asked for one letter when it writes, for all when it reads
PLACES = {
    "letter": partial(Part, "letter {number}"),
    "block": partial(Part, "block {number}"),
    "head": partial(Part, "head {number}"),
}


READ = ["ada", "grace", "christopher"]  # for parts that writing doesn't need
MOST_PRINTED = 200  # characters of what parts print, which are called hundreds of times


def ask_exercise(name, part):
    """Return what the check of the exercise in which a part is written says against it, or None; print nothing."""
    try:
        with collecting([]), np.errstate(all="ignore"), redirect_stdout(Beginning()):
            hold_back(EXERCISES[name])(part)
    except (Exception, SystemExit) as reply:
        return reply


class Stopped(Wrong):
    """A part has returned something that nothing can be computed with."""


class Beginning(StringIO):
    """The beginning of what is printed."""

    def write(self, text):
        super().write(text[: max(0, MOST_PRINTED - self.tell())])
        return len(text)


class Assembly(Machine):
    """A `Machine` that watches the parts it is given and survives whatever they return.

    `found` holds, for each part that differs or is not written yet, what is to be said: at which letter, and which
    number first. A part that returns other numbers than the package's goes on being used; one that returns no numbers
    ends what is being written or read.

    >>> machine = Assembly(softmax=lambda scores, temperature=1.0: scores * 0 + 1)
    >>> len(machine.write(count=2))
    2
    >>> print(machine.found["softmax"])
    softmax, letter 1: weights[0] is 1; expected 0.0001069.
    """

    def __init__(self, weights="names", **parts):
        self.found, self.remarked, self.printed = {}, {}, Beginning()
        super().__init__(weights, **{name: self._watch(name, part) for name, part in parts.items()})
        self.given = parts

    def write(self, count=8, seed=0, temperature=1.0, begin=""):
        """Return what `Machine.write` does; a text ends where a part has stopped it."""
        texts = self._survive(
            lambda: super(Assembly, self).write(count, seed, temperature, begin), lambda: [begin] * count
        )
        if "loop" in self.given:
            others = {name: part for name, part in self.given.items() if name != "loop"}
            rights = Assembly(self.weights, **others).write(count, seed, temperature, begin)
            for yours, right in zip(texts, rights, strict=False):
                if yours != right:
                    seen = Part("yours writes {yours}, the package's {right}", yours=repr(yours), right=repr(right))
                    self.at = {}  # where the last text ended
                    self._note("loop", seen)
        return texts

    def show(self, count=6, seed=0, temperature=1.0, begin=""):
        """Print what the machine writes, and of each part that it was given whether it does what the package's does."""
        texts = self.write(count, seed, temperature, begin)
        print(", ".join(texts) if any(texts) else Part("It writes nothing."))
        print(*self.report(), sep="\n", end="\n" * bool(self.given))

    def report(self):
        """Return a sentence for each part that it was given, then what parts have printed.

        A part computes what the package's does if some names are read alike and the check of its exercise agrees, which
        asks with several queries, with large scores and with sizes that no name has.
        """
        self.read(READ)
        for name in self.given.keys() & EXERCISES.keys() - self.found.keys():
            if reply := ask_exercise(name, self.given[name]):
                self.found[name] = Part(
                    "{part}: up to here your part did what the package's does, but its exercise's check says: {reason}",
                    part=name,
                    reason=reply,
                )
        fine = {name: Part("Your part {part} computes what the package's does.", part=name) for name in self.given}
        said = [*(fine | self.found).values(), *self.remarked.values()]
        return [*map(str, said), *self.printed.getvalue().splitlines()]

    def _write_one(self, draw, temperature, begun=()):
        return self._survive(lambda: super(Assembly, self)._write_one(draw, temperature, begun), self._written)

    def read(self, texts):
        """Return what `Machine.read` does, or NaN for each text if a part has stopped it."""
        return self._survive(lambda: super(Assembly, self).read(texts), lambda: [np.array([np.nan])] * len(texts))

    def _look(self, query, key, value):
        if self.halves and "attention" in self.given:  # the halves do without it, but it is to be compared
            self.parts["attention"](query, key, value)
        return super()._look(query, key, value)

    def _written(self):
        return self.at.get("text", "")

    def _survive(self, run, otherwise):
        with np.errstate(all="ignore"), redirect_stdout(self.printed):
            try:
                return run()
            except Stopped:
                return otherwise()
            except ValueError:  # pieces that the machine doesn't know, if they are those of a wrong part
                if "tokenize" not in self.found:
                    raise
                return otherwise()

    def _watch(self, name, part):
        """Return a function that does what the part does, after comparing it with the package's."""
        names = list(signature(PARTS.get(name, len)).parameters)

        def watched(*given):
            right = None if name == "loop" else PARTS[name](*given)  # a loop acts, so `write` compares what it wrote
            token = remarks.set([])
            try:
                got = self._ask(name, part, dict(zip(names, given, strict=False)))
                self._compare(name, got, right)
                for remark in remarks.get():  # it has changed an argument, which is a copy here
                    self._note(name, remark, found=self.remarked)
            except Stopped:
                raise
            except NotAttempted as reply:
                self.found[name] = reply
                return PARTS[name](*given)
            except (Exception, SystemExit) as reply:
                ended = Part("It ended with {error}", error=type(reply).__name__)
                self._note(name, reply if isinstance(reply, Wrong) else ended)
                raise Stopped() from None
            finally:
                remarks.reset(token)
            return got

        return watched

    def _ask(self, name, part, arguments):
        """Return what a part returns as the kind of thing that the package's returns; raise Wrong if it is another."""
        if name in ("tokenize", "loop"):
            return self._as_list(str if name == "tokenize" else int, call(part, arguments))
        names = RESULTS[name]
        return ask(part, **arguments) if len(names) == 1 else ask_for(len(names), ", ".join(names), part, **arguments)

    def _as_list(self, kind, got):
        if isinstance(got, list | tuple | np.ndarray):
            got = [x.item() if isinstance(x, np.generic) else x for x in got]
            if all(isinstance(x, kind) and (kind is str or 0 <= x < len(self.tokens)) for x in got):
                return got
        seen = Part("A result has type {kind}", kind=type(got).__name__)
        raise Wrong(seen, Part("a list of pieces of text") if kind is str else Part("a list of the numbers of tokens"))

    def _compare(self, name, got, right):
        """Note the first number that differs; raise Wrong if a shape does, or a number is none."""
        if name in ("tokenize", "loop"):
            if got != right and right is not None:
                self._note(name, Part("the pieces are {got}, the package's {right}", got=got, right=right))
            return
        several = isinstance(right, tuple)
        for result, one, other in zip(
            RESULTS[name], got if several else [got], right if several else [right], strict=True
        ):
            other = np.asarray(other)
            if one.shape != other.shape:
                raise Wrong(
                    Part("{name} has shape {shape}", name=result, shape=one.shape), Part("{shape}", shape=other.shape)
                )
            for index in np.argwhere(~np.isclose(one, other, rtol=1e-4, atol=1e-5, equal_nan=True))[:1].tolist():
                number, expected = (f"{float(x[tuple(index)]):.4g}" for x in (one, other))
                seen = Part("{name}{index} is {number}", name=result, index=index or "", number=number)
                self._note(name, Wrong(seen, expected), index, result)
            if (np.isfinite(other) & ~np.isfinite(one)).any():  # not if what it was given had none already
                raise Wrong(Part("{name} has NaN or infinity", name=result))

    def _note(self, name, reason, index=(), result=None, found=None):
        """Keep what is wrong with a part and where, unless something was wrong with it before."""
        where = dict(self.at)
        if "letter" not in where and index:  # while it reads, the place of the number says which letter
            where["letter"] = index[-1 if result == "surprise" else -2] + 1
        places = [part(number=where[what]) for what, part in PLACES.items() if what in where]
        if name in AT_BOTH and where and "letter" not in self.at:
            places.insert(0, Part("reading a whole name at once"))
        place = reduce(
            lambda first, second: Part("{first}, {second}", first=first, second=second), [Part(name), *places]
        )
        found = self.found if found is None else found
        found.setdefault(name, Part("{place}: {reason}", place=place, reason=reason))
