"""The checks of chapter 10 that ask for a diagnosis; test_checks.py has the right answers."""

import pytest

from attention_course import checks
from attention_course.checks.ch10 import ASKS, BUGS, PROGRAMS, SYMPTOMS
from attention_course.museum import detectors
from attention_course.museum.exhibits import UNLABELLED
from book.chapter import ROOT, prose, read

RIGHT = {name: detector for name, (detector, _) in SYMPTOMS.items()}


def test_the_detectors_that_can_be_named_are_those_of_the_package():
    public = {name for name, value in vars(detectors).items() if getattr(value, "__module__", "") == detectors.__name__}
    assert set(ASKS) == {name for name in public if not name.startswith("_")}


OTHERS = [(name, answer) for name in SYMPTOMS for answer in ASKS if answer != RIGHT[name]]


@pytest.mark.parametrize("name, answer", OTHERS)
def test_every_other_detector_meets_what_it_asks_and_a_clue_of_its_own(name, answer):
    with pytest.raises(checks.Wrong) as refused:
        checks.symptoms(**RIGHT | {name: answer})
    seen = refused.value.seen.values
    assert (seen["symptom"], seen["answer"], str(seen["asks"])) == (name, answer, ASKS[answer])
    assert str(refused.value.question) == SYMPTOMS[name][1]
    assert RIGHT[name] not in str(refused.value)


@pytest.mark.parametrize("nothing", [None, ...])
def test_a_symptom_without_a_name_is_not_attempted(nothing):
    with pytest.raises(checks.NotAttempted) as refused:
        checks.symptoms(**RIGHT | {"c": nothing})
    assert refused.value.seen.values == {"symptom": "c"}


@pytest.mark.parametrize("answer", ["loss", "Reactions", 3, ["reactions"]])
def test_what_is_no_detector_is_told_which_there_are(answer):
    with pytest.raises(checks.Wrong) as refused:
        checks.symptoms(**RIGHT | {"b": answer})
    assert refused.value.expected.values == {"names": [*ASKS]}


def test_the_bugs_that_can_be_named_are_those_of_the_exercise_and_every_program_has_one():
    page = "\n".join(prose(read(ROOT / "chapters" / "10_silent_bugs.ipynb")))
    assert all(f'`"{bug}"`' in page for bug in BUGS)
    assert set(PROGRAMS) == set(UNLABELLED)
