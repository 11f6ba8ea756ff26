"""The check of chapter 10 that asks which detector finds what."""

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


def symptoms(a, b, c, d):
    """Check which detector is named for each of the four symptoms of chapter 10.

    Parameters
    ----------
    a, b, c, d : str, names of functions of `attention_src.detectors`
    """
    for (name, (right, clue)), answer in zip(SYMPTOMS.items(), (a, b, c, d), strict=True):
        if answer is None or answer is ...:
            raise NotAttempted(Part("no detector is named for {symptom} yet", symptom=name))
        answer = getattr(answer, "__name__", answer)
        if not isinstance(answer, str) or answer not in ASKS:
            expected = Part("the name of a detector, one of {names}", names=[*ASKS])
            raise Wrong(Part("{symptom} is {answer}", symptom=name, answer=repr(answer)), expected)
        if answer != right:
            seen = Part("{symptom}: {answer} asks {asks}", symptom=name, answer=answer, asks=Part(ASKS[answer]))
            raise Wrong(seen, question=clue)
    passed("each symptom has its question.")
