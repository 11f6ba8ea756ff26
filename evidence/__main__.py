"""Make results: `python -m evidence`.

python -m evidence                  make stale results again
python -m evidence NAME ...         make these again; a name may be a pattern, 'ch08*'
python -m evidence --list           list what is stale, and why; exit with 1 if anything is
python -m evidence --sample         repeat about five minutes of results, chosen by the commit, and compare
python -m evidence --every [NAME]   repeat everything and compare, as each week
"""

import argparse
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from fnmatch import fnmatch

from tqdm import tqdm

from . import engine, runners


def choose(names, asked):
    """Return the results that a call asks for."""
    if asked.names:
        chosen = [name for name in names if any(fnmatch(name, pattern) for pattern in asked.names)]
        return chosen or sys.exit(f"No result is called {' or '.join(asked.names)}; there are {', '.join(names)}.")
    if asked.sample:
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=engine.ROOT, capture_output=True, text=True)
        return engine.choose_sample([name for name in names if engine.load(name)], head.stdout.strip())
    return names if asked.every else [name for name in names if engine.list_changes(name, runners.find(name))]


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m evidence", description="Make results, or compare them.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="such as 'ch08*'; what is stale if none is named")
    for option in ("--list", "--sample", "--every"):
        parser.add_argument(option, action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many side by side")
    asked = parser.parse_args(arguments)
    chosen = choose(runners.list_names(), asked)
    if asked.list:
        print(*(f"{name}: {'; '.join(engine.list_changes(name, runners.find(name)))}" for name in chosen), sep="\n")
        sys.exit(bool(chosen))
    wrong, compare = [], asked.sample or asked.every
    with ProcessPoolExecutor(asked.jobs, max_tasks_per_child=1) as pool:  # spawned: none sees what another has set
        running = {pool.submit(runners.make_by_name, name, compare): name for name in chosen}
        for done in tqdm(as_completed(running), total=len(chosen), unit="result", disable=None):
            problems, seconds = done.result()
            tqdm.write(f"{running[done]}: {'; '.join(problems) or 'holds'} ({seconds:.0f} s)")
            wrong += [f"{running[done]}: {text}" for text in problems]
    print(f"{len(chosen)} results were made{'.' if chosen else ': none is stale.'}")
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
