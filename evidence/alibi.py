"""Write what is kept of the networks of chapters 3 and 6, for a picture and for cells: `python -m evidence.alibi`.

A cell of each chapter asserts that its file holds what its networks do.
"""

import numpy as np

from attention_course import alibi, trained
from book.chapter import find_path

from .claims import load_book

if __name__ == "__main__":
    letters, readers = (
        load_book(find_path(number), uses)
        for number, uses in (("03", ("train", "letters")), ("06", ("torch", "train", "take_weights")))
    )
    models = {name: letters.train(name, letters.letters, steps=200) for name in alibi.NETWORKS}
    np.savez_compressed(alibi.FILE, **alibi.record_alibi(models, letters.letters.target_text))
    kept = {
        f"{heads}/{seed}/{name}": weights.astype("float16")
        for heads in (1, 2, 4)
        for seed in range(3)
        for name, weights in readers.take_weights(readers.train(heads, seed)).items()
    }
    np.savez_compressed(trained.FILE, **kept)
