"""What the packages promise before anyone calls them: where none is needed, no torch is imported."""

import pkgutil
import subprocess
import sys

import attention_course
import attention_src

WITH_TORCH = {f"attention_src.{name}" for name in ("layers", "threads")}
WITH_TORCH |= {f"attention_src.models.{name}" for name in ("seq2seq", "transformer", "vit", "bert")}
WITH_TORCH |= {
    f"attention_course.{name}"
    for name in "adder alibi alignment anatomy dates depth divisors heads names ngrams training".split()
}
MODULES = {
    "attention_course",
    *(module.name for module in pkgutil.walk_packages(attention_src.__path__, "attention_src.")),
    *(module.name for module in pkgutil.iter_modules(attention_course.__path__, "attention_course.")),
}
WITHOUT_TORCH = """
import sys

tried = []

class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            tried.append(name)
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, NoTorch())
"""
USE = """
import numpy as np
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
