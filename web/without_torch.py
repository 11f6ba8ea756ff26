"""A stand-in for PyTorch where only the book is installed: building the site shows code and runs none of it in torch.

The page of the package is made from docstrings, and claims are data beside code that trains. Both are imported, so
`import torch` has to succeed. Here every name of torch is an empty class, which can be inherited from, called, and put
around a function.
"""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType


class Nothing:
    """What stands for a class, a function or a type of torch."""

    def __init__(self, *arguments, **options):
        pass

    def __call__(self, function, *arguments):  # as a decorator
        return function


class StandIn(ModuleType):
    __path__ = ()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name in ("nn", "optim"):
            return import_module(f"torch.{name}")
        return type(name, (Nothing,), {"__module__": self.__name__})


class Finder:
    """Find torch and its modules, all empty."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        return ModuleSpec(name, Finder, is_package=True) if name.partition(".")[0] == "torch" else None

    @staticmethod
    def create_module(spec):
        return StandIn(spec.name)

    @staticmethod
    def exec_module(module):
        pass


def setup(app):
    if not find_spec("torch"):
        sys.meta_path.append(Finder)
