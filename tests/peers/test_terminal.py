"""The terminal client, driven in a real terminal (tmux) and in pipes against the running program."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import tools
from engine import Engine, Home, wait_for

TOUR = "scripted/tour"
ECHO = "scripted/echo"
ROWS = 60


def environment(engine, **more):
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TZ") if name in os.environ}
    own = {"SENTIENT_HOME": str(engine.home.path), "SENTIENT_GATEWAY_TOKEN": engine.token}
    return {**kept, "LC_ALL": "C.UTF-8", **own, **more}


def sentient(engine, *arguments, text=None, **more):
    """Runs the program in pipes. Answers what it said and how it ended."""
    return subprocess.run(
        [tools.binary(), *arguments],
        env=environment(engine, **more),
        input=text,
        stdin=subprocess.DEVNULL if text is None else None,
        capture_output=True,
        text=True,
        timeout=60,
    )


class Terminal:
    """`sentient chat` in a terminal of its own."""

    def __init__(self, engine, *arguments, columns=80, **more):
        self._folder = tempfile.TemporaryDirectory(prefix="sentient-tmux-", ignore_cleanup_errors=True)
        self.socket = str(pathlib.Path(self._folder.name) / "socket")
        self.ended = pathlib.Path(self._folder.name) / "ended"
        # The code a program ended with is written down: the terminal itself is gone by then.
        words = " ".join(f"'{word}'" for word in (tools.binary(), "chat", *arguments))
        command = f"{words}; echo $? > '{self.ended}'; sleep 600"
        size = ["-x", str(columns), "-y", str(ROWS)]
        self._tmux("-f", "/dev/null", "new-session", "-d", *size, command, env=environment(engine, **more))

    def _tmux(self, *arguments, env=None):
        command = ["tmux", "-S", self.socket, *arguments]
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=20)
        if done.returncode:
            raise AssertionError(f"tmux {arguments}: {done.stderr}")
        return done.stdout

    def screen(self):
        """Everything that was shown, one line after the other."""
        return self._tmux("capture-pane", "-p", "-J", "-S", "-2000")

    def type(self, text):
        self._tmux("send-keys", "-l", text)
        self._tmux("send-keys", "Enter")

    def paste(self, text):
        """As a terminal pastes what was copied: between marks, when the program has asked for them."""
        self._tmux("set-buffer", "--", text)
        self._tmux("paste-buffer", "-p", "-r")

    def key(self, name):
        self._tmux("send-keys", name)

    def shows(self, text, within=30):
        try:
            wait_for(f"the terminal shows {text!r}", lambda: text in self.screen(), within)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.screen()}") from None

    def code(self):
        """The exit code, once it has ended."""
        return int(wait_for("the client has ended", lambda: self.ended.exists() and self.ended.read_text().strip(), 20))

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, timeout=20)
        self._folder.cleanup()


class Pipes(unittest.TestCase):
    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.close)

    def test_a_pipe_gets_the_answer_and_nothing_else(self):
        with Engine(self.home, ECHO) as engine:
            done = sentient(engine, "chat", "-", text="good morning\n")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout, engine.messages(engine.get("/api/sessions")[0]["id"], "assistant")[0]["content"] + "\n")
            self.assertIn("good morning", done.stdout)
            more = sentient(engine, "chat", "--continue", "and more")
            self.assertEqual(more.returncode, 0, more.stderr)
            self.assertEqual(len(engine.get("/api/sessions")), 1, "it went on with the same chat")

    def test_what_needs_a_yes_is_not_done_and_the_code_says_so(self):
        with Engine(self.home, TOUR) as engine:
            done = sentient(engine, "chat", "--once", "file")
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("Nobody can be asked here", done.stderr)
            self.assertEqual(engine.get("/api/files"), [], "nothing was written")

    def test_wrong_calls_and_a_missing_engine_say_what_to_do(self):
        with Engine(self.home, ECHO) as engine:
            for name, arguments, text, code, said in [
                ("nothing to ask", ("chat", "-"), "", 2, "nothing to ask"),
                ("a file that is not there", ("chat", "--file", "/nowhere/x", "hi"), None, 2, "cannot be read"),
                ("a chat that is not there", ("chat", "--session", "nope", "hi"), None, 1, "does not exist"),
                ("a setting that is not there", ("config", "set", "assistant.nose", "1"), None, 2, "Did you mean"),
                ("a rule that is none", ("config", "set", "tools.approvals.rules", '{"web": "maybe"}'), None, 2, "hand_off"),
                ("arguments that are no JSON", ("rules", "check", "file_write", "{"), None, 2, "no JSON"),
                ("a surface that is none", ("rules", "check", "file_write", "--surface", "moon"), None, 2, "--surface"),
            ]:
                with self.subTest(name):
                    done = sentient(engine, *arguments, text=text)
                    self.assertEqual(done.returncode, code, done.stderr)
                    self.assertIn(said, done.stderr)
                    self.assertEqual(done.stdout, "", "errors go to stderr")
        done = subprocess.run(
            [tools.binary(), "chat", "hi"],
            env={"PATH": os.environ["PATH"], "SENTIENT_HOME": str(self.home.path)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("sentient serve", done.stderr)

    def test_scripts_read_lists_and_change_settings(self):
        with Engine(self.home, ECHO) as engine:
            engine.ask("hello there")
            sessions = json.loads(sentient(engine, "sessions", "--json").stdout)
            self.assertEqual(sessions[0]["id"], engine.get("/api/sessions")[0]["id"])
            self.assertIn(sessions[0]["id"], sentient(engine, "sessions").stdout)
            self.assertIn("roles", json.loads(sentient(engine, "models", "--json").stdout))
            changed = sentient(engine, "config", "set", "assistant.name", "Iris")
            self.assertEqual((changed.returncode, changed.stdout), (0, 'assistant.name is now "Iris"\n'), changed.stderr)
            self.assertEqual(sentient(engine, "config", "get", "assistant.name").stdout, "Iris\n")
            self.assertEqual(engine.get("/api/config")["assistant"]["name"], "Iris")


@unittest.skipUnless(shutil.which("tmux"), "there is no tmux")
class InATerminal(unittest.TestCase):
    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.close)

    def open(self, engine, *arguments, **more):
        terminal = Terminal(engine, *arguments, **more)
        self.addCleanup(terminal.close)
        return terminal

    def test_a_conversation_streams_fits_eighty_columns_and_is_kept(self):
        with Engine(self.home, TOUR) as engine:
            terminal = self.open(engine, "hello")
            terminal.shows("come back to this chat later")
            screen = terminal.screen()
            self.assertIn("Welcome!", screen)
            self.assertNotIn("**", screen, "Markdown is shown as it is meant")
            terminal.type("time")
            terminal.shows("→ Current datetime")
            self.assertLessEqual(max(len(line) for line in terminal.screen().splitlines()), 80)
            terminal.key("C-d")
            self.assertEqual(terminal.code(), 0)
            self.assertEqual(len(engine.get("/api/sessions")), 1)
            history = self.home.path / "terminal.history"
            self.assertEqual(history.stat().st_mode & 0o777, 0o600)
            self.assertIn("time", history.read_text())

    def test_a_question_is_answered_with_its_number(self):
        with Engine(self.home, TOUR) as engine:
            terminal = self.open(engine)
            terminal.shows(">")
            terminal.type("file")
            terminal.shows("1 Allow once")
            terminal.type("what?")
            terminal.shows("Answer the question above")
            terminal.type("1")
            wait_for("the file is written", lambda: engine.get("/api/files"), 20)
            terminal.type("file")
            wait_for("it asks again", lambda: terminal.screen().count("1 Allow once") == 2, 20)
            terminal.type("n")
            wait_for("both are answered", lambda: len(engine.messages(engine.get("/api/sessions")[0]["id"], "tool")) == 2, 20)

    def test_several_pasted_lines_are_one_message(self):
        with Engine(self.home, ECHO) as engine:
            terminal = self.open(engine)
            terminal.shows(">")
            lines = [f"line {number}" for number in range(1, 13)]
            terminal.paste("\n".join(["/stop is what it said:", *lines]))
            terminal.shows("line 12")
            self.assertEqual(engine.get("/api/sessions"), [], "nothing is sent before Enter")
            terminal.type(" and my question")
            terminal.shows("[13 lines, sent as one message]")
            terminal.shows("You said")
            session = engine.get("/api/sessions")[0]["id"]
            texts = [row["content"] for row in engine.messages(session, "user")]
            self.assertEqual(texts, ["\n".join(["/stop is what it said:", *lines]) + " and my question"])
            terminal.key("Up")
            terminal.shows("line 12")
            terminal.key("C-c")

    def test_what_is_typed_meanwhile_joins_and_ctrl_c_stops(self):
        with Engine(self.home, TOUR) as engine:
            terminal = self.open(engine)
            terminal.type("count 500")
            terminal.shows("12")
            terminal.type("faster please")
            session = engine.get("/api/sessions")[0]["id"]
            terminal.key("C-c")
            terminal.shows("(stopped)")
            texts = [row["content"] for row in engine.messages(session, "user")]
            self.assertIn("faster please", texts)
            terminal.key("C-c")
            terminal.key("C-c")
            self.assertIn(terminal.code(), (0, 130))

    def test_a_restart_of_the_engine_is_survived(self):
        with Engine(self.home, ECHO) as engine:
            terminal = self.open(engine, "first")
            terminal.shows("You said")
            session = engine.get("/api/sessions")[0]["id"]
            wait_for("it is answered", lambda: len(engine.messages(session, "assistant")) == 1, 30)
            port, token = engine.port, engine.token
        terminal.shows("The connection to Sentient broke")
        terminal.type("second")
        again = Engine(self.home, ECHO, env={"SENTIENT_GATEWAY_TOKEN": token}, wait=False, port=port)
        again.token = token
        with again:
            again.wait_until_ready()
            terminal.shows("Connected again")
            session = again.get("/api/sessions")[0]["id"]
            wait_for("it is answered", lambda: len(again.messages(session, "assistant")) == 2, 30)
            self.assertEqual([row["content"] for row in again.messages(session, "user")], ["first", "second"])

    def test_colours_are_left_out_when_asked(self):
        with Engine(self.home, TOUR) as engine:
            terminal = self.open(engine, "hello", NO_COLOR="1")
            terminal.shows("come back to this chat later")
            raw = terminal._tmux("capture-pane", "-p", "-e", "-S", "-2000")
            self.assertNotIn("\x1b[38", raw)
            self.assertNotIn("\x1b[1m", raw)

    def test_orders_to_the_terminal_are_shown_as_text(self):
        with Engine(self.home, ECHO) as engine:
            terminal = self.open(engine, "red \x1b[31malert\x1b[0m")
            terminal.shows("␛[31malert")


if __name__ == "__main__":
    unittest.main()
