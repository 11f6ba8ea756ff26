"""The machine that writes: the same numbers as the layers of the package, and what it says of a reader's parts."""

import ast
import json
import linecache
import subprocess
import sys
import tomllib
from collections import Counter
from functools import partial
from inspect import getsource
from pathlib import Path

import numpy as np
import pytest
import torch
from reference import random, same

import attention_course.machine as module
from attention_course.assembly import RESULTS, Assembly
from attention_course.machine import PAD, PARTS, START, Machine, load_weights
from attention_course.my_machine import put_into_machine, read_kept, write_program
from attention_course.names import NameTask
from attention_course.novel import cut_pieces, cut_words, find_copied, learn_merges, read_novel
from attention_src import scaled_dot_product_attention
from attention_src.masks import causal_mask, padding_mask
from evidence.machine import list_names, make_writer, put_weights, take_weights
from evidence.prose import SHAPE
from homework.answers import EXERCISES

TASK = NameTask()
EXERCISE_OF = {
    "attention": "ex01-attention",
    "softmax": "ex02-softmax",
    "projections": "ex04-project",
    "mask": "ex05-mask",
    "heads": "ex06-heads",
    "block": "ex07-block",
    "loss": "ex09-loss",
    "merge": "ex11-merge",
    "tokenize": "ex13-tokenize",
    "loop": "ex13-loop",
}


@pytest.fixture(scope="module")
def machine():
    return Machine()


@pytest.fixture(scope="module")
def writer(machine):
    return put_weights(machine.weights, make_writer(len(machine.tokens)))


@pytest.fixture(scope="module", params=["names", "prose"])
def known(request, machine, writer):
    """A machine, the layers with the same weights, and texts that neither was trained on."""
    if request.param == "names":
        return machine, writer, TASK.held_out[:200]
    prose, text = Machine("prose"), read_novel()[1]
    layers = put_weights(prose.weights, make_writer(len(prose.tokens), len(prose.weights["places"]), **SHAPE))
    return prose, layers, [text[1000 * i :][: 10 * i + 5] for i in range(20)]


# The numbers


@torch.no_grad()
def test_its_scores_are_those_of_the_layers_with_the_same_rounded_weights(known):
    machine, writer, texts = known
    words, lengths = machine.encode(texts)
    scores, real = machine.score(words, lengths), np.arange(words.shape[1]) < lengths[:, None]
    assert len(words) >= 20 and (words[:, 0] == START).all() and (words[~real] == PAD).all()
    same(scores[real], writer(torch.tensor(words))[torch.tensor(real)], 1e-9)


@torch.no_grad()
def test_letter_by_letter_with_a_memory_it_scores_as_it_does_at_once(known):
    machine, writer, texts = known
    for halves in ({}, {"merge": PARTS["merge"]}):
        one, text, memory = Machine(machine.weights, **halves), machine.encode(texts[-1:])[0][0], {}
        steps = [one.step(number, place, memory) for place, number in enumerate(text)]
        same(np.array(steps), writer(torch.tensor(text)[None])[0], 1e-9)
        remembered = sum(np.size(row) for rows in memory.values() for row in rows)
        widths = machine.weights["0.w_k"].shape[1] + machine.weights["0.w_v"].shape[1]
        assert remembered == len(text) * machine.count_blocks() * widths


@torch.no_grad()
def test_its_guesses_and_weights_are_those_of_the_layers_with_and_without_a_head(known):
    machine, writer, texts = known
    pieces, head = machine.parts["tokenize"](texts[7], machine.merges), 2
    words = torch.tensor([[START, *map(machine.tokens.index, pieces)]])
    x, seen = writer.read(words) + writer.place[: words.shape[1]], causal_mask(words.shape[1])
    _, weights = writer.blocks[0](x, torch.tensor(seen), need_weights=True)
    same(machine.look(texts[7])[0], weights[0], 1e-9)
    table = writer.blocks[1].attend.out_proj.weight
    kept, part = table.clone(), table.chunk(machine.num_heads, dim=1)[head - 1]
    for one, factor in ((machine, 1), (machine.without(2, head), 0)):
        part *= factor
        chances = (writer(words)[0, -1] / 2).softmax(dim=-1)
        pieces, found = zip(*one.guess(texts[7], most=3, temperature=2), strict=True)
        same(np.array(found), chances.topk(3).values, 1e-9)
        assert [machine.tokens[n] for n in chances.topk(3).indices.tolist()] == [*pieces]
    table.copy_(kept)
    blocks = machine.count_blocks()
    for block, head in [(1, 1), (blocks, machine.num_heads)]:
        given = Assembly(machine.weights, softmax=PARTS["softmax"]).without(block, head)
        assert type(given) is Assembly and {*given.given} == {"softmax"}
    for block, head in [(0, 1), (blocks + 1, 1), (1, 0), (1, machine.num_heads + 1)]:
        with pytest.raises(ValueError, match=f"block {block}, head {head}: there are {blocks} and {machine.num_heads}"):
            machine.without(block, head)


def test_it_draws_from_chances_that_do_not_sum_to_1_and_ends_nowhere_if_there_are_none(machine):
    thrice = Machine(softmax=lambda *given: 3 * PARTS["softmax"](*given), attention=PARTS["attention"])
    assert thrice.write() == machine.write(8) and machine.guess() == machine.guess("", 8, 1.0)
    assert Machine(block=lambda x, *_: np.nan * x).write(1) == [machine.tokens[-1] * machine.longest]


def test_it_goes_on_from_a_beginning_as_from_what_it_has_written_itself(known):
    machine, *_ = known
    whole = machine.write(1, temperature=1e-3)[0]
    begin = "".join(machine.parts["tokenize"](whole, machine.merges)[:4])
    assert machine.write(2, temperature=1e-3, begin=begin) == [whole] * 2
    with pytest.raises(ValueError, match="has 'ß'"):
        machine.write(1, begin="ß")


def test_the_novel_is_cut_into_pieces_by_the_merges_that_its_words_teach():
    (to_train, held_out), merges = read_novel(), Machine("prose").merges
    assert cut_pieces(held_out[:3000], merges) == PARTS["tokenize"](held_out[:3000], merges)
    assert learn_merges(Counter(cut_words(to_train)), 6) == [*map(tuple, merges[:6])]
    assert "".join(cut_words(to_train)) == to_train
    assert learn_merges({"ab": 1}, 5) == [("a", "b")]
    assert find_copied(held_out[:50] + to_train[100:160], to_train) in to_train[90:170]


def test_a_wrong_tokenizer_is_found_where_its_pieces_are_none_of_the_machines():
    assembly = Assembly("prose", tokenize=lambda text, merges: [text])
    assert assembly.write(2, begin="Call me Ishmael") == ["Call me Ishmael"] * 2
    assert np.isnan(assembly.read(["Call me Ishmael"])).all()
    assert str(assembly.found["tokenize"]).startswith("tokenize: the pieces are ['Call me Ishmael'], the package's")


def test_the_surprise_of_a_letter_is_the_loss_of_the_task(machine, writer):
    surprises = machine.read(TASK.held_out)
    assert [len(one) for one in surprises] == [len(name) + 1 for name in TASK.held_out]
    same(np.concatenate(surprises).mean(), TASK.score(writer), 1e-9)


def test_it_writes_names_that_end_and_the_same_ones_with_the_same_dice(machine):
    names = machine.write(40)
    assert names == machine.write(40) != machine.write(40, seed=1)
    assert all(0 < len(name) <= 12 and name.isalpha() for name in names) and len({*names}) > 30
    assert len({*machine.write(40, temperature=0.05)}) < 5
    counts = np.bincount([len(name) for name in machine.write(200, seed=2)], minlength=13) / 200
    known = np.bincount([len(name) for name in TASK.names], minlength=13) / len(TASK.names)
    assert abs(counts - known).sum() < 0.5


def test_what_it_writes_is_drawn_from_the_chances_of_the_layers(machine, writer):
    random, names = np.random.default_rng(3), []
    for _ in range(20):
        text = [START]
        while len(text) <= machine.longest:
            chances = writer(torch.tensor([text]))[0, -1].softmax(dim=-1).cumsum(dim=0)
            text.append(int((chances <= random.random()).sum()))
            if text[-1] == machine.stop:
                break
        names.append("".join(machine.tokens[number] for number in text[1:] if number != machine.stop))
    assert machine.write(20, seed=3) == names
    for one, most in ((machine, machine.longest - 1), (Machine("prose"), 127)):  # prose has no end to be read
        assert len(one.read(["q" * most])[0]) == one.longest


def test_its_weights_are_in_half_precision_and_no_two_sizes_are_equal(machine):
    weights = {name: machine.weights[name] for name in list_names(2)}
    assert 55_000 < sum(array.size for array in weights.values()) < 65_000
    assert all((array.astype("float16") == array).all() for array in weights.values())
    d_model, wide_k, wide_v = len(weights["0.w_q"]), weights["0.w_q"].shape[1], weights["0.w_v"].shape[1]
    sizes = [d_model, wide_k, wide_v, weights["0.w_1"].shape[1], len(machine.tokens), machine.longest + 1]
    sizes += [machine.num_heads, machine.count_blocks(), wide_k // machine.num_heads, wide_v // machine.num_heads]
    assert len({*sizes}) == len(sizes)
    taken = take_weights(make_writer(len(machine.tokens)), machine.tokens)
    assert {*load_weights("names")} == {*machine.weights} == {*taken}


def test_its_softmax_loss_and_merge_survive_scores_however_large():
    scores, lengths = np.array([[0.0, 800.0, 799.0], [-900.0, -901.0, -902.0]]), np.array([3, 2])
    same(PARTS["softmax"](scores, 2.0), torch.tensor(scores / 2).softmax(dim=-1))
    logits, words = 500 * random((2, 3, 4))[0], np.array([[1, 2, 3], [1, 3, 0]])
    surprise, mean = PARTS["loss"](logits, words, lengths)
    right = torch.nn.functional.cross_entropy(
        torch.tensor(logits)[:, :-1].mT, torch.tensor(words)[:, 1:], ignore_index=PAD, reduction="none"
    )
    same(surprise, right)
    same(mean, right.sum() / 3)
    same(PARTS["merge"](np.array([800.0, 790.0]), np.array([2.0, 1.0]), np.array([[4.0], [3.0]])), [2.0], 1e-3)


def test_its_loop_ends_at_the_stop_or_when_there_are_enough():
    dice = iter([5, 4, 3, 2, 2, 2, 2])
    assert PARTS["loop"](lambda number: number, lambda chances: next(dice), 1, 3, 9) == [5, 4]
    assert PARTS["loop"](lambda number: number, lambda chances: next(dice), 1, 3, 3) == [2, 2, 2]
    assert [*dice] == [2]  # no draw too many


def test_parts_of_several_letters_are_joined_in_the_order_of_the_merges():
    assert PARTS["tokenize"]("banana", []) == list("banana")
    assert PARTS["tokenize"]("banana", [("a", "n"), ("an", "an"), ("b", "a")]) == ["b", "anan", "a"]
    assert PARTS["tokenize"]("aaa", [("a", "a")]) == ["aa", "a"]


def test_its_attention_mask_and_merge_are_the_packages():
    query, key, value = given = random((3, 4), (5, 4), (5, 6))
    for one, other in zip(PARTS["attention"](*given), scaled_dot_product_attention(*given), strict=True):
        same(one, other)
    lengths = np.array([2, 5, 1])
    assert (PARTS["mask"](lengths, 5) == (causal_mask(5) & padding_mask(lengths, 5))).all()
    x, matrices = random((5, 4))[0], random((4, 6), (4, 6), (4, 8), (8, 4))
    one, other = (PARTS["heads"](x, *matrices, 2, mask)[0] for mask in (None, np.ones((5, 5), bool)))
    same(one, other)
    parts = [module.keep(query[:1], key[part], value[part]) for part in (slice(0, 0), slice(2), slice(2, None))]
    same(PARTS["merge"](*map(np.array, zip(*parts, strict=True))), PARTS["attention"](query[:1], key, value)[0][0])
    halves = []
    Machine(merge=lambda *found: halves.append([*found[1]]) or found[2][0])._look(0 * query[:1], key, value)
    assert halves == [[2, 3]]  # a sum of weights 1 is a count of keys


@pytest.mark.parametrize(
    "texts, message", [(["ada", "zoë"], "'zoë' has 'ë'; .* '.abc.*xyz'"), (["a" * 12], "at most 11 letters")]
)
def test_a_text_that_it_cannot_read_is_refused(machine, texts, message):
    with pytest.raises(ValueError, match=message):
        machine.read(texts)


def test_a_page_that_checks_answers_fetches_neither_the_novel_nor_its_weights():
    loads = "import sys\nimport numpy\nsys.platform = 'emscripten'\nfrom attention_course import checks, my_machine\n"
    assert subprocess.run([sys.executable, "-c", loads]).returncode == 0
    assert subprocess.run([sys.executable, "-c", f"{loads}from attention_course import novel"]).returncode == 1


def test_it_needs_nothing_but_numpy():
    imports = [node for node in ast.walk(ast.parse(getsource(module))) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {node.module if isinstance(node, ast.ImportFrom) else node.names[0].name for node in imports}
    assert names == {"functools", "math", "pathlib", "numpy"}
    with pytest.raises(ValueError, match="head: expected parts among attention, softmax"):
        Machine(head=len)


# The reader's parts


@pytest.mark.parametrize("name", EXERCISE_OF)
def test_every_right_answer_to_the_exercise_is_a_part_that_changes_nothing(name, machine):
    for answer in EXERCISES[EXERCISE_OF[name]].list_accepted().values():
        assembly = Assembly(**{name: answer[0]})
        assert assembly.write(3) == machine.write(3)
        for one, other in zip(assembly.read(["ada", "grace"]), machine.read(["ada", "grace"]), strict=True):
            same(one, other, 1e-5)
        assert assembly.found == {}


FIRST = tomllib.loads(Path(__file__).with_name("machine.toml").read_text("utf-8"))  # where some differ first


@pytest.mark.parametrize("name", EXERCISE_OF)
def test_a_wrong_part_is_found_with_letter_and_number(name):
    answers = EXERCISES[EXERCISE_OF[name]].list_wrong()
    assert len(answers) >= 5 and FIRST.get(name, {}).keys() <= {*answers}
    for wrong, answer in answers.items():
        assembly = Assembly(**{name: answer})
        assembly.write(3, temperature=0.5)
        said, *_ = assembly.report()  # and perhaps that it changes its arguments
        assert said.startswith(f"{name}{FIRST.get(name, {}).get(wrong, '')}"), said


def test_it_says_where_a_part_is_asked_that_writes_as_it_should():
    def of_all(scores, temperature=1.0):
        raised = np.exp((scores - scores.max()) / temperature)
        return raised / raised.sum()

    assembly = Assembly(softmax=of_all)
    assert assembly.write(3) == Machine().write(3)
    assert assembly.report()[0].startswith(
        "softmax, reading a whole name at once, letter 1, block 1: weights[0, 0, 0] is "
    )


def test_attention_is_compared_although_two_halves_of_the_memory_are_asked_without_it():
    assembly = Assembly(attention=lambda *given: (given[2], 0), merge=PARTS["merge"])
    assembly.write(1)
    assert {*assembly.found} == {"attention"}


WRONG_LOOPS = "ignores the stop", "begins with the stop", "keeps the stop", "forgets the last"
WRONG_TOKENIZERS = "the last piece is lost", "sorted", "words"


def test_a_wrong_tokenizer_or_loop_is_found_by_what_is_read_or_written(machine):
    for name in WRONG_TOKENIZERS:
        assembly = Assembly(tokenize=EXERCISES["ex13-tokenize"].wrong[name])
        assembly.read(["grace"])
        assert str(assembly.found["tokenize"]).endswith("the package's ['g', 'r', 'a', 'c', 'e']")
    for name in WRONG_LOOPS:
        assembly = Assembly(loop=EXERCISES["ex13-loop"].wrong[name])
        texts, right = assembly.write(3), machine.write(3)
        assert texts != right and "yours writes" in str(assembly.found["loop"]), name


def test_a_part_that_writing_does_without_is_compared_as_well(capsys):
    Assembly(heads=lambda *given: PARTS["heads"](*given[:-1])).show(1)  # without the mask
    assert "heads, letter 1, block 1: output[0, 0] is " in capsys.readouterr().out


def test_a_stub_leaves_the_packages_part_in_its_place(machine, capsys):
    def my_attention(query, key, value):
        raise NotImplementedError

    assembly = Assembly(attention=my_attention, block=PARTS["block"])
    assembly.show(2)
    said = capsys.readouterr().out.splitlines()
    assert said == [
        ", ".join(machine.write(2)),
        "my_attention still raises NotImplementedError.",
        "Your part block computes what the package's does.",
    ]


JUNK = {
    "None": lambda *_: None,
    "text": lambda *_: "text",
    "a number": lambda *_: 3.5,
    "NaN": lambda *_: (np.nan, np.nan, np.nan),
    "another shape": lambda *_: (np.ones((2, 3)), np.ones(7)),
    "objects": lambda *_: [object(), {}],
    "ragged": lambda *_: ([1, [2]], [[3], 4]),
    "an empty list": lambda *_: [],
    "complex": lambda *_: (np.ones(2) * 1j, 1j),
    "an error": lambda *_: 1 / 0,
    "too few arguments": lambda: 0,
    "itself": lambda *given: given,
    "huge numbers": lambda *given: np.full(given[0].shape, 1e300) if hasattr(given[0], "shape") else [10**30],
    "an exit": lambda *_: exit(),
    "half of the precision": lambda *given: np.float16(np.nan),
    "deep recursion": lambda *given: JUNK["deep recursion"](*given),
    "an object that fails": lambda *_: type("Odd", (), {"__array__": lambda *_: 1 / 0, "detach": lambda *_: 1 / 0})(),
}


def test_a_text_ends_where_a_part_has_stopped_it(machine):
    assembly = Assembly(attention=lambda *given: PARTS["attention"](*given) if len(given[1]) < 4 else None)
    assert machine.write(1, seed=1)[0][:3] == assembly.write(1, seed=1)[0]


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("junk", JUNK)
def test_nothing_that_a_part_returns_makes_it_crash(name, junk):
    assembly = Assembly(**{name: JUNK[junk]})
    texts, surprises = assembly.write(2), assembly.read(["ada"])
    assert all(isinstance(text, str) for text in texts) and isinstance(surprises, list)
    assert str(assembly.found[name]).startswith(name)


def return_as(kind, part, *given):
    return tuple(map(kind, part(*given)))


def test_a_part_may_return_lists_single_precision_or_tensors(machine):
    for kind in (np.float32, np.ndarray.tolist, torch.tensor):
        parts = {name: partial(return_as, kind, PARTS[name]) for name in ("attention", "projections")}
        assembly = Assembly(**parts)
        assert assembly.write(2) == machine.write(2) and assembly.report()[0].endswith("the package's does.")


def test_of_what_a_part_prints_the_beginning_is_shown(capsys):
    def loud(*given):
        print("asked", *given)
        return PARTS["attention"](*given)

    Assembly(attention=loud).show(1)
    assert len(capsys.readouterr().out) < 400
    put_into_machine(attention=loud)
    assert len(capsys.readouterr().out) < 600


# The reader's own machine

MINE = """def my_attention(query, key, value):
    scores = query @ key.T / np.sqrt(key.shape[-1])
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = raised / raised.sum(axis=-1, keepdims=True)
    return weights @ value, weights
"""
BLOCK = """def my_block(x, attend, feed_forward, norm_1, norm_2):
    x = x + attend(norm_1(x))
    return x + feed_forward(norm_2(x))
"""


def define(source, **others):
    """Define a function as a notebook's cell does, so that its source is known."""
    name = f"<cell {len(linecache.cache)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    names = {"np": np, "__name__": "__main__"} | others
    before = {*names}
    exec(compile(source, name, "exec"), names)
    return next(value for key, value in names.items() if key not in before | {"__builtins__"})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_right_part_is_kept_and_put_in_again_in_another_kernel(folder, capsys, machine):
    put_into_machine(attention=define(MINE))
    assert read_kept() == {"attention": MINE} and [path.name for path in folder.iterdir()] == ["my_machine.json"]
    capsys.readouterr()
    assert put_into_machine(block=define(BLOCK)).given.keys() == {"attention", "block"}
    assert capsys.readouterr().out.splitlines() == [
        ", ".join(machine.write(6)),
        "Your part attention computes what the package's does.",
        "Your part block computes what the package's does.",
    ]
    assert read_kept() == {"attention": MINE, "block": BLOCK}


STUB = "def my_attention(query, key, value):\n    raise NotImplementedError()\n"
OF_THE_BOOK = f"def my_attention(query, key, value):\n    ### BEGIN SOLUTION\n{MINE.partition(':')[2]}"
NO_PART = {
    "wrong when it writes": (MINE.replace("sum(axis=-1", "sum(axis=0"), "attention, letter 2"),
    "wrong for several queries": (
        MINE.replace("raised.sum(axis=-1, keepdims=True)", "raised.sum()"),
        "not 1. What do you",
    ),
    "stub": (STUB, ""),
    "of the book": (OF_THE_BOOK, ""),
    "needs more": (MINE.replace("np.exp", "helper"), "so it isn't kept"),
}


@pytest.mark.parametrize("which", NO_PART)
def test_no_other_part_is_kept_and_the_one_before_stays(folder, capsys, machine, which):
    source, reason = NO_PART[which]
    for earlier, stays in ((False, "is still the package's."), (True, "is still the one that you wrote before.")):
        if earlier:
            put_into_machine(attention=define(MINE))
        before = read_kept()
        capsys.readouterr()
        put_into_machine(attention=define(source, helper=np.exp))
        names, *said = capsys.readouterr().out.splitlines()
        assert read_kept() == before and any(reason in line for line in said)
        if which == "of the book":  # whose chapter prints the same wherever it is run
            assert said == ["attention is still the package's."]
        elif which != "needs more":
            assert said[-1].endswith(stays) and said[-1].startswith("Go back to the exercise") == (which != "stub")
        assert (names == ", ".join(machine.write(6))) == (which != "wrong when it writes")


def test_a_part_that_is_not_written_again_leaves_the_one_before_at_work(folder, capsys):
    put_into_machine(attention=define(MINE))
    assert {*put_into_machine(attention=define(STUB)).given} == {"attention"}


def test_a_part_that_changes_its_arguments_is_told_and_kept_only_if_the_machine_can_bear_it(folder, capsys):
    harmless = MINE.replace("    scores", "    key += 1\n    key -= 1\n    key *= 1 + 1e-9\n    scores", 1)
    harmful = "def my_projections(x, *w):\n    rows = [x @ each for each in w]\n    x += 1\n    return rows\n"
    put_into_machine(attention=define(harmless))
    assert {*read_kept()} == {"attention"} and "changed its argument key" in capsys.readouterr().out
    put_into_machine(projections=define(harmful))
    said = capsys.readouterr().out
    assert {*read_kept()} == {"attention"} and "changed its argument x" in said and "isn't kept" in said


def test_a_lambda_is_kept_by_the_name_of_its_variable(folder):
    put_into_machine(projections=define("my_projections = lambda x, *w: [x @ each for each in w]\n"))
    assert 'YOURS["projections"] = my_projections' in write_program()


@pytest.mark.parametrize("text", ["{", "[1]", '{"head": "x"}', '{"attention": 3}', '{"attention": "1 / 0"}', "\udcff"])
def test_a_file_that_somebody_changed_stops_nothing_and_is_not_lost(folder, capsys, text):
    file, copy = folder / "my_machine.json", folder / "my_machine.damaged.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert len(put_into_machine(attention=define(MINE)).write(2)) == 2
    said = capsys.readouterr().out
    if "1 / 0" in text:
        assert "attention in my_machine.json can't be loaded (ZeroDivisionError" in said and not copy.exists()
    else:
        assert said.count("my_machine.json is damaged. A copy is in my_machine.damaged.json.") == 1
        assert copy.read_bytes() == text.encode("utf-8", "surrogateescape")
    assert {*read_kept()} == {"attention"}


def test_a_part_that_somebody_changed_in_the_file_is_named_with_file_and_chapter(folder, capsys):
    (folder / "my_machine.json").write_text(json.dumps({"attention": NO_PART["wrong when it writes"][0]}))
    put_into_machine(block=define(BLOCK))
    said = "The attention kept in my_machine.json is wrong. Its exercise is in chapter 1."
    assert said in capsys.readouterr().out.splitlines() and {*read_kept()} == {"attention", "block"}


def test_a_file_with_a_mark_at_its_beginning_is_read_and_one_that_cannot_be_written_is_told(folder, capsys):
    file = folder / "my_machine.json"
    file.write_text(json.dumps({"attention": MINE}), "utf-8-sig")
    assert {*read_kept()} == {"attention"} and capsys.readouterr().out == ""
    file.unlink()
    file.mkdir()
    put_into_machine(attention=define(MINE))
    assert "my_machine.json can't be written (Is a directory), so nothing is kept." in capsys.readouterr().out


def test_a_wrong_mask_is_not_blamed_on_the_softmax_that_meets_its_nan():
    assembly = Assembly(softmax=PARTS["softmax"], mask=lambda lengths, n: ~PARTS["mask"](lengths, n))
    assert np.isnan(assembly.read(["ada"])[0]).any() and {*assembly.found} == {"mask"}


def test_the_saved_program_needs_numpy_alone_and_runs_the_readers_parts(folder):
    loud = MINE.replace("    return", "    print('asked')\n    return")
    put_into_machine(attention=define(loud), block=define(BLOCK))
    bare = folder / "bare"  # a Python without the packages of the book
    bare.mkdir()
    (bare / "numpy").symlink_to(Path(np.__file__).parent)
    for libs in Path(np.__file__).parent.parent.glob("numpy.libs"):
        (bare / libs.name).symlink_to(libs)
    (folder / "saved.py").write_text(write_program(), "utf-8")
    command = [sys._base_executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = ['{bare}']; sys.argv = ['', '3']"]
    command[-1] += "; import runpy; runpy.run_path('saved.py', run_name='__main__'); print(*sorted(sys.modules))"
    *asked, first, second, third, modules = subprocess.check_output(command, text=True, cwd=folder).splitlines()
    assert {*asked} == {"asked"} and all(0 < len(name) <= 12 for name in (first, second, third))
    assert not {"torch", "attention_course", "attention_src", "array_api_compat"} & {*modules.split()}


def test_the_saved_program_says_how_to_use_it_and_has_its_weights_inside(folder, machine):
    (folder / "saved_machine.py").write_text(program := write_program(), "utf-8")
    helped = subprocess.check_output([sys.executable, "saved_machine.py", "--help"], text=True, cwd=folder)
    assert "how many names" in helped and "npz beside" not in program and "HERE" not in program
    code = "from saved_machine import Machine; print(*Machine().write(3))"
    names = subprocess.check_output([sys.executable, "-c", code], text=True, cwd=folder)
    assert names.split() == machine.write(3)
