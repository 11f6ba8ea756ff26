"""Train the writer of names that the machine holds: the result `machine`.

python -m evidence.machine     write its weights, in half precision, for `attention_course.machine`
"""

import hashlib

import numpy as np
import torch

from attention_course.machine import HERE, Machine
from attention_course.names import NameTask
from attention_course.tasks.names import FILE
from attention_src.layers import EncoderBlock, MultiHeadAttention
from book.chapter import CHAPTERS

from .claims import load_book
from .engine import Runner

SHAPE = {"num_heads": 3, "d_k": 14, "d_v": 18}  # no two sizes of the network are equal: d_model is 48, blocks are 2
LONGEST, STEPS, RATE = 13, (600, 1200, 1800), 1e-2
FILE_OF_NAMES = HERE.with_name("machine_names.npz")
NAMES_IN_BLOCK = {
    "w_q": "attend.query_proj.weight",
    "w_k": "attend.key_proj.weight",
    "w_v": "attend.value_proj.weight",
    "w_o": "attend.out_proj.weight",
    "w_1": "feed_forward.0.weight",
    "b_1": "feed_forward.0.bias",
    "w_2": "feed_forward.2.weight",
    "b_2": "feed_forward.2.bias",
    **{
        f"norm_{n + 1}.{ours}": f"norms.{n}.{theirs}"
        for n in (0, 1)
        for ours, theirs in (("scale", "weight"), ("shift", "bias"))
    },
}
NAMES_OUTSIDE = {
    "letters": "read.weight",
    "places": "place",
    "norm.scale": "norm.weight",
    "norm.shift": "norm.bias",
    "name.w": "name.weight",
    "name.b": "name.bias",
}


def list_names(num_blocks):
    """Return {name of an array of the machine: name of a parameter of the writer}."""
    blocks = {f"{i}.{ours}": f"blocks.{i}.{NAMES_IN_BLOCK[ours]}" for i in range(num_blocks) for ours in NAMES_IN_BLOCK}
    return NAMES_OUTSIDE | blocks


def make_writer(num_letters, longest=LONGEST, seed=0, d=48, num_blocks=2, **shape):
    """Return chapter 7's writer in the form that the parts need: no biases in attention, and so many blocks."""
    (chapter,) = (path for path in CHAPTERS if path.stem.startswith("07"))
    torch.manual_seed(seed)
    writer = load_book(chapter, ("Writer",)).Writer(num_letters, d, longest)
    writer.blocks.extend(EncoderBlock(d, 4, 4 * d) for _ in range(num_blocks - len(writer.blocks)))
    for block in writer.blocks:
        block.attend = MultiHeadAttention(d, **(shape or SHAPE), linear_bias=False)
    return writer.float()


def take_weights(writer, tokens, merges=(), stop=0):
    """Return the weights of a writer as the machine takes them: a dict of NumPy arrays, in half precision."""
    parameters = writer.state_dict()
    weights = {
        name: parameters[theirs].numpy().astype("float16") for name, theirs in list_names(len(writer.blocks)).items()
    }
    transposed = {name: array.T for name, array in weights.items() if ".w" in name}  # torch has w (out, in)
    about = {
        "tokens": tokens,
        "merges": np.array(merges, str).reshape(-1, 2),
        "num_heads": writer.blocks[0].attend.num_heads,
        "stop": stop,
    }
    return weights | transposed | {name: np.array(value) for name, value in about.items()}


def put_weights(weights, writer):
    """Give a writer the weights of a machine, in float64."""
    arrays = {
        theirs: weights[name].T if ".w" in name else weights[name]
        for name, theirs in list_names(len(writer.blocks)).items()
    }
    writer.double().load_state_dict({name: torch.tensor(array.astype(float)) for name, array in arrays.items()})
    return writer


def train():
    """Yield for each number of steps the loss of a letter of held-out names, and the rounded weights."""
    task = NameTask()
    tokens = ["", "", *task.letters.characters]
    for steps in STEPS:
        writer = make_writer(len(task.letters))
        task.train(writer, steps, RATE)
        weights = take_weights(writer, tokens, stop=tokens.index("."))
        yield steps, task.score(put_weights(weights, writer)), weights


def run():
    """Return a row for each number of steps, and one for what is stored: its loss, its text, its weights."""
    torch.set_num_threads(1)
    rows = [{"steps": steps, "loss": round(loss, 4)} for steps, loss, _ in train()]
    machine, task = Machine(), NameTask()
    stored = {"loss": round(float(np.concatenate(machine.read(task.held_out)).mean()), 4)}
    stored |= {"text": digest(FILE.read_bytes()), "weights": digest(FILE_OF_NAMES.read_bytes())}
    return [*rows, stored | {"numbers": count_numbers(machine)}]


def count_numbers(machine):
    return sum(machine.weights[name].size for name in list_names(machine.count_blocks()))


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def list_problems(rows):
    """Yield what does not fit: the stored weights are those of the smallest held-out loss, from these very names."""
    *trained, stored = rows
    if abs(min(row["loss"] for row in trained) - stored["loss"]) > 0.02:
        yield f"the stored weights have a loss of {stored['loss']}, those trained here {trained}"
    for what, file in (("text", FILE), ("weights", FILE_OF_NAMES)):
        if stored[what] != digest(file.read_bytes()):
            yield f"{file.name} is not the file that was used"


RUNNER = Runner(
    run, list_problems, [{"steps": 300, "loss": 1.9}, {"loss": 2.5, "text": "", "weights": "", "numbers": 0}]
)

if __name__ == "__main__":
    _, _, best = min(train(), key=lambda trained: trained[1])
    np.savez_compressed(FILE_OF_NAMES, **best)
