"""Write the weights that chapter 6 keeps of its layers: `python -m evidence.trained`.

The cell that trains these layers asserts that the file holds what they do.
"""

import numpy as np

from attention_course.trained import FILE
from book.chapter import CHAPTERS

from .claims import load_book

if __name__ == "__main__":
    (chapter,) = [path for path in CHAPTERS if path.stem.startswith("06")]
    book = load_book(chapter, ("torch", "train", "take_weights"))
    kept = {
        f"{heads}/{seed}/{name}": weights.astype("float16")
        for heads in (1, 2, 4)
        for seed in range(3)
        for name, weights in book.take_weights(book.train(heads, seed)).items()
    }
    np.savez_compressed(FILE, **kept)
