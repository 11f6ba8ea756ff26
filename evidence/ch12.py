"""Evidence for chapter 12: what the maps of a published model show, and which stories about them hold."""

import numpy as np

from attention_course.tasks import ONE_MEANING, STAND_INS, WHY, two_senses, who_sat_where
from attention_src import sigmoid_weights

from .claims import SEEDS, Experiment, Level, Series, all_rows, claim_of, grid, most_rows, round_numbers, select_rows

SEAT_REASONS = WHY["seat"][:3]  # all but *broad*


def measure_senses(book, seed, word):
    """Return how often the nearer mean is right, and how far it and words of one meaning travel."""
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
    """Return what is left of *bank*'s move without a head of block 0: at least, and without the head of the map."""
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
    """Return what is left without heads of block 0 of the distance to another order of words, and to another word."""
    row, most = {}, {}
    for kind, left in zip(("order", "word"), book.shares_left(seed, the), strict=True):
        most[f"{kind}_most"] = int(np.argmin(left))  # the head that is missed most
        row |= {f"{kind}_left": left.pop(2), f"{kind}_others": min(left)}
    return most | round_numbers({name: float(value) for name, value in row.items()})


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
    "order": Experiment(measure_order, ("shares_left",), grid(seed=DRAWS, the=["the ", ""])),
    "it": Experiment(measure_it, ("from_it", "it_moves"), grid(seed=SEEDS)),
}

BANK, MATCH, THE, BARE = {"word": "bank"}, {"word": "match"}, {"the": "the "}, {"the": ""}
GUESSING = Level(0.5, "guessing")


def count_most(rows, where):
    """Return in how many draws head 0.2 is missed most for the order, at most any other head, and 0.2 for a word."""
    order, word = ([row[f"{kind}_most"] for row in select_rows(rows, **where)] for kind in ("order", "word"))
    return order.count(2), max(order.count(head) for head in range(12) if head != 2), word.count(2)


def leads_for_order(rows):
    """Return whether head 0.2 is missed most more often for the order than for a word, and leads without *the*."""
    (with_the, _, word_with_the), (order, others, word) = (count_most(rows, where) for where in (THE, BARE))
    return with_the > word_with_the and order > max(others, word)


senses_claim = claim_of(
    "senses", "5 draws of an opening, five pairs of endings and the words that stand for each sense"
)
fetchers_claim = claim_of("fetchers", "10 seeds")
sink_claim = claim_of("sink", "5 draws each of three kinds of sentences")
it_claim = claim_of("it", "5 draws of who sat where, all reasons")
CLAIMS = [
    senses_claim(
        "With *tree*, the test is right nearly as often as with *bank*.",
        all_rows(lambda row: row["others_right"] >= 0.75, **BANK),
        wrong_if="Wrong if, for any draw, the nearer mean is right for fewer than 75% of the sentences with words of "
        "one meaning, on average over 14 words and six layers.",
        shows=Series("others_right", "share right with 14 words of one meaning, mean over six layers", BANK),
        baseline=GUESSING,
        best=Level(1, "all right"),
        rival=Series("right", "with “bank” after one block", BANK),
    ),
    senses_claim(
        "After two blocks, *bank* has moved further along the path than any other word we tried",
        all_rows(lambda row: row["moved"] > row["others_moved"], **BANK),
        wrong_if="Wrong if, for any draw, one of 14 words of one meaning moves at least as far as “bank” does.",
        shows=Series("moved", "how far “bank” moves along its path in two blocks, counted from 0", BANK),
        baseline=Series("others_moved", "the farthest of 14 words of one meaning", BANK),
    ),
    senses_claim(
        "With their own endings and comparison words, *match* (fire or sport) usually passes the same test in layer 2, "
        "but *bat* (animal or sport) fails",
        lambda rows: (
            most_rows(lambda row: row["moved"] > row["others_moved"], **MATCH)(rows)
            and all_rows(lambda row: row["moved"] < row["others_moved"], word="bat")(rows)
        ),
        wrong_if="Wrong if in at least half of the draws, one of four words of one meaning moves at least as far as "
        "“match” does, or if for any draw none of them moves further than “bat” does.",
        shows=Series("moved", "how far “match” moves along its path in two blocks", MATCH),
        baseline=Series("others_moved", "the farthest of four words of one meaning", MATCH),
        rival=Series("moved", "how far “bat” moves", {"word": "bat"}),
    ),
    senses_claim(
        "In layer 6, however, the test no longer favours *bank*",
        most_rows(lambda row: row["car_at_end"] > 0.75 * row["end"], **BANK),
        wrong_if="Wrong if in at least half of the draws, “car” moves at most 75% as far as “bank” does in layer 6.",
        shows=Series("car_at_end", "how far “car” moves in layer 6, counted from 0", BANK),
        baseline=Series("end", "how far “bank” moves in layer 6, counted from 0", BANK),
        refuting_values={"car_at_end": 0.0},
    ),
    claim_of("carriers", "5 draws of an opening and five pairs of endings")(
        "No single head is needed to bring the sense to *bank*",
        all_rows(lambda row: row["least"] > 0.6),
        wrong_if="Wrong if, for any draw, at most 60% of the move of “bank” is left without some head of block 0.",
        shows=Series("least", "smallest share of the move left without a head"),
        page="0.82",
        baseline=Level(0, "one head brings all of it"),
        best=Level(1, "the head is not missed"),
    ),
    fetchers_claim(
        "To be able to fetch nothing, the network has made an empty place.",
        most_rows(lambda row: row["idle"] > 0.95 and row["first"] < 0.05 * row["letters"]),
        wrong_if="Wrong if in at least half of the networks, the head gives START at most 95% of its weight with "
        "nothing to fetch, or if the value of START is at least 5% as long as that of a letter.",
        shows=Series("idle", "weight on START with nothing to fetch"),
        page="1.00",
        baseline=Level(1 / 7, "even weights over START and six letters, about the middle of a text"),
        best=Level(1, "all of the weight"),
    ),
    fetchers_claim(
        "Ten other seeds give the same result.",
        all_rows(lambda row: row["idle"] > 0.9 and row["first"] < 0.1 * row["letters"]),
        wrong_if="Wrong if in any network, the head gives START at most 90% of its weight with nothing to fetch, or if "
        "the value of START is at least 10% as long as that of a letter.",
        shows=Series("first", "length of the value of START"),
        page="0.00",
        baseline=Series("letters", "length of the value of a letter"),
    ),
    fetchers_claim(
        "When there is nothing to fetch, its weights add up to only 0.01",
        most_rows(lambda row: row["free_sum"] < 0.05),
        wrong_if="Wrong if in at least half of the networks, the sigmoid weights have a sum of at least 0.05 with "
        "nothing to fetch.",
        shows=Series("free_sum", "sum of sigmoid weights with nothing to fetch"),
        page="0.01",
        baseline=Level(1, "the sum of softmax weights"),
    ),
    fetchers_claim(
        "With softmax and no START, the network can't keep silent, and its error stays at 0.10.",
        all_rows(lambda row: row["bare_error"] > max(0.05, row["free_error"])),
        wrong_if="Wrong if any network with softmax and no START has an error of at most 0.05, or no larger an error "
        "than the network with sigmoid weights.",
        shows=Series("bare_error", "error with softmax and no START"),
        page="0.10",
        baseline=Series("free_error", "error with sigmoid weights and START"),
    ),
    sink_claim(
        "In these sentences, half of all attention goes to [CLS], a token that isn't a word.",
        all_rows(lambda row: 0.4 < row["mean"] < 0.6),
        wrong_if="Wrong if, for any kind and draw, [CLS] gets at most 40% or at least 60% of the attention, on average "
        "over all heads.",
        shows=Series("mean", "weight on [CLS], mean over all heads"),
        page="0.49",
        baseline=Level(1 / 12, "weight spread evenly over 12 tokens"),
    ),
    sink_claim(
        "its value is 0.04 times as long as the values of a sentence's ten words are on average",
        all_rows(lambda row: row["length"] < 0.1),
        wrong_if="Wrong if, for any kind and draw, the value that these heads find at [CLS] is at least 10% as long as "
        "the values at words.",
        shows=Series("length", "relative length of the value at [CLS] where it gets more than 0.7 of the weight"),
        page="0.04",
        baseline=Level(1, "as long as the values at words"),
    ),
    sink_claim(
        "[CLS] is almost useless as a source and indispensable as a place.",
        all_rows(lambda row: row["cls_zero"] < 0.05 < row["cls_hide"] and row["cls_hide"] > row["apart"] / 2),
        wrong_if="Wrong if, for any kind and draw, the sentence moves by at least 0.05 without the value of [CLS], or "
        "without its key by no more than half the distance to another sentence.",
        shows=Series("cls_hide", "distance a sentence moves with the key of [CLS] hidden"),
        page="0.394",
        baseline=Series("cls_zero", "with the value of [CLS] set to 0"),
        rival=Series("apart", "distance to another sentence"),
    ),
    sink_claim(
        "Hiding [SEP] moves the sentence by only 0.004.",
        all_rows(lambda row: row["sep_hide"] < row["cls_hide"] / 10),
        wrong_if="Wrong if, for any kind and draw, hiding the key of [SEP] moves the sentence at least 10% as far as "
        "hiding that of [CLS].",
        shows=Series("sep_hide", "distance a sentence moves with the key of [SEP] hidden"),
        page="0.004",
        baseline=Series("cls_hide", "with the key of [CLS] hidden"),
    ),
    claim_of("order", "20 draws of nouns and a verb, with and without “the”")(
        "In 8 of 20 more draws, head 0.2 is the one that the order misses most (no other head in more than 4), and in "
        "1, it is the one that the word misses most. When we leave out *the* (*dog chased cat*), these counts are 13, "
        "2 and, again, 1.",
        leads_for_order,
        wrong_if="Wrong if, with or without “the”, head 0.2 is missed most for the order in no more draws than for a "
        "word, or if, without “the”, another head is missed most for the order in as many draws.",
        shows=Series("order_left", "share of the distance to the other order left without head 0.2", BARE),
        baseline=Series("word_left", "the same for another word", BARE),
        rival=Series("order_others", "smallest share of the order left without another head of its block", BARE),
        refuting_values={"order_most": 3},
    ),
    it_claim(
        "*broad* shifts its weight furthest",
        all_rows(lambda row: row["broad"] < row["seat"] - 0.1),
        wrong_if="Wrong if, for any draw, head 3.1 shifts its weight to the seat as far after “soft”, “wooden” or "
        "“clean” as after “broad”, to within 0.1.",
        shows=Series("broad", "weight on the sitter minus weight on the seat, after “broad”"),
        baseline=Series("seat", "least of “soft”, “wooden” and “clean”"),
        rival=Series("sitter", "least of the reasons that fit a sitter"),
    ),
    it_claim(
        "On average over all sentences, head 5.11 stays with the sitter for *every* reason",
        most_rows(lambda row: row["always"] > 0.75),
        wrong_if="Wrong if in at least half of the draws, head 5.11 gives the seat more after at least a quarter of "
        "the eight reasons.",
        shows=Series("always", "share of reasons after which head 5.11 gives the sitter more"),
        page="1.00",
        baseline=GUESSING,
        best=Level(1, "after every reason"),
    ),
    it_claim(
        "*it* moves less without head 5.11 than without any other head of its block",
        most_rows(lambda row: row["left"] < row["others"]),
        wrong_if="Wrong if in at least half of the draws, removing another head of block 5 leaves at most as much of "
        "the move as removing head 5.11 does.",
        shows=Series("left", "share of the move left without head 5.11"),
        page="0.72",
        baseline=Series("others", "smallest share left without another head of its block"),
    ),
]
