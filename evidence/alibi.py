"""Write the file that the picture of chapter 3 reads: `python -m evidence.alibi`.

A cell of the chapter, which the page does not show, asserts that the file holds what its networks do.
"""

import numpy as np

from attention_course.alibi import FILE, NETWORKS, record_alibi
from book.chapter import CHAPTERS

from .claims import load_book

if __name__ == "__main__":
    (chapter,) = [path for path in CHAPTERS if path.stem.startswith("03")]
    book = load_book(chapter, ("train", "letters"))
    models = {name: book.train(name, book.letters, steps=200) for name in NETWORKS}
    np.savez_compressed(FILE, **record_alibi(models, book.letters.target_text))
