"""Evidence for chapter 12: what the maps of a published model show, and which stories about them hold."""

import numpy as np

from attention_course.tasks import ONE_MEANING, STAND_INS, WHY, two_senses, who_sat_where
from attention_src import sigmoid_weights

from .claims import SEEDS, Experiment, grid, round_numbers

NOUNS = "dog cat boy king girl queen teacher doctor lion horse wolf mouse".split()
VERBS = "chased helped saw followed pushed loved".split()
SEAT_REASONS = WHY["seat"][:3]  # all but *broad*


def measure_senses(book, seed, word):
    """Return how often the nearer mean is right, and how far a word and words of one meaning travel."""
    random, drawn = np.random.default_rng(seed), {"like": word, "endings": 5, "seed": seed}
    _, senses, pairs = two_senses(word, **drawn)
    stand_ins = [random.choice(words, 2, replace=False).tolist() for words in STAND_INS[word]]
    way = book.find_way(*stand_ins, **drawn)
    others = ONE_MEANING if word == "bank" else ONE_MEANING[:8:2]
    found = {name: book.vectors(name, **drawn) for name in (word, *others)}
    further = {name: book.travel(x, way, senses) for name, x in found.items()}
    own, right = further.pop(word), {name: book.nearer(x, senses, pairs) for name, x in found.items()}
    farthest = max(further, key=lambda name: further[name][2])
    row = {"right": right.pop(word)[1], "others_right": np.mean([by_layer[1:] for by_layer in right.values()])}
    row |= {"moved": own[2], "others_moved": further[farthest][2], "end": own[6], "car_at_end": further["car"][6]}
    return round_numbers(row) | {"farthest": farthest}


def measure_heads_of_bank(book, seed):
    """Return what is left of the way of *bank* without a head of block 0: at least, and without the head of the map."""
    drawn = {"endings": 5, "seed": seed}
    texts, senses, _ = two_senses("bank", **drawn)
    way = book.find_way(*(words[:2] for words in STAND_INS["bank"]), **drawn)
    weight, left = book.heads_of_bank(texts, way[:, 2], senses)
    return round_numbers({"least": left.min(), "of_map": left[weight.argmax()]})


def train_fetchers(book, seed):
    """Return where a small network attends with nothing to fetch: with softmax, with sigmoid, and without START."""
    row = book.look(book.train_fetcher(seed))
    free = book.look(book.train_fetcher(seed, weigh=sigmoid_weights))
    bare = book.look(book.train_fetcher(seed, start=False), start=False)
    row |= {"free_sum": free["sum"], "free_error": free["error"], "bare_error": bare["error"]}
    return round_numbers(row)


def write_sentences(seed, kind):
    """Return four sentences that the page may not have: two senses of a word, or who sat where and why."""
    if kind in STAND_INS:
        return two_senses(kind, kind, seed=seed)[0][::4]
    return [f"the {a} sat on the {b} because it was {WHY[kind][seed % 4]}" for a, b, *_ in who_sat_where(4, seed)]


def measure_sink(book, seed, kind):
    """Return the weight on [CLS], the length of its value, and what its value and its key do for the sentence."""
    texts = write_sentences(seed, kind)
    whole = [book.read(text) for text in texts]
    weight = np.mean([one["maps"][..., 0].mean(-1) for one in whole], axis=0)
    size = [np.linalg.norm(one["values"], axis=-1) for one in whole]
    ratio = np.mean([one[..., 0] / one[..., 1:-1].mean(-1) for one in size], axis=0)
    row = {
        "mean": weight.mean(),
        "length": ratio[weight > 0.7].mean(),
        "between": ratio[abs(weight - 0.45) <= 0.25].mean(),
    }
    for name, place in (("cls", 0), ("sep", -1)):
        row |= {f"{name}_{change}": np.mean(book.moves(change, place, texts)) for change in ("zero", "hide")}
    row["apart"] = np.mean([1 - whole[0]["sentence"] @ one["sentence"] for one in whole[1:]])
    return round_numbers(row)


def measure_order(book, seed, the):
    """Return how much of the distance between two orders of words is left without each head of block 0."""
    random = np.random.default_rng(seed)
    (one, other), verb = random.permutation(NOUNS)[:2].tolist(), random.choice(VERBS)
    pair = [f"{the}{a} {verb} {the}{b}" for a, b in ((one, other), (other, one))]
    left = [float(book.distance(*pair, off=(0, head)) / book.distance(*pair)) for head in range(12)]
    row = {"left": left.pop(2), "others": min(left)}
    return {"missed_most": int(row["left"] < row["others"])} | round_numbers(row)


def measure_it(book, seed):
    """Return to whom *it* attends in heads 3.1 and 5.11, and what is left of its move without heads of block 5."""
    pairs = who_sat_where(4, seed)
    weight = {why: book.from_it(pairs, why) for why in sum(WHY.values(), ())}
    more = {why: one[..., 0] - one[..., 1] for why, one in weight.items()}  # on the sitter, minus on the seat
    whole = book.it_moves(pairs[:3])
    left = [float(book.it_moves(pairs[:3], (5, head)) / whole) for head in range(12)]
    row = {"broad": more["broad"][3, 1], "seat": min(more[why][3, 1] for why in SEAT_REASONS)}
    row |= {"sitter": min(more[why][3, 1] for why in WHY["sitter"]), "left": left.pop(11), "others": min(left)}
    row["always"] = np.mean([more[why][5, 11] > 0 for why in more])
    return round_numbers(row)


DRAWS = range(SEEDS[0], SEEDS[0] + 20)
KINDS = ["sitter", "bank", "match"]
EXPERIMENTS = {
    "senses": Experiment(
        measure_senses, ("vectors", "find_way", "travel", "nearer"), grid(seed=SEEDS, word=[*STAND_INS])
    ),
    "carriers": Experiment(measure_heads_of_bank, ("find_way", "heads_of_bank"), grid(seed=SEEDS)),
    "fetchers": Experiment(
        train_fetchers, ("torch", "look", "train_fetcher"), grid(seed=range(SEEDS[0], SEEDS[0] + 10))
    ),
    "sink": Experiment(measure_sink, ("read", "moves"), grid(seed=SEEDS, kind=KINDS)),
    "order": Experiment(measure_order, ("distance",), grid(seed=DRAWS, the=["the ", ""])),
    "it": Experiment(measure_it, ("from_it", "it_moves"), grid(seed=SEEDS)),
}

CLAIMS = []
