"""Write the file that the page of chapter 9 computes with: `python -m evidence.word_vectors`.

A cell of the chapter, which the page does not show, asserts that the file holds what its training does.
"""

import numpy as np

from attention_course.word_vectors import FILE, NAMES, STEPS, TOPICS
from attention_src.models.bert import minilm
from book.chapter import find_path

from .claims import load_book

KEPT = (0, 25, 100, 400)


def find_rows(words):
    """Return the numbers and the rows of some words, each of which is one token, in the published model's table."""
    model = minilm()
    numbers = [model.tokenizer.encode(word, add_special_tokens=False).ids for word in words]
    if split := [word for word, ids in zip(words, numbers, strict=True) if len(ids) != 1]:
        raise ValueError(f"{', '.join(split)}: expected words of one token each")
    return np.ravel(numbers), model.words.weight.detach().numpy()[np.ravel(numbers)]


def find_places(course, kind):
    """Return words on a map, (steps, words, 2): of many views, the one that shows the roles furthest apart at the end.

    What is shown are directions, as in a cosine, so vectors of length 1.
    """
    course = course / np.linalg.norm(course, axis=-1, keepdims=True)
    means = np.array([course[-1][kind == k].mean(axis=0) for k in np.unique(kind)])
    basis = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)[2][:-1].T
    random, found = np.random.default_rng(0), []
    for _ in range(5000):
        view = basis @ np.linalg.qr(random.normal(size=(basis.shape[1], 2)))[0]
        gaps = np.linalg.norm((means[:, None] - means) @ view, axis=-1) + 9 * np.eye(len(means))
        found.append((gaps.min() / np.linalg.norm((course[-1] - means[kind]) @ view, axis=1).max(), view))
    places = course @ max(found, key=lambda one: one[0])[1]
    return places - (places[-1].max(axis=0) + places[-1].min(axis=0)) / 2


if __name__ == "__main__":
    uses = ("train", "mean_loss", "neighbours", "vectors", "write", "kind", "kinds")
    book = load_book(find_path("09"), uses)
    course = book.train(0, keep=STEPS)
    models = [*(course[steps] for steps in KEPT), book.train(0, start=1.0, frozen=True)[400]]
    arrays = {
        name: np.array([model[use][i] for model in models]).astype("float16")
        for use, names in NAMES.items()
        for i, name in enumerate(names)
    }
    ranks, rows = find_rows([word for topic in TOPICS.values() for word in topic.split()] + ["bank"])
    np.savez_compressed(
        FILE,
        **arrays,
        models=np.array([*map(str, KEPT), "frozen"]),
        loss=np.array([round(float(book.mean_loss(course[n])), 2) for n in STEPS]),
        neighbour=np.array([round(float(book.neighbours(book.vectors(course[n]))), 2) for n in STEPS]),
        places=np.rint(100 * find_places(np.array([book.vectors(course[n]) for n in STEPS]), book.kind)).astype(
            "int16"
        ),
        roles=np.array(book.kinds)[book.kind],
        written=np.array([[book.write(course[n], seed) for seed in range(3)] for n in STEPS]),
        rows=rows.astype("float16"),
        ranks=ranks,
    )
