"""Who looks where with whose keys: the first state of the picture of chapter 3."""

from attention_src import softmax

from ._canvas import Canvas
from ._steer import with_inputs
from ._style import BLUE, GREEN, ORANGE, PURPLE

LEAST = 0.02  # of a weight that is drawn


def alibi(stored, *, network=0, keys=0, step=3):
    """Draw the keys of one text above the values of another, and the letter that a network writes from them.

    It is the first state of the picture to touch of chapter 3, and carries what that picture needs.

    Parameters
    ----------
    stored : dict, as `attention_course.alibi.stored_alibi` returns it
    network, keys : int, which of the networks and of the donors of keys, from 0
    step : int, how many letters have been written, the last of them just now

    Examples
    --------
    >>> from attention_course.alibi import stored_alibi
    >>> alibi(stored_alibi())
    <picture: the keys of chafed, the values of chafed, and 3 letters written>
    """
    text, (donor, first) = stored["text"], stored["donors"][keys]
    written, weights = stored["written"][network][keys], softmax(stored["scores"][network, keys])[step - 1]
    sheet = Canvas(5.2, 2.75)
    places = [1.55 + 0.64 * i for i in range(len(text))]
    for y, label in ((2.3, "keys"), (1.72, "values"), (0.3, "written")):
        sheet.text(0.6, y, label)
    for x, key, value, weight in zip(places, donor[first:], text, weights, strict=False):
        sheet.box(x, 2.3, key, width=0.5, colour=PURPLE)
        sheet.box(x, 1.72, value, width=0.5, colour=GREEN)
        if weight >= LEAST:
            look = {"colour": ORANGE, "width": round(0.6 + 5 * float(weight), 2)}
            sheet.arrow((x, 1.52), (places[step - 1], 0.52), **look)
            sheet.text(x, 2.62, f"{weight:.2f}", colour=ORANGE)
    for i, (x, letter) in enumerate(zip(places[:step], written, strict=False)):
        sheet.box(x, 0.3, letter, width=0.5, colour=BLUE, filled=0.15 * (i == step - 1))
    picture = sheet.picture(f"the keys of {donor}, the values of {text}, and {step} letters written")
    inputs = {**stored, "first": {"network": network, "keys": keys, "step": step}}
    return with_inputs(picture, "03-alibi", inputs)
