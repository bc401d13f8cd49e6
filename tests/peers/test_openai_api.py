"""`/v1` with the clients OpenAI makes: whole answers and streams, failures as each client's own exceptions, an overlapping
request, a client that leaves, a tool in between, and a question that the person answers meanwhile.
"""

import json
import os
import subprocess
import unittest

import tools
from engine import Engine, Home, wait_for

SCENARIO_WITHIN_S = 90
PASSPHRASE = {"SENTIENT_SECRETS_PASSPHRASE": "correct horse battery staple"}
CONFIG = {"secrets": {"file": True}, "openai_api": {"enabled": True}}


class _Client:
    """The scenarios; a subclass says with which client."""

    @classmethod
    def setUpClass(cls):
        cls.command = cls.client()
        home = Home(CONFIG)
        cls.addClassCleanup(home.close)
        cls.engine = cls.enterClassContext(Engine(home, "scripted/tour", PASSPHRASE))
        status, cls.access = cls.engine.request("POST", "/api/openai-api/key")
        assert status == 200, cls.access
        assert cls.access["base_url"] == f"http://127.0.0.1:{cls.engine.port}/v1"

    def begin(self, *scenario, key=None):
        own = {"OPENAI_BASE_URL": self.access["base_url"], "OPENAI_API_KEY": key or self.access["key"]}
        environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **own}
        process = subprocess.Popen(
            [*self.command, *scenario], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.addCleanup(process.kill)
        return process

    def end(self, process):
        out, error = process.communicate(timeout=SCENARIO_WITHIN_S)
        self.assertEqual(process.returncode, 0, error.decode(errors="replace"))
        return json.loads(out)

    def run_scenario(self, *scenario, key=None):
        return self.end(self.begin(*scenario, key=key))

    def chat(self, name):
        return next((chat for chat in self.engine.get("/api/sessions") if chat["title"] == name), None)

    def test_answers_come_whole_and_as_streams(self):
        self.assertEqual(self.run_scenario("models", "", ""), ["sentient"])
        whole = self.run_scenario("whole", "table", "answers")
        self.assertEqual((whole["role"], whole["finish"], whole["model"]), ("assistant", "stop", "sentient"))
        self.assertIn("| What | How it looks |", whole["text"])
        prompt, completion, total = whole["usage"]
        self.assertTrue(prompt > 0 and completion > 0 and total == prompt + completion, whole["usage"])
        stream = self.run_scenario("stream", "table", "answers")
        self.assertEqual(stream["text"].strip(), whole["text"].strip())
        self.assertGreater(stream["pieces"], 10, "it came in pieces")
        self.assertEqual((stream["roles"], stream["finish"]), (["assistant"], "stop"))
        self.assertGreater(stream["usage"], 0)
        self.assertEqual(len(self.engine.messages(self.chat("answers")["id"])), 4, "one chat for one name")

    def test_a_tool_in_between_is_the_engines_own_affair(self):
        stream = self.run_scenario("stream", "time", "tools")
        self.assertEqual(stream["finish"], "stop")
        roles = [row["role"] for row in self.engine.messages(self.chat("tools")["id"])]
        self.assertEqual(roles, ["user", "assistant", "tool", "assistant"])

    def test_failures_are_the_clients_own_exceptions(self):
        wrong = self.run_scenario("fail", "Hello", "failures", key="sk-sentient-wrong")
        self.assertEqual((wrong["class"], wrong["status"], wrong["code"]), ("AuthenticationError", 401, "invalid_api_key"))
        empty = self.run_scenario("fail_empty", "", "")
        self.assertEqual((empty["class"], empty["status"], empty["code"]), ("BadRequestError", 400, "no_user_message"))

    def test_an_overlapping_request_is_refused_once(self):
        busy = self.run_scenario("busy", "count 60", "busy")
        self.assertEqual((busy["class"], busy["status"], busy["code"]), ("ConflictError", 409, "chat_busy"))
        chat = self.chat("busy")["id"]
        wait_for("the first is answered", lambda: self.engine.messages(chat, "assistant"), 30)
        questions = self.engine.messages(chat, "user")
        self.assertEqual([row["content"] for row in questions], ["count 60"], "the client did not try again")

    def test_a_client_that_leaves_ends_nothing(self):
        self.assertTrue(self.run_scenario("hang_up", "count 60", "leaving")["text"])
        chat = self.chat("leaving")["id"]
        wait_for("the reply is written to its end", lambda: self.engine.messages(chat, "assistant"), 30)
        (reply,) = self.engine.messages(chat, "assistant")
        self.assertIn("60", reply["content"])
        self.assertNotIn("(stopped)", reply["content"])

    def test_a_question_is_answered_by_the_person_while_the_client_waits(self):
        for kind in ("whole", "stream"):
            for decision in ("deny", "allow"):
                with self.subTest(kind=kind, decision=decision):
                    process = self.begin(kind, "write a file", f"{kind} {decision}")
                    note = wait_for("the question is in the notification centre", self.open_question, 30)
                    self.assertEqual(
                        (note["kind"], note["message"]),
                        ("approval", 'Another app asked Sentient to use "file_write". Allow it?'),
                    )
                    answer = {"approval_id": note["payload"]["approval_id"], "decision": decision}
                    status, _ = self.engine.request("POST", "/api/approvals", answer)
                    self.assertEqual(status, 200)
                    got = self.end(process)
                    refused = 'Not done: "file_write" needed your OK in Sentient and didn\'t get it.'
                    self.assertEqual(refused in got["text"], decision == "deny", got["text"])
                    self.assertEqual(got["finish"], "stop")

    def open_question(self):
        notes = self.engine.get("/api/notifications?unread_only=true")["notifications"]
        return next((note for note in notes if note["payload"].get("status") == "pending"), None)


class Python(_Client, unittest.TestCase):
    @staticmethod
    def client():
        return [*tools.python_with("openai"), tools.client("openai_sdk.py")]


class JavaScript(_Client, unittest.TestCase):
    @staticmethod
    def client():
        return [*tools.node_with("openai"), tools.client("openai_sdk.mjs"), str(tools.NPM)]


class Failing(unittest.TestCase):
    """A model that breaks off, as both clients hear of it."""

    def test_a_turn_that_fails_is_an_exception(self):
        home = Home(CONFIG)
        self.addCleanup(home.close)
        engine = self.enterContext(Engine(home, "scripted/fails", PASSPHRASE))
        _, access = engine.request("POST", "/api/openai-api/key")
        for client in (Python, JavaScript):
            with self.subTest(client.__name__):
                environment = {
                    "PATH": os.environ["PATH"],
                    "OPENAI_BASE_URL": access["base_url"],
                    "OPENAI_API_KEY": access["key"],
                }
                for scenario, status in (("fail", 500), ("fail_stream", None)):
                    command = [*client.client(), scenario, "Hello", f"{client.__name__} {scenario}"]
                    ran = subprocess.run(
                        command, env=environment, capture_output=True, timeout=SCENARIO_WITHIN_S, check=True
                    )
                    got = json.loads(ran.stdout)
                    self.assertEqual((got["status"], got["code"]), (status, "turn_failed"), got)
                    (chat,) = [
                        chat
                        for chat in engine.get("/api/sessions")
                        if chat["title"] == f"{client.__name__} {scenario}"
                    ]
                    self.assertEqual(len(engine.messages(chat["id"], "user")), 1, "the client did not try again")


if __name__ == "__main__":
    unittest.main()
