"""All results by name, and what makes each of them: the one place that lists them.

A module is imported only when one of its results is asked for, so that its import belongs to the run of that result.
"""

from importlib import import_module

from tools.chapter import CHAPTERS

OTHERS = {"benchmark": "benchmark", "published-model": "published_model"}  # name of the result, module


def find(name):
    """Return the runner of a result.

    Raises
    ------
    KeyError
        If no result has this name.
    """
    path = next((path for path in CHAPTERS if name.startswith((f"ch{path.stem[:2]}-", f"page-{path.stem[:2]}"))), None)
    if path:
        module = import_module("evidence.claims" if name.startswith("ch") else "evidence.running_pages")
        return module.runners(path)[name]
    return import_module(f"evidence.{OTHERS[name]}").RUNNER


def list_names():
    """Return the names of all results."""
    claims, pages = (import_module(f"evidence.{name}") for name in ("claims", "running_pages"))
    paths = [path for path in CHAPTERS if path in claims.modules()]
    return [
        *OTHERS,
        *(f"page-{path.stem[:2]}" for path in CHAPTERS if pages),
        *(n for p in paths for n in claims.runners(p)),
    ]
