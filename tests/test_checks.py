"""The checks of all exercises: right answers of every kind pass, and a wrong one meets one question under every seed.

`homework/wrong_answers.md` has that question, and `test_instructors.py` compares it.
"""

import cProfile
import inspect
import json
import pickle
import re
import traceback
from base64 import b64encode
from contextlib import nullcontext
from itertools import chain

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from test_machine import define

from attention_course import checks
from attention_course.checks import _again, _ask
from attention_course.checks._ask import draw_sizes
from attention_course.checks._compare import FEEDBACK, check_prediction
from attention_course.checks.ch10 import ASKS, BUGS, PROGRAMS, SYMPTOMS
from attention_course.museum import detectors
from attention_course.museum.exhibits import UNLABELLED
from attention_src import additive_score, causal_mask, padding_mask, scaled_dot_product_attention, softmax
from book.chapter import CHAPTERS, exercises, prose, read
from homework.answers import DATA, EXERCISES, ch05, ch09, watch
from tools.instructors_page import list_entries, quote

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # wrong answers overflow

ASKED = {name: exercise for name, exercise in EXERCISES.items() if callable(exercise.first)}
DIAGNOSED = {case: detector for case, (detector, _) in SYMPTOMS.items()}
# which have numbers, or pairs, as arguments
NO_ARRAYS = {*"ex02-undo ex03-count ex07-skip ex11-mend ex13-merges ex13-tokenize ex13-loop".split()}


def cases(kind):
    return [
        pytest.param(exercise, case, id=f"{name}: {label}")
        for name, exercise in EXERCISES.items()
        for label, case in getattr(exercise, kind)().items()
    ]


def seeds(check):
    """No seed, which is that of the page, and two others."""
    return [{}, {"seed": 17}, {"seed": 4711}] if "seed" in inspect.signature(check).parameters else [{}]


def refuse(check, *arguments, **options):
    """Return the Wrong that a check raises."""
    with pytest.raises(checks.Wrong) as refused:
        check(*arguments, **options)
    return refused.value


@pytest.mark.parametrize(("exercise", "arguments"), cases("list_accepted"))
def test_a_right_answer_passes_whatever_the_seed(exercise, arguments, capsys):
    for seed in seeds(exercise.check):
        exercise.check(*arguments, **seed)
    assert capsys.readouterr().out.startswith("Right: ")


WRONG_ASKED = [name for name in ASKED if name not in ("ex02-undo", "ex10-mend")]  # which only train


def show(check, *arguments):
    """Return what a notebook shows of the Wrong that a check raises; it asks again for its history."""
    reply = refuse(check, *arguments)
    return [reply._render_traceback_(), reply._render_traceback_()][0][0]


def read_table(text):
    return np.array([[*map(float, row.split())] for row in re.findall(r"[^][\n]*\d[^][\n]*", text)])


@pytest.fixture
def runs(monkeypatch):
    monkeypatch.setattr(_again, "runs", {})
    return _again.runs


def test_a_mistake_that_is_met_again_is_shown_in_a_smaller_case_and_then_line_by_line(runs):
    def divided(query, key, value):
        scores = query @ key.T / key.shape[1]
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights = weights / weights.sum(-1, keepdims=True)
        return weights @ value, weights

    def unstable(query, key, value):
        weights = np.exp(query @ key.T / np.sqrt(key.shape[1]))
        return weights @ value, weights

    def keys_mixed(query, key, value):
        weights = scaled_dot_product_attention(query, key, value)[1]
        return weights @ key, weights

    first, second, third = (show(checks.attention, divided) for _ in range(3))
    assert "\n" not in first and second.startswith(first) and third.startswith(second)
    question, number = "Do you divide by d_k itself, and should you?", r"weights\[0, 0\] is 0\.\d+; expected 0\.\d+"
    assert re.search(rf"query = \[\[.*?\nkey = .*?\nvalue = .*?{number}\. {re.escape(question)}", second, re.S)
    assert "\nscores = [[" in third.removeprefix(second) and "\nscores = [[" not in second
    shown = {name: read_table(text) for name, text in re.findall(r"^(\S+) = (\[\[.*(?:\n .*)*)", third, re.M)}
    scores = shown["query"] @ shown["key"].T / 2  # exactly, since the tables have no further digits
    assert np.array_equal(np.round(scores, 4), shown["scores"]) and "result[1] = [[" not in second
    assert np.allclose(np.exp(scores - scores.max()), shown["weights"], atol=1e-4)
    assert np.allclose(softmax(scores), shown["result[1]"], atol=1e-4)
    assert f"{softmax(scores)[0, 0]:.4f}; expected {softmax(scores * np.sqrt(2))[0, 0]:.4f}" in second
    assert "line by line" in show(checks.attention, unstable) and show(checks.attention, divided) == third
    assert "\n" not in show(checks.attention, keys_mixed)  # which gets further
    assert "smaller case" in show(checks.attention, unstable)
    assert [*runs] == ["attention"] and runs["attention"][1] == 2 and len(runs["attention"][2]) == 3


@pytest.mark.parametrize("name", WRONG_ASKED)
def test_no_mistake_is_repeated_in_the_same_words_a_third_time(name, runs):
    exercise = ASKED[name]
    arguments = next(iter(exercise.list_refused().values()))
    texts = [show(exercise.check, *arguments) for _ in range(3)]
    assert "\n\n" not in texts[0] and "\n\n" in texts[1], texts
    assert texts[2].startswith(f"{texts[1]}\n\n")
    case, line = (text.replace("\n ", " ") for text in (texts[1], texts[2].removeprefix(texts[1])))
    sizes = [[len(re.findall(r"\d[\d.e-]*", line)) for line in re.findall(r" = (\[.*)", part)] for part in (case, line)]
    assert sum(sizes[0]) <= 30 and max(chain(*sizes), default=0) <= 12  # three of which may be a shape


@pytest.mark.parametrize("name", [name for name in WRONG_ASKED if re.match("ex0[12347]", name)])
def test_a_smaller_case_asks_what_the_larger_one_asked(name):
    for label, wrong in ASKED[name].list_wrong().items():
        if callable(wrong) and not re.search("after the eighth|above size|writes into", label):  # which needs size 9
            reply = refuse(ASKED[name].check, *ASKED[name].arguments(wrong))
            assert str(_again.find_smaller_case(*reply.asked, str(reply.question))[1].question) == str(reply.question)


def test_a_block_is_shown_with_parts_that_can_be_worked_out_by_hand(runs):
    source = """def my_block(x, attend, feed_forward, norm_1, norm_2):
    x = x + attend(norm_1(x))
    return x + feed_forward(norm_1(x))
"""
    *_, third = (show(checks.pre_norm_block, define(source)) for _ in range(3))
    assert "attend(x) = -2 * x\nfeed_forward(x) = 1 - 3 * x\nnorm_1(x) = (x - x.mean()) / x.std()" in third
    x, norm = np.array([[1, 3]]), np.array([[-1, 1]])
    told = dict(re.findall(r"^(.+) = (\[\[.*\]\])$", third, re.M))
    for name, right in {"x": x, "norm_1(x)": norm, "x + attend(norm_1(x))": x - 2 * norm}.items():
        assert np.array_equal(read_table(told[name]), right)
    _, second = (show(checks.zero_test, EXERCISES["ex07-zero"].wrong["smallest"], ...) for _ in range(2))
    assert "block = the block of the exercise\nx = [[1. 3.]]" in second and "expected 4.0000" in second


def test_who_computes_and_returns_nothing_is_told_so(runs):
    silent = define("def my_block(x, attend, feed_forward, norm_1, norm_2):\n    y = x + attend(norm_1(x))\n")
    _, second, third = (show(checks.pre_norm_block, silent) for _ in range(3))
    assert "y = [[3. 1.]]" in second and second.endswith("none of them. Which of them should come after return?")
    assert "by hand" not in third and "Give each step" not in third


@pytest.mark.parametrize("name", WRONG_ASKED)
def test_what_is_right_is_right_in_all_small_cases(name):
    exercise = ASKED[name]
    assert _again.find_smaller_case(inspect.unwrap(exercise.check), exercise.arguments(exercise.first), {}, "") is None


def test_a_wrong_number_is_told_more_each_time_and_whether_it_was_only_rounded(runs):
    hint = FEEDBACK["doubled_query"]["hint"]
    first, second, third, fourth = (show(checks.doubled_query, 0.67) for _ in range(4))
    assert second == f"{first}\n\n{hint}" and "the scores 2 and 0 are 1.414 apart" in third.removeprefix(second)
    assert fourth == third and third.endswith("\n\nThese are all the hints that this check has.")
    runs.clear()
    for _ in range(3):
        rounded = show(checks.doubled_query, 0.8)
        assert rounded == "Not yet. 0.8 is right as far as it goes; expected one rounded to 3 decimals."
    assert "\n" not in show(checks.doubled_query, 0.67)
    runs.clear()
    texts = [show(checks.numbers_and_rank, *numbers) for numbers in ((7, 8), (5000, 8), (11, 8), (3600, 9))]
    assert texts[0].endswith("matrices?") and texts[1].endswith("Your number is too large.")
    assert "Your number is too small.\n\nW_q has 100 rows and 8 columns, which is 800 numbers." in texts[2]
    assert "\n" not in texts[3]  # the other number is wrong for the first time


@pytest.mark.parametrize(
    ("number", "mistake", "step"),
    [
        (590848, "leave out several biases or norms", "The four biases of attention have"),
        (
            592384,
            "give both biases of the feed-forward network the same length",
            "A bias has one number for each output",
        ),
        (592256, "count one norm", "One norm has a scale"),
        (527232, "give attention three matrices", "W_q and its bias have"),
        (428672, "give the feed-forward network one matrix", "The second layer of the feed-forward network has"),
        (855936, "count attention twice", "W_q and its bias have"),
        (592128, "leave out the bias of the hidden layer", "The first layer of the feed-forward network has"),
    ],
)
def test_the_step_on_the_way_fits_the_mistake(number, mistake, step, runs):
    first, second, third = (show(checks.block_parameters, number) for _ in range(3))
    assert mistake in first and third.removeprefix(second).startswith(f"\n\n{step}")


def test_the_steps_of_chapter_2_lead_on_and_say_what_its_function_does(runs):
    for number in (0.55, 2.2):  # whose learners know already that a ratio of 3 needs a gap of ln 3
        runs.clear()
        _, second, third = (show(checks.temperature_for_ratio, number) for _ in range(3))
        assert third.removeprefix(second).startswith("\n\nDivided by T, the two scores are 0.5 / T apart")
    scores = np.log([[1, 1], [4, 4]])
    raised = np.exp(scores - scores.max())
    assert np.allclose(raised, [[1 / 4, 1 / 4], [1, 1]]) and np.allclose(raised.sum(axis=-1), [1 / 2, 2])
    assert (
        "gives (1/4, 1/4) and (1, 1), so the totals of the two rows are 1/2 and 2."
        in FEEDBACK["mended_softmax"]["step"]
    )


FOUND = [name for name, one in EXERCISES.items() if one.named != "" or isinstance(one.first, tuple)]


@pytest.mark.parametrize("name", FOUND)
def test_who_predicts_wrong_three_times_is_told_something_new_each_time_but_not_the_answer(name, runs):
    exercise = EXERCISES[name]
    right = exercise.arguments(exercise.first)
    for given in exercise.list_refused().values():
        answers = [one for one, other in zip(right, given, strict=True) if str(one) != str(other)]
        runs.clear()
        first, second, third = (show(exercise.check, *given) for _ in range(3))
        if not any(map(callable, answers)) and not re.search(r"(has|of) shape|NaN", first):
            assert second.startswith(f"{first}\n\n") and third.startswith(f"{second}\n\n")
            told = {*map(float, re.findall(r"(?<![\w.,−-])\d+(?:\.\d+)?(?![\d.,]*\d)", third.removeprefix(second)))}
            assert not told & {one for one in answers if isinstance(one, int | float)}


def test_a_trace_has_what_stands_within_a_line_and_the_shapes_that_do_not_fit(runs):
    source = """def my_head(X, W_q, W_k, W_v):
    weights = softmax(X @ W_q @ (X @ W_k).T / np.sqrt(X.shape[-1]))
    return weights @ (X @ W_v), weights
"""
    *_, third = (show(checks.mended_head, define(source, softmax=softmax), 4.0) for _ in range(3))
    names = ["X @ W_q", "X @ W_k", "X @ W_q @ (X @ W_k).T", "np.sqrt(X.shape[-1])"]
    names += ["X @ W_q @ (X @ W_k).T / np.sqrt(X.shape[-1])", "weights"]
    assert re.findall(r"^(.+?) = ", third.partition("line by line:")[2], re.M)[:6] == names
    turned = define("def my_projections(X, W_q, W_k, W_v):\n    return W_q @ X, W_k @ X, W_v @ X\n")
    *_, third = (show(checks.projections, turned) for _ in range(3))
    said = third.partition("line by line:")[2]
    assert "W_q @ X = shapes (2, 2) and (1, 2), which don't fit" in said and "W_k" not in said
    assert "its inner lengths must be equal" in third.lower() and "axis of length 1" not in third
    single = define("def split_heads(a, num_heads):\n    return a.reshape(num_heads, len(a), -1)[:, ::-1]\n")
    *_, third = (show(checks.split_heads, single, 2) for _ in range(3))
    said = third.partition("line by line:")[2]
    assert "len(a) = 3" in said and "a.reshape(num_heads, len(a), -1) = [[" in said and "result = [[" in said


CALLING = {checks.attention: lambda *given: scaled_dot_product_attention(*given)}
CALLING[checks.additive_score] = lambda *given: additive_score(*given)
CALLING[checks.decoder_mask] = lambda lengths, n: causal_mask(n) & padding_mask(lengths, n)


@pytest.mark.parametrize(("check", "answer"), CALLING.items())
def test_an_answer_that_calls_the_package_where_it_is_to_do_without_meets_a_remark(check, answer, capsys):
    check(answer)
    right, remark = capsys.readouterr().out.splitlines()
    assert right.startswith("Right: ") and remark.startswith("One remark: Your function calls attention_src; expected")
    answer.called = ["of the sandbox"]
    check(answer)
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_a_profile_goes_on_after_a_check_that_watches():
    profile = cProfile.Profile(builtins=False)
    profile.enable()
    checks.attention(EXERCISES["ex01-attention"].first)
    checks.doubled_query(0.804)
    profile.disable()
    assert "doubled_query" in {getattr(entry.code, "co_name", "") for entry in profile.getstats()}


def test_grading_counts_nothing_and_shows_nothing_more(runs):
    for _ in range(3):
        reply = refuse(checks.doubled_query, 0.67)
    assert str(reply) == str(refuse(checks.doubled_query, 0.67)) and runs == {}
    with checks.collecting([]):
        checks.doubled_query(0.804)
    assert runs == {}


def test_a_solution_is_announced_then_offered_after_success_or_five_answers_where_a_notebook_brings_one(
    runs, monkeypatch, capsys
):
    offered = []
    monkeypatch.setattr("IPython.display.display", lambda part: offered.append(part.data))
    for number in (0.1, 0.2, 0.3, 0.4, 0.5):
        assert "solution" not in show(checks.doubled_query, number)
    checks.doubled_query(0.804)
    assert offered == []
    monkeypatch.setattr(_again, "solutions", {})
    runs.clear()
    checks.take_solutions(b64encode(json.dumps({"doubled_query": "a < b"}).encode()).decode())
    texts = [show(checks.doubled_query, number) for number in (0.1, 0.2, 0.2, 0.2, 0.2, 0.3, 0.4)]
    ends = [
        re.search(r"five different answers\. So far, since the kernel was started: (\d)\.$", text) for text in texts
    ]
    assert [end and int(end[1]) for end in ends] == [None, None, 2, 2, 2, 3, 4] and offered == []
    assert "five different answers" not in show(checks.doubled_query, 0.5)
    runs.clear()
    checks.doubled_query(0.804)
    assert len(offered) == 2 and all(part.startswith("<details>") and "a &lt; b" in part for part in offered)


def test_a_notebook_shows_the_solution_below_the_message(runs, monkeypatch):
    shell = InteractiveShell()
    shown = []
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    monkeypatch.setattr("IPython.display.display", lambda part: shown.append(part.data[:27]))
    monkeypatch.setattr(shell, "_showtraceback", lambda *given: shown.append(given[2][0][:8]))
    monkeypatch.setattr(_again, "solutions", {"doubled_query": "a < b"})
    for number in range(6):
        shell.run_cell(f"from attention_course import checks\nchecks.doubled_query({number})")
    assert shown == ["Not yet."] * 5 + [opened := "<details><summary>One solut", "Not yet.", opened]
    shell.run_cell("checks.before_handing_in('me', {'2. Predict it': lambda: checks.doubled_query(0.804)})")
    assert shown[-1] == "<details><summary>2. Predic"


@pytest.mark.parametrize("name", ASKED)
def test_an_answer_that_writes_into_its_arguments_keeps_its_points_and_meets_a_remark(name, capsys):
    ASKED[name].check(*ASKED[name].list_accepted()["writes into its arguments"])
    remarks = re.findall("^One remark: (.*)", capsys.readouterr().out, re.M)
    assert len(remarks) == (name not in NO_ARRAYS)
    assert all(re.match(r"scribbling changed its argument \w+\. Where does your", remark) for remark in remarks)


@pytest.mark.parametrize("name", [name for name, exercise in EXERCISES.items() if exercise.named != ""])
def test_half_of_the_points_stand_if_the_function_is_right_and_the_prediction_is_not_and_none_the_other_way(name):
    exercise = EXERCISES[name]
    for predicted in (..., None, 123456, "nonsense"):
        with pytest.raises((checks.Wrong, checks.NotAttempted)) as reply:
            exercise.check(exercise.first, predicted)
        assert reply.value.share == 1 / 2 and reply.value._render_traceback_()[0].startswith("Your function is right")
    for wrong in exercise.list_wrong().values():
        if not isinstance(wrong, tuple):
            assert refuse(exercise.check, wrong, exercise.named).share == 0
    for wrong in exercise.names:
        words = exercise.names[wrong] if isinstance(exercise.names, dict) else repr(wrong)
        assert words in str(refuse(exercise.check, exercise.first, wrong))


def test_capitals_and_blanks_around_a_name_do_not_count(capsys):
    checks.mended_attention(EXERCISES["ex01-mend"].first, " UnEven\n")
    checks.symptoms(**{case: f" {name.upper()}" for case, name in DIAGNOSED.items()})
    assert capsys.readouterr().out.count("Right: ") == 2


@pytest.mark.parametrize(
    ("answer", "person"),
    [((0.804,), True), ([0.804], True), ("0,804", True), ("about 0.8", True), ("many", False), (print, False)],
)
def test_a_number_with_something_around_it_is_for_a_person(answer, person):
    refused = refuse(checks.doubled_query, answer)
    assert refused.for_person == person
    assert ("Is there a comma after your number?" in str(refused)) == isinstance(answer, tuple | list)


class Own:
    pass


GIVEN = [(lambda: 1, "the function <lambda>"), (Own, "the class Own"), (Own(), "a value of type Own")]
GIVEN += [([Own()], "a value of type list"), (np.zeros((2, 3)), "an array of shape (2, 3)")]


@pytest.mark.parametrize(("answer", "words"), [*GIVEN, ("<b>", "'<b>'"), ("x" * 99, f"'{'x' * 59}…")])
def test_a_message_shows_what_was_given_as_its_writer_knows_it(answer, words):
    expected = f"You gave {words}, which is not a number; expected one rounded to 3 decimals"
    assert expected in str(refuse(checks.doubled_query, answer))


def test_a_traceback_shows_no_lines_of_a_check():
    lines = traceback.extract_tb(refuse(checks.attention, lambda q, k, v: (v, q)).__traceback__)
    assert [line.name for line in lines if "/checks/" in line.filename] == ["checked"]


def test_two_numbers_that_differ_are_not_shown_alike():
    seen = refuse(checks.softmax, EXERCISES["ex02-softmax"].wrong["keys after the eighth ignored"])
    assert str(seen.expected) not in str(seen.seen)


def test_a_message_says_of_what_shape_the_arguments_are():
    refused = refuse(checks.patchify, lambda image, p: image)
    assert "With image of shape (4, 6, 1), p = 2, the result has shape" in str(refused)
    with checks.speaking("ko"):
        assert "image(모양 (4, 6, 1)), p = 2일 때" in str(refused)


def spy(exercise, seed):
    """The shapes, and whole numbers in their place, of the arguments of every trial of a seed."""
    seen = []
    answer = watch(exercise.first, lambda shapes: seen.append(shapes) is None)
    exercise.check(*exercise.arguments(answer), seed=seed)
    return seen


@pytest.mark.parametrize("name", ASKED)
def test_every_seed_has_a_size_of_1_and_one_above_9_and_no_other_seed_has_all_of_its_sizes(name):
    trials = [spy(ASKED[name], seed) for seed in (0, 1, 2, 3)]
    for trial in trials:
        sizes = {*chain(*chain(*trial))}
        assert 1 in sizes and max(sizes) > 9
    assert len({*map(str, trials)}) == len(trials)
    assert spy(ASKED[name], 0) == trials[0]  # what is visible is the same for everybody


def test_nan_on_the_way_is_seen_without_the_flags_that_a_browser_lacks(monkeypatch):
    monkeypatch.setattr(_ask, "IN_BROWSER", True)
    monkeypatch.setattr(_ask, "note_nan", lambda met: nullcontext())
    for right in ch05.RIGHT.values():
        checks.masked_attention(right)
    for where in ("weights", "output"):
        with pytest.raises(checks.Wrong, match="makes NaN on the way"):
            checks.masked_attention(ch05.replace_nan(where))


@pytest.mark.parametrize("name", ["ex01-attention", "ex01-mend", "ex05-attention", "ex05-mend"])
def test_every_seed_has_one_query_one_key_and_values_as_long_as_keys(name):
    for seed in (0, 17, 4711):
        sizes = [(n, m, d_k, d_v) for (n, d_k), (m, _), (_, d_v), *_ in spy(ASKED[name], seed)]
        assert any(n == 1 for n, *_ in sizes) and any(m == 1 for _, m, *_ in sizes)
        assert any(d_k == d_v for *_, d_k, d_v in sizes) and any(min(some) > 9 for some in sizes)


def test_drawn_sizes_keep_what_matters_of_those_that_are_written_and_fit():
    written = [(1, 4, 4, 7), (11, 3, 12, 12)]
    assert draw_sizes(written, 0) == written
    drawn = [draw_sizes(written, seed, lambda *sizes: sizes[3] != 8) for seed in range(1, 200)]
    for (one, a, b, c), (large, small, larger, largest) in drawn:
        assert one == 1 and 1 < a == b < c < 10 and c != 8
        assert 1 < small < 10 <= large < larger == largest
    assert len({str(some) for some in drawn}) > 100


def test_a_prediction_may_have_more_decimals_than_were_asked_for_and_is_refused_if_it_was_cut_or_is_off():
    for answer in (0.11, 0.105, 0.1054, 0.10536):
        check_prediction(answer, 0.10536, {}, [""], digits=2)
    for answer in (0.1, 0.1003, 0.12):
        refuse(check_prediction, answer, 0.10536, {}, [""], digits=2)


def values(part):
    for value in part.values.values():
        yield from values(value) if isinstance(value, checks.Part) else [value]


@pytest.mark.parametrize(("exercise", "arguments"), cases("list_refused"))
def test_a_wrong_answer_meets_one_question_whatever_the_seed_and_is_told_in_plain_data_what_was_seen(
    exercise, arguments
):
    message, *others = (refuse(exercise.check, *arguments, **seed) for seed in seeds(exercise.check))
    assert {*map(quote, others)} <= {quote(message)}
    question = str(message.question)
    assert question.endswith("?") if message.question else message.expected or "error" in message.seen.values
    assert message.seen and (not message.expected or str(message.expected) in str(message))
    assert not re.search(r"\brow \d of", str(message))  # positions are written as Python counts them, from 0
    assert all(json.dumps([*values(part)]) for part in message.parts().values())


@pytest.mark.parametrize("cut", [lambda x: x, lambda x: x[:, 1:], lambda x: x[:, :-1]])
def test_a_loss_without_the_shift_is_asked_about_it_however_it_counts(cut):
    def count(less):
        return lambda x, w, n: ch09.surprise(cut(x), cut(w))[ch09.counts(n - less, cut(w).shape[1])].mean()

    for less in (0, 1, 2, -99):
        assert str(refuse(checks.mended_loss, count(less), 0.11).question).startswith("Which word has the model seen")
    each = ch09.with_each(lambda *given: 7.0)
    assert str(refuse(checks.next_token_loss, each).question).startswith("Your surprises are right")


@pytest.mark.parametrize("name", [name for name, exercise in EXERCISES.items() if exercise.like])
def test_what_is_wrong_in_one_exercise_is_wrong_in_another_like_it(name):
    for wrong in EXERCISES[name].like.list_wrong().values():
        refuse(EXERCISES[name].check, *EXERCISES[name].arguments(wrong))


@pytest.mark.parametrize("name", EXERCISES)
def test_what_is_left_as_it_was_handed_out_is_not_attempted_and_nothing_is_called_right(name, capsys):
    for arguments in EXERCISES[name].list_untouched():
        with pytest.raises(checks.NotAttempted):
            EXERCISES[name].check(*arguments)
        assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", EXERCISES)
def test_every_exercise_has_its_answers(name):
    exercise = EXERCISES[name]
    wrong = len(exercise.list_wrong()) + (len(exercise.like.list_wrong()) if exercise.like else 0)
    assert len(exercise.right) >= (2 if name == "ex10-symptoms" else 3) and wrong >= 8
    assert set(exercise.reveals) <= set(exercise.wrong)


def test_the_exercises_of_the_chapters_are_those_that_are_tested_with_their_own_checks_and_no_check_is_left():
    found = chain.from_iterable(exercises(read(path)) for path in CHAPTERS)
    called = {exercise.name: re.search(r"checks\.(\w+)\(", exercise.check.source)[1] for exercise in found}
    assert called == {name: exercise.check.__name__ for name, exercise in EXERCISES.items()} and set(called) == set(
        DATA
    )
    assert {*called.values(), "NotAttempted", "Wrong"} == set(checks.__all__)


def test_every_exercise_says_its_number_and_points():
    said = [(entry.chapter, entry.number, entry.points) for entry in list_entries()]
    known = ((path.stem, enumerate(exercises(read(path)), 1)) for path in CHAPTERS)
    assert said == [(stem, number, exercise.points) for stem, found in known for number, exercise in found]


@pytest.mark.parametrize(
    ("check", "numbers", "own", "words"),
    [
        (checks.block_parameters, [1052416 - 1536], {"d_ff": 1536}, "the bias of the hidden layer"),
        (checks.block_parameters, [1052416 - 1024], {"d_ff": 1536}, "the biases of attention or the two norms"),
        (checks.who_may_look, [32, 36, 4], {"written": 8}, "count the source words"),
        (checks.doubled_query, [0.804], {"times": 3}, "e raised to that gap"),
    ],
)
def test_mistakes_that_look_alike_with_the_pages_numbers_are_told_apart_with_others(check, numbers, own, words):
    assert words in str(refuse(check, *numbers, **own))


@pytest.mark.parametrize("text", ["{0} {name} {", "}", "{given.__class__}", "%s", "1, " * 200])
def test_what_a_student_wrote_is_a_value_never_a_template_and_no_longer_than_300_characters(text):
    def answer(query, key, value):
        raise ValueError(text)

    answer.__name__ = f"my {text[:40]}"
    refused = refuse(checks.attention, answer)
    assert (refused.seen.values["text"], refused.seen.values["function"]) == (text[:300], answer.__name__)
    assert f"{answer.__name__} raised ValueError: {text[:300]}" in refused._render_traceback_()[0]


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"seen": "Two", "expected": "one", "question": "Which?"}, "Two; expected one. Which?"),
        ({"seen": "Two", "question": "Which?"}, "Two. Which?"),
        ({"expected": "one"}, "Expected one."),
        ({"question": "Which?"}, "Which?"),
        ({"seen": "Did it end?"}, "Did it end?"),
        ({"seen": checks.Part("{n:,} of {what}", n=1000, what=checks.Part("{x}", x="{y}"))}, "1,000 of {y}."),
        ({}, ""),
    ],
)
def test_each_part_of_a_message_may_be_missing(parts, sentence):
    assert str(checks.Wrong(**parts)) == str(pickle.loads(pickle.dumps(checks.Wrong(**parts)))) == sentence
    assert checks.NotAttempted(**parts)._render_traceback_() == [f"Not attempted yet: {sentence}"]


# Chapter 10 asks for diagnoses: which detector finds what, which bug has a program.
@pytest.mark.parametrize("name, right, words", [("ex10-symptoms", SYMPTOMS, ASKS), ("ex10-programs", PROGRAMS, BUGS)])
def test_every_other_diagnosis_meets_what_it_says_and_a_clue_but_not_the_right_one(name, right, words):
    refusals = EXERCISES[name].list_refused().values()
    assert len(refusals) == len(right) * (len(words) - 1)
    for arguments in refusals:
        refused = refuse(EXERCISES[name].check, *arguments)
        seen = refused.seen.values
        diagnosis, clue = right[seen["symptom"]]
        assert dict(zip(right, arguments, strict=True))[seen["symptom"]] == seen["answer"]
        assert (str(seen["asks"]), str(refused.question)) == (words[seen["answer"]], clue)
        assert diagnosis not in str(refused)


@pytest.mark.parametrize("answer", ["loss", "react ions", 3, ["reactions"]])
def test_a_name_of_no_detector_meets_the_names_there_are(answer):
    assert refuse(checks.symptoms, **DIAGNOSED | {"b": answer}).expected.values == {"names": [*ASKS]}


def test_what_can_be_named_is_what_the_museum_and_the_page_have():
    public = {name for name, value in vars(detectors).items() if getattr(value, "__module__", "") == detectors.__name__}
    assert set(ASKS) == {name for name in public if not name.startswith("_")}
    page = "\n".join(prose(read(CHAPTERS[9])))
    assert all(f'`"{bug}"`' in page for bug in BUGS) and set(PROGRAMS) == set(UNLABELLED)
