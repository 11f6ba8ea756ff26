"""Where an answer may stand that is not under its name, and whether anybody began to write one."""

import ast
import difflib

from book import names

SPELT = 0.7  # of difflib's ratio, for names


def find_likely_names(exercise, restored, exercises):
    """Return two lists of names under which the answer may stand: likely ones, the likeliest first, and far ones.

    Likely are those of the answer's own cell, then those spelt alike. The far ones, which only take the same arguments,
    are too far off to give points for.
    """
    asked, wanted = {name for one in exercises for name in one.asked}, exercise.asked[0]
    of_cells = [names.find_bound_and_used(names.python_only(source)) for source in restored.own]
    bound, used = (set().union(*(cell[i] for cell in of_cells)) for i in (0, 1))
    functions = {name: taken for source in restored.own for name, taken in find_parameters(source).items()}
    parameters, place = find_parameters(exercise.stub).get(wanted), restored.answers.get(exercise.name)
    own = of_cells[place][0] - asked if place is not None else set()
    own = {name for name in own if (name in functions) == (parameters is not None)}
    alike = {*difflib.get_close_matches(wanted, bound - asked, len(bound) + 1, SPELT)} - own
    far = {name for name, taken in functions.items() if taken == parameters} - asked - used - own - alike
    return [*sorted(own), *sorted(alike)], sorted(far)


def find_parameters(source):
    """Return {function: names of its parameters} for the functions of a cell."""
    body = tree.body if (tree := _parse(source)) else []
    return {node.name: [a.arg for a in node.args.args] for node in body if isinstance(node, ast.FunctionDef)}


def is_begun(stub, source):
    """Was more than a comment or a docstring changed, so that something stands where the stub's exception was?"""
    given, tree = _parse(stub), _parse(source)
    if not given or not tree:
        return True
    bodies = [node.body for node in ast.walk(tree) if isinstance(getattr(node, "body", None), list)]
    # the exception may stand below what was begun, not above
    above = any(isinstance(line, ast.Raise) for body in bodies for line in body[:-1])
    gone = not any(isinstance(node, ast.Raise) for node in ast.walk(tree))
    return ast.dump(given) != ast.dump(tree) and (above or gone)


def _parse(source):
    """The code as it is compared, without docstrings; None of what is no Python."""
    try:
        tree = names.parse(source)
    except names.UNPARSED:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and len(node.body) > 1 and ast.get_docstring(node) is not None:
            del node.body[0]
    return tree
