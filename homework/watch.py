"""What is odd about student code, as seen from inside the sandbox, where it could hide: for flags, never for scores."""

import os
import sys
import types

OURS = os.path.dirname(__file__)
WATCHED = {
    "socket.connect": "opens a socket",
    "socket.getaddrinfo": "opens a socket",
    "os.remove": "deletes files",
    "os.rmdir": "deletes files",
    "shutil.rmtree": "deletes files",
    "subprocess.Popen": "starts a process",
    "os.system": "starts a process",
    "os.fork": "starts a process",
    "os.posix_spawn": "starts a process",
}
REACHING = {"open", "os.listdir", "os.scandir"}
EVENTS = REACHING | WATCHED.keys()  # to ask for a frame is an event, too, and would be asked about again without end
STANDARD = os.path.dirname(os.__file__)


def odd(event, arguments, frame):
    """Say what is odd about an audit event that happened in a frame; nothing if it is none of the student's doing."""
    if event in WATCHED:
        return WATCHED[event] if _asked_for_by_student(frame) else ""
    if isinstance(arguments[0], str | bytes):  # and no number of an open file
        path = os.path.abspath(os.fsdecode(arguments[0]))
        if not path.startswith(os.environ["HOME"]) and _asked_for_by_student(frame):
            return f"reaches for {path[:100]}"
    return ""


def _asked_for_by_student(frame):
    """Was it the student's code that did this? Python's own library is looked through; an import, or another library,
    opens files on its own account."""
    while frame and frame.f_code.co_filename.startswith(STANDARD) and "site-packages" not in frame.f_code.co_filename:
        frame = frame.f_back
    file = frame.f_code.co_filename if frame else "<frozen"
    others = any(part in file for part in ("<frozen", "site-packages", "attention_src"))
    return not others and os.path.dirname(file) != OURS


def note(frame, event, called, used):
    """Note a function of the package that is called from outside of it, and torch's own attention."""
    if event == "c_call" and getattr(called, "__name__", "") == "scaled_dot_product_attention":
        if not (frame.f_globals.get("__name__") or "").startswith("attention_src"):
            used.add("scaled_dot_product_attention")
    if event != "call":
        return
    module, caller = (f.f_globals.get("__name__") or "" for f in (frame, frame.f_back))
    if module.startswith("attention_src") and not caller.startswith("attention_src"):
        used.add(frame.f_code.co_qualname)


def modules():
    """Everything that the package, NumPy and Python's own functions are made of, down to the code of functions."""
    import attention_src.checks  # noqa: F401  (a patch of it must find it loaded)

    held = {}
    for module in [m for m in sys.modules if m in ("numpy", "builtins") or m.split(".")[0] == "attention_src"]:
        for name, thing in vars(sys.modules[module]).items():
            if not name.startswith("__") and not isinstance(thing, types.ModuleType):
                held[f"{module}.{name}"] = thing
                if hasattr(thing, "__code__"):
                    held[f"{module}.{name}'s code"] = thing.__code__
    return held
