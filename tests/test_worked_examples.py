"""The package on the worked examples equals the values that were recomputed independently with 50 digits."""

import numpy as np
import pytest

from attention_src import relu_weights, scaled_dot_product_attention, sigmoid_weights, softmax
from attention_src.attention import attention
from attention_src.scores import dot_score

SIX = [
    [0.43, 0.15, 0.89],
    [0.55, 0.87, 0.66],
    [0.57, 0.85, 0.64],
    [0.22, 0.58, 0.33],
    [0.77, 0.25, 0.1],
    [0.05, 0.8, 0.55],
]
X = np.array(SIX)
CAT = [np.array(matrix, dtype=float) for matrix in ([[1, 0], [0, 1]], [[1, 1], [0, 1]], [[1, 2], [9, 8]])]
SENTENCE = [np.array(matrix) for matrix in ([[1, 2]], [[1, 0], [0, 1], [0, 0]], [[1, 0], [0, 1], [1, 1]])]
STATES = np.array([[1, 0, 0, 1], [0, 1, 0, 0], [0, 1, 1, 0], [1, 0, 2, 1]])
COMPUTE = {  # title: (output, weights)
    "The cat": lambda: scaled_dot_product_attention(*CAT),
    "The cat, ReLU": lambda: attention(*CAT, weigh=relu_weights),
    "The cat, sigmoid": lambda: attention(*CAT, weigh=sigmoid_weights),
    "The cat, unscaled": lambda: attention(*CAT, score=dot_score),
    "Six words": lambda: attention(X, X, X, score=dot_score),
    "journey": lambda: [values[1:2] for values in attention(X, X, X, score=dot_score)],
    "journey, scaled": lambda: [values[1:2] for values in scaled_dot_product_attention(X, X, X)],
    "I play": lambda: attention(*CAT[:2], np.eye(2), score=dot_score),
    "the suggested Korean sentence": lambda: scaled_dot_product_attention(*SENTENCE),
    "the suggested decoder step": lambda: attention(STATES[3:], STATES, STATES, score=dot_score),
}
EXPECTED = {
    "The cat": ([[3.641908, 3.981431], [5.0, 5.0]], [[0.669762, 0.330238], [0.5, 0.5]]),
    "The cat, ReLU": ([[0.353553, 0.707107], [3.535534, 3.535534]], [[0.353553, 0], [0.353553, 0.353553]]),
    "The cat, sigmoid": ([[3.503490, 3.673646], [5.034898, 5.034898]], [[0.503490, 0.333333], [0.503490, 0.503490]]),
    "The cat, unscaled": ([[3.151531, 3.613649], [5, 5]], [[0.731059, 0.268941], [0.5, 0.5]]),
    "Six words": (
        [
            [0.442059, 0.593099, 0.578989],
            [0.441866, 0.651482, 0.568309],
            [0.443128, 0.649595, 0.567073],
            [0.430390, 0.629828, 0.551027],
            [0.467102, 0.590993, 0.526597],
            [0.417724, 0.650323, 0.564535],
        ],
        [
            [0.209835, 0.200581, 0.198149, 0.124228, 0.122049, 0.145158],
            [0.138548, 0.237891, 0.233274, 0.123992, 0.108182, 0.158114],
            [0.139008, 0.236921, 0.232602, 0.124204, 0.110800, 0.156464],
            [0.143527, 0.207394, 0.204552, 0.146192, 0.126295, 0.172039],
            [0.152611, 0.195839, 0.197491, 0.136687, 0.187859, 0.129514],
            [0.138471, 0.218364, 0.212759, 0.142048, 0.098806, 0.189552],
        ],
    ),
    "journey": ([[0.441866, 0.651482, 0.568309]], [[0.138548, 0.237891, 0.233274, 0.123992, 0.108182, 0.158114]]),
    "journey, scaled": (
        [[0.436174, 0.622771, 0.552338]],
        [[0.151485, 0.206976, 0.204647, 0.142081, 0.131322, 0.163490]],
    ),
    "I play": ([[0.731059, 0.268941], [0.5, 0.5]], [[0.731059, 0.268941], [0.5, 0.5]]),
    "the suggested Korean sentence": ([[0.424025, 0.716005]], [[0.283995, 0.575975, 0.140029]]),
    "the suggested decoder step": (
        [[0.979988, 0.020012, 1.942350, 0.979988]],
        [[0.017626, 0.002385, 0.017626, 0.962362]],
    ),
}


def right_values():
    """What the package computes of the examples of the notes: {title: {"output": array, "weights": array}}."""
    titles = "The cat", "journey", "Six words", "I play"
    return {title: dict(zip(("output", "weights"), COMPUTE[title](), strict=True)) for title in titles}


@pytest.mark.parametrize("title", EXPECTED)
def test_a_worked_example(title):
    for computed, expected in zip(COMPUTE[title](), EXPECTED[title], strict=True):
        assert computed.shape == np.shape(expected) and np.allclose(computed, expected, atol=1e-6, rtol=0)


def test_the_contributions_of_journey():
    parts = softmax(X @ X[1])[:, None] * X
    lengths = [0.138513, 0.290870, 0.281576, 0.087121, 0.088246, 0.153704]
    assert np.allclose(np.linalg.norm(parts, axis=1), lengths, atol=1e-6)


def test_the_largest_weight_of_each_row_of_the_six_words():
    assert softmax(X @ X.T).argmax(axis=1).tolist() == [0, 1, 1, 1, 2, 1]


@pytest.mark.parametrize(("gap", "p"), [(0, 0.5), (0.01, 0.502500), (0.0196, 0.504900), (1, 0.731059), (10, 0.999955)])
def test_two_weights_of_a_gap(gap, p):
    assert np.allclose(softmax(np.array([gap, 0])), [p, 1 - p], atol=1e-6)
