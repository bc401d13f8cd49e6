"""Runs one script: reads it first, and says where it went wrong."""

import linecache
import os
import sys
import traceback

NAME = "script.py"


def main():
    library, script, where = sys.argv[1], sys.argv[2], sys.argv[3]
    sys.path.insert(0, library)
    import sentient_tools

    link = sentient_tools._link
    link.open(where)
    with open(script, encoding="utf-8", newline="") as file:
        source = file.read()
    sys.argv = [NAME]
    sys.path.insert(0, os.getcwd())
    try:
        code = compile(source, NAME, "exec")
    except (SyntaxError, ValueError) as error:
        line, text = getattr(error, "lineno", None), getattr(error, "text", None)
        message = getattr(error, "msg", None) or str(error)
        link.say({"fault": {"is_syntax": True, "kind": type(error).__name__, "message": message, "line": line,
                            "text": text or ""}})
        return 1
    linecache.cache[NAME] = (len(source), None, source.splitlines(True), NAME)
    names = {"__name__": "__main__", "__builtins__": __builtins__, "tools": sentient_tools.tools,
             "result": sentient_tools.result}
    try:
        exec(code, names)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException as error:
        trace = error.__traceback__.tb_next
        lines = [frame.lineno for frame in traceback.extract_tb(trace) if frame.filename == NAME]
        line = lines[-1] if lines else None
        text = linecache.getline(NAME, line) if line else ""
        try:
            traceback.print_exception(type(error), error, trace)
        except Exception:
            pass
        link.say({"fault": {"is_syntax": False, "kind": type(error).__name__, "message": str(error)[:2000],
                            "line": line, "text": text}})
        return 1
    return 0


code = main()
try:
    sys.stdout.flush()
    sys.stderr.flush()
except Exception:
    pass
sys.exit(code)
