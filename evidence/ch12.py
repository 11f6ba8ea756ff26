"""Evidence for chapter 12: what the maps of a published model show, and what its heads are for."""

import numpy as np

from attention_course.tasks import WHY, two_senses, who_sat_where

from .claims import SEEDS, Experiment, Level, Series, all_rows, claim_of, grid, most_rows, round_numbers, select_rows

WORDS = ("bank", "bat", "match")
NOUNS = "dog cat boy king girl queen teacher doctor lion horse wolf mouse".split()
VERBS = "chased helped saw followed pushed loved".split()
TOO_LARGE = ("trophy suitcase", "book bag", "ball box", "lamp drawer", "coat chest", "bottle basket", "table room")


def write_sentences(seed, kind):
    """Return sentences that the page may not have: two senses of a word, or who sat where and why."""
    if kind in WORDS:
        return two_senses(kind, seed=seed)[0][::8]
    return [f"the {a} sat on the {b} because it was {WHY[kind][seed % 4]}" for a, b, *_ in who_sat_where(8, seed)]


def measure_senses(book, seed, word):
    """Return how often the nearer mean is right in the layers, with other openings and endings."""
    sentences = two_senses(word, seed=seed)
    layers = book.by_layer(*sentences, word)
    unfair = book.by_layer(*book.careless(*sentences))[0] if word == "bank" else 1.0
    means = round_numbers({"rest": np.mean(layers[2:]), "mean": np.mean(layers[1:])})
    return {"start": layers[0], "first": layers[1], "unfair": unfair} | means


def remove_heads(book, measure):
    """Return how much a similarity grows without head 0.2, at most without another of its block, and up to 1."""
    whole = measure()
    nearer = [round(one - whole, 5) for one in book.without_each(0, measure)]
    return nearer.pop(2), max(nearer), round(1 - whole, 5)


def measure_order(book, seed):
    """Return what head 0.2 attends to, and how much nearer two orders of words come without it."""
    random = np.random.default_rng(seed)
    nouns = random.permutation(NOUNS)[:4].reshape(2, 2)
    verbs = random.permutation(VERBS)[:2]
    smallest = min(float(book.before(write_sentences(seed, kind)).min()) for kind in (*WORDS, "seat"))
    nearer, others, gap = remove_heads(book, lambda: book.exchanged(nouns, verbs))
    return {"smallest": round(smallest, 4), "gap": gap, "nearer": nearer, "others_nearer": others}


def measure_bare_order(book, seed):
    """Return the same for sentences without *the*."""
    random = np.random.default_rng(seed)
    nouns, verbs = random.permutation(NOUNS)[:6].reshape(3, 2), random.permutation(VERBS)[:2]

    def measure():
        both = [[book.sentence(f"{x} {verb} {y}") for x, y in (pair, pair[::-1])] for pair in nouns for verb in verbs]
        return float(np.mean([one @ two for one, two in both]))

    nearer, others, gap = remove_heads(book, measure)
    return {"lost": nearer, "others": others, "gap": gap}


def measure_first_token(book, seed, kind):
    """Return the weight on [CLS] and the length of its value, in other sentences."""
    texts = write_sentences(seed, kind)
    weight, ratio = book.to_first(texts), book.value_length(texts)
    groups = {"most": weight > 0.7, "between": (weight >= 0.2) & (weight <= 0.7), "least": weight < 0.2}
    row = {"mean": weight.mean(), "largest": weight[4, 5], "its_value": ratio[4, 5]}
    row |= {f"where_{name}": ratio[heads].mean() for name, heads in groups.items()}
    return {"heads": int(groups["most"].sum())} | round_numbers(row)


def measure_it(book, seed):
    """Return to whom *it* attends in heads 3.1 and 5.11, and what is left of its move without them."""
    pairs = who_sat_where(6, seed)
    more = {kind: book.from_it(pairs, WHY[kind]) for kind in ("sitter", "seat")}
    more = {kind: weights[..., 0] - weights[..., 1] for kind, weights in more.items()}  # on who sat, minus on the seat
    swings = (more["sitter"] - more["seat"]).flatten()
    row = round_numbers({"swing": swings.max(), "next": swings.topk(2).values[1]}) | {"best": int(swings.argmax())}
    for kind, weight in more.items():
        row |= round_numbers({f"11_{kind}": weight[5, 11], f"31_{kind}": weight[3, 1]})
        last, low, _, third, *_ = book.left(pairs[:4], WHY[kind][seed % 4])
        row |= round_numbers({f"last_{kind}": last, f"low_{kind}": low, f"third_{kind}": third}, 3)
    return row


def exchange_reason(book, seed):
    """Return what is left of the move of *it* without each head of block 3, when *tired* becomes *soft*."""
    pairs = who_sat_where(4, seed)

    def it(sitter, seat, why):
        return book.unit(book.model(f"the {sitter} sat on the {seat} because it was {why}")[1][-1, 8])

    def measure():
        reasons = [*zip(*WHY.values(), strict=True)]
        return float(np.mean([1 - it(a, b, one) @ it(a, b, two) for a, b, *_ in pairs for one, two in reasons]))

    whole = measure()
    left = [round(move / whole, 3) for move in book.without_each(3, measure)]
    return {"third": left.pop(1), "low": min(left)}


def measure_misfits(book, seed):
    """Return how far head 3.1 turns to what does not fit, from where *it* is too small to where it is too large."""
    swings = []
    for pair in np.random.default_rng(seed).permutation(TOO_LARGE)[:4]:
        one, other = pair.split()
        more = []
        for size in ("large", "small"):
            tokens, _, weights = book.model(f"the {one} does not fit in the {other} because it is too {size}")
            from_it = weights[3, 1, tokens.index("it")]
            more.append(float(from_it[tokens.index(one)] - from_it[tokens.index(other)]))
        swings.append(more[0] - more[1])
    return round_numbers({"swing": np.mean(swings)})


def measure_every_head(book, seed, kind):
    """Return how far sentences move without each head in turn."""
    texts = write_sentences(seed, kind)[:2]
    lost = book.losses(texts)
    row = {"median": lost.median(), "early": lost[:5].median(), "last": lost[5].median()}
    apart = 1 - book.sentence(texts[0]) @ book.sentence(texts[1])
    return round_numbers(row, 5) | round_numbers({"apart": apart})


EXPERIMENTS = {
    "senses": Experiment(measure_senses, ("by_layer", "careless"), grid(seed=SEEDS, word=WORDS)),
    "order": Experiment(measure_order, ("before", "exchanged", "without_each"), grid(seed=SEEDS)),
    "bare": Experiment(measure_bare_order, ("sentence", "without_each"), grid(seed=SEEDS)),
    "first": Experiment(
        measure_first_token, ("to_first", "value_length"), grid(seed=SEEDS, kind=["sitter", "seat", "bank", "match"])
    ),
    "it": Experiment(measure_it, ("from_it", "left"), grid(seed=range(SEEDS[0], SEEDS[0] + 10))),
    "reason": Experiment(exchange_reason, ("model", "unit", "without_each"), grid(seed=SEEDS)),
    "things": Experiment(measure_misfits, ("model",), grid(seed=SEEDS)),
    "heads": Experiment(measure_every_head, ("losses", "sentence"), grid(seed=SEEDS, kind=["sitter", "seat"])),
}

OTHER_WORDS = {"word": ["bat", "match"]}
UNREAD = "share right in layer 0, which has read no other token"
EVEN = Level(1 / 12, "weight spread evenly over 12 tokens")
LIKE_WORDS = Level(1.0, "as long as the values at words")
ALL_WEIGHT = Level(1.0, "all of the weight")
ALL_RIGHT = Level(1.0, "every sentence right")


def is_bank_ahead(rows):
    """Return whether, with each seed, *bat* and *match* are right less often than *bank* over the six blocks."""
    banks = select_rows(rows, word="bank")
    others = [(bank, row) for bank in banks for row in select_rows(rows, seed=bank["seed"], **OTHER_WORDS)]
    return bool(others) and all(row["mean"] < bank["mean"] for bank, row in others)


senses_claim = claim_of("senses", "5 draws of openings and endings")
first_claim = claim_of(
    "first", "5 draws each of four kinds of sentences: two about who sat where, two with a word of two senses"
)
it_claim = claim_of("it", "10 draws of who sat where, all reasons")
heads_claim = claim_of("heads", "5 draws each of two kinds of sentences")
CLAIMS = [
    senses_claim(
        "After one block nearly every *bank* is on the right side.",
        all_rows(lambda row: row["first"] >= 0.9, word="bank"),
        wrong_if="Wrong if, for any draw of openings and endings, fewer than 90% of the sentences with “bank” are on "
        "the right side after one block.",
        shows=Series("first", "share of sentences with “bank” on the right side after one block", {"word": "bank"}),
        page="0.97",
        baseline=Series("start", UNREAD, {"word": "bank"}),
        best=ALL_RIGHT,
    ),
    senses_claim(
        "Now layer 0 is right about the sense without having read the sentence.",
        all_rows(lambda row: row["unfair"] >= 0.9, word="bank"),
        wrong_if="Wrong if, for any draw of openings and endings, layer 0 is right for fewer than 90% of the sentences "
        "of the careless collection.",
        shows=Series(
            "unfair", "share right in layer 0, short openings for money and long ones for rivers", {"word": "bank"}
        ),
        page="1.00",
        baseline=Series("start", "share right in layer 0, the same openings for both", {"word": "bank"}),
        best=ALL_RIGHT,
    ),
    senses_claim(
        "With these endings *bat* and *match* stay below *bank*, on average over the six blocks.",
        is_bank_ahead,
        wrong_if="Wrong if, for any draw of openings and endings, “bat” or “match” is right at least as often as "
        "“bank”, on average over the six blocks.",
        shows=Series("mean", "share right for “bat” and “match”, mean over six blocks", OTHER_WORDS),
        baseline=Series("start", UNREAD, OTHER_WORDS),
        rival=Series("mean", "share right for “bank”, mean over six blocks", {"word": "bank"}),
        refuting_values={"mean": 0.9},
    ),
    claim_of("senses", "three words; 5 draws of openings and endings")(
        "All start at the baseline and jump in the first block. On average the later blocks change less",
        all_rows(lambda row: row["first"] >= 0.65 and abs(row["rest"] - row["first"]) < row["first"] - 0.5),
        wrong_if="Wrong if, for any word and draw, fewer than 65% of the sentences are right after the first block, or "
        "the change from the first block to the mean of the later blocks is at least as large as the jump from 50% in "
        "the first block.",
        shows=Series("first", "share right after the first block"),
        page="0.97",
        baseline=Series("start", UNREAD),
        best=ALL_RIGHT,
    ),
    claim_of("order", "5 draws each of four kinds of sentences")(
        "Head 0.2 gives the token before more than 0.9 of its weight, in every sentence we tried.",
        all_rows(lambda row: row["smallest"] > 0.9),
        wrong_if="Wrong if, for any token of some sentence, head 0.2 gives the token before it a weight of at most "
        "0.9.",
        shows=Series("smallest", "smallest weight on the token before"),
        page="0.986",
        baseline=EVEN,
        best=ALL_WEIGHT,
    ),
    claim_of("order", "5 draws of nouns and verbs")(
        "With other nouns, ablating the head sometimes mattered.",
        lambda rows: any(row["nearer"] > max(0, row["others_nearer"]) for row in rows),
        wrong_if="Wrong if for every draw of nouns and verbs, removing head 0.2 does not bring the two orders nearer "
        "together, or removing another head of the block brings the two orders at least as near together.",
        shows=Series("nearer", "gain in similarity of the two orders with head 0.2 removed"),
        baseline=Series("others_nearer", "largest gain with another head of the block removed"),
        rival=Series("gap", "distance between the two orders"),
    ),
    claim_of("bare", "5 draws of nouns and verbs")(
        "And without *the* (*dog chased cat*), for most of five random choices of nouns and verbs, ablating this head "
        "brought the two orders nearer together than ablating any other head of the block.",
        most_rows(lambda row: row["lost"] > max(0, row["others"])),
        wrong_if="Wrong if in at least half of the draws, removing head 0.2 does not bring the two orders nearer "
        "together, or removing another head of the block brings the two orders at least as near together.",
        shows=Series("lost", "gain in similarity of the two orders with head 0.2 removed"),
        baseline=Series("others", "largest gain with another head of the block removed"),
        rival=Series("gap", "distance between the two orders"),
    ),
    first_claim(
        "In these sentences about half of all attention goes to a token that is not a word.",
        all_rows(lambda row: 0.4 <= row["mean"] <= 0.6),
        wrong_if="Wrong if, for any kind and draw of sentences, [CLS] gets less than 40% or more than 60% of the "
        "attention, on average over all heads.",
        shows=Series("mean", "weight on [CLS], mean over all heads"),
        page="0.49",
        baseline=EVEN,
    ),
    first_claim(
        "The heads with most weight on [CLS] find almost nothing there",
        all_rows(lambda row: row["heads"] >= 5 and row["where_most"] < 0.1),
        wrong_if="Wrong if, for any kind and draw of sentences, fewer than five heads give [CLS] more than 0.7 of "
        "their weight, or the value that these heads find at [CLS] is on average at least 10% as long as the values at "
        "words.",
        shows=Series("where_most", "relative length of the value at [CLS] in the heads that give [CLS] most weight"),
        page="0.04",
        baseline=LIKE_WORDS,
    ),
    first_claim(
        "It is much longer only in the four heads that give [CLS] least",
        all_rows(lambda row: row["where_least"] > 3 * max(row["where_most"], row["where_between"])),
        wrong_if="Wrong if, for any kind and draw of sentences, the value at [CLS] is on average at most 3 times as "
        "long in the heads that give [CLS] least weight as in the heads in between or in the heads that give [CLS] "
        "most.",
        shows=Series("where_least", "relative length of the value at [CLS] in the heads that give [CLS] least weight"),
        page="0.71",
        baseline=Series("where_between", "the same in the heads in between"),
        best=LIKE_WORDS,
    ),
    first_claim(
        "By weight, this head attends to [CLS] and to little else.",
        all_rows(lambda row: row["largest"] > 0.7 and row["its_value"] < 0.1),
        wrong_if="Wrong if, for any kind and draw of sentences, head 4.5 gives [CLS] at most 0.7 of its weight, or the "
        "value that head 4.5 finds at [CLS] is at least 10% as long as the values at words.",
        shows=Series("largest", "weight of head 4.5 on [CLS]"),
        baseline=EVEN,
        best=ALL_WEIGHT,
    ),
    it_claim(
        "Head 3.1 turns with the reason, since in these sentences it gives, on average, more to the sitter when the "
        "sitter was tired, and more to the seat when the seat was soft.",
        lambda rows: (
            all_rows(lambda row: row["best"] == 12 * 3 + 1 and row["swing"] > 2 * row["next"])(rows)
            and most_rows(lambda row: row["31_sitter"] > 0 > row["31_seat"])(rows)
        ),
        wrong_if="Wrong if, for any draw, the swing of head 3.1 is at most twice the swing of another head, or in at "
        "least half of the draws, head 3.1 gives at least as much weight to the seat after reasons such as “tired”, or "
        "to who sat after reasons such as “soft”.",
        shows=Series("swing", "swing of head 3.1"),
        page="0.43",
        baseline=Series("next", "the second largest swing of the 72 heads"),
    ),
    claim_of("things", "5 draws of four pairs of things, too large or too small")(
        "with five random choices of such things, 3.1 did not turn to the thing that is meant.",
        all_rows(lambda row: row["swing"] < 0.05),
        wrong_if="Wrong if, for any draw of things, head 3.1 has a swing of at least 0.05 towards the thing that is "
        "meant.",
        shows=Series("swing", "swing of head 3.1 towards the thing that is meant"),
        baseline=Level(0.0, "no turn"),
        refuting_values={"swing": 0.4},
    ),
    it_claim(
        "Head 5.11, on average, gives more to the sitter after both kinds of reason.",
        most_rows(lambda row: min(row["11_sitter"], row["11_seat"]) > 0),
        wrong_if="Wrong if in at least half of the draws, head 5.11 gives at least as much weight to the seat as to "
        "who sat after reasons of one of the two kinds.",
        shows=Series("11_seat", "weight on who sat minus weight on the seat, after reasons such as “soft”"),
        baseline=Level(0.0, "equal weight on both"),
    ),
    claim_of("it", "10 draws of who sat where, a reason of each kind")(
        "Without 5.11 less of the move is left than without any other head of its block.",
        lambda rows: (
            most_rows(lambda row: row["last_sitter"] < row["low_sitter"])(rows)
            and most_rows(lambda row: row["last_seat"] < row["low_seat"])(rows)
        ),
        wrong_if="Wrong if, for any kind of reason, in at least half of the draws, removing another head of block 5 "
        "leaves at most as much of the move as removing head 5.11 does.",
        shows=Series("last_sitter", "share of the move left with head 5.11 removed"),
        page="0.71",
        baseline=Series("low_sitter", "smallest share left with another head of its block removed"),
    ),
    claim_of("reason", "5 draws of who sat where, all reasons")(
        "with five random choices of who sat where, about nine tenths of this move or more was left without 3.1.",
        all_rows(lambda row: row["third"] > 0.85),
        wrong_if="Wrong if, for any draw of who sat where, at most 85% of the move is left with head 3.1 removed.",
        shows=Series("third", "share of the move left with head 3.1 removed"),
        baseline=Series("low", "smallest share left with another head of its block removed"),
        best=Level(1.0, "the whole move is left"),
        refuting_values={"third": 0.5},
    ),
    heads_claim(
        "The last block stands out.",
        all_rows(lambda row: row["last"] > 3 * row["early"]),
        wrong_if="Wrong if, for any kind and draw of sentences, removing the median head of the last block moves "
        "sentences at most 3 times as far as removing the median head of the earlier blocks does.",
        shows=Series("last", "distance a sentence moves with the median head of the last block removed"),
        page="0.0181",
        baseline=Series("early", "the same for the earlier blocks"),
    ),
    heads_claim(
        "Another sentence is 0.389 away, more than a hundred times as far.",
        all_rows(lambda row: row["median"] < 0.005 and row["apart"] > 100 * row["median"]),
        wrong_if="Wrong if, for any kind and draw of sentences, removing the median head moves sentences by at least "
        "0.005, or by at least 1% of the distance to another sentence.",
        shows=Series("median", "distance a sentence moves with the median head removed"),
        page="0.0016",
        baseline=Series("apart", "distance to another sentence"),
    ),
]
