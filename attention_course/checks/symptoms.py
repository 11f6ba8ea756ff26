"""The checks of chapter 10 that ask for a diagnosis: which detector finds what, which bug has a program."""

from ._report import NotAttempted, Part, Wrong, passed

SYMPTOMS = {
    "a": ("start_above_chance", "The loss is wrong before a single step. What should it be with 85 classes?"),
    "b": ("reactions", "It predicts well in training and cannot write. Whom has it seen in training?"),
    "c": ("batch_leak", "Something comes in from the neighbours in the batch. Who was changed, who moved?"),
    "d": ("order_effect", "The words are the same and only their order differs. What has the model not been told?"),
}
ASKS = {
    "rows_off_one": "whether the weights of a query sum to 1",
    "start_above_chance": "whether the first loss is that of a guess",
    "parameter_count": "how many numbers are learned",
    "order_effect": "whether the order of the tokens matters",
    "reactions": "which output reacts to which token",
    "batch_leak": "whether one sequence notices another",
}


BUGS = {
    "dropout left on": "the same input would give another output",
    "each token sees itself alone": "no token would react to another, of its own sentence or of others",
    "mask after the softmax": "rows but the last would sum to less than 1, and equal inputs would give equal outputs",
    "mask ignored": "every token would react to every other, and rows would sum to 1",
    "mask with the opposite meaning": "tokens would react to later ones and to no earlier one",
    "positions alike for all tokens": "tokens would react to those before them, and the loss would fall half-way",
    "softmax over the queries": "the columns of weights would sum to 1, and the rows to anything",
    "tokens of other sentences": "a sentence would move with another one of its batch",
}
PROGRAMS = {
    "A": ("each token sees itself alone", "From whom could it learn the letter before?"),
    "B": ("mask ignored", "Who reacts to whom in its grid, and what do its rows sum to?"),
    "C": ("dropout left on", "What does the last of its numbers say about the others?"),
}


def _diagnosed(answers, right, words, says):
    """Compare what was named for each case with what is right, and say what the named one asks or would show."""
    for (name, (expected, clue)), answer in zip(right.items(), answers, strict=True):
        if answer is None or answer is ...:
            raise NotAttempted(Part("nothing is named for {symptom} yet", symptom=name))
        if not isinstance(answer, str) or answer not in words:
            names = Part("one of {names}", names=[*words])
            raise Wrong(Part("{symptom} is {answer}", symptom=name, answer=repr(answer)), names)
        if answer != expected:
            seen = Part(says, symptom=name, answer=answer, asks=Part(words[answer]))
            raise Wrong(seen, question=clue)


def symptoms(a, b, c, d):
    """Check which detector is named for each of the four symptoms of chapter 10.

    Parameters
    ----------
    a, b, c, d : str, names of functions of `attention_course.museum.detectors`
    """
    named = [getattr(answer, "__name__", answer) for answer in (a, b, c, d)]
    _diagnosed(named, SYMPTOMS, ASKS, "{symptom}: {answer} asks {asks}")
    passed("each symptom has its question.")


def programs(a, b, c):
    """Check which bug is named for each of the three programs of chapter 10.

    Parameters
    ----------
    a, b, c : str, keys of `BUGS`, in capitals or not
    """
    named = [answer.strip().lower() if isinstance(answer, str) else answer for answer in (a, b, c)]
    _diagnosed(named, PROGRAMS, BUGS, "{symptom}: with “{answer}”, {asks}")
    passed("each program has its bug.")
