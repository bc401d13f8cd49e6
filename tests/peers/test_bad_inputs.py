"""Bodies and names nobody should send, at every address that answers questions, stops, starts or takes back: the answer
is a plain 4xx, nothing breaks, and the program goes on."""

import http.client
import json
import unittest
import urllib.parse

from engine import Engine, Home

ECHO = "scripted/echo"
PASSPHRASE = {"SENTIENT_SECRETS_PASSPHRASE": "correct horse battery staple"}
DEEP = 100_000
NAMES = ["x", "..", "../../secrets.enc", "a\u202eb\u200b", "\u0430pproval", "-1", "null", "x" * 5_000, "%00", "'; --"]
# What the routes read from a body, each with values of a kind they do not expect.
KEYS = ["approval_id", "undo_id", "id", "decision", "action", "source", "code", "upto", "text", "session_id", "rule"]
VALUES = [None, True, -1, 1e308, "", "\u202e\u200bx", [], {}, [["allow"]], {"a": {"b": 1}}, "x" * 100_000]

BODIES = [
    b"",
    b"null",
    b"[]",
    b"7",
    b'"allow"',
    b"{",
    b"{}{}",
    b'{"approval_id":"a","approval_id":"b","decision":"allow"}',
    b'{"decision":"allow\xff"}',
    b"\x00\x01",
    b"[" * DEEP,
    b'{"approval_id":' * DEEP,
    b"[" * DEEP + b"]" * DEEP,
    json.dumps({"approval_id": "\ud800", "decision": "allow"}).encode(),
    json.dumps({"approval_id": "a", "decision": "ALLOW"}).encode(),
    json.dumps({"approval_id": "a", "decision": "allow\u200b"}).encode(),
    json.dumps({"approval_id": "a", "decision": "\u0430llow"}).encode(),
    *[json.dumps({key: value for key in KEYS}).encode() for value in VALUES],
]
POSTS = [
    "/api/approvals",
    "/api/undo",
    "/api/terminal/stop",
    "/api/timeline/restore",
    "/api/rule-proposals/{}",
    "/api/sessions/{}/trust",
    "/api/subagents/{}/cancel",
    "/api/chat",
    "/v1/chat/completions",
]
NAMED = [
    ("DELETE", "/api/approvals/grants/{}"),
    ("GET", "/api/subagents/{}"),
    ("GET", "/api/sessions/{}/subagents"),
    ("GET", "/api/sessions/{}/rule-proposals"),
    ("POST", "/api/subagents/{}/cancel"),
    ("POST", "/api/rule-proposals/{}"),
    ("POST", "/api/sessions/{}/trust"),
]
RULES = [
    {"file_write": "sometimes"},
    {"file_write": ["never"]},
    {"file_write": {"never": True}},
    {"": "never"},
    {"x" * 5_000: "never"},
    {"file\u200bwrite": "never"},
]


class BadInputs(unittest.TestCase):
    def setUp(self):
        home = Home({"secrets": {"file": True}, "openai_api": {"enabled": True}})
        self.addCleanup(home.close)
        self.engine = self.enterContext(Engine(home, ECHO, PASSPHRASE))
        status, access = self.engine.request("POST", "/api/openai-api/key")
        self.assertEqual(status, 200, access)
        self.key = access["key"]

    def send(self, method, path, body):
        """The status and the text of an answer; `None` when the connection was closed over a body that was too much."""
        connection = http.client.HTTPConnection("127.0.0.1", self.engine.port, timeout=30)
        bearer = self.key if path.startswith("/v1") else self.engine.token
        headers = {"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return response.status, response.read()
        except (ConnectionError, http.client.BadStatusLine):
            return None, b""
        finally:
            connection.close()

    def plain(self, method, path, body, fine=()):
        """A plain refusal with a sentence, unless the status is one of `fine`."""
        status, text = self.send(method, path, body)
        about = f"{method} {path[:80]} {body[:60]!r}: {status} {text[:200]!r}"
        if status in fine or status is None:
            return
        self.assertTrue(400 <= status < 500, about)
        said = json.loads(text)
        self.assertTrue(said.get("detail") or said.get("error"), about)
        self.assertNotIn("panicked", text.decode(), about)

    def healthy(self):
        self.assertIsNone(self.engine.process.poll(), self.engine.log()[-2_000:])
        self.assertNotIn("panicked", self.engine.log())
        self.assertIn("still here", self.engine.ask("still here").done["content"])

    def test_no_body_breaks_a_route(self):
        for path in POSTS:
            for body in BODIES:
                # A chat takes any text, and a command that does not run is told to be none.
                is_fine = path in ("/api/chat", "/api/terminal/stop")
                self.plain("POST", path.format("x"), body, fine=(200,) if is_fine else ())
        self.healthy()

    def test_no_name_breaks_a_route(self):
        for method, path in NAMED:
            for name in NAMES:
                # A chat nobody knows has no proposals.
                fine = (200,) if method == "DELETE" or path.endswith("rule-proposals") else ()
                self.plain(method, path.format(urllib.parse.quote(name, safe="")), b"{}", fine)
        self.healthy()

    def test_a_stop_with_any_body_stops(self):
        for body in BODIES:
            status, _ = self.send("POST", "/api/stop-all", body)
            self.assertTrue(status is None or status < 500, body[:60])
            if status == 200:
                self.assertTrue(self.engine.get("/api/stop")["stopped"], body[:60])
                source = self.engine.get("/api/stop")["source"]
                self.assertRegex(source, r"^[a-z0-9_.-]{1,30}$")
        self.assertEqual(self.send("POST", "/api/resume", b"")[0], 200)
        self.assertFalse(self.engine.get("/api/stop")["stopped"])
        self.healthy()

    def test_rules_that_are_none_are_refused_and_change_nothing(self):
        before = self.engine.get("/api/config")["tools"]["approvals"]
        for rules in RULES:
            body = json.dumps({"tools": {"approvals": {"rules": rules}}}).encode()
            self.plain("PATCH", "/api/config", body)
        deep = b'{"tools":' * DEEP + b"1" + b"}" * DEEP
        self.plain("PATCH", "/api/config", deep)
        self.assertEqual(self.engine.get("/api/config")["tools"]["approvals"], before)
        self.healthy()


if __name__ == "__main__":
    unittest.main()
