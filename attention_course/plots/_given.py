"""What a figure is given: arrays and labels that must fit each other, and numbers as they are printed."""

import unicodedata

import numpy as np


def as_array(values):
    """NumPy view of an array, tensor (detached) or list."""
    return np.asarray(values.detach().cpu() if hasattr(values, "detach") else values, dtype=float)


def text_width(text):
    """About how wide a text of the usual size is."""
    return sum(0.145 if unicodedata.east_asian_width(letter) in "WF" else 0.085 for letter in text)


def check_one_shape(arrays):
    """Return the shape of the matrices, which must be the same for all."""
    shapes = {title: array.shape for title, array in arrays.items()}
    if len(set(shapes.values())) != 1 or any(len(shape) != 2 for shape in shapes.values()):
        raise ValueError(f"the values have shapes {shapes}; expected matrices of one shape")
    return next(iter(shapes.values()))


def check_labels(name, labels, count):
    """Return the labels as text, numbers from 1 if there are none; refuse any other count."""
    labels = [str(i + 1) for i in range(count)] if labels is None else [str(label) for label in labels]
    if len(labels) != count:
        raise ValueError(f"{name} has {len(labels)} labels for {count} {name}; expected one each")
    return labels


def format_number(number, digits):
    """Return the number with so many decimals and a true minus sign."""
    return f"{number:.{digits}f}".replace("-", "−")


def plural(count, noun):
    """Return '1 map', '2 maps'."""
    return f"{count} {noun}" + "s" * (count > 1)
