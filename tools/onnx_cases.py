"""The package against ONNX's own cases for Attention, RotaryEmbedding and Softmax: `python -m tools.onnx_cases`.

The package `onnx` makes the inputs of its node tests from fixed seeds, the outputs with its reference implementation.
Each case runs in NumPy and in torch, by the package's own arguments alone; what they cannot say is listed with why.
Needs proofs/onnx_requirements.txt.
"""

from collections import Counter
from functools import reduce
from operator import and_

import numpy as np
import torch
from array_api_compat import array_namespace

from attention_src.attention import scaled_dot_product_attention
from attention_src.masks import causal_mask, padding_mask, window_mask
from attention_src.positions import _turned
from attention_src.scores import scaled_dot_score
from attention_src.weights import softmax

RELATIVE, ABSOLUTE = 1e-3, 1e-7  # ONNX's own tolerances; half precision gets four units in the last place


class CannotError(Exception):
    """The package has no words for this case."""


def cases():
    """Name, operator, attributes, inputs and outputs by name of every case that is no second form of another."""
    from onnx import helper
    from onnx.backend.test.case import node as registry
    from onnx.backend.test.case.node import attention, rotaryembedding, softmax  # noqa: F401  they register on import

    for case in registry._NodeTestCases:
        node = case.model.graph.node[0]
        if node.op_type in OPERATORS and "_expanded" not in case.name:
            attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
            ((given, expected),) = case.data_sets
            inputs = dict(zip(filter(None, node.input), given, strict=True))
            yield (
                case.name,
                node.op_type,
                attributes,
                inputs,
                dict(zip(filter(None, node.output), expected, strict=True)),
            )


def split(x, heads):
    """(batch, rows, heads · d) -> (batch, heads, rows, d)."""
    return x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2) if x.ndim == 3 else x


def widened(pairs, m, value):
    """A mask or bias with rows, and with `value` for the keys that it leaves out."""
    pairs = pairs[None] if pairs.ndim == 1 else pairs
    xp = array_namespace(pairs)
    rest = xp.full((*pairs.shape[:-1], m - pairs.shape[-1]), value, dtype=pairs.dtype)
    return xp.concat([pairs, rest], axis=-1)


def grouped(pairs, heads, kv_heads):
    """Cut the axis of the heads of a mask, a bias or the queries into groups that share a head of keys."""
    if pairs is None or pairs.ndim < 3:
        return pairs
    cut = (kv_heads, heads // kv_heads) if pairs.shape[-3] == heads else (1, 1)
    return pairs.reshape(*pairs.shape[:-3], *cut, *pairs.shape[-2:])


def seen_keys(n, m, inputs, like, is_causal=0, left_window_size=-1, right_window_size=-1):
    """The masks of causality, window and padding."""
    lengths, past = inputs.get("nonpad_kv_seqlen"), inputs["past_key"].shape[-2] if "past_key" in inputs else 0
    offsets = [past] if lengths is None else [int(length) - n for length in lengths]
    everything = n + m + max(map(abs, offsets))
    left, right = (everything if size < 0 else size for size in (left_window_size, right_window_size))
    if is_causal:
        yield stacked(causal_mask(n, m, offset=offset, like=like) for offset in offsets)
    if min(left, right) < everything:
        yield stacked(window_mask(n, left, m=m, ahead=right, offset=offset, like=like) for offset in offsets)
    if lengths is not None:
        yield padding_mask(lengths[:, None], m)


def stacked(masks):
    """One mask for each sequence of the batch, and one for all heads."""
    masks = [*masks]
    return array_namespace(*masks).stack(masks)[:, None]


def run_attention(inputs, softcap=0, scale=None, q_num_heads=None, kv_num_heads=None, **attributes):
    if softcap:
        raise CannotError("softcap bends the scores before they become weights: only a score= of one's own can")
    attributes.pop("softmax_precision", None)  # never less than float32 here
    shown = attributes.pop("qk_matmul_output_mode", 0)
    query, key, value = (split(inputs[name], q_num_heads if name == "Q" else kv_num_heads) for name in "QKV")
    xp, given = array_namespace(query), inputs.get("attn_mask")
    if "past_key" in inputs:
        key, value = (xp.concat([inputs[f"past_{x}"], new], axis=2) for x, new in (("key", key), ("value", value)))
    present = {"present_key": key, "present_value": value}
    (batch, heads, n, _), (_, kv_heads, m, _) = query.shape, key.shape
    masks, bias = [*seen_keys(n, m, inputs, query, **attributes)], None
    if given is not None and xp.isdtype(given.dtype, "bool"):
        masks.append(widened(given, m, False))
    elif given is not None:
        bias = widened(given, m, -np.inf)
    mask, bias = (grouped(x, heads, kv_heads) for x in (reduce(and_, masks) if masks else None, bias))
    query, key, value = grouped(query, heads, kv_heads), key[:, :, None], value[:, :, None]
    output, weights = scaled_dot_product_attention(query, key, value, mask, bias=bias, scale=scale)
    scores = scaled_dot_score(query, key, scale=scale)
    if shown == 2:
        scores = scores + (0 if bias is None else bias)
        scores = scores if mask is None else xp.where(mask, scores, -np.inf)
    output, scores = (x.reshape(batch, heads, n, -1) for x in (output, weights if shown == 3 else scores))
    output = output.swapaxes(1, 2).reshape(batch, n, -1) if inputs["Q"].ndim == 3 else output
    return {"Y": output, "qk_matmul_output": scores, **present}


def run_rotary(inputs, interleaved=0, rotary_embedding_dim=0, num_heads=None):
    """ONNX hands over tables of numbers that are no cosines and sines: the turning itself is what can be compared."""
    x, cos, sin = split(inputs["input"], num_heads), inputs["cos_cache"], inputs["sin_cache"]
    xp, d = array_namespace(x), rotary_embedding_dim or x.shape[-1]
    if "position_ids" in inputs:
        cos, sin = cos[inputs["position_ids"]], sin[inputs["position_ids"]]
    turned = _turned(xp, x[..., :d], cos[:, None], sin[:, None], "pairs" if interleaved else "halves")
    output = xp.concat([turned, x[..., d:]], axis=-1)
    return {"output": output if inputs["input"].ndim == 4 else output.swapaxes(1, 2).reshape(inputs["input"].shape)}


def run_softmax(inputs, axis=-1):
    return {"y": softmax(inputs["x"].swapaxes(axis, -1)).swapaxes(axis, -1)}


OPERATORS = {"Attention": run_attention, "RotaryEmbedding": run_rotary, "Softmax": run_softmax}


def as_torch(array):
    if array.dtype.name == "bfloat16":
        return torch.tensor(array.astype("float32")).to(torch.bfloat16)
    return torch.tensor(array)


def as_numpy(array):
    if array.dtype.name == "bfloat16":
        raise CannotError("NumPy has no bfloat16")
    return array


LIBRARIES = {"numpy": as_numpy, "torch": as_torch}


def outcome(operator, attributes, inputs, expected, convert):
    """What became of the case."""
    try:
        got = OPERATORS[operator]({name: convert(array) for name, array in inputs.items()}, **attributes)
    except CannotError as reason:
        return f"cannot: {reason}"
    for name, right in expected.items():
        units = 4 * {"float16": 2.0**-10, "bfloat16": 2.0**-7}.get(right.dtype.name, 0)
        relative, absolute = max(RELATIVE, units), max(ABSOLUTE, units)
        ours = torch.as_tensor(got[name]).to(torch.float64).numpy()
        right = right.astype(float)
        if ours.shape != right.shape:
            return f"failed: {name} has shape {ours.shape}, not {right.shape}"
        if not np.allclose(ours, right, relative, absolute, equal_nan=True):
            return f"failed: {name}"
    return "passed"


def run():
    """A row for each case and library; its outcome is 'passed', 'cannot: why' or 'failed: what'."""
    rows = []
    for name, operator, attributes, inputs, expected in cases():
        for library, convert in LIBRARIES.items():
            found = outcome(operator, attributes, inputs, expected, convert)
            rows.append({"case": name, "library": library, "outcome": found})
    return rows


def faults(rows):
    """The cases that failed, and a text if there are too few of them to mean anything."""
    yield from (f"{row['case']} in {row['library']}: {row['outcome']}" for row in rows if "failed" in row["outcome"])
    if sum(row["outcome"] == "passed" for row in rows) < 180:
        yield "fewer than 180 cases passed"


if __name__ == "__main__":
    found = run()
    print("\n".join(f"{row['case']:70} {row['library']:6} {row['outcome']}" for row in found))
    print(
        *(f"{count} {what}" for what, count in Counter((r["library"], r["outcome"]) for r in found).items()), sep="\n"
    )
