"""A command on this computer: asked about, run in the folder it may run in, and its changes put back."""

import json
import pathlib
import tempfile
import unittest

from aimock import Aimock, environment
from engine import Engine, Home


class Commands(unittest.TestCase):
    def setUp(self):
        self.aimock = Aimock()
        self.addCleanup(self.aimock.close)
        folder = tempfile.TemporaryDirectory(prefix="sentient-commands-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "notes.txt").write_text("old")
        home = Home({"terminal": {"enabled": True, "allowed_folders": [str(self.folder)]}})
        self.addCleanup(home.close)
        self.home = home
        self.engine = self.enterContext(Engine(home, "openai/gpt-4o", environment(self.aimock.base)))

    def answer(self, decision):
        reply = self.engine.say("overwrite my notes")
        card = reply.until("approval_request")
        self.assertEqual(card["name"], "terminal_run")
        self.assertEqual(card["choices"], ["allow", "deny"], "a command is asked about every time")
        self.assertEqual((self.folder / "notes.txt").read_text(), "old", "nothing runs before the answer")
        body = {"approval_id": card["approval_id"], "decision": decision}
        self.assertEqual(self.engine.request("POST", "/api/approvals", body)[0], 200)
        return reply.all()

    def test_what_a_command_changed_is_put_back(self):
        reply = self.answer("allow")
        (result,) = reply.of("tool_result")
        self.assertTrue(result["result"]["ok"], json.dumps(result))
        self.assertEqual((self.folder / "notes.txt").read_text(), "new")
        (kept,) = (self.home.path / "snapshots").iterdir()
        status, told = self.engine.request("POST", "/api/timeline/restore", {"id": f"snap:{kept.name}"})
        self.assertEqual((status, told["ok"]), (200, True), told)
        self.assertEqual((self.folder / "notes.txt").read_text(), "old")
        self.assertEqual((self.folder / "other.txt").read_text(), "made", "what it made stays")

    def test_a_no_changes_nothing(self):
        reply = self.answer("deny")
        (result,) = reply.of("tool_result")
        self.assertTrue(result["is_error"])
        self.assertEqual((self.folder / "notes.txt").read_text(), "old")
        self.assertFalse((self.folder / "other.txt").exists())


if __name__ == "__main__":
    unittest.main()
