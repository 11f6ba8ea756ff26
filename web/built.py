"""Note in `_build/built-from` what the site was built from, so that the tests can use a site that is up to date.

The Korean edition has a note of its own, in `_build/ko`.
"""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from book.chapter import TRANSLATED

NOT_SHOWN = ("tests", "homework", ".ci", ".github")  # on no page


def _git(root, without, *arguments):
    command = ["git", *arguments, "--", ".", *(f":!{name}" for name in without)]
    return subprocess.run(command, cwd=root, capture_output=True, check=True).stdout


def fingerprint(root, language="en"):
    """Return a hash of the files that pages are made from and of their last commit, whose date the pages show.

    An empty text where there is no Git to say which files belong to the book.
    """
    try:
        without = NOT_SHOWN if language == TRANSLATED else (*NOT_SHOWN, "locale")
        files = sorted(_git(root, without, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split(b"\0"))
        commit = _git(root, without, "log", "-1", "--format=%H")
    except (OSError, subprocess.CalledProcessError):
        return ""
    if b"_config.yml" not in files:
        return ""
    digest = hashlib.sha256(commit)
    for path in (root / os.fsdecode(name) for name in files):
        content = path.read_bytes() if path.is_file() else b""
        digest.update(str(path.relative_to(root)).encode() + hashlib.sha256(content).digest())
    return digest.hexdigest()


def is_current(root, language="en"):
    """Whether an edition in `_build/html` was built from the files as they are now."""
    folder = root / "_build" / (TRANSLATED if language == TRANSLATED else "")
    note, now = folder / "built-from", fingerprint(root, language)
    return bool(now) and note.is_file() and note.read_text() == now


def _begin(app, config):
    """Take the fingerprint before any file is read, and remove the site of an earlier build."""
    app.built_from = fingerprint(Path(app.srcdir), config.language)
    if config.language != TRANSLATED:  # that edition may be built anew in part
        shutil.rmtree(app.outdir, ignore_errors=True)
    Path(app.outdir).mkdir(parents=True, exist_ok=True)
    (Path(app.outdir).parent / "built-from").unlink(missing_ok=True)


def _finish(app, exception):
    if exception is None and not app._warncount and app.built_from:  # Sphinx has no public count of its warnings
        (Path(app.outdir).parent / "built-from").write_text(app.built_from)


def setup(app):
    app.connect("config-inited", _begin)
    app.connect("build-finished", _finish, priority=999)  # after everything else
