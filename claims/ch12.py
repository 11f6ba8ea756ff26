"""Claims of chapter 12: what the maps of a published model show, and what its heads are for."""

import numpy as np
import torch

from attention_src.tasks import WHY, two_senses, who_sat_where
from tools.claims import SEEDS, Claim, Experiment, Fell, grid, most, spread, where

WORDS = ("bank", "bat", "match")
NOUNS = "dog cat boy king girl queen teacher doctor lion horse wolf mouse".split()
VERBS = "chased helped saw followed pushed loved".split()
LEFT = "last", "low", "high", "third", "low_third", "high_third"
TOO_LARGE = ("trophy suitcase", "book bag", "ball box", "lamp drawer", "coat chest", "bottle basket", "table room")


def told(seed, kind):
    """Eight sentences of a kind that the page may not have."""
    if kind in WORDS:
        return two_senses(kind, seed=seed)[0][::8]
    return [f"the {a} sat on the {b} because it was {WHY[kind][seed % 4]}" for a, b, *_ in who_sat_where(8, seed)]


def senses(book, seed, word):
    """How often the nearer mean is right in each layer, with other openings and endings."""
    given = two_senses(word, seed=seed)
    layers = book.by_layer(*given, word)
    unfair = book.by_layer(*book.careless(*given))[0] if word == "bank" else 1.0
    return {"start": layers[0], "first": layers[1], "rest": round(float(np.mean(layers[2:])), 4), "unfair": unfair,
            "least": min(layers[1:]), "mean": round(float(np.mean(layers[1:])), 4)}  # fmt: skip


def order(book, seed):
    """Head 0.2 in other sentences, and what its loss does to the order of words."""
    random = np.random.default_rng(seed)
    seen = torch.cat([book.before(told(seed, kind)) for kind in (*WORDS, "seat")])
    nouns = random.permutation(NOUNS)[:4].reshape(2, 2)
    verbs = random.permutation(VERBS)[:2]

    def measure():
        return book.exchanged(nouns, verbs)

    whole, others = measure(), book.without_each(0, measure)
    alike = torch.nn.Parameter(book.model.positions.weight[:1].repeat(512, 1))
    with book.changed([book.model.positions], "weight", alike):
        same = measure()
    nearer = [round(one - whole, 5) for one in others]
    lost = [abs(x) for x in nearer]
    return {"smallest": round(float(seen.min()), 4), "lost": lost.pop(2), "others": max(lost), "alike": round(same, 5),
            "gap": round(1 - whole, 5), "nearer": nearer.pop(2), "others_nearer": max(nearer)}  # fmt: skip


def bare(book, seed):
    """What the loss of head 0.2 does to the order of words where no word is *the*: above 0, the two come nearer."""
    random = np.random.default_rng(seed)
    nouns, verbs = random.permutation(NOUNS)[:6].reshape(3, 2), random.permutation(VERBS)[:2]

    def measure():
        both = [[book.sentence(f"{x} {verb} {y}") for x, y in (pair, pair[::-1])] for pair in nouns for verb in verbs]
        return float(np.mean([one @ two for one, two in both]))

    whole = measure()
    nearer = [round(one - whole, 5) for one in book.without_each(0, measure)]
    return {"lost": nearer.pop(2), "others": max(nearer), "gap": round(1 - whole, 5)}


def first(book, seed, kind):
    """The weight on [CLS] and the length of its value, in other sentences."""
    texts = told(seed, kind)
    weight, ratio = book.to_first(texts), book.value_length(texts)
    between = (weight >= 0.2) & (weight <= 0.7)
    return {"mean": round(float(weight.mean()), 4), "heads": int((weight > 0.7).sum()),
            "where_most": round(float(ratio[weight > 0.7].mean()), 4),
            "where_between": round(float(ratio[between].mean()), 4),
            "where_least": round(float(ratio[weight < 0.2].mean()), 4),
            "largest": round(float(weight[4, 5]), 4), "its_value": round(float(ratio[4, 5]), 4)}  # fmt: skip


def it(book, seed):
    """Which heads look from *it* at who sat, and what is left of the exchange without them."""
    pairs = who_sat_where(6, seed)
    by_sitter, by_seat = (book.from_it(pairs, WHY[kind]) for kind in ("sitter", "seat"))
    swing = ((by_sitter - by_seat) @ torch.tensor([1.0, -1.0])).flatten()
    best = int(swing.argmax())
    row = {"best": best, "swing": round(float(swing[best]), 4), "next": round(float(swing.topk(2).values[1]), 4)}
    for name, of in (("sitter", by_sitter), ("seat", by_seat)):
        row[f"11_{name}"] = round(float(of[5, 11] @ torch.tensor([1.0, -1.0])), 4)
        row[f"31_{name}"] = round(float(of[3, 1] @ torch.tensor([1.0, -1.0])), 4)
        numbers = book.left(pairs[:4], WHY[name][seed % 4])
        row |= {f"{key}_{name}": round(x, 3) for key, x in zip(LEFT, numbers, strict=True)}
    return row


def reason(book, seed):
    """What is left of the move of *it* without each head of block 3, when the reason is exchanged: *tired*, *soft*."""
    pairs = who_sat_where(4, seed)

    def it(who, seat, why):
        return book.unit(book.model(f"the {who} sat on the {seat} because it was {why}")[1][-1, 8])

    def measure():
        moves = [
            1 - it(a, b, one) @ it(a, b, two) for a, b, *_ in pairs for one, two in zip(*WHY.values(), strict=True)
        ]
        return float(np.mean(moves))

    whole = measure()
    left = [round(move / whole, 3) for move in book.without_each(3, measure)]
    return {"whole": round(whole, 4), "third": left.pop(1), "low": min(left), "high": max(left)}


def things(book, seed):
    """How far head 3.1 turns to what does not fit, from where *it* is too small to where it is too large."""
    swings = []
    for pair in np.random.default_rng(seed).permutation(TOO_LARGE)[:4]:
        one, other = pair.split()
        more = []
        for size in ("large", "small"):
            tokens, _, weights = book.model(f"the {one} does not fit in the {other} because it is too {size}")
            given = weights[3, 1, tokens.index("it")]
            more.append(float(given[tokens.index(one)] - given[tokens.index(other)]))
        swings.append(more[0] - more[1])
    return {"swing": round(float(np.mean(swings)), 4), "largest": round(max(swings), 4)}


def every_head(book, seed, kind):
    """How far sentences move without each head in turn."""
    texts = told(seed, kind)[:2]
    lost = book.losses(texts)
    apart = 1 - book.sentence(texts[0]) @ book.sentence(texts[1])
    return {"median": round(float(lost.median()), 5), "early": round(float(lost[:5].median()), 5),
            "last": round(float(lost[5].median()), 5), "apart": round(float(apart), 4)}  # fmt: skip


EXPERIMENTS = {
    "senses": Experiment(senses, ("by_layer", "careless"), grid(seed=SEEDS, word=WORDS)),
    "order": Experiment(order, ("before", "exchanged", "without_each", "changed", "model"), grid(seed=SEEDS)),
    "bare": Experiment(bare, ("sentence", "without_each"), grid(seed=SEEDS)),
    "first": Experiment(
        first, ("to_first", "value_length"), grid(seed=SEEDS, kind=["sitter", "seat", "bank", "match"])
    ),
    "it": Experiment(it, ("from_it", "left"), grid(seed=SEEDS)),
    "reason": Experiment(reason, ("model", "unit", "without_each"), grid(seed=SEEDS)),
    "things": Experiment(things, ("model",), grid(seed=SEEDS)),
    "heads": Experiment(every_head, ("losses", "sentence"), grid(seed=SEEDS, kind=["sitter", "seat"])),
}

OPENINGS = "5 draws of openings and endings"
PAIRS = "5 draws of who sat where, all reasons"
TEXTS = "5 draws, two kinds of sentences about who sat and two about words of two senses"


def banks(rows):
    return where(rows, word="bank")


def others(rows):
    return [row for row in rows if row["word"] != "bank"]


def seen(*named):
    return lambda rows: ", ".join(f"{name.replace('_', ' ')} {spread(rows, name)}" for name in named)


CLAIMS = [
    Claim("Exactly half before the first block: both means are equally near there, which counts half.",
          "senses", f"three words, {OPENINGS}",
          lambda rows: all(row["start"] == 0.5 for row in rows), [{"word": "bank", "start": 0.8}], seen("start"),
          "0.5, a guess"),
    Claim("After one block nearly every *bank* is on the right side.", "senses", OPENINGS,
          lambda rows: all(row["first"] >= 0.9 for row in banks(rows)), [{"word": "bank", "first": 0.7}],
          lambda rows: seen("first")(banks(rows)), "0.5, a guess", "1"),
    Claim("Now layer 0 is right about the sense without having read the sentence.", "senses", OPENINGS,
          lambda rows: all(row["unfair"] >= 0.9 for row in banks(rows)), [{"word": "bank", "unfair": 0.5}],
          lambda rows: seen("unfair")(banks(rows)), "0.5, a guess"),
    Claim("With these endings *bat* and *match* stay below *bank*, on average over the six blocks.", "senses",
          OPENINGS,
          lambda rows: all(row["mean"] < one["mean"] for one in banks(rows) for row in others(rows)
                           if row["seed"] == one["seed"]),
          [{"word": "bank", "seed": 1, "mean": 0.9}, {"word": "bat", "seed": 1, "mean": 0.95}],
          lambda rows: f"bank {spread(banks(rows), 'mean')}, others {spread(others(rows), 'mean')}", "0.5, a guess"),
    Claim("All start at the floor and jump in the first block. On average the later blocks change less", "senses",
          f"three words, {OPENINGS}",
          lambda rows: all(row["first"] >= 0.65 and abs(row["rest"] - row["first"]) < row["first"] - 0.5
                           for row in rows),
          [{"word": "bank", "first": 0.7, "rest": 0.95}], seen("first", "rest"), "0.5, a guess"),
    Claim("Head 0.2 gives the token before more than 0.9 of its weight, in every sentence we tried.", "order",
          "5 draws of sentences of four kinds", lambda rows: all(row["smallest"] > 0.9 for row in rows),
          [{"smallest": 0.7}], seen("smallest")),
    Claim("With other nouns it sometimes was missed.", "order", "5 draws of nouns and verbs",
          lambda rows: any(row["nearer"] > max(0, row["others_nearer"]) for row in rows),
          [{"nearer": 0.0001, "others_nearer": 0.002}],
          lambda rows: f"nearer by {spread(rows, 'nearer', 4)}, others at most {spread(rows, 'others_nearer', 4)}"),
    Claim("And without *the* (*dog chased cat*), for most of five random choices of nouns and verbs, removing this "
          "head brought the two orders nearer together than removing any other of the block.", "bare",
          "5 draws of nouns and verbs",
          lambda rows: most(rows, lambda row: row["lost"] > max(0, row["others"])),
          [{"lost": 0.001, "others": 0.003}],
          lambda rows: f"nearer by {spread(rows, 'lost', 4)}, the others by at most {spread(rows, 'others', 4)}",
          ceiling=lambda rows: f"they lie {spread(rows, 'gap', 3)} apart"),
    Claim("with all of them alike, the two sentences become one bag of words", "order", "5 draws of nouns and verbs",
          lambda rows: all(row["alike"] > 0.9999 for row in rows), [{"alike": 0.98}],
          lambda rows: spread(rows, "alike", 4)),
    Claim("In these sentences about half of all attention goes to a token that is no word.", "first", TEXTS,
          lambda rows: all(0.4 <= row["mean"] <= 0.6 for row in rows), [{"mean": 0.1}], seen("mean"),
          "0.08, spread evenly over 12 tokens"),
    Claim("The heads with most weight on [CLS] find almost nothing there", "first", TEXTS,
          lambda rows: all(row["heads"] >= 5 and row["where_most"] < 0.1 for row in rows),
          [{"heads": 12, "where_most": 0.9}], seen("where_most"), "1, as long as the others"),
    Claim("It is far longer only in the four that give [CLS] least", "first", TEXTS,
          lambda rows: all(row["where_least"] > 3 * max(row["where_most"], row["where_between"]) for row in rows),
          [{"where_least": 0.5, "where_between": 0.4, "where_most": 0.04}], seen("where_least", "where_between")),
    Claim("By weight, this head looks at [CLS] and at little else.", "first", TEXTS,
          lambda rows: all(row["largest"] > 0.7 and row["its_value"] < 0.1 for row in rows),
          [{"largest": 0.3, "its_value": 0.04}], seen("largest", "its_value")),
    Claim("Head 3.1 turns with the reason: in these sentences it gives, on average, more to who sat when that one was "
          "tired, and more to the seat when that was soft.", "it", PAIRS,
          lambda rows: all(row["best"] == 37 and row["swing"] > 2 * row["next"] for row in rows)
          and most(rows, lambda row: row["31_sitter"] > 0 > row["31_seat"]),
          [{"best": 50, "swing": 0.2, "next": 0.19, "31_sitter": 0.1, "31_seat": 0.1}],
          lambda rows: f"swing {spread(rows, 'swing')}, the next head {spread(rows, 'next')}"),
    Claim("with five random choices of such things, 3.1 did not turn to the thing that is meant.", "things",
          "5 draws of four pairs of things, too large or too small",
          lambda rows: all(row["swing"] < 0.05 for row in rows), [{"swing": 0.4}], seen("swing", "largest"),
          "0, no turn", "0.43, who sat and the seat"),
    Claim("Head 5.11, on average, gives more to who sat after both.", "it", PAIRS,
          lambda rows: most(rows, lambda row: min(row["11_sitter"], row["11_seat"]) > 0),
          [{"11_sitter": 0.2, "11_seat": -0.2}], seen("11_sitter", "11_seat")),
    Claim("Without 5.11 less of the move is left than without any other head of its block.", "it", PAIRS,
          lambda rows: all(most(rows, lambda row, kind=kind: row[f"last_{kind}"] < row[f"low_{kind}"])
                           for kind in ("sitter", "seat")),
          [{"last_sitter": 0.9, "low_sitter": 0.8, "last_seat": 0.9, "low_seat": 0.8}],
          lambda rows: f"{spread(rows, 'last_sitter')}, others at least {spread(rows, 'low_sitter')}", "1, all of it"),
    Claim("with five random choices of who sat where, about nine tenths of this move or more was left without 3.1.",
          "reason", "5 draws of who sat where, all reasons",
          lambda rows: all(row["third"] > 0.85 for row in rows), [{"third": 0.5, "low": 0.9}],
          lambda rows: f"{spread(rows, 'third')}, the least without another {spread(rows, 'low')}", "1, all of it"),
    Claim("Without 3.1 more is left: less after *tired* than after *soft*, as its map says.", "it", PAIRS,
          lambda rows: all(row[f"third_{kind}"] > row[f"last_{kind}"] for row in rows for kind in ("sitter", "seat"))
          and most(rows, lambda row: row["third_sitter"] < row["third_seat"]),
          [{"third_sitter": 0.96, "last_sitter": 0.7, "third_seat": 0.92, "last_seat": 0.7}],
          seen("third_sitter", "third_seat"),
          lambda rows: f"the least without another of block 3 {spread(rows, 'low_third_sitter')}", "1, all of it"),
    Claim("The last block stands out.", "heads", "5 draws of two kinds of sentences",
          lambda rows: all(row["last"] > 3 * row["early"] for row in rows), [{"last": 0.002, "early": 0.002}],
          lambda rows: f"median {spread(rows, 'last', 3)}, before it {spread(rows, 'early', 4)}"),
    Claim("Another sentence is 0.389 away, more than a hundred times as far.", "heads",
          "5 draws of two kinds of sentences",
          lambda rows: all(row["median"] < 0.005 and row["apart"] > 100 * row["median"] for row in rows),
          [{"median": 0.1, "apart": 0.4}],
          lambda rows: f"median {spread(rows, 'median', 4)}, another sentence {spread(rows, 'apart')}"),
]  # fmt: skip

SETTLED = {
    "It accepts the file only if its SHA-256 hash is the published one.": "cited",
    "A block with its norm in the wrong place has as many parameters.": "derived",
    "All three agree to the last published digit.": "computed",
    "Only the small number leaves them alone.": "computed",
    "With these nouns the head is not missed": "computed",
    "All four changes run without an error and have the right shapes.": "computed",
    "That this model is wrong shows here only beside the published numbers.": "computed",
    "ReLU's numbers still have the right order": "computed",
    "With the norm first, these sentences look alike.": "computed",
    "Nothing in layer 0 has looked at another token": "derived",
    "found such heads in BERT": "cited",
    "find them important in a translation model": "cited",
    "saw this in BERT and propose to draw the length of weight times value": "cited",
    "call such tokens **attention sinks**": "cited",
    "most heads can be removed one at a time": "cited",
    "Spent on [CLS] in those 15 heads, it brings little, for the value there is short.": "derived",
    "Even they missed the small number in the norm.": "computed",
    "The median head moves the sentence by 0.0016.": "computed",
    "Its heads go straight into the answer, and no later block can make up for them; "
    "that may be part of the reason.": "derived",
    "So *it* is one among twelve.": "computed",
}

FELL = [
    Fell("Head 3.1 follows the meaning", "with a trophy and a suitcase, a ball and a table, a cup and a table it "
         "turned the wrong way, by 0.04 to 0.23; with a cat near a stove it stayed with the cat",
         "in these sentences it gives, on average, more to who sat when that one was tired"),
    Fell("A perfect head that nobody needs", "without *the* its loss takes away a quarter of what lies between *dog "
         "chased cat* and *cat chased dog*, three times as much as the loss of any other head of the block",
         "So one task does not show that a head is of no use."),
    Fell("But *bat* and *match* stay below *bank*", "four other openings and endings: *match* 0.97 on average over the "
         "six blocks, *bank* 0.94, *bat* 0.68", "With these endings *bat* and *match* stay below *bank*"),
    Fell("[CLS] is where it can spend it without changing anything.", "its values set to 0 in all heads move the "
         "sentence by 0.003 to 0.005; those of another token by 0.008 to 0.058",
         "Spent on [CLS] in those 15 heads, it brings little, for the value there is short."),
    Fell("A loaded model is the published one if it gives the published *results*.", "with another small number in the "
         "norm it gives them too", "Published *results* test a loaded model far better than counting parameters."),
    Fell("The token with the largest weight matters most.", "was denied with head 4.5, in which [CLS] has 0.86 of the "
         "weight, 0.16 of weight times length, and the largest part of both",
         "A token matters as much as its weight says."),
    Fell("Head 3.1 seems to find out, and without it most of the move is left", "true, but the test exchanged who sat, "
         "and this map turns with the reason; with the reason exchanged, 0.96 to 1.00 of the move is left without it",
         "nearly all of that move was left without 3.1"),
    Fell("Only the published numbers show that three of these models are wrong.", "with the norm first all sentences "
         "look alike, which shows without them",
         "That this model is wrong shows here only beside the published numbers."),
    Fell("A test without a floor would have called this understanding.", "the floor is a guess, and 1.00 is far above "
         "it; only the test of layer 0 shows that nothing was read", "Had we not tested layer 0"),
    Fell("and the later blocks change little", "*match* falls from 0.95 to 0.83", "On average the later blocks change "
         "less"),
    Fell("The map could not be clearer", "it is clear where the head looks, and not what that is for", "The map seems "
         "clear"),
    Fell(
        "and another head of its block carried more.",
        "in four of eight more draws 3.1 itself carried the most, 0.04 to 0.08 of the move",
        "about nine tenths of this move or more was left without 3.1.",
    ),
    Fell(
        "no later block can make up for them.",
        "right after their own block, heads of the first five blocks already move the sentence 4 to 12 times less",
        "that may be part of the reason.",
    ),
    Fell(
        "more than nine tenths of that move was left without 3.1.",
        "0.878 in one of five choices with other nouns",
        "about nine tenths of this move or more was left without 3.1.",
    ),
    Fell(
        'Head 5.11 gives more to who sat, whatever the reason.',
        'on average; three in ten of 64 single sentences give more to the seat',
        'Head 5.11, on average, gives more to who sat after both.',
    ),
    Fell(
        'may be missed in one kind of sentence and not in another.',
        'with other nouns it is missed in sentences of the same kind',
        'may be missed in some sentences and not in others.',
    ),
    Fell("In the heads that give [CLS] least, its value is far longer", "in four heads; in the 53 between it is short, "
         "0.08", "It is far longer only in the four that give [CLS] least"),
    Fell("most of its effect goes through other tokens.", "spared for any one token instead, the head still moves the "
         "sentence by 0.073 to 0.089", "So *it* is one among twelve."),
    Fell("In these sentences the head is not missed", "with *the*, too, in 7 of 15 other choices of nouns and verbs no "
         "other head of the block is missed more", "With other nouns it sometimes was missed."),
    Fell("Of three maps, interventions confirmed one", "without 3.1 less is left after *tired* than after *soft*, with "
         "12 of 12 choices, as its map says", "and that of 3.1 in part."),
]  # fmt: skip
