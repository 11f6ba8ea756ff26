"""Whose work does an answer call? Seen from inside the sandbox, where code could hide it: never for a score."""

import os
import sys

PACKAGE, TORCH = f"{os.sep}attention_src{os.sep}", f"{os.sep}torch{os.sep}"


class Watch:
    """Notes what an answer calls of the package and of torch, and whether it stops the noting."""

    def __init__(self):
        self.used, self.armed = set(), False
        sys.addaudithook(self._audit)

    def _audit(self, event, _):
        if self.armed and event == "sys.setprofile":
            self.used.add("sys.setprofile")

    def __enter__(self):
        self.used = set()
        sys.setprofile(self._note)
        self.armed = True

    def __exit__(self, *_):
        self.armed = False
        sys.setprofile(None)

    def _note(self, frame, event, called):
        if event == "call":
            caller, file, name = frame.f_back, frame.f_code.co_filename, frame.f_code.co_qualname
        elif event == "c_call":
            owner = getattr(called, "__self__", None)
            home = getattr(called, "__module__", None) or (owner if isinstance(owner, type) else type(owner)).__module__
            caller, name = frame, getattr(called, "__name__", "")
            file = TORCH if str(home).startswith("torch") else ""
        else:
            return
        by = caller.f_code.co_filename if caller else ""
        if PACKAGE in by or TORCH in by or name == "<module>":
            return
        if PACKAGE in file:
            self.used.add(name)
        elif TORCH in file:
            self.used.update({"torch", name} & {"torch", "scaled_dot_product_attention"})
