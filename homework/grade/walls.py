"""The walls around student code: bubblewrap on Linux, or a container of Docker or Podman.

Both allow no network, no other files and no new namespaces, and limit everything that could be used up.
"""

import os
import secrets
import struct
import sys
from contextlib import suppress
from pathlib import Path

import attention_course
import attention_src
from book.programs import find

HERE = Path(__file__).parent
PACKAGES = [Path(package.__file__).parent for package in (attention_src, attention_course)]
GRADING = {path: f"/grading/{path.name}" for path in (*PACKAGES, HERE / "inside.py", HERE / "wire.py")}
IMAGE = "attention-grading"
BUILD = f"build --tag {IMAGE} homework/grade"
DISK, MEMORY = 64 * 2**20, 3 * 2**30  # bytes, of all processes together
MEMORY_FILES = {"memory": "memory.limit_in_bytes", "": "memory.max"}  # of control groups, by controller: version 1, 2
LIMITS = {
    "RLIMIT_AS": 2 * 2**30,  # bytes of memory, each process
    "RLIMIT_NPROC": 24,  # processes and threads
    "RLIMIT_FSIZE": DISK,
    "RLIMIT_NOFILE": 256,
    "RLIMIT_CORE": 0,
}
CALLS = {  # of the kernel that no exercise needs: on x86_64, on aarch64
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),  # keys of whoever grades
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194),  # memory beyond the limit
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40),  # namespaces and files of one's own
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "ptrace": (101, 117), "clone3": (435, 435),
}  # fmt: skip
MACHINES = {  # column in CALLS, the kernel's number of the machine, and of its calls socket and clone
    "x86_64": (0, 0xC000003E, 41, 56),
    "aarch64": (1, 0xC00000B7, 198, 220),
}
FAMILIES = (1, 2, 10, 16)  # of sockets: local, IPv4, IPv6, netlink; and so no way to the host of a virtual machine
NAMESPACES = 0x7E020000  # flags of clone that make one
OTHER_CALLS = 0x40000000  # from here on x86_64 numbers its calls another way
# The kernel runs a filter at each call, in instructions of classic BPF. What they load is struct seccomp_data.
CALL, MACHINE, FIRST_ARGUMENT = 0, 4, 16  # byte offsets in it
EQUAL, AT_LEAST, ANY_BIT = 0x15, 0x35, 0x45  # comparisons of what was loaded with a number
ALLOW, REFUSE, UNKNOWN = 0x7FFF0000, 0x50001, 0x50026  # go on; EPERM; ENOSYS, after which libraries take the old way


def _load(offset):
    return [(0x20, 0, 0, offset)]


def _answer(answer):
    return [(0x06, 0, 0, answer)]


def _if(comparison, number, then):
    """Instructions that are skipped unless the comparison with what was loaded holds."""
    return [(comparison, 0, len(then), number), *then]


def refused_calls(machine, families=FAMILIES):
    """Return a filter of kernel calls, as the kernel takes it: what is not named may pass, of sockets the families."""
    column, audit, socket, clone = MACHINES[machine]
    families = [line for family in families for line in _if(EQUAL, family, _answer(ALLOW))]
    calls = [
        _if(EQUAL, numbers[column], _answer(UNKNOWN if name == "clone3" else REFUSE)) for name, numbers in CALLS.items()
    ]
    program = [
        *_load(MACHINE),
        (EQUAL, 1, 0, audit),  # of another machine the numbers below mean other calls
        *_answer(REFUSE),
        *_load(CALL),
        *_if(AT_LEAST, OTHER_CALLS, _answer(UNKNOWN)),
        *(line for call in calls for line in call),
        *_if(EQUAL, clone, [*_load(FIRST_ARGUMENT), *_if(ANY_BIT, NAMESPACES, _answer(REFUSE)), *_answer(ALLOW)]),
        *_if(EQUAL, socket, [*_load(FIRST_ARGUMENT), *families, *_answer(REFUSE)]),
        *_answer(ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def bubblewrap(calls, group):
    """The command that starts a program in the sandbox: a new root with Python, the package and nothing else.

    It reads its filter of kernel calls from the file `calls`, and enters a control group if there is one.
    """
    enter = ["sh", "-c", 'echo $$ > "$0" && exec "$@"', str(group / "cgroup.procs")] if group else []
    command = [*enter, find("bwrap") or "bwrap", "--die-with-parent", "--new-session", "--seccomp", str(calls)]
    command += ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-cgroup-try"]
    command += ["--unshare-uts", "--hostname", "sandbox"]
    if os.getuid() == 0:  # root's processes cannot be limited: `inside.py` becomes somebody else
        command += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        command += ["--unshare-user"]
    size = ["--size", str(DISK), "--perms", "1777", "--tmpfs"]
    command += ["--proc", "/proc", "--dev", "/dev", *size, "/dev/shm", "--remount-ro", "/dev", *size, "/tmp"]
    for path in ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/alternatives"):
        if os.path.islink(path):
            command += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            command += ["--ro-bind", path, path]
    for path, place in ({prefix: prefix for prefix in (sys.base_prefix, sys.prefix)} | GRADING).items():
        for above in reversed(Path(place).parents[:-1]):  # made by bubblewrap alone, they would be closed to others
            command += ["--dir", str(above)]
        command += ["--ro-bind", str(path), str(place)]
    return [*command, "--remount-ro", "/", "--chdir", "/tmp", sys.executable]


def container(engine, name):
    """The command that starts a program in a container of Docker or Podman, which has the same walls."""
    command = [engine, "run", "--rm", "--interactive", "--name", name, "--network", "none", "--read-only"]
    command += ["--user", "65534:65534", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"]
    command += ["--memory", str(MEMORY), "--memory-swap", str(MEMORY), "--pids-limit", str(LIMITS["RLIMIT_NPROC"])]
    command += ["--tmpfs", f"/tmp:rw,size={DISK},mode=1777", "--workdir", "/tmp"]
    for path, place in GRADING.items():
        command += ["--mount", f"type=bind,source={path},target={place},readonly"]
    for variable, value in environment("/tmp", "/grading").items():
        command += ["--env", f"{variable}={value}"] if variable != "PATH" else []
    return [*command, IMAGE, "python"]


def environment(home, books):
    """What student code may know of the machine; the secret seed is not among it."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    who = {"HOME": home, "TMPDIR": home, "USER": "student", "LOGNAME": "student"}
    return threads | who | {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "MPLBACKEND": "Agg", "PYTHONPATH": str(books)}


def memory_group():
    """Make a control group in which all processes have `MEMORY` together; None where that is not possible."""
    own = Path("/proc/self/cgroup")
    for line in own.read_text().splitlines() if own.exists() else ():
        _, controllers, path = line.split(":", 2)
        if controllers in MEMORY_FILES:
            group = Path(f"/sys/fs/cgroup/{controllers}{path}", f"homework-{secrets.token_hex(6)}")
            try:
                group.mkdir()
                (group / MEMORY_FILES[controllers]).write_text(str(MEMORY))
                return group
            except OSError:
                with suppress(OSError):
                    group.rmdir()
    return None
