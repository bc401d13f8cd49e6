"""`sentient mcp` with the official clients of both generations of the protocol, and with the inspector's command line.
The token comes from where keys are kept: the encrypted file, and once a desktop's keychain.
"""

import json
import os
import subprocess
import unittest

import tools
from engine import Engine, Home, wait_for
from keychain import Keychain

CLIENT_WITHIN_S = 90
TOOLS = ["notify_me", "ask_sentient", "memory_search", "memory_get", "memory_add"]
PASSPHRASE = {"SENTIENT_SECRETS_PASSPHRASE": "correct horse battery staple"}


def config(enabled=True, file=True):
    return {"secrets": {"file": file}, "integrations": {"mcp_server_enabled": enabled}}


def ask(text):
    return {"tool": "ask_sentient", "arguments": {"text": text}}


class _Server(unittest.TestCase):
    secrets = PASSPHRASE

    def start(self, settings=None, secrets=None):
        self.secrets = secrets or self.secrets
        self.home = Home(settings or config())
        self.addCleanup(self.home.close)
        self.engine = self.enterContext(Engine(self.home, "scripted/tour", self.secrets))
        wait_for("the token is issued", lambda: self.engine.get("/api/mcp/status")["token_issued"])

    @property
    def environment(self):
        quiet = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus"}
        kept = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
        return {**kept, **quiet, **self.secrets, "SENTIENT_HOME": str(self.home.path)}

    def begin(self, client, calls):
        python, path = client
        environment = {**self.environment, **path}
        command = [*python, tools.client("mcp_client.py"), json.dumps(calls), tools.binary(), "mcp"]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        return process

    def end(self, process):
        out, error = process.communicate(timeout=CLIENT_WITHIN_S)
        self.assertEqual(process.returncode, 0, error.decode(errors="replace"))
        return json.loads(out)

    def talk(self, client, calls):
        return self.end(self.begin(client, calls))


class Clients(_Server):
    def test_both_generations_list_and_call_the_tools(self):
        self.start()
        for generation, client in (("2", tools.mcp_python()), ("1", tools.mcp1_python())):
            with self.subTest(generation):
                calls = [
                    {"tool": "notify_me", "arguments": {"message": f"From {generation}", "title": "Tea"}},
                    ask("table"),
                    {"tool": "config_set", "arguments": {}},
                    {"tool": "notify_me", "arguments": {"title": "no message"}},
                ]
                got = self.talk(client, calls)
                self.assertEqual(got["version"] >= "2026-07-28", generation == "2", got["version"])
                self.assertEqual(got["tools"], TOOLS)
                note, reply, unknown, bad = got["results"]
                self.assertEqual(note, {"error": False, "text": "The user has the note."})
                self.assertFalse(reply["error"])
                self.assertIn("| What | How it looks |", reply["text"])
                self.assertIn("config_set", unknown["refused"])
                self.assertTrue(bad["error"] and "message" in bad["text"], bad)
                shown = self.engine.get("/api/notifications")["notifications"][0]
                self.assertEqual(
                    (shown["title"], shown["message"], shown["kind"]),
                    ("From MCP app (Claude Code): Tea", f"From {generation}", "info"),
                )
                chat = self.engine.get("/api/sessions")[0]
                self.assertEqual((chat["channel"], chat["untrusted"]), ("mcp", "an app called Claude Code"))

    def test_memories_are_searched_and_suggested_and_wait_for_review(self):
        self.start()
        self.engine.request("POST", "/api/memories", {"content": "Maya likes green tea"})
        calls = [
            {"tool": "memory_add", "arguments": {"content": "Maya owns a boat", "app": "the user"}},
            {"tool": "memory_search", "arguments": {"q": "boat"}},
            {"tool": "memory_search", "arguments": {"q": "green tea"}},
            {"tool": "memory_get", "arguments": {"id": 1}},
            {"tool": "memory_get", "arguments": {"id": 2}},
        ]
        added, boat, tea, first, held = self.talk(tools.mcp_python(), calls)["results"]
        self.assertEqual(json.loads(added["text"])["status"], "pending")
        self.assertEqual(json.loads(boat["text"]), [], "what waits is found by nobody")
        self.assertEqual([row["content"] for row in json.loads(tea["text"])], ["Maya likes green tea"])
        self.assertEqual(json.loads(first["text"])["content"], "Maya likes green tea")
        self.assertTrue(held["error"], held)
        (item,) = self.engine.get("/api/memories/review")["items"]
        self.assertEqual((item["from"], item["source"]), ("an app called Claude Code", "mcp"))

    def test_the_person_is_asked_and_the_app_waits(self):
        self.start()
        for decision in ("deny", "allow"):
            with self.subTest(decision):
                process = self.begin(tools.mcp_python(), [ask("write a file")])
                note = wait_for("the question is in the notification centre", self.open_question, 30)
                self.assertEqual(note["message"], 'An app called `Claude Code` asked Sentient to use "file_write". Allow it?')
                self.assertEqual(note["payload"]["channel"], "mcp")
                answer = {"approval_id": note["payload"]["approval_id"], "decision": decision}
                self.assertEqual(self.engine.request("POST", "/api/approvals", answer)[0], 200)
                got = self.end(process)
                (result,) = got["results"]
                self.assertFalse(result["error"])
                self.assertEqual("Not done:" in result["text"], decision == "deny", result)
                self.assertEqual(got["notices"], ["Waiting for an OK in Sentient to use file_write."])

    def open_question(self):
        notes = self.engine.get("/api/notifications?unread_only=true")["notifications"]
        return next((note for note in notes if note["payload"].get("status") == "pending"), None)

    def test_a_desktops_keychain_holds_the_token(self):
        keychain = Keychain()
        self.addCleanup(keychain.close)
        self.start(config(file=False), keychain.environment)
        got = self.talk(tools.mcp_python(), [ask("table")])
        self.assertFalse(got["results"][0]["error"], got)


class Inspector(_Server):
    def test_the_inspector_lists_and_calls(self):
        self.start()
        listed = self.inspect("tools/list")
        self.assertEqual([tool["name"] for tool in listed["tools"]], TOOLS)
        for tool in listed["tools"]:
            self.assertEqual(tool["inputSchema"]["type"], "object")
        called = self.inspect("tools/call", "--tool-name", "ask_sentient", "--tool-arg", "text=table")
        self.assertIn("How it looks", called["content"][0]["text"])

    def inspect(self, method, *more):
        command = [*tools.inspector(), "--cli"]
        for name, value in self.environment.items():
            command += ["-e", f"{name}={value}"]
        command += [tools.binary(), "mcp", "--method", method, *more]
        ran = subprocess.run(command, env=self.environment, capture_output=True, timeout=CLIENT_WITHIN_S, check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr.decode(errors="replace"))
        return json.loads(ran.stdout)


class Switch(_Server):
    def refused(self):
        """How the command ends when it does not serve."""
        ran = subprocess.run(
            [tools.binary(), "mcp"],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=30,
            check=False,
        )
        self.assertEqual(ran.stdout, b"", "standard output is the protocol's")
        return ran.returncode, ran.stderr.decode()

    def test_while_it_is_off_the_command_says_where_the_switch_is(self):
        self.home = Home(config(enabled=False))
        self.addCleanup(self.home.close)
        code, said = self.refused()
        self.assertEqual(code, 1)
        self.assertIn("#/integrations?section=sentient-mcp", said)

    def test_without_a_key_the_command_says_how_to_get_one(self):
        self.home = Home(config())
        self.addCleanup(self.home.close)
        code, said = self.refused()
        self.assertEqual(code, 1)
        self.assertIn("Start Sentient once", said)

    def test_turning_it_off_or_replacing_the_key_stops_a_running_server(self):
        self.start()
        server = self.serving()
        self.assertIn("How it looks", server.ask("table"))
        self.set_enabled(False)
        self.assertIn("switched off", server.ask("table"))
        self.set_enabled(True)
        self.assertIn("How it looks", server.ask("table"))
        self.assertEqual(self.engine.request("POST", "/api/mcp/token/rotate"), (200, {"rotated": True}))
        self.assertIn("another key", server.ask("table"))
        self.assertIn("How it looks", self.serving().ask("table"), "a new one has the new key")

    def test_an_engine_that_moved_is_found_and_a_stranger_is_not_talked_to(self):
        self.start()
        server = self.serving()
        self.assertIn("How it looks", server.ask("table"))
        self.engine.terminate()
        self.assertIn("isn't running", server.ask("table"))
        with Engine(self.home, "scripted/tour", self.secrets):
            self.assertIn("How it looks", server.ask("table"), "at its new port")
            heard = tools.Listener()
            self.addCleanup(heard.close)
            discovery = self.home.path / "engine-discovery.json"
            said = json.loads(discovery.read_text())
            discovery.write_text(json.dumps({**said, "address": heard.address}))
            self.assertIn("another key", server.ask("table"))
            discovery.write_text(json.dumps({**said, "address": "http://192.0.2.1:7777"}))
            self.assertIn("not on this computer", server.ask("table"))
            discovery.write_text(json.dumps(said))
        self.assertTrue(heard.requests, "the stranger was asked for its proof")
        for request in heard.requests:
            self.assertNotIn("authorization", request.lower())

    def set_enabled(self, enabled):
        patch = {"integrations": {"mcp_server_enabled": enabled}}
        self.assertEqual(self.engine.request("PATCH", "/api/config", patch)[0], 200)

    def serving(self):
        server = Serving(self.environment)
        self.addCleanup(server.close)
        return server


class Serving:
    """A server that goes on running while the test changes the world, spoken to line by line as the specification of
    2025-06-18 says.
    """

    def __init__(self, environment):
        self._process = subprocess.Popen(
            [tools.binary(), "mcp"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._number = 0
        itself = {"name": "line", "version": "1"}
        self._call("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": itself})
        self._say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _say(self, message):
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def _call(self, method, params):
        self._number += 1
        self._say({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while line := self._process.stdout.readline():
            answer = json.loads(line)
            if answer.get("id") == self._number:
                return answer["result"]
        raise AssertionError("the server ended")

    def ask(self, text):
        result = self._call("tools/call", {"name": "ask_sentient", "arguments": {"text": text}})
        return result["content"][0]["text"]

    def close(self):
        self._process.stdin.close()
        try:
            ended = self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise AssertionError("the server did not end with its input") from None
        finally:
            self._process.stdout.close()
        assert ended == 0, ended


if __name__ == "__main__":
    unittest.main()
