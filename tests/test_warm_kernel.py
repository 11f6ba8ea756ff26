"""A kernel that is forked is as one that is started: its path, its modules, an interruption, its end."""

import os
import subprocess
import sys

import pytest
from jupyter_client.manager import KernelManager

from tools.warm_kernel import Forked

SHOWN = "import sys; print(sys.path, [name for name in sys.modules if name.startswith(('attention_src', 'pytest'))])"


@pytest.fixture(scope="module")
def kernel():
    manager = KernelManager(transport="ipc")
    manager.start_kernel()
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def printed(client, source):
    said = []
    client.execute_interactive(source, timeout=60, output_hook=lambda message: said.append(message["content"]))
    return "".join(content.get("text") or content.get("ename", "") for content in said)


def test_it_is_forked_and_sees_what_a_new_python_sees(kernel):
    manager, client = kernel
    assert isinstance(manager.provisioner.process, Forked)
    new = subprocess.run([sys.executable, "-c", SHOWN], capture_output=True, text=True, check=True).stdout
    assert printed(client, SHOWN).replace("''", "").split() == new.replace("''", "").split()


def test_it_can_be_interrupted_and_goes_on(kernel):
    manager, client = kernel
    # After an error ipykernel refuses for a moment what comes next, unless it is asked not to.
    client.execute("print('off')\nwhile True: pass", stop_on_error=False)
    while client.get_iopub_msg(timeout=60)["msg_type"] != "stream":
        pass
    manager.interrupt_kernel()
    assert client.get_shell_msg(timeout=60)["content"]["ename"] == "KeyboardInterrupt"
    assert printed(client, "print('on')") == "on\n"


def test_it_ends_when_it_is_told_to_and_takes_nobody_along(kernel):
    manager, _ = kernel
    other = KernelManager(transport="ipc")
    other.start_kernel()
    number = other.provisioner.process.pid
    assert os.getpgid(number) == number != os.getpgid(0)
    other.shutdown_kernel(now=True)
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)
    assert manager.is_alive()
