"""The tests of the core are judged by the wrong versions of it that they reject.

mutmut makes one small change at a time and runs the quick tests of the core; a mutant that passes them all survives.
`list_problems` says if too few are killed, if a survivor has no reason below, or if a reason has no survivor any more.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LEAST = 0.99

# (function, line that was, line that is): why no test can tell the two apart.
EQUIVALENT = {
    (
        "attention._mix_key_blocks",
        "largest, total, mixed = xp.full_like(query[..., :1], -inf), 0.0, 0.0",
        "largest, total, mixed = xp.full_like(query[..., :1], -inf), 1.0, 0.0",
    ): "before the first block the maximum is −inf, so whatever the total starts with is multiplied by exp(−inf) = 0",
    (
        "attention._mix_key_blocks",
        "largest, total, mixed = xp.full_like(query[..., :1], -inf), 0.0, 0.0",
        "largest, total, mixed = xp.full_like(query[..., :1], -inf), 0.0, 1.0",
    ): "the same for what the mix starts with",
    (
        "attention._mix_key_blocks",
        "finite = xp.where(largest == -inf, 0.0, largest)  # where no key has been visible so far",
        "finite = xp.where(largest == -inf, 1.0, largest)  # where no key has been visible so far",
    ): "where all scores are −inf any finite number will do: exp(−inf − 1) is 0 as well",
    (
        "attention._mix_key_blocks",
        "return mixed / xp.where(total == 0, 1.0, total)",
        "return mixed / xp.where(total == 0, 2.0, total)",
    ): "any number but 0 will do: what it divides is 0",
    (
        "weights.softmax",
        "largest = xp.where(largest == -inf, 0.0, largest)  # in a row without visible keys",
        "largest = xp.where(largest == -inf, 1.0, largest)  # in a row without visible keys",
    ): "where all scores are −inf any finite number will do: exp(−inf − 1) is 0 as well",
    (
        "weights.softmax",
        "weights = exponentials / xp.where(total == 0, 1.0, total)  # in such a row 0 / 1, since 0 / 0 is NaN",
        "weights = exponentials / xp.where(total == 0, 2.0, total)  # in such a row 0 / 1, since 0 / 0 is NaN",
    ): "any number but 0 will do: what it divides is 0",
    (
        "weights._count_visible",
        "return xp.where(visible == 0, 1.0, visible)",
        "return xp.where(visible == 0, 2.0, visible)",
    ): "in a row without visible keys all weights are 0, whatever the count",
    (
        "_validation.zero_unseen",
        "return xp.where(seen | (xp.abs(array) < inf), array, 0.0)",
        "return xp.where(seen | (xp.abs(array) < inf), array, 1.0)",
    ): "the weight there is 0, so any finite number will do",
}


def mutmut(*arguments):
    """Run mutmut in the root of the repository and return what it prints."""
    command = [Path(sys.executable).with_name("mutmut"), *arguments]
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}  # mutmut forks, and a forked process must not share a pool
    done = subprocess.run(
        command, cwd=ROOT, env=one_thread, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        sys.exit(done.stdout[-5000:])
    return done.stdout


def results():
    """The status of every mutant by its name."""
    return dict(re.findall(r"^ +(\S+): (.+)$", mutmut("results", "--all", "true"), re.MULTILINE))


def change(name):
    """(function, line that was, line that is) of a mutant, numbered by nothing that a new line would move."""
    function = re.fullmatch(r"attention_src\.(.+)__mutmut_\d+", name)[1].replace(".x_", ".")
    lines = re.findall(r"^([-+]) +(.*\S)$", mutmut("show", name), re.MULTILINE)
    return function, *("\n".join(line for sign, line in lines if sign == side) for side in "-+")


def run():
    """Make all mutants and return what became of them: a row of counts, and a row for each that survived."""
    shutil.rmtree(ROOT / "mutants", ignore_errors=True)  # mutmut would not notice that a test has changed
    mutmut("run")
    statuses = results()
    survivors = {name: status for name, status in statuses.items() if status not in ("killed", "timeout")}
    rows = [dict(zip(("function", "was", "is"), change(name), strict=True)) for name in survivors]
    told = [row | {"status": status} for row, status in zip(rows, survivors.values(), strict=True)]
    return [
        {"of": len(statuses), "killed": len(statuses) - len(survivors)},
        *sorted(told, key=lambda row: [*row.values()]),
    ]


def list_problems(rows):
    """Everything that is wrong with this run, a text each."""
    (counts, *survivors), known = rows, set(EQUIVALENT)
    of = counts["of"] - len(known)
    if counts["killed"] < LEAST * of:
        yield f"{of - counts['killed']} of {of} that differ survived; at least {LEAST:.0%} must be killed"
    for row in survivors:
        change = row["function"], row["was"], row["is"]
        if change not in known:
            yield f"{row['function']}: {row['status']}, and no reason is given:\n- {row['was']}\n+ {row['is']}"
        known.discard(change)
    for function, was, new in sorted(known):
        yield f"a reason is given for what does not survive (any more) in {function}:\n- {was}\n+ {new}"
