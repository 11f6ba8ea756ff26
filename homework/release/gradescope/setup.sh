#!/usr/bin/env bash
# Gradescope runs this once, as root, when the autograder is uploaded.
set -eu
apt-get update
python=python3
if apt-cache show python3.11 > /dev/null 2>&1; then python=python3.11; fi
apt-get install -y "$python" "$python-venv"
"$python" -m venv /autograder/venv
/autograder/venv/bin/pip install --constraint /autograder/source/requirements-dev.txt "/autograder/source[grading]"
chmod -R go-rwx /autograder/source # students' code runs as another user, and the answers and the seed are not for it
