"""The tests of the core are judged by the wrong versions of it that they reject.

mutmut makes one small change at a time and runs the quick tests of the core; a mutant that passes them all survives.
`list_problems` says if too few are killed, if a survivor has no reason below, or if a reason has no survivor any more.
"""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
LEAST = 0.99

ZERO = "any number but 0 will do: what it divides is 0"
FINITE = "where all scores are −inf any finite number will do: exp(−inf − 1) is 0 as well"
START = "before the first block the maximum is −inf, so whatever this starts with is multiplied by exp(−inf) = 0"
BOTH = "torch takes an `out` as NumPy does, and both ways give the same"
MEMORY = "the same numbers in new memory, which the benchmark measures"
EQUAL = "zip is only reached with two of equal length: check_equal is always given two arrays and two axes"
# (function, what was, what is instead): for each mutant that changes so little, why no test can tell the two apart.
# A mutant's own name ends in a number, which any new line of the function moves.
EQUIVALENT = {
    ("attention._mix_key_blocks", "0.0", "1.0"): [START, START, FINITE],
    ("attention._mix_key_blocks", "1.0", "2.0"): [ZERO],
    ("attention._exponentiate", "is_torch_array ( block )", "( is_torch_array ( block ) ) and False"): [BOTH],
    ("attention._exponentiate", "block", "None"): [BOTH, MEMORY],
    ("attention._exponentiate", "out = block", ""): [MEMORY],
    ("weights.softmax", "0.0", "1.0"): [FINITE],
    ("weights.softmax", "1.0", "2.0"): [ZERO],
    ("weights._count_visible", "1.0", "2.0"): ["in a row without visible keys all weights are 0, whatever the count"],
    ("_validation.zero_unseen", "0.0", "1.0"): ["the weight there is 0, so any finite number will do"],
    **{
        (f"_validation.{function}", *change): [EQUAL]
        for function in ("_fits", "check_equal")
        for change in (("True", "None"), ("True", "False"), ("strict = True", ""))
    },
}


def mutmut(*arguments):
    """Run mutmut in the root of the repository and return what it prints."""
    command = [Path(sys.executable).with_name("mutmut"), *arguments]
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}  # mutmut forks, and a forked process must not share a pool
    process = subprocess.run(
        command, cwd=ROOT, env=one_thread, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if process.returncode:
        sys.exit(process.stdout[-5000:])
    return process.stdout


def read_statuses():
    """Return the status of every mutant by its name."""
    return dict(re.findall(r"^ +(\S+): (.+)$", mutmut("results", "--all", "true"), re.MULTILINE))


def name_change(name):
    """Return what a mutant changes, (function, what was, what is), with nothing that a new or a renamed line moves."""
    function = re.fullmatch(r"attention_src\.(.+)__mutmut_\d+", name)[1].replace(".x_", ".")
    lines = re.findall(r"^([-+]) +(.*\S)$", mutmut("show", name), re.MULTILINE)
    before, after = (re.findall(r"[\w.]+|\S", " ".join(line for sign, line in lines if sign == side)) for side in "-+")
    for end in (0, -1):  # what stays the same before the change, then behind it
        while before and after and before[end] == after[end]:
            before.pop(end), after.pop(end)
    return function, " ".join(before), " ".join(after)


def run():
    """Make all mutants and return {module: how many} and {name: change} of those that survived."""
    shutil.rmtree(ROOT / "mutants", ignore_errors=True)  # mutmut would not notice that a test has changed
    mutmut("run")
    statuses = read_statuses()
    survivors = [name for name, status in statuses.items() if status not in ("killed", "timeout")]
    return Counter(name.split(".")[1] for name in statuses), {name: name_change(name) for name in survivors}


def list_problems(counts, survivors):
    """Yield everything that is wrong with what `run` returns, a text each."""
    found, excused = Counter(survivors.values()), Counter({change: len(why) for change, why in EQUIVALENT.items()})
    missed, differing = found - excused, counts.total() - excused.total()
    if missed.total() > (1 - LEAST) * differing:
        yield f"{missed.total()} of {differing} that differ survived; at least {LEAST:.0%} must be killed"
    for change in missed:
        names = ", ".join(name for name, other in survivors.items() if other == change)
        yield f"{names}: no reason is given for {change[1]!r} -> {change[2]!r}"
    for function, was, new in excused - found:
        yield f"{function}: fewer mutants {was!r} -> {new!r} survive than there are reasons"


if __name__ == "__main__":
    counts, survivors = run()
    survived = Counter(name.split(".")[1] for name in survivors)
    print({module: f"{of - survived[module]} of {of} caught" for module, of in counts.items()})
    print(*list_problems(counts, survivors), sep="\n")
