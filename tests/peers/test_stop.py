"""Stop everything against the real program: pressed from a terminal and over HTTP, and kept through `kill -9`."""

import os
import subprocess
import unittest

import tools
from engine import Engine, Home, wait_for

ECHO = "scripted/echo"
LONG = " ".join(f"word{number}" for number in range(250))


class Stop(unittest.TestCase):
    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.close)

    def press(self, word, engine=None):
        command = [tools.binary(), "--home", str(self.home.path), word]
        own = {"SENTIENT_GATEWAY_TOKEN": engine.token} if engine else {}
        env = {**os.environ, **own}
        return subprocess.run(command, env=env, capture_output=True, text=True, timeout=30, check=False)

    def test_a_stop_from_a_terminal_ends_the_reply_and_survives_a_kill(self):
        with Engine(self.home, ECHO) as engine:
            reply = engine.say(LONG)
            session = reply.session
            wait_for("the reply has begun", lambda: reply.next() and len(reply.of("text_delta")) >= 10)
            pressed = self.press("stop", engine)
            self.assertEqual(pressed.returncode, 0, pressed.stderr)
            self.assertIn("One running job was ended", pressed.stdout)
            reply.all()
            self.assertTrue(reply.done["cancelled"])
            self.assertTrue(reply.done["content"].endswith("(stopped)"), reply.done["content"])
            state = engine.get("/api/stop")
            self.assertEqual((state["stopped"], state["source"]), (True, "cli"))
            engine.kill()
        with Engine(self.home, ECHO) as engine:
            self.assertEqual(engine.get("/api/stop"), state, "a restart forgot the stop")
            self.assertEqual(len(engine.messages(session, "assistant")), 1, "the stopped reply went on")
            self.assertIn("hello", engine.ask("hello", session).done["content"], "chatting still works")
            pressed = self.press("resume", engine)
            self.assertEqual(pressed.returncode, 0, pressed.stderr)
            self.assertFalse(engine.get("/api/stop")["stopped"])
            engine.kill()
        with Engine(self.home, ECHO) as engine:
            self.assertFalse(engine.get("/api/stop")["stopped"], "a restart forgot the resume")

    def test_nothing_to_stop_is_said_in_words(self):
        pressed = self.press("stop")
        self.assertEqual(pressed.returncode, 1)
        self.assertIn("not running", pressed.stderr)
        self.assertNotIn("panicked", pressed.stderr)


if __name__ == "__main__":
    unittest.main()
