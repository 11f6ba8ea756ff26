"""Claims of chapter 4: what *bank* learns to ask, what a tied head does, and how a verb finds its object."""

from statistics import fmean

import torch

from attention_course.heads import Projections, train_signs
from attention_course.tasks import bank_examples, korean_examples, lookup_examples, share_attended

from .claims import SEEDS, Experiment, Level, Series, all_rows, claim_of, grid, most_rows, one_at_a_time, round_numbers

RATE = 0.03
FREE = {"tie": "free", "rate": RATE}
PAGE_TIED = {"tie": "W_q = W_k", "d_k": 3, "steps": None}
SHARED = {"tie": "W_k = W_v", "rate": RATE}
NO_VALUE = {"tie": "no W_v", "sign": 1}

BANK = {"task": "learned", "rate": 0.1}
PAGE, UNSEEN = ({"task": task, "rate": 1e-2} for task in ("as it is", "unseen"))


def train_banks(book, seed, task="learned", rate=0.1):
    """Train ten heads on other sentences; return what they answer, and how much weight the deciding word has."""
    train, held_out = bank_examples(96, 96, seed=seed)
    X, heads = book.one_hot[train.words], Projections(14, 1, 1, heads=10, seed=seed)
    how = {"steps": 300, "learning_rate": rate, "seed": seed}
    if task == "votes":
        train_signs(heads, book.vote, X, train.answers, **how)
        with torch.no_grad():
            votes = book.vote(torch.tensor(book.one_hot[held_out.words]), heads).numpy()
        right = (votes * held_out.answers > 0).mean(axis=1)
        return round_numbers({"least": right.min(), "most": right.max()})
    train_signs(heads, lambda X, heads: book.answer(X, heads)[0], X, train.answers, **how)
    right, found = book.judge_bank(heads, held_out)
    heads.W_q.data[:, :, [0, 1]] = heads.W_q.data[:, :, [1, 0]]
    differ = (held_out.words[:, 1] < 4) != (held_out.words[:, 2] < 8)
    swapped, _ = book.judge_bank(heads, type(held_out)(*(x[differ] for x in held_out)))
    row = {"least": right.min(), "most": right.max(), "found": (found > 0.9).sum(), "found_least": found.min()}
    row |= {"perfect": (right == 1).sum(), "swapped": (swapped[found > 0.9] < 0.05).mean()}
    return round_numbers(row)


def train_heads(book, seed, tie="free", sign=1, rate=RATE, steps=600, d_k=3, scale=1.0):
    """Train two heads with a tie on other sequences; return how many answers and looks are right."""
    train, held_out = lookup_examples(2000, 500, seed=seed)
    training = {"steps": steps, "learning_rate": rate}
    heads = book.learn(tie, train, d_k=d_k, scale=scale, sign=sign, seed=seed, heads=2, **training)
    right, weights = book.judge(heads, tie, held_out, sign)
    found = (weights.argmax(axis=-1) == held_out.wanted).mean(axis=(1, 2))
    itself, asked, asker = share_attended(weights, held_out.wanted)
    average = book.score_average(held_out)
    row = {"least": right.min(), "most": right.max(), "off_average": abs(right - average).max()}
    row |= {"found_least": found.min(), "found_most": found.max()}
    row |= {"itself": itself.min(), "split": abs(asked - asker).max(), "average": average}
    return round_numbers(row)


def train_verbs(book, seed, task="as it is", rate=1e-2):
    """Train verbs on other sentences; return what they attend to and name, also with the particles swapped."""
    train, held_out = korean_examples(1000, 300, seed=seed)
    if task == "unseen":
        never = ("밥", "책", "친구")
        (train, _), (_, held_out) = (book.split_by_object(x, never) for x in (train, held_out))
    verbs = book.train_verbs(train, seed, heads=2, rate=rate)
    names, weights = book.read_verbs(verbs, held_out)
    each = range(len(held_out.verb))
    named = (names == held_out.answers).mean(axis=1)
    row = {"weight": weights[:, each, held_out.object].mean(axis=1).min()}
    row |= {"named_least": named.min(), "named_most": named.max()}
    other_role = torch.tensor([2, 3, 0, 1, 4])[held_out.endings]
    _, weights = book.read_verbs(verbs, held_out, other_role)
    topic = 3 - held_out.object - held_out.verb
    row["old_object"] = weights[:, each, held_out.object].mean(axis=1).max()
    row["new_object"] = weights[:, each, topic].mean(axis=1).min()
    return round_numbers(row)


EXPERIMENTS = {
    "bank": Experiment(
        train_banks,
        ("one_hot", "answer", "vote", "judge_bank"),
        one_at_a_time(BANK, rate=[0.03, 0.3]) + grid(seed=SEEDS, task=["votes"], rate=[0.03, 0.1, 0.3]),
    ),
    "lookup": Experiment(
        train_heads,
        ("learn", "judge", "score_average"),
        [
            *grid(seed=SEEDS, tie=["free", "W_k = W_v", "W_q = W_k", "no W_v"], d_k=[3], sign=[1], rate=[RATE]),
            *grid(seed=SEEDS, tie=["W_q = W_k"], d_k=[3], rate=[RATE / 4, RATE * 4]),
            *grid(seed=SEEDS, tie=["W_q = W_k"], d_k=[3], rate=[RATE], steps=[4000]),
            *grid(seed=SEEDS, tie=["W_q = W_k"], d_k=[12], rate=[RATE], scale=[3.0], steps=[600, 4000]),
            *grid(seed=SEEDS, tie=["W_k = W_v"], d_k=[3], rate=[RATE / 4, RATE * 4]),
            *grid(seed=SEEDS, tie=["W_k = W_v"], d_k=[5], rate=[RATE]),
            *grid(seed=SEEDS, tie=["no W_v"], d_k=[12], sign=[1], rate=[RATE]),
            *grid(seed=SEEDS, tie=["no W_v"], d_k=[3], sign=[-1], rate=[RATE]),
        ],
    ),
    "verb": Experiment(
        train_verbs,
        ("train_verbs", "read_verbs", "split_by_object"),
        one_at_a_time(PAGE, rate=[1e-2 / 4]) + grid(seed=SEEDS, task=["unseen"], rate=[1e-2]),
    ),
}


def share_of_heads(rows, column):
    """Return the share of all trained heads that a column counts, ten in a row."""
    counts = [row[column] for row in rows if row["task"] == "learned"]
    return sum(counts) / (10 * len(counts))


def share_swapped(rows):
    """Return, of all heads that found the word that decides, the share that gets nearly nothing right when swapped."""
    counted = [(row["found"], row["swapped"]) for row in rows if row["task"] == "learned" and row["found"]]
    return sum(found * swapped for found, swapped in counted) / sum(found for found, _ in counted)


def is_a_guess(row):
    return 0.1 < row["least"] and row["most"] < 0.16


HALF_LEARNED = {"least": 0.9, "most": 0.9, "off_average": 0.6, "found_least": 0.9, "found_most": 0.9}
HALF_LEARNED |= {"itself": 0.1, "split": 0.8, "average": 0.5}
HALF_READ = {"weight": 0.5, "named_least": 0.5, "named_most": 0.5}
HALF_READ |= {"old_object": 0.5, "new_object": 0.5}
THIRD, ALL_WEIGHT = Level(1 / 3, "equal weights for the three words"), Level(1, "all weight on it")
ALL_RIGHT = Level(1, "all answers right")
WEIGHT_UNSEEN = Series("weight", "mean weight on nouns that were never an object", UNSEEN)
LEARNED, VOTES = {"task": "learned"}, {"task": "votes"}

bank_claim = claim_of("bank", "5 seeds, ten heads each; also learning rates × 0.3 and × 3")
lookup_claim = claim_of("lookup", "5 seeds, each with its own sequences, batches and initial weights of two heads")
lookup_rates_claim = claim_of("lookup", "5 seeds, two heads each; also learning rates × ¼ and × 4")
verb_claim = claim_of("verb", "5 seeds, each with its own sentences, batches and initial weights of two networks")
CLAIMS = [
    bank_claim(
        "All ten heads, each from its own initialisation, answer every new sentence correctly.",
        holds=lambda rows: share_of_heads(rows, "perfect") > 3 / 4,
        wrong_if="Wrong if of all the heads, at least a quarter get a new sentence wrong.",
        shows=Series("perfect", "of ten heads, those that get every new sentence right", LEARNED),
        baseline=Level(0, "heads with equal weights"),
        best=Level(10, "all heads"),
    ),
    bank_claim(
        "Most of them find the word that decides",
        holds=lambda rows: share_of_heads(rows, "found") > 1 / 2,
        wrong_if="Wrong if of all the heads, at least half give the word that decides at most 90% on average.",
        shows=Series("found", "of ten heads, those that give the word that decides more than 90%", LEARNED),
        baseline=Level(0, "equal weights give it 20%"),
        best=Level(10, "all heads"),
    ),
    claim_of("bank", "5 seeds, those of ten heads that find the word that decides; also learning rates × 0.3 and × 3")(
        "Nine of the ten heads get none of them right any more",
        holds=lambda rows: share_swapped(rows) > 0.8,
        wrong_if="Wrong if of all the heads that found the word that decides, at most 80% get less than 5% right with "
        "the two queries swapped.",
        shows=Series("swapped", "of those heads, the share that gets less than 5% right", LEARNED),
        baseline=Level(0, "if the queries did not matter"),
        best=Level(1, "all of them"),
    ),
    bank_claim(
        "Averaging gets 70% or 71% of the sentences right.",
        holds=all_rows(lambda row: row["most"] <= 0.9, **VOTES),
        wrong_if="Wrong if, for any seed and rate, a head with equal weights gets more than 90% of the new sentences "
        "right.",
        shows=Series("most", "equal weights, the best of ten heads", VOTES),
        page="0.71",
        baseline=Level(1 / 2, "a guess"),
        rival=Series("least", "learned weights, the worst of ten heads", BANK),
        refuting_values={"most": 0.99},
    ),
    lookup_claim(
        "With free matrices, all five heads solve the task.",
        holds=all_rows(lambda row: row["least"] > 0.99, **FREE),
        wrong_if="Wrong if, for any seed, a head with three free matrices gets at most 99% of the answers right.",
        shows=Series("least", "three free matrices, the worse of two heads", FREE),
        page="1.00",
        baseline=Series("average", "the negated average of all five, without learning", FREE),
        best=ALL_RIGHT,
    ),
    lookup_rates_claim(
        "Most tokens (93%) attend most to themselves",
        holds=most_rows(lambda row: row["itself"] > 0.5, **PAGE_TIED),
        wrong_if="Wrong if in at least half of the pairs of heads, one head attends most to the token itself for at "
        "most 50% of the tokens.",
        shows=Series("itself", "tokens whose largest weight is on themselves", PAGE_TIED),
        page="93%",
        baseline=Level(1 / 5, "a token chosen at random"),
    ),
    lookup_rates_claim(
        "The tied heads get only as many answers right as the baseline does",
        holds=most_rows(lambda row: row["off_average"] < 0.05, **PAGE_TIED),
        wrong_if="Wrong if in at least half of the pairs of heads, the share of answers that one head gets right is at "
        "least 5 percentage points away from the share that the plain average gets right.",
        shows=Series(
            "off_average", "difference in answers right from the plain average, the larger of two heads", PAGE_TIED
        ),
        baseline=Series("off_average", "three free matrices", FREE),
    ),
    claim_of("lookup", "5 seeds, two heads each; 3 and 12 numbers, 600 and 4,000 steps, learning rates × ¼ and × 4")(
        "Even the best of all the tied heads we trained, with up to twelve numbers for a key and up to 4,000 steps, "
        "got fewer than three quarters of the answers right.",
        holds=lambda rows: max(row["most"] for row in rows if row["tie"] == "W_q = W_k") < 0.75,
        wrong_if="Wrong if any tied head gets at least 75% of the answers right.",
        shows=Series("most", "tied heads, the better of two", {"tie": "W_q = W_k"}),
        baseline=Series("average", "the negated average of all five, without learning", {"tie": "W_q = W_k"}),
        rival=Series("least", "three free matrices", FREE),
        refuting_values={"most": 1.0},
    ),
    claim_of("lookup", "5 seeds, two heads each; 3 and 12 numbers for a key")(
        "Without $W_v$, the heads get no more answers right than guessing would, and their largest weight is "
        "practically never on the token asked for.",
        holds=all_rows(lambda row: is_a_guess(row) and row["found_most"] < 0.05, **NO_VALUE),
        wrong_if="Wrong if, for any seed, a head without Wv gets at most 10% or at least 16% of the answers right, or "
        "attends most to the token asked for at least 5% of the time.",
        shows=Series("most", "answers right without Wv, the better of two heads", NO_VALUE),
        page="0.14",
        baseline=Level(1 / 8, "a guess"),
        rival=Series("least", "three free matrices", FREE),
        refuting_values=HALF_LEARNED,
    ),
    lookup_rates_claim(
        "With $W_k = W_v$, about half of the answers are right.",
        holds=most_rows(lambda row: 0.4 < row["least"] and row["most"] < 0.62, tie="W_k = W_v", d_k=3),
        wrong_if="Wrong if in at least half of the pairs of heads with Wk = Wv and three numbers, one gets at most 40% "
        "or at least 62% of the answers right.",
        shows=Series("most", "answers right, the better of two heads", {"tie": "W_k = W_v", "d_k": 3}),
        page="0.56",
        baseline=Series("average", "the negated average of all five, without learning", SHARED),
        rival=Series("least", "three free matrices", FREE),
        refuting_values=HALF_LEARNED,
    ),
    lookup_claim(
        "Five numbers are enough",
        holds=all_rows(lambda row: row["least"] > 0.95, **SHARED | {"d_k": 5}),
        wrong_if="Wrong if, for any seed, a head with Wk = Wv and five numbers gets at most 95% of the answers right.",
        shows=Series("least", "answers right with five numbers", SHARED | {"d_k": 5}),
        page="1.00",
        baseline=Series("most", "answers right with three numbers", SHARED | {"d_k": 3}),
        best=ALL_RIGHT,
    ),
    lookup_claim(
        "The heads without $W_v$ find the right token easily, but they can only pass on what is there.",
        holds=lambda rows: (
            all_rows(lambda row: row["least"] > 0.99, tie="no W_v", sign=-1)(rows)
            and all_rows(is_a_guess, tie="no W_v", d_k=12)(rows)
        ),
        wrong_if="Wrong if, for any seed, a head without Wv gets at most 99% of the answers right where nothing is "
        "negated, or where the bits are negated one with twelve numbers gets at least 16%.",
        shows=Series("least", "answers right where nothing is negated", {"tie": "no W_v", "sign": -1}),
        page="1.00",
        baseline=Series("most", "where the bits are negated, with twelve numbers", NO_VALUE | {"d_k": 12}),
        best=ALL_RIGHT,
    ),
    claim_of("verb", "5 seeds, two networks each; also learning rate × ¼")(
        "All three networks name every object in the new sentences, and their verbs give the object nearly all their "
        "weight.",
        holds=all_rows(lambda row: row["weight"] > 0.9 and row["named_least"] > 0.99, task="as it is"),
        wrong_if="Wrong if, for any seed and learning rate, a verb gives its object on average at most 90% of its "
        "weight, or a network names at most 99% of the objects correctly.",
        shows=Series("weight", "mean weight of the verb on its object", {"task": "as it is"}),
        page="1.000",
        baseline=THIRD,
        best=ALL_WEIGHT,
    ),
    verb_claim(
        "With the particles swapped, nearly all the weight moves to the new object. So the verb goes by the particle",
        holds=all_rows(lambda row: row["old_object"] < 0.05 and row["new_object"] > 0.9, **PAGE),
        wrong_if="Wrong if, for any seed, with the particles swapped, a verb gives the old object on average at least "
        "5% of its weight, or the new object at most 90%.",
        shows=Series("new_object", "mean weight on the new object", PAGE),
        page="1.000",
        baseline=Series("old_object", "mean weight on the old object", PAGE),
        best=ALL_WEIGHT,
        refuting_values=HALF_READ,
    ),
    verb_claim(
        "that is how it *finds* even a noun that was never an object.",
        holds=lambda rows: fmean(weight > 0.85 for weight in WEIGHT_UNSEEN.values(rows)) > 2 / 3,
        wrong_if="Wrong if for at least 2 of the 5 seeds, one of the two verbs gives nouns that were never an object "
        "on average at most 85% of its weight.",
        shows=WEIGHT_UNSEEN,
        page="0.994",
        baseline=THIRD,
        best=ALL_WEIGHT,
    ),
    verb_claim(
        "But the network *names* none of the three",
        holds=lambda rows: (
            all_rows(lambda row: row["named_most"] == 0, **UNSEEN)(rows)
            and all_rows(lambda row: row["named_least"] > 0.99, **PAGE)(rows)
        ),
        wrong_if="Wrong if, for any seed, a network correctly names at least one noun that was never an answer, or a "
        "network for which all nouns were answers names at most 99% of the objects correctly.",
        shows=Series("named_most", "nouns named that were never an answer", UNSEEN),
        page="0.000",
        baseline=Series("named_least", "objects named where all nouns were answers", PAGE),
    ),
]
