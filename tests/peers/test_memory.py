"""Memory over the real program: the addresses of section 7 with a scripted model, files that other programs open, and a
program that is killed between a save and its answer.
"""

import http.client
import json
import os
import sqlite3
import threading
import unittest
import urllib.parse

from engine import Engine, Home, wait_for

SECRET = "zanzibarquux"


class _Memory(unittest.TestCase):
    def start(self, settings=None):
        self.home = Home({"assistant": {"user_name": "Maya"}, **(settings or {})})
        self.addCleanup(self.home.close)
        self.engine = self.enterContext(Engine(self.home, "scripted/tour"))

    def add(self, content, **more):
        status, saved = self.engine.request("POST", "/api/memories", {"content": content, **more})
        self.assertEqual(status, 200, saved)
        return saved

    def contents(self, **query):
        listed = self.engine.get("/api/memories?" + urllib.parse.urlencode(query))
        return [memory["content"] for memory in listed]

    def refuses(self, status, method, path, body=None):
        got, answer = self.engine.request(method, path, body)
        self.assertEqual(got, status, answer)
        self.assertTrue(answer["detail"])


class Addresses(_Memory):
    def test_everything_of_section_seven(self):
        self.start()
        home = self.add("Maya lives in Pune")
        self.assertEqual((home["action"], home["id"], home["scope"]), ("ADD", 1, "personal"))
        again = self.add("maya lives in Pune.")
        self.assertEqual((again["action"], again["id"]), ("SKIP", 1))
        moved = self.add("Maya moved to Bengaluru")
        self.assertEqual((moved["action"], moved["id"], moved["previous"]), ("UPDATE", 1, "Maya lives in Pune"))
        self.add("Maya is allergic to peanuts")
        self.add("Maya leads the Kestrel launch", scope="Work")
        held = self.add("Maya flies on 5 May", hold_for_review=True, review_from="Gmail")
        self.assertEqual(held["status"], "pending")
        self.assertEqual(
            self.contents(),
            ["Maya leads the Kestrel launch", "Maya is allergic to peanuts", "Maya moved to Bengaluru"],
        )
        self.assertEqual(self.contents(scope="work"), ["Maya leads the Kestrel launch"])
        self.assertEqual(self.contents(limit=1, offset=1), ["Maya is allergic to peanuts"])
        self.assertEqual(self.contents(topic="health"), ["Maya is allergic to peanuts"])
        self.assertEqual(self.contents(q="peanuts allergic"), ["Maya is allergic to peanuts"])
        self.assertEqual(self.contents(source="conversation"), [])
        one = self.engine.get("/api/memories/1")
        self.assertEqual((one["previous_content"], one["confidence"], one["state"]), ("Maya lives in Pune", 1.0, "current"))
        self.assertTrue(one["sources"][0]["own"])
        counts = {row["name"]: row["count"] for row in self.engine.get("/api/memories/topics")}
        self.assertEqual(counts["Health & Wellbeing"], 1)
        graph = self.engine.get("/api/memories/graph")
        self.assertEqual(len(graph["nodes"]), 3)
        self.assertEqual(len(graph["nodes"][0]["label"]), 25)
        scopes = [(row["name"], row["count"], row["built_in"]) for row in self.engine.get("/api/memories/scopes")]
        self.assertEqual(scopes, [("always", 0, True), ("personal", 2, True), ("work", 1, True)])

        status, edited = self.engine.request("PUT", "/api/memories/1", {"content": "Maya lives in Bengaluru, India"})
        self.assertEqual((status, edited["id"], edited["previous_content"]), (200, 1, "Maya moved to Bengaluru"))
        for patch, field, want in (
            ({"scope": "Kestrel launch"}, "scope", "Kestrel launch"),
            ({"state": "disputed"}, "state", "disputed"),
            ({"state": "current"}, "confidence", 1.0),
        ):
            status, patched = self.engine.request("PATCH", "/api/memories/1", patch)
            self.assertEqual((status, patched[field]), (200, want))
        for status, method, path, body in (
            (400, "POST", "/api/memories", {"content": " "}),
            (400, "PATCH", "/api/memories/1", {"scope": ""}),
            (400, "PATCH", "/api/memories/1", {"state": "superseded"}),
            (404, "PATCH", "/api/memories/99", {"scope": "work"}),
            (404, "PUT", "/api/memories/99", {"content": "x"}),
            (404, "GET", "/api/memories/99", None),
            (404, "DELETE", "/api/memories/99", None),
            (400, "POST", "/api/memories/export", {"format": "pdf"}),
            (400, "GET", "/api/memories/forget-preview?source=manual", None),
            (400, "POST", "/api/memories/review/thing/1/approve", {}),
            (404, "POST", "/api/memories/review/fact/1/approve", {}),
            (404, "DELETE", "/api/memories/review/fact/1", None),
            (400, "POST", "/api/memories/review/approve-all", {}),
            (404, "POST", "/api/memories/review/merged/1/undo", {}),
        ):
            with self.subTest(f"{method} {path}"):
                self.refuses(status, method, path, body)

        preview = self.engine.get("/api/memories/forget-preview?source=channel:telegram")
        self.assertEqual((preview["memories"], preview["item_noun"]), (0, "items"))
        review = self.engine.get("/api/memories/review")
        self.assertEqual((review["count"], review["expire_days"], review["merged"]), (1, 30, []))
        item = review["items"][0]
        self.assertEqual((item["kind"], item["from"], item["scope"], item["reason"]), ("fact", "Gmail", "personal", None))
        status, done = self.engine.request("POST", f"/api/memories/review/fact/{item['id']}/approve", {})
        self.assertEqual((status, done), (200, {"ok": True}))
        self.assertIn("Maya flies on 5 May", self.contents())
        status, deleted = self.engine.request("DELETE", "/api/memories/1")
        self.assertEqual((status, deleted), (200, {"deleted": True}))
        status, gone = self.engine.request("DELETE", "/api/memories/scope/work")
        self.assertEqual((status, gone), (200, {"deleted": 1}))
        status, gone = self.engine.request("DELETE", "/api/memories/source/manual")
        self.assertEqual((status, gone), (200, {"deleted": 2, "unlinked": 0}))
        self.assertEqual(self.contents(state="all"), [])

    def indexed(self):
        """Files of the index folder that hold the secret."""
        found = []
        for folder, _, names in os.walk(self.home.path / "index"):
            for name in names:
                try:
                    with open(os.path.join(folder, name), "rb") as file:
                        if SECRET.encode() in file.read():
                            found.append(name)
                except FileNotFoundError:
                    pass  # the index is at work
        return found

    def test_nothing_of_a_forgotten_memory_is_left_in_the_index(self):
        self.start()
        self.add(f"Maya keeps her key at {SECRET}")
        self.assertEqual(len(self.contents(q=SECRET)), 1)
        self.engine.request("DELETE", "/api/memories/1")
        self.assertEqual(self.contents(q=SECRET, state="all"), [])
        wait_for("the index lets go of it", lambda: not self.indexed(), within=30.0)


class Exports(_Memory):
    def test_other_programs_open_an_export(self):
        self.start()
        long = "Maya says: " + "x" * 1_500
        for number in range(60):
            # Each in a place of its own, or the next would correct the one before.
            self.add(f"Maya has a box labelled B{number}x", scope=f"Box {number}")
        self.add(long)
        self.add("माया को चाय पसंद है", scope="Kestrel launch")
        self.add("Maya flies on 5 May", hold_for_review=True, review_from="Gmail")
        status, exported = self.engine.request("POST", "/api/memories/export", {"format": "sqlite"})
        self.assertEqual(status, 200, exported)
        self.assertEqual((exported["memories"], exported["waiting"], exported["format"]), (62, 1, "sqlite"))
        database = sqlite3.connect(exported["path"])
        self.addCleanup(database.close)
        self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        rows = database.execute("SELECT id, content, scope, status FROM memories ORDER BY id").fetchall()
        self.assertEqual(len(rows), 63)
        self.assertEqual(rows[0], (1, "Maya has a box labelled B0x", "Box 0", "active"))
        self.assertEqual(rows[60][1], long)
        self.assertEqual(rows[61][1:3], ("माया को चाय पसंद है", "Kestrel launch"))
        self.assertEqual(rows[62][3], "pending")
        came_from = database.execute("SELECT came_from FROM memories WHERE status = 'pending'").fetchone()[0]
        self.assertEqual(json.loads(came_from)["from"], "Gmail")
        self.assertEqual(database.execute("SELECT count(*) FROM about_you").fetchone(), (0,))
        # It is an ordinary database: it can be written too.
        database.execute("INSERT INTO memories (content) VALUES ('mine')")
        database.commit()
        self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        status, exported = self.engine.request("POST", "/api/memories/export", {"format": "markdown"})
        with open(exported["path"], encoding="utf-8") as file:
            text = file.read()
        self.assertIn("- Maya has a box labelled B7x (Box 7, typed by you, ", text)
        self.assertIn("(Kestrel launch, typed by you, ", text)


class Crashes(_Memory):
    def test_a_kill_between_a_save_and_its_answer_leaves_one_memory(self):
        self.start()
        for attempt in range(6):
            # Each in a place of its own, or the next would correct the one before.
            content, scope = f"Maya owns bicycle number {attempt}", f"Bicycle {attempt}"
            sender = threading.Thread(target=self.quietly, args=(content, scope))
            sender.start()
            # A little later each time: before it is written, while it is, and after.
            sender.join(0.002 * attempt)
            self.engine.kill()
            sender.join()
            self.engine = self.enterContext(Engine(self.home, "scripted/tour"))
            saved = self.add(content, scope=scope)
            self.assertIn(saved["action"], ("ADD", "SKIP"))
            self.assertEqual(self.contents().count(content), 1)

    def quietly(self, content, scope="personal"):
        try:
            self.engine.request("POST", "/api/memories", {"content": content, "scope": scope})
        except (OSError, http.client.HTTPException):
            pass  # it was killed

    def test_many_windows_save_the_same_at_once(self):
        self.start()
        senders = [threading.Thread(target=self.quietly, args=("Maya lives in Pune",)) for _ in range(40)]
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()
        self.assertEqual(self.contents(), ["Maya lives in Pune"])


if __name__ == "__main__":
    unittest.main()
