"""Folders of notes on a real disk: added, searched, watched, read by tools, and nothing outside of them."""

import json
import os
import pathlib
import tempfile
import unittest
import zipfile
import zlib

from aimock import Aimock, environment
from engine import Engine, Home, wait_for

ECHO = "scripted/echo"
SCAN_WITHIN_S = 60


def docx(path, words):
    """The smallest file a word processor opens."""
    text = "".join(f"<w:p><w:r><w:t>{word}</w:t></w:r></w:p>" for word in words)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f'<w:document xmlns:w="urn:w"><w:body>{text}</w:body></w:document>')


def pdf(path, words, packed=None):
    """A PDF of one page (PDF 1.4, section 3.4); `packed` is its content as a compressed stream."""
    stream = f"BT /F1 24 Tf 72 700 Td ({words}) Tj ET" if packed is None else packed.decode("latin-1")
    unpack = "" if packed is None else " /Filter /FlateDecode"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        " /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(stream)}{unpack} >>\nstream\n{stream}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, inner in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{inner}\nendobj\n".encode("latin-1")
    table = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    out += f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n".encode()
    path.write_bytes(out)


class Folders(unittest.TestCase):
    def setUp(self):
        ground = tempfile.TemporaryDirectory(prefix="sentient-notes-", ignore_cleanup_errors=True)
        self.addCleanup(ground.cleanup)
        self.ground = pathlib.Path(ground.name).resolve()
        self.notes = self.ground / "My notes"
        self.notes.mkdir()
        self.home = Home()
        self.addCleanup(self.home.close)

    def start(self, model=ECHO, env=None):
        self.engine = self.enterContext(Engine(self.home, model, env))
        return self.engine

    def write(self, path, text):
        place = self.notes / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def add(self, **more):
        status, folder = self.engine.request("POST", "/api/folders", {"path": str(self.notes), **more})
        self.assertEqual(status, 200, folder)
        return self.ready(folder["id"])

    def folder(self, id):
        (folder,) = [folder for folder in self.engine.get("/api/folders")["folders"] if folder["id"] == id]
        return folder

    def ready(self, id, **wanted):
        def is_ready():
            folder = self.folder(id)
            return folder["status"] == "ready" and wanted.items() <= folder.items() and folder

        try:
            return wait_for(f"the folder is ready with {wanted}", is_ready, SCAN_WITHIN_S)
        except AssertionError as error:
            raise AssertionError(f"{error}: {self.folder(id)}") from None

    def search(self, query, **more):
        status, answer = self.engine.request("POST", "/api/folders/search", {"query": query, **more})
        self.assertEqual(status, 200, answer)
        return answer

    def paths(self, query):
        return [hit["path"] for hit in self.search(query)["results"]]

    def snapshot(self):
        """Every file below the notes, with its bytes and its times."""
        found = {}
        for place in sorted(self.notes.rglob("*")):
            if place.is_file() and not place.is_symlink():
                stat = place.stat()
                found[str(place)] = (stat.st_size, stat.st_mtime_ns, place.read_bytes() if stat.st_size < 1e6 else None)
        return found

    def test_a_vault_is_searched_and_never_touched(self):
        self.write(".obsidian/app.json", json.dumps({"userIgnoreFilters": ["Archive/"]}))
        self.write("Travel/Cabin 🏔.md", "---\naliases: [Hut]\ntags: [norway]\n---\n# Keys\nThe key hangs behind the shutter.")
        self.write("Archive/old.md", "The key hung on a nail.")
        self.write("Clippings/page.md", "---\nsource: https://example.org/keys\n---\nKeys of pianos are black and white.")
        self.write("node_modules/x/readme.md", "keys keys keys")
        before = self.snapshot()
        self.start()
        folder = self.add()
        self.assertEqual((folder["kind"], folder["files"], folder["clippings"]), ("obsidian", 2, 1), folder)
        answer = self.search("where is the key of the hut")
        first = answer["results"][0]
        self.assertEqual((first["path"], first["heading"], first["tags"]), ("Travel/Cabin 🏔.md", "Keys", ["norway"]))
        self.assertTrue(first["link"].startswith("obsidian://open?vault=My%20notes&file=Travel%2FCabin"), first)
        with_clipping = self.search("keys of pianos black and white")
        self.assertEqual(next(iter(with_clipping)), "outside_content", "whose words they are is said first")
        self.assertNotIn("Archive/old.md", self.paths("key on a nail"))
        status, removed = self.engine.request("DELETE", f"/api/folders/{folder['id']}")
        self.assertEqual((status, removed), (200, {"removed": True}))
        self.assertEqual(self.search("key")["results"], [])
        self.assertEqual(self.snapshot(), before, "nothing was written, moved or deleted")

    def test_tools_are_there_while_a_folder_is(self):
        self.start()
        names = lambda: {tool["name"] for app in self.engine.get("/api/tools") for tool in app["tools"]}
        self.assertFalse({"folder_search", "folder_read"} & names())
        self.write("Cabin.md", "The key hangs behind the shutter.\n" * 3)
        self.write("Page.md", "---\nsource: https://example.org/a\n---\nA page about shutters.")
        self.add()
        self.assertTrue({"folder_search", "folder_read"} <= names())
        reply = self.engine.ask('call folder_search {"query": "key behind the shutter"}')
        (result,) = reply.of("tool_result")
        self.assertFalse(result["is_error"], result)
        self.assertEqual(result["result"]["results"][0]["path"], "Cabin.md")
        source = reply.done["sources"][0]
        self.assertEqual((source["kind"], source["folder"], source["path"]), ("file", "My notes", str(self.notes / "Cabin.md")))
        read = self.engine.ask('call folder_read {"path": "My notes/Page"}')
        (result,) = read.of("tool_result")
        self.assertEqual(result["result"]["outside_content"], "a web page clipped into your notes")
        (chat,) = [chat for chat in self.engine.get("/api/sessions") if chat["id"] == read.session]
        self.assertEqual(chat["untrusted"], "a web page clipped into your notes", "the chat has read outside content")

    def test_what_changes_is_found_and_what_goes_is_forgotten(self):
        self.write("a.md", "apples")
        self.start()
        folder = self.add()
        self.write("deep/er/b.md", "bananas")
        wait_for("a new note in a new folder is found", lambda: "deep/er/b.md" in self.paths("bananas"), 30)
        self.write("deep/er/b.md", "blueberries")
        wait_for("a changed note is found", lambda: "deep/er/b.md" in self.paths("blueberries"), 30)
        (self.notes / "a.md").unlink()
        wait_for("a deleted note is forgotten", lambda: not self.paths("apples"), 30)
        self.ready(folder["id"], files=1)

    def test_a_drive_that_is_away_keeps_its_notes(self):
        self.write("a.md", "apples")
        self.start()
        folder = self.add()
        away = self.ground / "away"
        self.notes.rename(away)
        self.engine.request("POST", f"/api/folders/{folder['id']}/rescan")
        wait_for("it is missed", lambda: self.folder(folder["id"])["status"] == "missing", 30)
        self.assertEqual(self.paths("apples"), ["a.md"])
        self.assertIn("cannot be found", self.folder(folder["id"])["error"])
        away.rename(self.notes)
        self.assertEqual(self.engine.request("POST", f"/api/folders/{folder['id']}/rescan"), (202, {"queued": True}))
        self.assertEqual(self.ready(folder["id"])["error"], None)

    def test_documents_are_read_and_hostile_ones_do_no_harm(self):
        docx(self.notes / "letter.docx", ["Dear Jo", "the harvest was rich"])
        pdf(self.notes / "report.pdf", "Rain fell on Tuesday")
        with zipfile.ZipFile(self.notes / "bomb.docx", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("word/document.xml", b"<w>" + b" " * (300 * 1024 * 1024))
        (self.notes / "broken.pdf").write_bytes((self.notes / "report.pdf").read_bytes()[:120])
        (self.notes / "noise.pdf").write_bytes(b"%PDF-1.7\n" + os.urandom(200_000))
        (self.notes / "no.docx").write_bytes(b"PK\x03\x04" + os.urandom(2_000))
        # A list that points at itself: a reader that follows it never ends.
        loop = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [2 0 R] /Count 1 >>\nendobj\n"
        table = len(loop)
        loop += b"xref\n0 3\n0000000000 65535 f \n0000000009 00000 n \n0000000058 00000 n \n"
        (self.notes / "loop.pdf").write_bytes(loop + f"trailer << /Size 3 /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n".encode())
        page = zlib.compressobj(9)
        packed = b"".join(page.compress(bytes(1 << 24)) for _ in range(96)) + page.flush()  # 1.5 GB of nothing
        pdf(self.notes / "grows.pdf", "words", packed)
        self.start()
        folder = self.add()
        # A document that is harmless and holds no words counts as read, so the one that points at itself may.
        self.assertEqual((folder["files"] + folder["unreadable"], folder["chunks"]), (8, 2), folder)
        self.assertGreaterEqual(folder["unreadable"], 5, folder)
        status = pathlib.Path(f"/proc/{self.engine.process.pid}/status").read_text()
        (peak,) = [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")]
        self.assertLess(peak, 400 * 1024, "the engine itself never held any of it")
        self.assertEqual(self.paths("harvest"), ["letter.docx"])
        self.assertEqual(self.paths("rain on Tuesday"), ["report.pdf"])
        whole = self.engine.ask('call folder_read {"path": "letter.docx"}').of("tool_result")[0]["result"]
        self.assertEqual(whole["content"], "Dear Jo\nthe harvest was rich")

    def test_ten_thousand_notes_with_links_and_one_huge_log(self):
        for folder in range(100):
            place = self.notes / f"📁 {folder}"
            place.mkdir()
            for note in range(100):
                (place / f"note {note} 🌲.md").write_text(f"Word{folder}x{note} grows here.")
        secret = self.ground / "secret.md"
        secret.write_text("The swordfish is outside.")
        (self.notes / "link.md").symlink_to(secret)
        (self.notes / "cycle").symlink_to(self.notes)
        (self.notes / "📁 0" / "up").symlink_to("..")
        (self.notes / "out").symlink_to(self.ground)
        with (self.notes / "server.txt").open("wb") as log:
            log.truncate(2 * 1024**3)
        self.start()
        status, folder = self.engine.request("POST", "/api/folders", {"path": str(self.notes)})
        self.assertEqual(status, 200, folder)
        self.assertEqual(self.engine.get("/api/health")["ok"], True, "it answers while it looks")
        folder = self.ready(folder["id"], files=10_000)
        self.assertEqual((folder["skipped"], folder["unreadable"]), (1, 0), folder)
        self.assertIn("📁 42/note 17 🌲.md", self.paths("Word42x17"))
        # What is closest in meaning is found whatever it says; what lies behind links is not.
        status, found = self.engine.request("POST", "/api/folders/search", {"query": "swordfish"})
        self.assertEqual(status, 200, found)
        self.assertNotIn("swordfish", json.dumps(found["results"]))
        # A note is swapped for a link after it was indexed: it is not read through it.
        swapped = self.notes / "📁 1" / "note 1 🌲.md"
        swapped.unlink()
        swapped.symlink_to(secret)
        read = self.engine.ask('call folder_read {"path": "📁 1/note 1 🌲"}').of("tool_result")[0]
        self.assertTrue(read["is_error"], read)
        self.assertNotIn("swordfish", json.dumps(read))

    def test_folders_that_are_not_added(self):
        self.start()
        self.add()
        (self.notes / "inner").mkdir()
        link = self.ground / "link"
        link.symlink_to(self.notes)
        for path, words in {
            "notes": "full path",
            str(self.ground / "nowhere"): "no folder",
            "/": "whole drive",
            os.path.expanduser("~"): "",
            str(self.home.path): "own data",
            str(self.home.path / "files"): "own data",
            str(self.notes): "already",
            str(link): "already",
            str(self.notes / "inner"): "inside",
            str(self.ground): "",
        }.items():
            status, answer = self.engine.request("POST", "/api/folders", {"path": path})
            self.assertEqual(status, 400, (path, answer))
            self.assertIn(words, answer["detail"])
        for method, path in (("PATCH", "/x"), ("DELETE", "/x"), ("POST", "/x/rescan")):
            body = {} if method == "PATCH" else None
            self.assertEqual(self.engine.request(method, f"/api/folders{path}", body)[0], 404, method)

    def test_a_killed_engine_goes_on_where_it_was(self):
        for note in range(500):
            self.write(f"{note}.md", f"Word{note} grows here. " * 20)
        engine = self.start()
        status, folder = engine.request("POST", "/api/folders", {"path": str(self.notes)})
        self.assertEqual(status, 200)
        engine.kill()
        self.start()
        self.ready(folder["id"], files=500)
        self.assertEqual(self.paths("Word321"), ["321.md"])
        index = self.home.path / "index"
        self.engine.terminate()
        if (index / "memory").exists():
            for part in (index / "memory").rglob("*"):
                if part.is_file():
                    part.write_bytes(part.read_bytes()[: part.stat().st_size // 2])
        self.start()
        wait_for("a cut index is made again", lambda: self.paths("Word321") == ["321.md"], 30)

    def test_a_note_goes_with_the_message_and_shows_as_a_source(self):
        aimock = Aimock()
        self.addCleanup(aimock.close)
        self.write("Cabin.md", "The wifi password of the cabin is hunter22. The boiler needs 40 minutes.")
        self.write("Bread.md", "Bread needs flour.")
        self.start("openai/gpt-4o", environment(aimock.base))
        self.add()
        aimock.forget()
        reply = self.engine.ask("what is the wifi password of the cabin?")
        asked = [entry["body"] for entry in aimock.journal() if entry["path"].endswith("/chat/completions")]
        systems = [message["content"] for message in asked[0]["messages"] if message["role"] == "system"]
        told = json.dumps(systems)
        self.assertIn("From the user's notes", told)
        self.assertIn("My notes/Cabin.md", told)
        self.assertNotIn("Bread", told)
        self.assertNotIn("From the user's notes", json.dumps(systems[0]), "what is cached does not change with a message")
        (source,) = reply.done["sources"]
        self.assertEqual((source["title"], source["via"], source["folder"]), ("Cabin", "prompt", "My notes"))
        aimock.forget()
        self.engine.ask("greet the peer")
        self.assertNotIn("From the user's notes", json.dumps([entry["body"] for entry in aimock.journal()]))


if __name__ == "__main__":
    unittest.main()
