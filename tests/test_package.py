"""What the package promises before anyone calls it: a quick import, and one without torch where none is needed."""

import pkgutil
import subprocess
import sys

import attention_course
import attention_src

NEED_TORCH = {"layers", "threads", "models.seq2seq", "models.transformer", "models.vit", "models.bert"}
MODULES = {
    module.name.removeprefix("attention_src.")
    for module in pkgutil.walk_packages(attention_src.__path__, "attention_src.")
    if not module.name.startswith("attention_src.layers.")
}
WITH_TORCH = set(
    "adder alibi alignment anatomy dates depth divisors heads names ngrams training".split()
)  # of the course
COURSE = {module.name for module in pkgutil.iter_modules(attention_course.__path__)}


def run(code):
    """Run the code in a new interpreter, warnings as errors, and return what it prints."""
    process = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    return process.stdout


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
    names = [f"attention_src.{name}" for name in sorted(MODULES - NEED_TORCH)]
    names += ["attention_course", *(f"attention_course.{name}" for name in sorted(COURSE - WITH_TORCH))]
    imports = "".join(f"import {name}; assert not tried, {name!r}\n" for name in names)
    assert run(WITHOUT_TORCH + imports + USE) == "query is a list; expected a NumPy array or a torch tensor\n"


def test_the_import_takes_less_than_three_tenths_of_a_second():
    """Count the processor's time, which a busy machine does not stretch as it does a clock's."""
    code = "import time; start = time.process_time(); import attention_src; print(time.process_time() - start)"
    assert min(float(run(code)) for _ in range(5)) < 0.3
