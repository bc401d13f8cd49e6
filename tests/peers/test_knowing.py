"""What Sentient works out about the person, on the real program: insights, a dream, the narrative, and forgetting.

The model is a small server of its own behind the OpenAI wire, which answers each kind of question as a test says; with
`scripted/echo` the program is shown answers that are no answers. Standard library only.
"""

import http.server
import json
import threading
import unittest

from engine import Engine, Home, wait_for

MODEL = "openai/knowing"


class Model:
    """A provider that answers what `answer(question)` returns."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = []
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
                said = body["messages"][-1]["content"]
                if not isinstance(said, str):
                    said = "".join(part.get("text", "") for part in said)
                model.asked.append(said)
                text = model.answer(said)
                pieces = [
                    {"choices": [{"index": 0, "delta": {"role": "assistant", "content": text}}]},
                    {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
                ]
                stream = "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces) + "data: [DONE]\n\n"
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Content-Length", str(len(stream.encode())))
                self.end_headers()
                self.wfile.write(stream.encode())

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def environment(self):
        base = f"http://127.0.0.1:{self._server.server_port}/v1"
        return {"SENTIENT_BASES": f"openai={base}", "OPENAI_API_KEY": "sk-peer-knowing"}

    def questions(self, words):
        return [asked for asked in self.asked if words in asked]

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def config(model):
    roles = {"primary": model, "fast": model}
    return {
        "models": {"roles": roles},
        "assistant": {"user_name": "Maya", "onboarding_complete": True},
        "memory": {"extract_after_turn": False, "summaries_enabled": False, "flush_enabled": False},
        "dreaming": {"enabled": False},
    }


def wise(question):
    if "New evidence" in question:
        return json.dumps(
            {
                "operations": [
                    {
                        "op": "add",
                        "dimension": "routines",
                        "statement": "Maya plans her week on Sundays",
                        "confidence": 0.9,
                        "evidence": ["f1", "f2", "f3", "f4", "f5"],
                    }
                ],
                "summary": "Maya plans ahead.",
            }
        )
    if "You keep one short page" in question:
        names = [line.split(":")[0].split(" ")[0] for line in question.splitlines() if line.startswith("f")]
        return json.dumps(
            {
                "sentences": [
                    {"text": "She plans ahead.", "basis": names},
                    {"text": "She owns a castle in Scotland.", "basis": ["f999"]},
                ]
            }
        )
    if "Can both be true now?" in question:
        return '{"contradict": true, "current": "B"}'
    if "two languages" in question:
        return '{"same": true, "extra": "none", "conflict": false}'
    return "{}"


class Knowing(unittest.TestCase):
    def setUp(self):
        self.home = Home(config(MODEL))
        self.addCleanup(self.home.close)
        self.model = Model(wise)
        self.addCleanup(self.model.close)

    def remember(self, engine, *contents):
        ids = []
        for content in contents:
            status, saved = engine.request("POST", "/api/memories", {"content": content})
            self.assertEqual(status, 200, saved)
            ids.append(saved["id"])
        return ids

    def dreamt(self, engine):
        status, dream = engine.request("POST", "/api/memories/dreams/run")
        self.assertEqual((status, dream["status"]), (200, "running"))

        def over():
            now = engine.get(f"/api/memories/dreams/{dream['id']}")
            return now if now["status"] != "running" else None

        return wait_for("the dream is over", over, 60)

    def test_insights_come_from_memories_and_go_with_them(self):
        with Engine(self.home, env=self.model.environment) as engine:
            self.assertEqual(
                engine.get("/api/user-model"), {"summary": "", "updated_at": None, "insights": [], "questions": []}
            )
            ids = self.remember(engine, "Maya writes her plans down on Sundays")
            status, counts = engine.request("POST", "/api/user-model/refresh")
            want = {"added": 1, "updated": 0, "disputed": 0, "questions": 0, "held": 0}
            self.assertEqual((status, counts), (200, want))
            model = engine.get("/api/user-model")
            insight = model["insights"][0]
            self.assertEqual((insight["confidence"], insight["status"], insight["source"]), (0.7, "active", "inferred"))
            self.assertEqual([(one["kind"], one["ref"]) for one in insight["evidence"]], [("fact", str(ids[0]))])
            asked = len(self.model.asked)
            self.assertEqual(engine.request("POST", "/api/user-model/refresh")[1], {**want, "added": 0})
            self.assertEqual(len(self.model.asked), asked, "no model call without new evidence")
            engine.kill()
        with Engine(self.home, env=self.model.environment) as engine:
            self.assertEqual(engine.get("/api/user-model"), model, "a kill lost what was known")
            self.assertEqual(engine.request("DELETE", f"/api/memories/{ids[0]}")[0], 200)
            self.assertEqual(engine.get("/api/user-model")["insights"], [])

    def test_the_persons_own_insights_and_what_is_refused(self):
        with Engine(self.home, env=self.model.environment) as engine:
            body = {"statement": "माया को छोटे जवाब पसंद हैं", "dimension": "communication"}
            status, own = engine.request("POST", "/api/user-model/insights", body)
            self.assertEqual(status, 200, own)
            self.assertEqual((own["source"], own["status"], own["confidence"]), ("user", "confirmed", 1.0))
            where = f"/api/user-model/insights/{own['id']}"
            for method, path, body, want in [
                ("POST", "/api/user-model/insights", {"dimension": "goals"}, 400),
                ("PATCH", where, {"status": "sure"}, 400),
                ("PATCH", where, {"status": "pending"}, 400),
                ("PATCH", "/api/user-model/insights/999", {"status": "retired"}, 404),
                ("DELETE", "/api/user-model/insights/none", None, 404),
                ("POST", "/api/user-model/questions/none", {"answer": "yes"}, 404),
                ("POST", "/api/user-model/questions/none", {"answer": " "}, 400),
                ("DELETE", "/api/user-model/questions/none", None, 404),
                ("GET", "/api/memories/dreams/none", None, 404),
                ("GET", "/api/memories/narrative?scope=always", None, 400),
                ("POST", "/api/memories/narrative/rollback", {"version": 9}, 404),
            ]:
                status, answer = engine.request(method, path, body)
                self.assertEqual(status, want, f"{method} {path} {body}: {answer}")
                self.assertIn("detail", answer)
            status, changed = engine.request("PATCH", where, {"status": "retired"})
            self.assertEqual((status, changed["status"]), (200, "retired"))
            self.assertEqual(engine.request("DELETE", where), (200, {"ok": True}))

    def test_a_dream_tidies_up_and_its_merge_can_be_taken_back(self):
        with Engine(self.home, env=self.model.environment) as engine:
            self.remember(engine, "Maya likes ginger tea", "माया को अदरक की चाय पसंद है")
            dream = self.dreamt(engine)
            self.assertEqual((dream["status"], dream["error"], dream["trigger"]), ("completed", None, "manual"), dream)
            self.assertEqual(dream["stats"]["languages_merged"], 1, dream)
            merged = engine.get("/api/memories/review")["merged"]
            self.assertEqual(len(merged), 1)
            status, _ = engine.request("POST", f"/api/memories/review/merged/{merged[0]['id']}/undo")
            self.assertEqual(status, 200)
            self.assertEqual(self.dreamt(engine)["stats"]["languages_merged"], 0, "the person took them apart")
            self.assertEqual(len(engine.get("/api/memories/dreams?limit=1")), 1)

    def test_a_page_rests_on_memories_and_forgets_with_them(self):
        with Engine(self.home, env=self.model.environment) as engine:
            ids = self.remember(
                engine, "Maya writes plans down on Sundays", "Maya swims at noon", "Maya's desk faces a garden"
            )
            status, done = engine.request("POST", "/api/memories/narrative/refresh", {})
            self.assertEqual((status, done["outcome"]), (200, "written"), done)
            current = done["page"]["current"]
            self.assertEqual((current["version"], current["text"]), (1, "She plans ahead."))
            self.assertEqual(sorted(current["sentences"][0]["facts"]), sorted(ids))
            self.assertEqual(engine.get("/api/memories/narrative/versions"), [current])
            self.assertEqual(engine.request("DELETE", f"/api/memories/{ids[1]}")[0], 200)
            versions = json.dumps(engine.get("/api/memories/narrative/versions"))
            self.assertNotIn("plans ahead", versions)

    def test_a_model_that_only_repeats_changes_nothing(self):
        home = Home(config("scripted/echo"))
        self.addCleanup(home.close)
        with Engine(home) as engine:
            self.remember(engine, "Maya swims at noon", "Maya's desk faces a garden", "Maya plays chess")
            status, done = engine.request("POST", "/api/memories/narrative/refresh", {})
            self.assertEqual((status, done["outcome"]), (200, "unusable"), done)
            self.assertIsNone(done["page"]["current"])
            engine.request("POST", "/api/user-model/refresh")
            self.assertEqual(engine.get("/api/user-model")["insights"], [])
            dream = self.dreamt(engine)
            self.assertEqual(dream["stats"]["merged"] + dream["stats"]["contradictions_resolved"], 0, dream)


if __name__ == "__main__":
    unittest.main()
