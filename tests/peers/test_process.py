"""The program as the system treats it: started twice, reached by a foreign page, stopped, and cut off without warning.
The model is the built-in scripted one, so nothing else has to be installed.
"""

import collections
import concurrent.futures
import http.client
import threading
import unittest

from engine import END_WITHIN_S, Engine, Home, wait_for

ECHO = "scripted/echo"
# The scripted model says a word every 20 ms: five seconds, far longer than a test needs to get in between.
LONG = " ".join(f"word{number}" for number in range(250))
CUTS = 10
WRITERS = 4
# Messages whose `session` line was seen before the power is cut: at another moment in each round.
SEEN_BEFORE_CUT = [1, 2, 3, 5, 7, 4, 6, 8, 2, 9]
RESUMED_WITHIN_S = 60


class Process(unittest.TestCase):
    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.close)

    def test_a_second_engine_on_one_home_names_the_first_and_ends(self):
        with Engine(self.home, ECHO) as first:
            second = Engine(self.home, ECHO, wait=False)
            with second:
                code = second.process.wait(10)
                self.assertEqual(code, 1)
                self.assertIn(f"process {first.process.pid}", second.log())
                self.assertIn("already running", second.log())
                self.assertNotIn("panicked", second.log())
            self.assertTrue(first.ask("still here").done["content"], "the first one did not notice")
        with Engine(self.home, ECHO) as next_one:
            self.assertEqual(len(next_one.get("/api/sessions")), 1)

    def test_foreign_pages_and_foreign_names_are_turned_away(self):
        with Engine(self.home, ECHO) as engine:
            own = f"http://127.0.0.1:{engine.port}"
            upgrade = {
                "Connection": "Upgrade",
                "Upgrade": "websocket",
                "Sec-WebSocket-Version": "13",
                "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
            }
            websocket = f"/ws?token={engine.token}"
            for name, path, headers, want in [
                ("its own window", "/api/bootstrap", {"Origin": own}, 200),
                ("no page at all", "/api/bootstrap", {}, 200),
                ("another name of this computer", "/api/bootstrap", {"Host": f"localhost:{engine.port}"}, 200),
                ("a page from elsewhere", "/api/bootstrap", {"Origin": "https://evil.example"}, 403),
                ("a page that looks like ours", "/api/bootstrap", {"Origin": "http://localhost.evil.example"}, 403),
                ("a rebound name", "/api/bootstrap", {"Host": f"evil.example:{engine.port}"}, 403),
                (
                    "a rebound name and its page",
                    "/api/bootstrap",
                    {"Host": "evil.example", "Origin": "http://evil.example"},
                    403,
                ),
                ("a page asks the open route", "/api/health", {"Origin": "https://evil.example"}, 403),
                ("a page opens the live channel", websocket, {**upgrade, "Origin": "https://evil.example"}, 403),
                ("a rebound name opens the live channel", websocket, {**upgrade, "Host": "evil.example"}, 403),
                ("a wrong token", "/api/bootstrap", {"Authorization": "Bearer wrong"}, 401),
                ("no token", "/api/bootstrap", {"Authorization": None}, 401),
            ]:
                with self.subTest(name):
                    status, answer = engine.request("GET", path, headers=headers)
                    self.assertEqual(status, want, answer)
                    if want != 200:
                        self.assertNotIn(engine.token, str(answer))
            status, answer = engine.request("POST", "/api/chat", {"text": "hello"}, {"Origin": "https://evil.example"})
            self.assertEqual(status, 403, answer)
            self.assertEqual(engine.get("/api/sessions"), [], "nothing was begun")

    def test_a_stop_signal_ends_in_time_and_keeps_what_was_written(self):
        with Engine(self.home, ECHO) as engine:
            reply = engine.say(LONG)
            session = reply.session
            wait_for("the reply has begun", lambda: reply.next() and len(reply.of("text_delta")) >= 10)
            took = engine.terminate()
            self.assertEqual(engine.process.returncode, 0)
            self.assertLess(took, END_WITHIN_S)
            reply.all()
            self.assertTrue(reply.done["cancelled"])
            written = reply.text
        with Engine(self.home, ECHO) as engine:
            (answer,) = engine.messages(session, "assistant")
            self.assertEqual(answer["id"], reply.done["message_id"])
            self.assertEqual(answer["content"], reply.done["content"])
            self.assertTrue(answer["content"].startswith(written.strip()), (written, answer["content"]))
            self.assertLess(len(answer["content"]), len(LONG), "it was stopped, not finished")
            again = engine.ask("and now", session)
            self.assertIn("and now", again.done["content"])
            self.assertEqual(len(engine.messages(session, "assistant")), 2)

    def test_a_power_cut_in_the_middle_of_a_reply_leaves_exactly_one_answer(self):
        with Engine(self.home, ECHO) as engine:
            reply = engine.say(LONG)
            session = reply.session
            wait_for("the reply has begun", lambda: reply.next() and len(reply.of("text_delta")) >= 10)
            engine.kill()
            reply.all()
            self.assertEqual(reply.of("done"), [])
        with Engine(self.home, ECHO) as engine:
            wait_for("the reply goes on", lambda: engine.messages(session, "assistant"), RESUMED_WITHIN_S)
            rows = [(row["role"], LONG in row["content"]) for row in engine.messages(session)]
            self.assertEqual(rows, [("user", True), ("assistant", True)])
        with Engine(self.home, ECHO) as engine:
            self.assertEqual(len(engine.messages(session)), 2, "an answered message is not answered again")

    def test_a_reply_that_is_cut_off_twice_ends_honestly(self):
        with Engine(self.home, ECHO) as engine:
            reply = engine.say(LONG)
            session = reply.session
            wait_for("the reply has begun", lambda: reply.next() and reply.of("text_delta"))
            engine.kill()
            reply.hang_up()
        with Engine(self.home, ECHO) as engine:
            wait_for("the reply goes on", lambda: "goes on after a restart" in engine.log())
            self.assertEqual(engine.messages(session, "assistant"), [], "cut off before it is done")
            engine.kill()
        with Engine(self.home, ECHO) as engine:
            # Not a third time by itself; the person's next message is answered at once.
            again = engine.ask("and now", session)
            self.assertIn("and now", again.done["content"])
            self.assertEqual([row["role"] for row in engine.messages(session)], ["user", "user", "assistant"])

    def test_ten_power_cuts_lose_and_double_nothing_that_was_acknowledged(self):
        acknowledged = {}
        for round_number, enough in zip(range(CUTS), SEEN_BEFORE_CUT, strict=True):
            with Engine(self.home, ECHO) as engine:
                seen = self.write_until(engine, round_number, enough, list(acknowledged.values())[-2:])
                acknowledged |= seen
        self.assertGreaterEqual(len(acknowledged), sum(SEEN_BEFORE_CUT))
        sessions = sorted(set(acknowledged.values()))
        with Engine(self.home, ECHO) as engine:

            def lost():
                kept = self.kept(engine, sessions, "user")
                return [text for text, session in acknowledged.items() if not kept[text, session]]

            # One that joins a reply or waits behind it gets its row when that reply comes to it.
            wait_for("every acknowledged message is in its chat", lambda: not lost(), RESUMED_WITHIN_S, 0.2)
            self.check_once(engine, sessions, acknowledged)
            self.assertIn("after all", engine.ask("after all").done["content"])
        with Engine(self.home, ECHO) as engine:
            self.check_once(engine, sessions, acknowledged)

    def kept(self, engine, sessions, role):
        """How often each text stands in each chat."""
        return collections.Counter(
            (row["content"], session) for session in sessions for row in engine.messages(session, role)
        )

    def check_once(self, engine, sessions, acknowledged):
        said = self.kept(engine, sessions, "user")
        self.assertEqual([text for text, session in acknowledged.items() if said[text, session] != 1], [])
        self.assertEqual([twice for twice, number in said.items() if number != 1], [])
        # A reply that begins again never leaves two answers behind.
        answers = self.kept(engine, sessions, "assistant")
        self.assertEqual([twice for twice, number in answers.items() if number != 1], [])

    def write_until(self, engine, round_number, enough, sessions):
        """Several writers send messages, to new chats and to old ones, until the power is cut in the middle of it.
        Answers the chat of each message that was acknowledged."""
        seen, lock, cut = {}, threading.Lock(), threading.Event()

        def write(writer):
            for number in range(1_000):
                if cut.is_set():
                    return
                text = f"message {round_number}/{writer}/{number}"
                session = sessions[writer] if writer < len(sessions) and number % 2 else None
                try:
                    reply = engine.say(text, session)
                except (OSError, http.client.HTTPException, ValueError):
                    return  # the engine is gone
                line = reply.next() if reply.status == 200 else None
                reply.hang_up()
                # A message for a chat that is just answering joins the reply; that is a promise as well.
                if line and line["type"] in ("session", "steer_ack"):
                    with lock:
                        seen[text] = line["session_id"]
                        if len(seen) >= enough and not cut.is_set():
                            cut.set()
                            engine.kill()

        with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
            for writer in [pool.submit(write, number) for number in range(WRITERS)]:
                writer.result()
        self.assertTrue(cut.is_set(), f"only {len(seen)} messages went in:\n{engine.log()[-2000:]}")
        return seen
