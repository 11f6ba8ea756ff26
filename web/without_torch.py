"""A stand-in for PyTorch where only the book is installed: building the site shows code and runs none of it in torch.

The page of the package is made from docstrings, and claims are data beside code that trains. Both are imported, so
`import torch` has to succeed. We use autodoc's own stand-in, but from the start, since other extensions import as well.
"""

import sys
from importlib.util import find_spec

from sphinx.ext.autodoc.mock import MockFinder


def empty_torch():
    """Return a finder of modules that gives an empty torch, whose names can be inherited from and called."""
    return MockFinder(["torch"])


def setup(app):
    if not find_spec("torch"):
        sys.meta_path.append(empty_torch())
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
