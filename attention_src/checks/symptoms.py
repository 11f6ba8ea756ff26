"""The check of chapter 10 that asks which detector finds what."""

from ._report import NotAttempted, Wrong, passed

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


def symptoms(a, b, c, d):
    """Check which detector is named for each of the four symptoms of chapter 10.

    Parameters
    ----------
    a, b, c, d : str, names of functions of `attention_src.detectors`

    Raises
    ------
    NotAttempted
        One is not named yet.
    Wrong
        One is no detector, or another would find more; the message says what it asks.
    """
    for (name, (right, clue)), answer in zip(SYMPTOMS.items(), (a, b, c, d), strict=True):
        if answer is None or answer is ...:
            raise NotAttempted(f"no detector is named for {name} yet.")
        answer = getattr(answer, "__name__", answer)
        if not isinstance(answer, str) or answer not in ASKS:
            raise Wrong(f"{name} is {answer!r}; expected the name of a detector, one of {[*ASKS]}.")
        if answer != right:
            raise Wrong(f"{name}: {answer} asks {ASKS[answer]}. {clue}")
    passed("each symptom has its question.")
