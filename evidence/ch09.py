"""Claims of chapter 9: where a word's vector gets its meaning from, and what a model knows without it."""

import numpy as np

from attention_course.tasks import grammar_examples
from attention_course.word_vectors import STEPS, TOPICS
from attention_src.models.bert import minilm

from .claims import (
    SEEDS,
    WITH_PAGE,
    Experiment,
    Level,
    Series,
    all_rows,
    claim_of,
    grid,
    most_rows,
    one_at_a_time,
    round_numbers,
    select_rows,
)

PAGE = {"rate": 1e-2}
OTHER_TOPICS = {
    "body": "hand foot arm leg head neck knee finger shoulder chest",
    "food": "bread butter cheese milk soup rice meat fruit cake salad",
    "weather": "rain snow wind storm cloud thunder fog frost sunshine ice",
    "tools": "hammer knife axe saw drill rope nail shovel blade screw",
    "clothes": "shirt coat hat dress shoe jacket skirt boot glove belt",
    "jobs": "teacher doctor nurse lawyer farmer baker painter soldier judge clerk",
}


def draw_sentences(seed):
    """Return sentences of this seed to train on, and others to ask about."""
    return grammar_examples(4000, 500, seed=seed)


def measure_training(book, seed, rate):
    """Measure one training: at its beginning, when the words are sorted, and at its end, beside tables that count."""
    given, asked = draw_sentences(seed)
    course = book.train(seed, rate=rate, given=given, keep=STEPS)
    w, sorted_at = course[400], next((n for n in STEPS if book.neighbours(book.vectors(course[n])) >= 0.9), 400)
    alike, kinds = book.cosines(book.vectors(w)), np.array(book.kinds)[book.kind]
    one, many, verb = (kinds == name for name in ("noun, one", "noun, many", "verb"))
    return round_numbers({
        "start": book.mean_loss(course[0], asked), "loss": book.mean_loss(w, asked),
        "roles": book.by_roles(given, asked), "good": book.allowed(w, asked)[0],
        "table": min(book.by_table(given, asked, last) for last in (1, 2)),
        "neighbour": book.neighbours(book.vectors(w)), "fresh_neighbour": book.neighbours(book.vectors(course[0])),
        "sorted_at": sorted_at, "sorted_loss": book.mean_loss(course[sorted_at], asked),
        "same_role": alike[one][:, one][~np.eye(one.sum(), dtype=bool)].mean(),
        "other_number": alike[one][:, many].mean(), "beside": alike[one][:, verb].mean(),
    })  # fmt: skip


def measure_large_vectors(book, seed, frozen, rate):
    """Measure a model that begins with vectors fifty times as large, trained or frozen."""
    given, asked = draw_sentences(seed)
    w = book.train(seed, start=1.0, frozen=frozen, rate=rate, given=given)[400]
    neighbour, good = book.neighbours(book.vectors(w)), book.allowed(w, asked)[0]
    row = {"loss": book.mean_loss(w, asked), "roles": book.by_roles(given, asked)}
    return round_numbers({"neighbour": neighbour, "good": good, **row})


def change_sentences(book, seed):
    """Train on sentences that are changed in one way each, on the padding too, and from another seed."""
    given, asked = draw_sentences(seed)
    parts = {
        "shuffled": book.shuffle(given, seed=seed),
        "across": book.shuffle(given, across=True, seed=seed),
        "mixed": book.mix_numbers(given, seed=seed),
    }
    models = {name: book.train(seed, given=part)[400] for name, part in parts.items()}
    course, filled = (book.train(seed, masked=masked, given=given, keep=(0, 25, 50)) for masked in (True, False))
    models["whole"], other = course[400], book.train(seed + 1, given=given)[400]
    even = book.silence(course[400])
    loss = {f"{kind}_{n}": book.mean_loss(run[n], asked) for kind, run in (("masked", course), ("filled", filled))
            for n in (25, 50, 400)}  # fmt: skip
    return round_numbers({
        **{name: book.neighbours(book.vectors(w)) for name, w in models.items()}, **loss,
        "shuffled_loss": book.mean_loss(models["shuffled"], asked), "even_loss": book.mean_loss(even, asked),
        "reported": book.mean_loss(filled[400], asked, padding=True),
        "number": book.share_number(models["whole"]), "mixed_number": book.share_number(models["mixed"]),
        "other_maps": book.overlap(course[400], other, asked), "even_maps": book.overlap(course[400], even, asked),
        "fresh_maps": book.overlap(course[400], course[0], asked),
    })  # fmt: skip


def draw_topics(book, seed):
    """Ask for the topic of words of the page's six topics, or of six of twelve, by rows and by frequency."""
    random, model = np.random.default_rng(seed), minilm()
    pool = {**TOPICS, **OTHER_TOPICS}
    drawn = random.choice(list(pool), 6, replace=False) if seed else [*TOPICS]
    topics = [name for name in drawn for _ in range(10)]
    words = [word for name in drawn for word in pool[name].split()]
    ids = np.array([model.tokenizer.encode(word, add_special_tokens=False).ids for word in words])[:, 0]
    common = -abs(np.log(ids)[:, None] - np.log(ids))
    np.fill_diagonal(common, -np.inf)
    return round_numbers({
        "neighbour": book.neighbours(model.words.weight.detach().numpy()[ids], topics),
        "common": (np.array(topics)[common.argmax(axis=1)] == topics).mean(),
    })  # fmt: skip


def ask_who_meets(book, seed, tied, d):
    """Train vectors to say which words share a sentence; return which words are nearest then."""
    _, company = book.count_words(draw_sentences(seed)[0])
    v = book.train_table(company, tied, seed, d)
    same = book.kind[book.find_nearest(v)] == book.kind
    return round_numbers({"neighbour": same.mean(), "meet": book.meeting(v, company)}, 2)


def replace_words(book, seed):
    """Give a trained model other words or vectors, and separate what training moved from where vectors began."""
    given, asked = draw_sentences(seed)
    w, frozen = book.train(seed, given=given)[400], book.train(seed, start=1.0, frozen=True, given=given)[400]
    begun, large = map(book.vectors, book.train(seed, start=1.0, given=given, keep=(0,)).values())
    placed = book.vectors(book.train(seed, given=book.shuffle_places(given, seed=seed))[400])
    v = book.vectors(frozen)
    return round_numbers({
        "moved": book.moved(w, part=asked), "any_moved": book.moved(w, book.ROLE_OF == book.ROLE_OF[-1], asked),
        "behind": book.neighbours(book.fed(frozen, v)), "others": book.fed_others(frozen, v, seed),
        "large": book.neighbours(large), "added": book.neighbours(large - begun),
        "placed": book.neighbours(placed), "out": book.share_number({"word": [w["out"][0].T]}),
    })  # fmt: skip


def freeze_and_shuffle(book, seed):
    """Train on sentences that keep only frequency and places, with frozen vectors; return what becomes of them."""
    placed = book.shuffle_places(draw_sentences(seed)[0], seed=seed)
    w = book.train(seed, start=1.0, frozen=True, given=placed)[400]
    return round_numbers({"behind": book.neighbours(book.fed(w, book.vectors(w)))})


def mean_of(rows, column):
    """Return the mean of a column over all rows."""
    return np.mean([row[column] for row in rows])


TRAINS = ("train", "mean_loss", "neighbours", "vectors")
EXPERIMENTS = {
    "trained": Experiment(
        measure_training,
        (*TRAINS, "kinds", "cosines", "kind", "allowed", "by_roles", "by_table"),
        one_at_a_time(PAGE, rate=[2.5e-3, 4e-2]),
    ),
    "started": Experiment(
        measure_large_vectors,
        (*TRAINS, "allowed", "by_roles"),
        [
            {"seed": seed, "frozen": frozen, "rate": rate}
            for seed in SEEDS
            for frozen, rate in ((False, 1e-2), (True, 1e-2), (False, 4e-2))
        ],
    ),
    "changed": Experiment(
        change_sentences,
        (*TRAINS, "shuffle", "mix_numbers", "share_number", "overlap", "silence"),
        grid(seed=WITH_PAGE),
    ),
    "meeting": Experiment(
        ask_who_meets,
        ("torch", "count_words", "train_table", "find_nearest", "meeting", "kind"),
        grid(seed=WITH_PAGE, tied=[True, False], d=[24, 8]),
    ),
    "replaced": Experiment(
        replace_words,
        ("train", "neighbours", "vectors", "ROLE_OF", "moved", "fed", "fed_others", "shuffle_places", "share_number"),
        grid(seed=WITH_PAGE),
    ),
    "placed": Experiment(freeze_and_shuffle, (*TRAINS, "fed", "shuffle_places"), grid(seed=WITH_PAGE)),
    "topics": Experiment(draw_topics, ("neighbours", "torch"), grid(seed=WITH_PAGE)),
}

OWN = "5 seeds, each with its own sentences"
SIX = "6 seeds, that of the page among them, each with its own sentences"
LARGE = OWN + "; initial vectors 50 times as large"
SAME_ROLE = "share of words whose nearest neighbour has the same role"
EVERY_WORD = Level(1, "every word")
UNTRAINED = Series("fresh_neighbour", "the same share before training")

trained_claim = claim_of("trained", OWN + "; the page's learning rate")
rates_claim = claim_of("trained", OWN + "; learning rate × 1/4, 1, 4")
changed_claim, replaced_claim = claim_of("changed", SIX), claim_of("replaced", SIX)
CLAIMS = [
    trained_claim(
        "The measured loss is a little higher than ln 43, because the model's random scores are not quite equal.",
        holds=all_rows(lambda row: 0 < row["start"] - np.log(43) < 0.6),
        wrong_if="Wrong if, for any seed, the loss before training is at most ln 43, or at least 0.6 above it.",
        shows=Series("start", "loss before training", PAGE),
        page="3.85",
        baseline=Level(float(np.log(43)), "ln 43, the loss if all words are equally likely"),
    ),
    trained_claim(
        "At every position of 500 new sentences, the grammar allows the word that the model finds most likely.",
        holds=all_rows(lambda row: row["good"] == 1, **PAGE),
        wrong_if="Wrong if, for any seed, the most likely word isn't allowed at one of the positions.",
        shows=Series("good", "share of positions at which the most likely word is allowed", PAGE),
        page="1.000",
        baseline=Level(0.18, "a word drawn at random"),
        best=Level(1, "every position"),
    ),
    trained_claim(
        "The model beats every table of words and does as well as the table of all roles.",
        holds=all_rows(
            lambda row: row["loss"] < row["table"] - 0.1 and abs(row["loss"] - row["roles"]) <= 0.03, **PAGE
        ),
        wrong_if="Wrong if, for any seed, the loss isn't 0.1 below that of the best table of words, or differs "
        "by more than 0.03 from that of the table of roles.",
        shows=Series("loss", "loss on new sentences", PAGE),
        page="1.80",
        baseline=Series("table", "loss of the best table of words", PAGE),
        rival=Series("roles", "loss of the table that is told the roles", PAGE),
    ),
    replaced_claim(
        "If we replace every word that it reads with a random one of the same role, only 2% of the probability moves "
        "to other next words. With words of any role (except the full stop), 63% moves.",
        holds=all_rows(lambda row: row["moved"] <= 0.04 and row["any_moved"] >= 0.4),
        wrong_if="Wrong if, for any seed, more than 4% of the probability moves with words of the same role, or less "
        "than 40% with words of any role.",
        shows=Series("moved", "share of the probability that moves with other words of the same role"),
        page="2%",
        baseline=Series("any_moved", "the same with words of any role"),
    ),
    rates_claim(
        "**When its vectors start small, a model that is asked for the next word puts two words close together if the "
        "same words may follow both, but not if they merely appear side by side.**",
        holds=all_rows(lambda row: row["same_role"] > row["beside"] + 0.3),
        wrong_if="Wrong if, for any seed and rate, the mean cosine of two nouns in the singular isn't 0.3 above that "
        "of such a noun with a verb.",
        shows=Series("same_role", "mean cosine of two nouns in the singular"),
        page="0.88",
        baseline=Series("beside", "mean cosine of a noun in the singular with a verb"),
    ),
    rates_claim(
        "After training, there is a blue square for each role, and each word's nearest neighbour has the same role.",
        holds=all_rows(lambda row: row["neighbour"] >= 0.95),
        wrong_if="Wrong if, for any seed and rate, fewer than 95% of the words have a nearest neighbour with the same "
        "role.",
        shows=Series("neighbour", SAME_ROLE),
        page="1.00",
        baseline=UNTRAINED,
        best=EVERY_WORD,
    ),
    rates_claim(
        "**Here, the words are sorted before the model writes well.**",
        holds=all_rows(lambda row: row["sorted_loss"] >= row["roles"] + 0.5),
        wrong_if="Wrong if, for any seed and rate, the loss is less than 0.5 above that of the table of roles when 90% "
        "of the words first have a nearest neighbour with the same role.",
        shows=Series("sorted_loss", "loss when 90% of the words have a neighbour of their role"),
        page="2.95",
        baseline=Series("loss", "loss at the end"),
    ),
    changed_claim(
        "If we shuffle within each sentence, the words are sorted just as well (100%), though the model can't write.",
        holds=all_rows(lambda row: row["shuffled"] >= 0.95 and row["shuffled_loss"] > row["masked_400"] + 0.5),
        wrong_if="Wrong if, for any seed, fewer than 95% of the words have a nearest neighbour of their role after "
        "training on shuffled sentences, or the loss on sentences in order is less than 0.5 above that of a model "
        "trained on sentences in order.",
        shows=Series("shuffled", SAME_ROLE + ", sentences shuffled"),
        page="100%",
        baseline=Series("across", "the same share, words shuffled across sentences"),
        best=EVERY_WORD,
    ),
    changed_claim(
        "If we shuffle across all sentences, few words are sorted (17%).",
        holds=lambda rows: all_rows(lambda row: row["across"] <= 0.5)(rows) and mean_of(rows, "across") <= 0.25,
        wrong_if="Wrong if, after training on words shuffled across sentences, more than half of the words have a "
        "nearest neighbour with the same role for any seed, or more than 25% on average.",
        shows=Series("across", SAME_ROLE + ", words shuffled across sentences"),
        page="17%",
        baseline=Series("whole", "the same share, sentences in order"),
        rival=Level(0.74, "what sorting by how often a word comes gives"),
    ),
    replaced_claim(
        "It sorts few words (14%), because in such sentences the next word depends on its place alone, which "
        "the place vectors already give.",
        holds=lambda rows: all_rows(lambda row: row["placed"] <= 0.5)(rows) and mean_of(rows, "placed") <= 0.3,
        wrong_if="Wrong if, after training on words shuffled across sentences, each at its place, more than half of "
        "the words have a nearest neighbour with the same role for any seed, or more than 30% on average.",
        shows=Series("placed", SAME_ROLE + ", words shuffled across sentences at their places"),
        page="14%",
        baseline=Level(0.83, "what sorting by the places gives"),
    ),
    claim_of("started", LARGE + ", frozen")(
        "The model with frozen vectors writes as well as the first one, with a loss of 1.81, yet only 7% of its words "
        "have a nearest neighbour of the same role, no more than chance would give.",
        holds=all_rows(
            lambda row: row["good"] >= 0.98 and abs(row["loss"] - row["roles"]) <= 0.03 and row["neighbour"] <= 0.3,
            frozen=True,
        ),
        wrong_if="Wrong if, for any seed with frozen vectors, the most likely word is allowed at fewer than 98% "
        "of the positions, the loss differs by more than 0.03 from that of the table of roles, or more than 30% of "
        "the words have a nearest neighbour with the same role.",
        shows=Series("loss", "loss on new sentences, vectors frozen", {"frozen": True}),
        page="1.81",
        baseline=Level(3.46, "loss of the table of the last 0 words"),
        rival=Series("roles", "loss of the table that is told the roles", {"frozen": True}),
    ),
    replaced_claim(
        "The feed-forward network turns each frozen vector into a new one, and most of the *new* vectors (79%) have "
        "a nearest neighbour of the same role.",
        holds=lambda rows: (
            all_rows(lambda row: row["behind"] >= row["others"] + 0.1)(rows) and mean_of(rows, "behind") > 0.5
        ),
        wrong_if="Wrong if, for any seed, the share of the new vectors with a neighbour of the same role isn't 0.1 "
        "above that of vectors made of other random ones, or if on average it is at most one half.",
        shows=Series("behind", "share of new vectors whose nearest neighbour has the same role"),
        page="79%",
        baseline=Series("others", "the same share, made of other random vectors"),
        best=EVERY_WORD,
    ),
    claim_of("placed", SIX)(
        "And the vectors that the feed-forward network makes of frozen ones are less sorted (24%) than those that it "
        "makes after training on sentences in order (79%).",
        holds=all_rows(lambda row: row["behind"] <= 0.5),
        wrong_if="Wrong if, for any seed, more than half of the new vectors have a neighbour of the same role.",
        shows=Series("behind", "share of new vectors whose nearest neighbour has the same role"),
        page="24%",
        baseline=Level(0.79, "trained on the sentences in order"),
    ),
    claim_of("topics", "the page's six topics and 5 draws of six from twelve, ten words each")(
        "This table sorts words by topic",
        holds=all_rows(lambda row: row["neighbour"] >= 0.8 and row["common"] <= 0.4),
        wrong_if="Wrong if, for any draw, fewer than 80% of the words have a nearest neighbour of their topic, or more "
        "than 40% share the topic of the word that is closest in frequency.",
        shows=Series("neighbour", "share of words whose nearest row has the same topic"),
        page="0.95",
        baseline=Series("common", "the same share, neighbours by how common a word is"),
        best=EVERY_WORD,
    ),
    changed_claim(
        "Counting the padding makes the number look better but slows learning a little at first.",
        holds=all_rows(
            lambda row: (
                row["reported"] <= row["masked_400"] - 0.1
                and all(row[f"filled_{n}"] > row[f"masked_{n}"] for n in (25, 50))
                and abs(row["filled_400"] - row["masked_400"]) < 0.02
            )
        ),
        wrong_if="Wrong if, for any seed, the reported loss isn't 0.1 below that of a model trained without the "
        "padding, or if the loss without the padding isn't higher after 25 and 50 steps or still differs by 0.02 "
        "after 400.",
        shows=Series("filled_25", "loss after 25 steps, padding counted in training and left out here"),
        page="3.37",
        baseline=Series("masked_25", "the same, padding left out in training too"),
        refuting_values={"filled_25": 3.0},
    ),
    replaced_claim(
        "(When the model has to predict a verb, the two do differ, and the matrix `out` sorts all verbs into singular "
        "and plural.)",
        holds=all_rows(lambda row: row["out"] > 0.99),
        wrong_if="Wrong if, for any seed, a verb's nearest verb in `out` has the other number.",
        shows=Series("out", "share of verbs whose nearest verb in `out` has the same number"),
        baseline=Level(3 / 7, "guessing"),
        best=EVERY_WORD,
    ),
    changed_claim(
        "The trace makes a difference of 3 verbs here (11 against 8), and a larger one with most other seeds.",
        holds=most_rows(lambda row: row["number"] - row["mixed_number"] > 3.5 / 16),
        wrong_if="Wrong if, for half of the seeds or more, at most 3 more verbs have a nearest verb of their number "
        "than when each verb's number is drawn at random.",
        shows=Series("number", "share of verbs whose nearest verb has the same number"),
        page="0.69",
        baseline=Series("mixed_number", "the same share when verbs have a random number"),
        rival=Level(3 / 7, "guessing"),
    ),
    claim_of("meeting", SIX + " and initial vectors; 24 and 8 numbers each")(
        "**If a second table answers, most words have the same role as their nearest word, and the two words "
        "avoid each other (they meet 0.44 times as often as by chance). If closeness itself answers, no word has the "
        "same role as its nearest word, and the two meet 2.02 times as often as by chance.**",
        holds=lambda rows: (
            all_rows(lambda row: row["neighbour"] > 0.5, tied=False, d=24)(rows)
            and mean_of(select_rows(rows, tied=False), "neighbour") >= 0.75
            and all_rows(lambda row: row["meet"] < 1, tied=False)(rows)
            and all_rows(lambda row: row["neighbour"] <= 0.05 and row["meet"] >= 1.8, tied=True)(rows)
        ),
        wrong_if="Wrong if, with a second table, at most half of the nearest words have the same role for any seed "
        "with 24 numbers each, fewer than 75% do on average, or they meet as often as by chance for any seed and size; "
        "or if, with closeness itself, more than 5% have the same role or they meet less than 1.8 times as often.",
        shows=Series("meet", "how often nearest words meet, against chance, closeness itself answers", {"tied": True}),
        page="2.02",
        baseline=Series("meet", "the same, a second table answers", {"tied": False}),
        rival=Level(1, "chance"),
    ),
    claim_of("started", LARGE + ", trained")(
        "The model writes just as well, but its words are less well sorted (43%).",
        holds=all_rows(lambda row: row["neighbour"] <= 0.85 and row["good"] >= 0.98, frozen=False, rate=1e-2),
        wrong_if="Wrong if, for any seed, more than 85% of the words have a nearest neighbour with the same role after "
        "large vectors are trained for 400 steps at the page's rate, or the most likely word is allowed at fewer than "
        "98% of the positions.",
        shows=Series("neighbour", SAME_ROLE, {"frozen": False, "rate": 1e-2}),
        page="43%",
        baseline=Level(0.13, "chance"),
        best=EVERY_WORD,
        refuting_values={"neighbour": 0.95},
    ),
    replaced_claim(
        "What training *added* to the vectors sorts 74% of the words, but the large start hides it.",
        holds=lambda rows: (
            all_rows(lambda row: row["added"] >= row["large"])(rows)
            and mean_of(rows, "added") >= mean_of(rows, "large") + 0.15
        ),
        wrong_if="Wrong if the share of words with a neighbour of the same role is lower, for any seed, by what "
        "training added to large vectors than by the vectors themselves, or isn't 0.15 higher on average.",
        shows=Series("added", SAME_ROLE + ", by what training added"),
        page="74%",
        baseline=Series("large", "the same share, by the vectors themselves"),
        best=EVERY_WORD,
    ),
    claim_of("started", LARGE + ", trained; learning rate × 4")(
        "At four times the learning rate, most words are sorted (90%).",
        holds=all_rows(lambda row: row["neighbour"] > 0.5, rate=4e-2),
        wrong_if="Wrong if, for any seed, at most half of the words have a nearest neighbour with the same role after "
        "large vectors are trained at four times the page's rate.",
        shows=Series("neighbour", SAME_ROLE + " at four times the rate", {"rate": 4e-2}),
        baseline=Level(0.13, "chance"),
        best=EVERY_WORD,
    ),
    changed_claim(
        "So there is more than one map for this task.",
        holds=all_rows(lambda row: row["other_maps"] < 0.85),
        wrong_if="Wrong if, for any pair of trained models, the maps share 0.85 or more.",
        shows=Series("other_maps", "overlap of the maps of two trained models"),
        page="0.75",
        baseline=Series("fresh_maps", "overlap with an untrained model"),
        rival=Series("even_maps", "overlap with even weights"),
        best=Level(1, "the same maps"),
        refuting_values={"other_maps": 0.95},
    ),
    changed_claim(
        "With even weights, the loss rises from 1.80 to 2.32.",
        holds=all_rows(lambda row: row["even_loss"] > row["masked_400"] + 0.05),
        wrong_if="Wrong if, for any seed, the loss with even weights isn't at least 0.05 higher.",
        shows=Series("even_loss", "loss with even weights"),
        page="2.32",
        baseline=Series("masked_400", "loss with the model's own weights"),
    ),
]
