"""The three wires of model providers against aimock: what is streamed, how a result of a tool goes back, what
a provider's trouble turns into, and what stands in the requests. The same conversations run on every wire.
"""

import json
import unittest

from aimock import KEY, Aimock, environment
from engine import Engine, Home
from wire import Wire

GREETING = "Good morning. This sentence is streamed in several pieces, äöü 🌍 included."
# Words of the fixtures' error bodies. A person must never read a provider's own words: they may hold anything.
PROVIDERS_WORDS = ["Nightjar", "db-internal", "sk-peer", "429", "500", "401", "{"]


class _Conversations:
    """The conversations; a subclass says on which wire."""

    model = label = None
    # How a refused key is told: Ollama's own cloud models need a sign-in instead.
    key_refused = "doesn't accept the saved key"
    # Whether aimock's stream of this wire carries the token counts of the fixture.
    counts_tokens = True

    @classmethod
    def setUpClass(cls):
        cls.aimock = Aimock()
        cls.addClassCleanup(cls.aimock.close)
        cls.wire = Wire(cls.aimock.base)
        cls.addClassCleanup(cls.wire.close)

    def setUp(self):
        self.aimock.forget()
        self.wire.sent.clear()
        home = Home()
        self.addCleanup(home.close)
        self.engine = self.enterContext(Engine(home, self.model, environment(self.wire.base)))

    def check_journal(self):
        """aimock understood every request, and no request carried the key where it does not belong."""
        for entry in self.aimock.journal():
            self.assertIn(entry["response"]["status"], (200, 401, 429, 500), entry["path"])
        for sent in self.wire.chats():
            self.assertNotIn(KEY.encode(), sent.body)
            self.assertNotIn(KEY, sent.path)
            carrying = [name for name, value in sent.headers.items() if KEY in value]
            self.assertEqual(carrying, self.key_headers)

    def test_an_answer_is_streamed_stored_and_remembered(self):
        reply = self.engine.ask("greet the peer")
        self.assertEqual(reply.lines[0]["type"], "session")
        self.assertGreater(len(reply.of("text_delta")), 1, "it came in pieces")
        self.assertEqual(reply.text, GREETING)
        self.assertEqual(reply.done["content"], GREETING)
        self.assertNotIn("error", reply.done)
        self.assertEqual([line["type"] for line in reply.lines][-1], "done")

        (usage,) = reply.of("usage")
        self.assertEqual(usage["model"], self.model)
        self.assertGreater(usage["context_used"], 0)
        self.assertGreater(usage["context_length"], usage["context_used"])
        if self.counts_tokens:
            self.assertEqual((usage["prompt_tokens"], usage["completion_tokens"]), (321, 17))

        rows = [(row["role"], row["content"]) for row in self.engine.messages(reply.session)]
        self.assertEqual(rows, [("user", "greet the peer"), ("assistant", GREETING)])

        # The peer only answers this when exactly one earlier answer is in the request.
        again = self.engine.ask("what did I say before", reply.session)
        self.assertEqual(again.done["content"], "You said it one turn ago.")
        self.check_journal()

    def test_a_tools_result_goes_back_under_its_calls_own_id(self):
        reply = self.engine.ask("look at the clock")
        (call,), (result,) = reply.of("tool_call"), reply.of("tool_result")
        self.assertEqual((call["name"], call["arguments"]), ("current_datetime", {}))
        self.assertEqual((result["call_id"], result["is_error"]), (call["call_id"], False))
        self.assertIn("weekday", result["result"])
        self.assertEqual(reply.done["content"], "The clock has answered.")
        self.assertEqual(len(reply.of("usage")), 2, "one for each model call")
        roles = [row["role"] for row in self.engine.messages(reply.session)]
        self.assertEqual(roles, ["user", "assistant", "tool", "assistant"])
        self.check_calls_have_results(1)
        self.check_journal()

    def test_two_calls_at_once_get_two_results(self):
        reply = self.engine.ask("two clocks")
        calls = [line["call_id"] for line in reply.of("tool_call")]
        self.assertEqual(len(set(calls)), 2)
        self.assertEqual(sorted(line["call_id"] for line in reply.of("tool_result")), sorted(calls))
        self.assertEqual(reply.done["content"], "Both clocks have answered.")
        self.check_calls_have_results(2)
        self.check_journal()

    def check_calls_have_results(self, number):
        """In the last request, and in aimock's view of it, every call is followed by exactly its result."""
        called, answered = self.ids(self.wire.chats()[-1].json["messages"])
        self.assertEqual(len(called), number)
        self.assertEqual(called, answered)
        tools = [entry for entry in self.aimock.journal()[-1]["body"]["messages"] if entry["role"] == "tool"]
        self.assertEqual(len(tools), number)
        for message in tools:
            self.assertIn("weekday", json.dumps(message))

    def test_troubles_of_the_provider_are_told_plainly_and_the_chat_goes_on(self):
        session = None
        for said, want in [
            ("too many of you", f"{self.label} is getting too many requests right now."),
            ("break inside", f"{self.label} is having trouble right now."),
            ("turn my key down", self.key_refused),
            ("stop in the middle", f"from {self.label} was cut off before it was finished."),
        ]:
            with self.subTest(said):
                reply = self.engine.ask(said, session)
                session = reply.session
                (error,) = reply.of("error")
                self.assertIn(want, error["message"])
                self.assertFalse(error["recoverable"])
                self.assertTrue(error["message"].endswith("."), error["message"])
                for word in PROVIDERS_WORDS:
                    self.assertNotIn(word, error["message"])
                self.assertEqual(reply.done["error"], error["message"])
                self.assertEqual((reply.done["content"], reply.done["message_id"]), ("", None))
                self.assertEqual(self.engine.messages(session, "assistant"), [], "nothing of it is saved")
        reply = self.engine.ask("and after that", session)
        self.assertEqual(reply.done["content"], "The chat goes on.")
        self.assertEqual(len(self.engine.messages(session, "assistant")), 1)
        self.assertNotIn(KEY, self.engine.log())
        self.check_journal()


class OpenAi(_Conversations, unittest.TestCase):
    model, label = "openai/gpt-4o", "OpenAI"
    key_headers = ["authorization"]

    def ids(self, messages):
        called = [call["id"] for message in messages for call in message.get("tool_calls") or []]
        return called, [message["tool_call_id"] for message in messages if message["role"] == "tool"]

    def test_usage_is_asked_for(self):
        self.engine.ask("greet the peer")
        (sent,) = self.wire.chats()
        self.assertIs(sent.json["stream"], True)
        self.assertEqual(sent.json["stream_options"], {"include_usage": True})


class Anthropic(_Conversations, unittest.TestCase):
    model, label = "anthropic/claude-sonnet-4-5", "Anthropic"
    key_headers = ["x-api-key"]

    def ids(self, messages):
        blocks = [block for message in messages if isinstance(message["content"], list) for block in message["content"]]
        called = [block["id"] for block in blocks if block["type"] == "tool_use"]
        return called, [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]

    def test_the_prompts_front_is_marked_for_the_cache_and_stays_the_same(self):
        session = self.engine.ask("greet the peer").session
        self.engine.ask("what did I say before", session)
        first, second = (sent.json for sent in self.wire.chats())
        self.assertIsInstance(first["system"], list)
        self.assertEqual(first["system"][-1]["cache_control"]["type"], "ephemeral")
        # A cache only helps when what is in front of the mark is the same, byte for byte.
        for part in ("system", "tools"):
            self.assertEqual(json.dumps(first[part]), json.dumps(second[part]), part)
        marks = json.dumps(second).count('"cache_control"')
        self.assertLessEqual(marks, 4, "Anthropic takes four marks at most")
        self.assertEqual(self.wire.chats()[0].headers["anthropic-version"], "2023-06-01")


class Ollama(_Conversations, unittest.TestCase):
    model, label = "ollama_chat/qwen3:8b", "Ollama"
    key_headers = []
    key_refused = "Ollama isn't signed in"
    counts_tokens = False

    def ids(self, messages):
        # Ollama's calls have no ids: results are told apart by name and order.
        called = [call["function"]["name"] for message in messages for call in message.get("tool_calls") or []]
        return called, [message["tool_name"] for message in messages if message["role"] == "tool"]

    def test_the_context_length_is_sent(self):
        reply = self.engine.ask("greet the peer")
        (sent,) = self.wire.chats()
        (usage,) = reply.of("usage")
        self.assertEqual(sent.json["options"]["num_ctx"], usage["context_length"])
