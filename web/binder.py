"""What Binder builds from: the published branch brings exact versions, torch without GPU libraries, and the package."""

import re
import tomllib
from pathlib import Path

from web.assets import after_build

CPU_ONLY = "--extra-index-url https://download.pytorch.org/whl/cpu"
PYTHON = "python-3.11"


def requirements(root, repository):
    """Return Binder's requirements file: what the package needs, as pinned in requirements-dev.txt, and the package."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    needs = project["dependencies"] + project["optional-dependencies"]["bert"]  # with torch
    names = {re.match(r"[\w-]+", need)[0].replace("_", "-") for need in needs}
    lock = (root / "requirements-dev.txt").read_text("utf-8")
    pins = [pin for pin in lock.splitlines() if pin.split("==")[0] in names]
    return "\n".join([CPU_ONLY, *pins, f"{project['name']} @ git+{repository}"]) + "\n"


def _write(app, out):
    folder, repository = out / "binder", app.config.html_theme_options["repository_url"]
    folder.mkdir(exist_ok=True)
    (folder / "requirements.txt").write_text(requirements(Path(app.srcdir), repository), "utf-8")
    (folder / "runtime.txt").write_text(f"{PYTHON}\n", "utf-8")


def setup(app):
    after_build(app, _write)
