"""Dates as people write them, to be rewritten as ISO 8601: the task on which chapter 03 learns to align."""

from datetime import date
from string import Formatter

import numpy as np

from .examples import Example
from .sampling import check_counts

__all__ = ["date_examples"]

MONTHS = tuple("January February March April May June July August September October November December".split())
WEEKDAYS = tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
FIRST, LAST = date(1900, 1, 1).toordinal(), date(2099, 12, 31).toordinal()

# Only forms that leave no doubt which number is the day: 03/04/2026 is not among them.
FORMATS = (
    "{day} {month} {year}",
    "{day} {mon} {year}",
    "{month} {day}, {year}",
    "{mon} {day}, {year}",
    "{day}{th} {month} {year}",
    "{month} {day}{th}, {year}",
    "{dd}-{mon}-{year}",
    "{weekday} {day} {mon} {year}",
    "{year}/{mm}/{dd}",
    "{year}. {number}. {day}.",
)


def _suffix(day):
    """The letters of an ordinal number: 1st, 2nd, 3rd, but 11th, 12th, 13th."""
    return "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _date_fields(when):
    return {
        "year": str(when.year),
        "month": MONTHS[when.month - 1],
        "mon": MONTHS[when.month - 1][:3],
        "number": str(when.month),
        "mm": f"{when.month:02}",
        "day": str(when.day),
        "dd": f"{when.day:02}",
        "th": _suffix(when.day),
        "weekday": WEEKDAYS[when.weekday()][:3],
    }


def _digits(span, count):
    """The source position of each of `count` digits; a leading zero that the source does not write has none."""
    return [frozenset()] * (count - len(span)) + [frozenset({position}) for position in span]


def write_date(when, form):
    """Write a date in one of the `FORMATS` and say where each character of its ISO form can be read.

    >>> example = write_date(date(2026, 3, 14), "{day} {mon} {year}")
    >>> example.source, example.target
    ('14 Mar 2026', '2026-03-14')
    >>> [sorted(positions) for positions in example.alignment]
    [[7], [8], [9], [10], [], [3, 4, 5], [3, 4, 5], [], [0], [1]]
    """
    source, span, fields = "", {}, _date_fields(when)
    for literal, field, _, _ in Formatter().parse(form):
        source += literal
        if field:
            span[field] = range(len(source), len(source) + len(fields[field]))
            source += fields[field]
    name = span.get("month", span.get("mon"))
    month = [frozenset(name)] * 2 if name else _digits(span.get("mm", span.get("number")), 2)
    day = _digits(span.get("dd", span.get("day")), 2)
    hyphen = [frozenset()]
    return Example(source, when.isoformat(), (*_digits(span["year"], 4), *hyphen, *month, *hyphen, *day))


def date_examples(num_train, num_test, seed=0):
    """Draw different days of the years 1900 to 2099 and write each in one of ten formats.

    A digit of the ISO form comes from the same digit of the source. Both digits of a month that is written as a name
    come from the whole name: any of its letters may tell. Hyphens, and the leading zero of a number that the source
    writes with one digit, come from nowhere.

    Return train and test, both lists of Example, of the lengths `num_train` and `num_test`; these and `seed` are int.
    It raises ValueError if there are not that many days.

    >>> train, test = date_examples(num_train=3, num_test=1)
    >>> [(example.source, example.target) for example in train][:2]
    [('2084/03/31', '2084-03-31'), ('December 25, 2074', '2074-12-25')]
    """
    count = sum(check_counts(num_train, num_test))
    if count > LAST - FIRST + 1:
        raise ValueError(f"num_train + num_test is {count}; from 1900 to 2099 there are {LAST - FIRST + 1} days")
    generator = np.random.default_rng(seed)
    days = generator.permutation(np.arange(FIRST, LAST + 1))[:count]
    forms = generator.integers(len(FORMATS), size=count)
    examples = [write_date(date.fromordinal(int(d)), FORMATS[f]) for d, f in zip(days, forms, strict=True)]
    return examples[:num_train], examples[num_train:]
