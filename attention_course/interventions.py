"""Change a part of a model for a while, to see what the model does without it.

Each change lasts as long as its ``with`` block, and is undone however the block ends: at its last line, by an error, or
by the stop button of a notebook. To change what a module returns, use torch's own hook, which also ends with its block:
``with module.register_forward_hook(function):``.
"""

from contextlib import contextmanager


@contextmanager
def replace_attribute(parts, name, value):
    """Give each of these parts of a model the same attribute, for a while.

    Parameters
    ----------
    parts : list of objects, mostly torch.nn.Module
    name : str, of an attribute that every one of them has: a number, a method, a parameter, a module
    value : what it is to be inside the ``with`` block

    Returns
    -------
    context manager

    Raises
    ------
    AttributeError
        A part has no such attribute; then none is changed.

    Examples
    --------
    >>> import torch
    >>> norm = torch.nn.LayerNorm(4, eps=1e-5)
    >>> with replace_attribute([norm], "eps", 0.1):
    ...     print(norm.eps)
    0.1
    >>> norm.eps
    1e-05
    """
    before = [getattr(part, name) for part in parts]
    inherited = [name not in vars(part) and hasattr(type(part), name) for part in parts]  # as methods are, of a class
    try:
        for part in parts:
            setattr(part, name, value)
        yield
    finally:
        for part, old, of_class in zip(parts, before, inherited, strict=True):
            if of_class:
                vars(part).pop(name, None)
            else:
                setattr(part, name, old)


@contextmanager
def overwrite(tensor, value):
    """Put other numbers into a tensor, for a while.

    Parameters
    ----------
    tensor : torch.Tensor, a parameter or a part of one, such as ``layer.weight[:, :8]``
    value : float, or tensor of the same shape

    Returns
    -------
    context manager

    Raises
    ------
    RuntimeError
        `value` has a shape that does not fit; then nothing is changed.

    Examples
    --------
    >>> import torch
    >>> layer = torch.nn.Linear(2, 1, bias=False)
    >>> x = torch.eye(2)
    >>> before = layer(x)
    >>> with overwrite(layer.weight[:, :1], 0):
    ...     bool(layer(x)[0] == 0), bool(layer(x)[1] == before[1])
    (True, True)
    >>> torch.equal(layer(x), before)
    True
    """
    numbers = tensor.detach()  # the same numbers in memory, but no gradient follows what is done to them
    before = numbers.clone()
    try:
        numbers[...] = value
        yield
    finally:
        numbers[...] = before


#: The sub-layers of a `Transformer`, in the order of the data: the side on which each is, and its place in the block.
SUBLAYERS = {
    "encoder self-attention": ("encoder", 0),
    "encoder feed-forward": ("encoder", 1),
    "causal self-attention": ("decoder", 0),
    "cross-attention": ("decoder", 1),
    "decoder feed-forward": ("decoder", 2),
}


@contextmanager
def cut(model, sublayer, what):
    """Cut one arrow of a Transformer, for a while: the path past a sub-layer, or what the sub-layer adds.

    Parameters
    ----------
    model : Transformer, with the norm first
    sublayer : str, one of `SUBLAYERS`
    what : str, "path" (the residual connection past it: only what the sub-layer returns goes on) or "part" (the
        sub-layer adds nothing: only the stream goes on)

    Returns
    -------
    context manager

    Raises
    ------
    KeyError
        There is no such sub-layer.
    ValueError
        `what` is neither "path" nor "part".

    Examples
    --------
    >>> import torch
    >>> from attention_src.models.transformer import Transformer
    >>> model = Transformer(5, 5, d_model=4, num_heads=1, d_ff=8)
    >>> sources, lengths = torch.tensor([[2, 3], [4, 2]]), torch.tensor([2, 2])
    >>> with cut(model, "cross-attention", "part"):  # what it writes depends on no source
    ...     written = model.generate(sources, 3, lengths)
    >>> torch.equal(written[0], written[1])
    True
    """
    if what not in ("path", "part"):
        raise ValueError(f"what is {what!r}; expected 'path' or 'part'")
    side, number = SUBLAYERS[sublayer]
    block = getattr(model, side)
    add_both = block._add_sublayer

    def add_one(x, norm, compute):
        if norm is not block.norms[number]:
            return add_both(x, norm, compute)
        added, weights = compute(norm(x))
        return (added if what == "path" else x), weights

    with replace_attribute([block], "_add_sublayer", add_one):
        yield


@contextmanager
def replace_path(model, sublayer, vectors):
    """Let other vectors go along the path past a sub-layer of a Transformer instead of the stream, for a while.

    Parameters
    ----------
    model : Transformer, with the norm first
    sublayer : str, one of `SUBLAYERS`
    vectors : (longest, d_model), one for each place

    Returns
    -------
    context manager

    Raises
    ------
    KeyError
        There is no such sub-layer.

    Examples
    --------
    >>> import torch
    >>> from attention_src.models.transformer import Transformer
    >>> model = Transformer(5, 5, d_model=4, num_heads=1, d_ff=8)
    >>> source, target, lengths = torch.tensor([[2, 3]]), torch.tensor([[4]]), torch.tensor([2])
    >>> with cut(model, "cross-attention", "path"):
    ...     without, _ = model(source, target, lengths)
    >>> with replace_path(model, "cross-attention", torch.zeros(20, 4)):
    ...     torch.equal(model(source, target, lengths)[0], without)
    True
    """
    side, number = SUBLAYERS[sublayer]
    block = getattr(model, side)
    add_both = block._add_sublayer

    def add_to_others(x, norm, compute):
        if norm is not block.norms[number]:
            return add_both(x, norm, compute)
        added, weights = compute(norm(x))
        return vectors[: x.shape[-2]] + added, weights

    with replace_attribute([block], "_add_sublayer", add_to_others):
        yield


@contextmanager
def record_stream(model):
    """Record what runs through the residual streams of a Transformer, for a while.

    Parameters
    ----------
    model : Transformer

    Returns
    -------
    context manager
        It gives a list, to which every sub-layer that is run appends a pair: the stream before and after it.

    Raises
    ------
    AttributeError
        The model has no encoder or no decoder.

    Examples
    --------
    >>> import torch
    >>> from attention_src.models.transformer import Transformer
    >>> model = Transformer(5, 5, d_model=4, num_heads=1, d_ff=8)
    >>> with record_stream(model) as stops:
    ...     _ = model(torch.tensor([[2, 3]]), torch.tensor([[4]]), torch.tensor([2]))
    >>> [tuple(before.shape) for before, after in stops]
    [(1, 2, 4), (1, 2, 4), (1, 1, 4), (1, 1, 4), (1, 1, 4)]
    """
    stops = []

    def note_both(block):
        add = block._add_sublayer

        def add_and_note(x, norm, compute):
            after, weights = add(x, norm, compute)
            stops.append((x.detach(), after.detach()))
            return after, weights

        return replace_attribute([block], "_add_sublayer", add_and_note)

    with note_both(model.encoder), note_both(model.decoder):
        yield stops
