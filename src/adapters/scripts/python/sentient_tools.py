"""Sentient's tools, for a script: ``from sentient_tools import tools, result``."""

import json as _json
import os as _os
import threading as _threading
import time as _time

__all__ = ["ToolError", "ToolRefused", "result", "tools"]

_LINE_BYTES_MAX = 16 * 1024 * 1024


class ToolError(Exception):
    """A tool that was called and failed."""


class ToolRefused(ToolError):
    """A tool that a script may not call. Call it directly instead."""


def _plain(value):
    """What JSON has no word for becomes a list, a number or text."""
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    for name in ("tolist", "to_dict", "isoformat"):
        convert = getattr(value, name, None)
        if callable(convert):
            try:
                return convert()
            except Exception:
                break
    return str(value)


def _dumps(value):
    try:
        return _json.dumps(value, default=_plain, allow_nan=False)
    except (ValueError, TypeError):
        return _json.dumps(str(value))


class _Pipe:
    """Lines over the connection the script was started with."""

    def __init__(self, fd):
        self._fd = fd
        self._rest = b""

    def write(self, line):
        data = line.encode("utf-8") + b"\n"
        while data:
            data = data[_os.write(self._fd, data):]

    def read(self):
        while b"\n" not in self._rest:
            piece = _os.read(self._fd, 65536)
            if not piece or len(self._rest) > _LINE_BYTES_MAX:
                raise ToolError("Sentient does not answer any more.")
            self._rest += piece
        line, self._rest = self._rest.split(b"\n", 1)
        return line.decode("utf-8")


class _Folder:
    """Files in a shared folder, where there is no connection."""

    def __init__(self, path):
        self._path = path
        self._number = 0

    def write(self, line):
        self._number += 1
        name = _os.path.join(self._path, "%d.request" % self._number)
        with open(name + ".new", "w", encoding="utf-8") as file:
            file.write(line)
        _os.rename(name + ".new", name)

    def read(self):
        name = _os.path.join(self._path, "%d.answer" % self._number)
        while not _os.path.exists(name):
            _time.sleep(0.02)
        with open(name, encoding="utf-8") as file:
            line = file.read()
        _os.remove(name)
        return line


class _Link:
    def __init__(self):
        self._lock = _threading.Lock()
        self._way = None

    def open(self, where):
        self._way = _Folder(where) if where else _Pipe(_taken_from_stdin())

    def say(self, message):
        with self._lock:
            self._way.write(_dumps(message))

    def ask(self, message):
        with self._lock:
            self._way.write(_dumps(message))
            return _json.loads(self._way.read())


def _taken_from_stdin():
    """The connection stands at stdin; the script finds an empty one there, and its children find no connection."""
    fd = _os.dup(0)
    empty = _os.open(_os.devnull, _os.O_RDONLY)
    _os.dup2(empty, 0)
    _os.close(empty)
    return fd


_link = _Link()


class _Tools:
    """``tools.NAME(argument=value)`` calls a tool."""

    def available(self):
        """The names of the tools that can be called."""
        return _link.ask({"available": True})["names"]

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)

        def call(*positional, **arguments):
            if positional:
                raise TypeError("tools.%s takes its arguments by name: tools.%s(name=value)" % (name, name))
            answer = _link.ask({"call": name, "arguments": arguments})
            if "refused" in answer:
                raise ToolRefused(answer["refused"])
            if "error" in answer:
                raise ToolError(answer["error"])
            return answer.get("result")

        call.__name__ = name
        return call

    def __repr__(self):
        return "<Sentient's tools>"


tools = _Tools()


def result(value):
    """Sets what the script comes to."""
    _link.say({"result": value})
