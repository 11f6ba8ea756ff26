"""What the package promises before anyone calls it: the public names, their docstrings, and an import without torch."""

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys

import pytest

import attention_course
import attention_src

# The contract.
PUBLIC = {
    "scores": ["dot_score", "scaled_dot_score", "general_score", "additive_score"],
    "weights": ["softmax", "relu_weights", "sigmoid_weights"],
    "masks": ["causal_mask", "padding_mask", "window_mask"],
    "attention": ["attention", "scaled_dot_product_attention", "blockwise_attention"],
    "positions": ["sinusoidal_positions", "rotary", "alibi_bias"],
    "patches": ["patchify", "unpatchify"],
    "layers": ["AdditiveAttention", "MultiHeadAttention", "FeedForward", "EncoderBlock", "DecoderBlock"],
    "models.vit": ["VisionTransformer"],
}
SIGNATURES = {
    "dot_score": "(query, key)",
    "scaled_dot_score": "(query, key, *, scale=None)",
    "general_score": "(query, key, w)",
    "additive_score": "(query, key, w_query, w_key, v)",
    "softmax": "(scores, mask=None)",
    "relu_weights": "(scores, mask=None)",
    "sigmoid_weights": "(scores, mask=None)",
    "causal_mask": "(n, m=None, *, offset=0, like=None)",
    "padding_mask": "(lengths, m)",
    "window_mask": "(n, width, *, m=None, ahead=None, offset=0, like=None)",
    "attention": "(query, key, value, mask=None, *, score=scaled_dot_score, weigh=softmax, bias=None, scale=None)",
    "scaled_dot_product_attention": "(query, key, value, mask=None, *, bias=None, scale=None)",
    "blockwise_attention": "(query, key, value, mask=None, *, block_size, bias=None, scale=None)",
    "sinusoidal_positions": "(n, d_model, *, like=None)",
    "rotary": "(x, positions=None, *, base=10000.0, layout='pairs', d_rotary=None)",
    "alibi_bias": "(num_heads, n, m=None, *, released=False, like=None)",
}
NEED_TORCH = {"layers", "threads", "models.seq2seq", "models.vit", "models.bert"}
WRITTEN = {
    module.name.removeprefix("attention_src.")
    for module in pkgutil.walk_packages(attention_src.__path__, "attention_src.")
    if not module.name.startswith("attention_src.layers.")
}
COURSE = {module.name for module in pkgutil.iter_modules(attention_course.__path__)}
FORMULAS = [(module, name) for module in PUBLIC if module not in NEED_TORCH for name in PUBLIC[module]]


def run(code):
    """Run the code in a new interpreter, warnings as errors, and return what it prints."""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def sections(thing):
    """The headings of its docstring, in order."""
    return re.findall(r"^(\w+)\n-+$", inspect.getdoc(thing), re.MULTILINE)


def found(module, name):
    return getattr(importlib.import_module(f"attention_src.{module}"), name)


@pytest.mark.parametrize("module, name", FORMULAS)
def test_a_public_name_is_in_place_and_says_what_it_takes_returns_refuses_and_does(module, name):
    function = found(module, name)
    assert function.__module__ == f"attention_src.{module}"
    assert sections(function) == ["Parameters", "Returns", "Raises", "Examples"]
    for parameter in inspect.signature(function).parameters:
        assert f"\n{parameter} : " in inspect.getdoc(function)


def test_every_layer_of_the_contract_is_in_place():
    for module in PUBLIC.keys() & NEED_TORCH:
        assert all(inspect.isclass(found(module, name)) for name in PUBLIC[module])


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_signature_is_that_of_the_contract(name):
    (module,) = (module for module, names in PUBLIC.items() if name in names)
    assert re.sub(r"<function (\w+) at \w+>", r"\1", str(inspect.signature(found(module, name)))) == SIGNATURES[name]


def test_every_name_the_package_exports_is_a_function_of_a_module_of_the_core():
    for name in attention_src.__all__:
        function = getattr(attention_src, name)
        assert name in PUBLIC[function.__module__.removeprefix("attention_src.")]


def test_every_module_says_what_lives_there():
    for module in WRITTEN:
        assert importlib.import_module(f"attention_src.{module}").__doc__


WITHOUT_TORCH = """
import sys

class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
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


def test_without_torch_everything_that_needs_none_can_be_imported_and_used():
    modules = ", ".join(f"attention_src.{module}" for module in sorted(WRITTEN - NEED_TORCH))
    said = run(f"{WITHOUT_TORCH}\nimport {modules}\n{USE}")
    assert said == "query is a list; expected a NumPy array or a torch tensor\n"


def test_importing_what_needs_no_torch_imports_none():
    """One after the other in one process: the first that imports it is named."""
    names = [f"attention_src.{name}" for name in sorted(WRITTEN - NEED_TORCH)]
    names += [
        "attention_course",
        *(f"attention_course.{name}" for name in sorted(COURSE - {"training"})),
    ]
    each = [f"import {name}; assert 'torch' not in sys.modules, {name!r}" for name in names]
    run("\n".join(["import sys", *each]))


def test_the_import_takes_less_than_three_tenths_of_a_second():
    """Counted in the processor's time, which a busy machine does not stretch as it does a clock's."""
    code = "import time; start = time.process_time(); import attention_src; print(time.process_time() - start)"
    assert min(float(run(code)) for _ in range(5)) < 0.3
