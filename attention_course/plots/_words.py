"""Words that training sorts: the first state of the picture of chapter 9."""

import numpy as np

from ._canvas import Canvas
from ._steer import with_inputs
from ._style import BLUE, GREY, INK

UNIT, MIDDLE = 1.75, (2.14, 2.62)  # inches of a length of 1, and where the middle of the map is


def sorting(course, words, followed):
    """Draw where words lie before training, the circles that they end in, a guess for one of them, and what is written.

    It is the first state of the picture to touch of chapter 9, and carries what that picture needs.

    Parameters
    ----------
    course : dict, as `attention_course.word_vectors.stored_course` returns it
    words : list of str
    followed : str, the word whose place is to be guessed

    Examples
    --------
    >>> from attention_course.tasks.grammar import WORDS
    >>> from attention_course.word_vectors import stored_course
    >>> sorting(stored_course(), WORDS[:42], "dog")
    <picture: 42 words before training>
    """
    places, roles = course["places"] / 100, np.array(course["roles"])
    sheet = Canvas(4.28, 4.55)
    rings, guess = [], [-0.75, -0.45]
    for role in dict.fromkeys(course["roles"]):
        ends = places[-1][roles == role]
        middle = (ends.max(axis=0) + ends.min(axis=0)) / 2
        radius = np.linalg.norm(ends - middle, axis=1).max() + 0.05
        rings.append([role, *middle.round(3).tolist(), round(float(radius), 3)])
        x, y = _to_sheet(middle)
        sheet.circle(x, y, radius=radius * UNIT, colour=GREY)
        above = middle[1] > 0.5 or (middle[0] > 0.5 and middle[1] > 0)
        sheet.text(x, y + (radius * UNIT + 0.1) * (1 if above else -1), role, colour=GREY)
    sheet.dots([_to_sheet(place) for place in places[0]], colour=INK)
    sheet.circle(*_to_sheet(guess), "?", colour=BLUE)
    sheet.text(_to_sheet(guess)[0], _to_sheet(guess)[1] - 0.27, followed, colour=BLUE, weight="bold")
    for line, sentence in enumerate(course["written"][0]):
        sheet.text(MIDDLE[0], 0.5 - 0.2 * line, sentence)
    inputs = {**course, "words": [*words], "followed": followed, "rings": rings, "guess": guess}
    return with_inputs(sheet.picture(f"{len(words)} words before training"), "09-words", inputs)


def _to_sheet(place):
    return tuple(np.round(np.array(MIDDLE) + UNIT * np.array(place), 3).tolist())
