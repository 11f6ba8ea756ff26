"""What the packages promise before anyone calls them: the signatures, and a quick import without torch."""

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import attention_course
import attention_src

SIGNATURES = tomllib.loads(Path(__file__).with_name("signatures.toml").read_text("utf-8"))
OF_COURSE = "adder alibi alignment anatomy dates depth divisors heads names ngrams training"
WITH_TORCH = {f"attention_course.{name}" for name in OF_COURSE.split()}
OF_SRC = "layers threads models.seq2seq models.transformer models.vit models.bert"
WITH_TORCH |= {f"attention_src.{name}" for name in OF_SRC.split()}
MODULES = {
    "attention_course",
    *(module.name for module in pkgutil.walk_packages(attention_src.__path__, "attention_src.")),
    *(module.name for module in pkgutil.iter_modules(attention_course.__path__, "attention_course.")),
}
WITHOUT_TORCH = """import sys
tried = []
class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            tried.append(name)
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, NoTorch())
"""
USE = """import numpy as np
from attention_src.attention import blockwise_attention, scaled_dot_product_attention
from attention_src.masks import causal_mask, padding_mask
query, mask = np.ones((3, 2)), causal_mask(3) & padding_mask([2], 3)
output, weights = scaled_dot_product_attention(query, query, query, mask)
assert (blockwise_attention(query, query, query, mask, block_size=2) == output).all() and (output == 1).all()
try:
    scaled_dot_product_attention([1], query, query)
except TypeError as error:
    print(error)
"""


def test_what_needs_no_torch_can_be_imported_and_used_without_it_and_never_looks_for_it():
    """In a new interpreter, with warnings as errors."""
    names = sorted(name for name in MODULES - WITH_TORCH if not name.startswith("attention_src.layers"))
    script = WITHOUT_TORCH + "".join(f"import {name}; assert not tried, {name!r}\n" for name in names) + USE
    process = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True)
    said = "query is a list; expected a NumPy array or a torch tensor\n"
    assert (process.returncode, process.stdout) == (0, said), process.stderr


@pytest.mark.parametrize("path", SIGNATURES)
def test_a_public_function_is_in_place_with_its_signature(path):
    module, _, name = path.rpartition(".")
    function = getattr(importlib.import_module(f"attention_src.{module}"), name)
    assert f"{function.__module__}.{function.__name__}" == f"attention_src.{path}"
    assert re.sub(r"<function (\w+) at \w+>", r"\1", str(inspect.signature(function))) == SIGNATURES[path]


def test_every_name_that_the_package_exports_is_a_public_function():
    functions = [getattr(attention_src, name) for name in attention_src.__all__]
    assert {f"{f.__module__}.{f.__name__}".removeprefix("attention_src.") for f in functions} <= SIGNATURES.keys()


def test_the_import_takes_less_than_three_tenths_of_a_second():
    """Count the processor's time, which a busy machine does not stretch as it does a clock's."""
    code = "import time; start = time.process_time(); import attention_src; print(time.process_time() - start)"
    command = [sys.executable, "-c", code]
    assert min(float(subprocess.run(command, capture_output=True, text=True).stdout) for _ in range(5)) < 0.3
