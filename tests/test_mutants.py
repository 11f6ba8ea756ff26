"""The tests of the core reject its wrong versions.

mutmut makes one small change at a time and runs the quick tests of the core; a mutant that passes them all survives.
Each survivor has its reason below, and each reason its survivor.
"""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from book.chapter import ROOT

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
    ("_validation.zero_hidden", "0.0", "1.0"): ["the weight there is 0, so any finite number will do"],
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
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    process = subprocess.run(command, cwd=ROOT, env=one_thread, **pipes)
    assert process.returncode == 0, process.stdout[-5000:]
    return process.stdout


def name_change(name):
    """Return what a mutant changes, (function, what was, what is), with nothing that a new or a renamed line moves."""
    function = re.fullmatch(r"attention_src\.(.+)__mutmut_\d+", name)[1].replace(".x_", ".")
    lines = re.findall(r"^([-+]) +(.*\S)$", mutmut("show", name), re.MULTILINE)
    before, after = (re.findall(r"[\w.]+|\S", " ".join(line for sign, line in lines if sign == side)) for side in "-+")
    for end in (0, -1):  # what stays the same before the change, then behind it
        while before and after and before[end] == after[end]:
            before.pop(end), after.pop(end)
    return function, " ".join(before), " ".join(after)


@pytest.mark.slow
def test_each_small_change_of_the_core_is_rejected_or_changes_nothing():
    shutil.rmtree(ROOT / "mutants", ignore_errors=True)  # mutmut would not notice that a test has changed
    mutmut("run")
    statuses = re.findall(r"^ +(\S+): (.+)$", mutmut("results", "--all", "true"), re.MULTILINE)
    survivors = [name_change(name) for name, status in statuses if status not in ("killed", "timeout")]
    assert len(statuses) > 500
    assert dict(Counter(survivors)) == {change: len(reasons) for change, reasons in EQUIVALENT.items()}
