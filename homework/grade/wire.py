"""What passes between a check and the sandbox: lines of JSON, arrays as their bytes. Nothing is ever unpickled.

Both sides use this file; in the sandbox it stands alone.
"""

import base64
import numbers
from contextlib import suppress
from decimal import Decimal

import numpy as np

LARGEST = 8 * 2**20  # bytes of a line


def encode(value, name_function=None):
    """Turn a value into JSON; `name_function` gives the name by which the other side may call a function."""
    if value is None or (isinstance(value, bool | int | float | str) and not isinstance(value, np.generic)):
        return value
    if isinstance(value, np.str_):
        return str(value)
    if isinstance(value, numbers.Rational | Decimal):
        return float(value)
    if value is ...:
        return {"ellipsis": True}
    if callable(value) and name_function:
        return {"function": name_function(value)}
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        if array.dtype.kind in "biufc":
            data = base64.b64encode(array.tobytes()).decode()
            return {"array": [array.dtype.str, array.shape, data], "scalar": isinstance(value, np.generic)}
        if array.dtype.kind == "U" and name_function:
            return encode(array.tolist())
    elif isinstance(value, set | frozenset) and name_function:
        return {"set": [encode(item, name_function) for item in value]}
    elif isinstance(value, dict) and name_function:
        return {"dict": [encode(pair, name_function) for pair in value.items()]}
    elif isinstance(value, list | tuple):
        return {"tuple" if isinstance(value, tuple) else "list": [encode(item, name_function) for item in value]}
    elif hasattr(value, "__next__") and name_function:
        return {"iterator": name_function(value.__next__)}
    return {"opaque": type(value).__name__}


class Opaque:
    """Stands for a value that cannot pass, neither a number nor made of numbers, under the name of its type."""

    def __repr__(self):
        return f"a value of type {type(self).__name__}"


def fetch_steps(step):
    """Yield items, each fetched from the other side when it is asked for."""
    with suppress(StopIteration):
        while True:
            yield step()


def decode(data, function=None):
    """Undo `encode`; `function` makes something that can be called from a name. Raises if it is malformed."""
    if not isinstance(data, dict):
        return data
    (kind, content), *_ = data.items()
    if kind == "array":
        dtype, shape, text = content
        if np.dtype(dtype).kind not in "biufc":
            raise ValueError(f"an array of dtype {dtype}")
        array = np.frombuffer(base64.b64decode(text), dtype).reshape(shape).copy()
        return array[()] if data["scalar"] else array
    if kind in ("list", "tuple", "set", "dict"):
        items = [decode(item, function) for item in content]
        return {"list": list, "tuple": tuple, "set": set, "dict": dict}[kind](items)
    if kind in ("function", "iterator"):
        return function(content) if kind == "function" else fetch_steps(function(content))
    return ... if kind == "ellipsis" else type(str(content)[:100], (Opaque,), {})()
