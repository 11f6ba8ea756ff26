"""What two networks of chapter 3 write when a text gets the keys of another text: kept for the picture at its top."""

from pathlib import Path

import numpy as np
import torch

from .alignment import read_keys, use_keys

NETWORKS = ("general", "additive")
TEXT = "chafed"
DONORS = (("chafed", 0), ("chabed", 0), ("decade", 0), ("headache", 0), ("headache", 1), ("headache", 2))
FILE = Path(__file__).with_suffix(".npz")  # written by `python -m evidence.alibi`


def record_alibi(models, vocabulary):
    """Let each network write `TEXT` backwards with the keys of each of `DONORS`.

    `models` is a dict of str: Seq2Seq, trained to write letters backwards, by the names in `NETWORKS`; `vocabulary` is
    the Vocabulary of the letters. Return a dict of arrays: `scores` (networks, donors, n, m), up to what softmax does
    not see, in hundredths; `written` (networks, donors).

    >>> from attention_course.tasks import Vocabulary
    >>> from attention_src.models.seq2seq import Seq2Seq
    >>> models = {name: Seq2Seq(10, 10, 2, 4, 4, name) for name in NETWORKS}
    >>> record_alibi(models, Vocabulary(["abcdefgh"]))["scores"].shape
    (2, 6, 6, 6)
    """
    text = torch.tensor(vocabulary.encode([TEXT])[0])
    scores, written = [], []
    for name in NETWORKS:
        for donor, first in DONORS:
            numbers, lengths = map(torch.tensor, vocabulary.encode([donor]))
            keys = read_keys(models[name], (numbers, lengths))
            with use_keys(models[name], keys[:, first : first + len(TEXT)]):
                characters, weights = models[name].generate(text, len(TEXT))
            scores.append(100 * weights[0].log().clamp(min=-20))
            written += vocabulary.decode(characters)
    size = len(NETWORKS), len(DONORS)
    scores = torch.stack(scores).round().numpy().astype("int16")
    return {"scores": scores.reshape(*size, *scores.shape[1:]), "written": np.array(written).reshape(size)}


def stored_alibi():
    """Return what `record_alibi` found for the networks of chapter 3, as a dict.

    It holds `text`, str; `networks`, list of str; `donors`, list of (text, first place); `scores`, a NumPy array
    (networks, donors, n, m) whose softmax are the weights; `written`, a list of str for each network.

    >>> alibi = stored_alibi()
    >>> alibi["text"], alibi["scores"].shape, alibi["written"][0][0]
    ('chafed', (2, 6, 6, 6), 'defahc')
    """
    with np.load(FILE) as file:
        kept = {"scores": file["scores"] / 100, "written": file["written"].tolist()}
    return {"text": TEXT, "networks": [*NETWORKS], "donors": [list(donor) for donor in DONORS], **kept}
