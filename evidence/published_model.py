"""The published encoder in our blocks against another implementation of it: the result `published-model`.

python -m evidence.published_model     write the maps that are stored for people who have no model
"""

import numpy as np

from attention_course.encoder import encode, read_vocabulary, read_weights, tokenize
from attention_course.maps import FILE, SENTENCES
from attention_src.models.bert import BertEncoder, minilm
from attention_src.models.published import FILES, published_folder

from .engine import Runner, pause
from .requirements import install

TEXTS = (
    "That is a happy person",
    "the cat sat on the mat because it was tired",
    "The bank's café closed at 9:30, didn't it?",
    "나는 밥을 먹었다",
    "word " * 200,
)
MOST = 1e-5


def run():
    """Return a row for each text and layer: the largest difference of any state and of any head's weights."""
    with pause():
        install("published_model")
        import torch
        from transformers import BertModel

    folder = published_folder()
    ours = BertEncoder.from_folder(folder)
    theirs = BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    rows = []
    for text in TEXTS:
        tokens, states, weights = ours(text)
        ids = torch.tensor([ours.tokenizer.encode(text).ids])
        with torch.no_grad():
            other = theirs(input_ids=ids, output_hidden_states=True, output_attentions=True)
        for layer, state in enumerate(other.hidden_states):
            row = {"text": text[:40], "tokens": len(tokens), "layer": layer}
            row["states"] = float(f"{(state[0] - states[layer]).abs().max():.1e}")
            if layer:
                row["weights"] = float(f"{(other.attentions[layer - 1][0] - weights[layer - 1]).abs().max():.1e}")
            rows.append(row)
    return rows


def list_problems(rows):
    """Yield what differs by more than 1e-5, texts."""
    if len(rows) != 7 * len(TEXTS):
        yield f"{len(rows)} layers were compared, not {7 * len(TEXTS)}"
    for row in rows:
        for what in ("states", "weights"):
            if row.get(what, 0) > MOST:
                yield f"{what} of layer {row['layer']} differ by {row[what]} for {row['text']!r}"


def maps():
    """Return the arrays that `attention_course.maps` reads: of each sentence its tokens, and its weights in 255ths."""
    found, model = {}, minilm()
    for i, text in enumerate(SENTENCES):
        tokens, _, weights = model(text)
        found |= {f"tokens_{i}": np.array(tokens), f"weights_{i}": (weights.numpy() * 255).round().astype("uint8")}
    return found | measure_heads(SENTENCES[0])


def measure_heads(text):
    """Return how long that is which each head takes in a text, and how far the sentence moves without the head."""
    folder = published_folder()
    weights, ids = read_weights(folder / FILES[2]), tokenize(text, read_vocabulary(folder / FILES[1]))
    whole, moved = encode(ids, weights), np.zeros((6, 12))
    for off in np.ndindex(moved.shape):
        now = encode(ids, weights, off=off, below=whole["states"][: off[0] + 1])["sentence"]
        moved[off] = 1 - now @ whole["sentence"]
    lengths = np.linalg.norm(whole["outputs"], axis=-1).mean(axis=-1)
    return {"lengths": lengths.astype(float).round(4), "moved": moved.round(4)}


WRONG = [{"text": "", "tokens": 3, "layer": 1, "states": 0.1, "weights": 0.0}]
RUNNER = Runner(run, list_problems, WRONG, is_exact=False)

if __name__ == "__main__":
    np.savez_compressed(FILE, **maps())
