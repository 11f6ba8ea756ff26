"""Kernels for the tests, forked from a process that has imported the large libraries: four seconds less for each.

What a notebook imports of the book itself, its kernel imports anew.
"""

import json
import multiprocessing
import os
import subprocess
import sys
from functools import cache

LIBRARIES = ["ipykernel.kernelapp", "matplotlib.figure", "torch", "torch._dynamo"]  # an optimizer imports the last


@cache
def _fresh_path():
    """Where a new Python looks for modules; pytest and the tests have added folders to their own list."""
    command = [sys.executable, "-c", "import json, sys; print(json.dumps(sys.path))"]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def _run(alone, path, arguments, cwd, env):
    """Become a kernel, in the forked process."""
    from ipykernel.kernelapp import IPKernelApp

    os.setsid()  # a group of its own, which can be interrupted and killed
    alone.set()
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.path[:] = path
    IPKernelApp.launch_instance(argv=arguments)


class Forked:
    """A forked kernel, with what jupyter_client asks of a `subprocess.Popen`."""

    stdin = stdout = stderr = None

    def __init__(self, process):
        self.process, self.pid = process, process.pid
        self.kill, self.terminate = process.kill, process.terminate

    def poll(self):
        return self.process.exitcode

    def wait(self):
        self.process.join()
        return self.process.exitcode

    def send_signal(self, number):
        os.kill(self.pid, number)


def launch(command, cwd=None, env=None, **streams):
    """Start a kernel: what `jupyter_client.launcher.launch_kernel` does, for the Python that runs the tests."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(LIBRARIES)
    arguments = command[command.index("ipykernel_launcher") + 1 :]
    alone = context.Event()
    settings = alone, _fresh_path(), arguments, cwd or os.getcwd(), dict(env)
    process = context.Process(target=_run, args=settings, daemon=True)
    process.start()
    alone.wait()
    return Forked(process)
