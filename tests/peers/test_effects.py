"""What reaches the outside happens once or not at all, whenever the program is killed, and the chat says which."""

import json
import pathlib
import socket
import struct
import tempfile
import time
import unittest

from aimock import Aimock, environment
from engine import Engine, Home, wait_for

MODEL = "openai/gpt-4o"
ENDED_WITHIN_S = 60
NOT_KNOWN = "not known whether it went through"
# Longer than the command takes, so that one that outlived the engine would be seen.
OUTLIVES_S = 1.5


def asked_again(engine, within=ENDED_WITHIN_S):
    """The open question as a window hears it that opens now, or `None` when there is none for so long."""
    try:
        return _asked(engine, within)
    except TimeoutError:
        return None


def _asked(engine, within):
    """RFC 6455, as far as a reader of short texts needs it."""
    with socket.create_connection(("127.0.0.1", engine.port), timeout=within) as line:
        lines = [
            f"GET /ws?token={engine.token} HTTP/1.1",
            f"Host: 127.0.0.1:{engine.port}",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: c2VudGllbnQtcGVlcnMtMQ==",
        ]
        line.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        heard = line.makefile("rb")
        assert b" 101 " in heard.readline()
        while heard.readline().strip():
            pass
        while True:
            _, length = heard.read(2)
            if length >= 126:
                (length,) = struct.unpack(">H" if length == 126 else ">Q", heard.read(2 if length == 126 else 8))
            frame = json.loads(heard.read(length) or b"{}")
            if frame.get("type") == "approval_request":
                return frame


class Effects(unittest.TestCase):
    """The effect is a command that writes a line as it begins and another, a second later, as it ends."""

    def setUp(self):
        self.aimock = Aimock()
        self.addCleanup(self.aimock.close)

    def ground(self):
        """A home and the folder its command writes to."""
        folder = tempfile.TemporaryDirectory(prefix="sentient-effects-")
        self.addCleanup(folder.cleanup)
        home = Home({"terminal": {"enabled": True, "allowed_folders": [folder.name]}})
        self.addCleanup(home.close)
        return home, pathlib.Path(folder.name) / "deed.txt"

    def start(self, home):
        return Engine(home, MODEL, environment(self.aimock.base))

    def yes(self, engine, card):
        body = {"approval_id": card["approval_id"], "decision": "allow"}
        return engine.request("POST", "/api/approvals", body)[0]

    def said_at_last(self, engine, session):
        """The result of the call, once the reply is at its end."""
        wait_for("the reply is at its end", lambda: engine.messages(session, "assistant")[-1:], ENDED_WITHIN_S, 0.1)
        wait_for(
            "the reply says something",
            lambda: engine.messages(session, "assistant")[-1]["content"].startswith("That is all"),
            ENDED_WITHIN_S,
            0.1,
        )
        (result,) = engine.messages(session, "tool")
        return result["content"]

    def killed(self, moment):
        """What the world and the chat say after a kill at this moment: the lines of the command, the call's result."""
        home, deed = self.ground()
        lines = lambda: deed.read_text().split() if deed.exists() else []  # noqa: E731
        with self.start(home) as engine:
            reply = engine.say("do the slow deed")
            session = reply.session
            card = reply.until("approval_request")
            self.assertEqual(lines(), [], "nothing runs before the answer")
            self.assertEqual(self.yes(engine, card), 200)
            moment(lines, reply)
            engine.kill()
            reply.hang_up()
        at_kill = lines()
        time.sleep(OUTLIVES_S)
        self.assertEqual(lines(), at_kill, "the command outlived the engine")
        with self.start(home) as engine:
            # A yes that was on its way when the power went is asked for once more, but never for what has begun.
            if question := asked_again(engine, OUTLIVES_S):
                self.assertEqual(lines(), [], "it had begun, and the question came again")
                self.assertEqual(self.yes(engine, question), 200)
            said = self.said_at_last(engine, session)
            after = lines()
            self.assertEqual(self.yes(engine, card), 404, "a yes counts once")
        with self.start(home) as engine:
            self.assertEqual(self.said_at_last(engine, session), said)
        self.assertEqual(lines(), after, "a second start did something again")
        return after, said

    def check(self, name, after, said):
        """The one law: never twice, and nothing claimed that is not so."""
        with self.subTest(name):
            self.assertIn(after, ([], ["begun"], ["begun", "ended"]), "it was done more than once")
            known = '"ok":true' in said.replace(" ", "")
            self.assertNotEqual(known, NOT_KNOWN in said, said)
            if known:
                self.assertEqual(after, ["begun", "ended"], said)

    def test_whenever_the_engine_is_killed_an_effect_is_done_once_and_told_as_it_is(self):
        def after_the_yes(seconds):
            return lambda lines, reply: time.sleep(seconds)

        moments = {
            "at once": after_the_yes(0),
            "20 ms after the yes": after_the_yes(0.02),
            "100 ms after the yes": after_the_yes(0.1),
            "as it begins": lambda lines, reply: wait_for("it has begun", lines, pause=0.001),
            "in the middle": lambda lines, reply: (wait_for("it has begun", lines), time.sleep(0.4)),
            "as it ends": lambda lines, reply: wait_for("it has ended", lambda: len(lines()) == 2, pause=0.001),
            "when its result is there": lambda lines, reply: reply.until("tool_result"),
            "when all is said": lambda lines, reply: reply.all(),
        }
        seen = []
        for name, moment in moments.items():
            after, said = self.killed(moment)
            self.check(name, after, said)
            seen.append((len(after), NOT_KNOWN in said))
        self.assertIn((1, True), seen, "no kill hit the middle of it")
        self.assertIn((2, False), seen, "no kill came after it")

    def test_a_question_that_is_open_when_the_engine_is_killed_is_still_open(self):
        home, deed = self.ground()
        with self.start(home) as engine:
            reply = engine.say("do the slow deed")
            session = reply.session
            card = reply.until("approval_request")
            engine.kill()
            reply.hang_up()
        with self.start(home) as engine:
            again = asked_again(engine)
            self.assertEqual((again["name"], again["arguments"]), (card["name"], card["arguments"]))
            self.assertFalse(deed.exists(), "a restart is no yes")
            self.assertEqual(self.yes(engine, card), 404, "the card of the engine that is gone counts no more")
            self.assertEqual(self.yes(engine, again), 200)
            self.assertIn('"ok":true', self.said_at_last(engine, session).replace(" ", ""))
        self.assertEqual(deed.read_text().split(), ["begun", "ended"])


if __name__ == "__main__":
    unittest.main()
