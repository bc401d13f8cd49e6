"""Where keys are kept: the keychain of a real desktop, no keychain at all, and the encrypted file. What is saved is
read back by looking at which key a provider is sent.
"""

import http.server
import threading
import unittest

from engine import Engine, Home
from keychain import Keychain

SAVED = "sk-ant-saved-0f9e8d7c6b5a"
FROM_VARIABLE = "sk-ant-variable-1a2b3c4d"
PASSPHRASE = "correct horse battery staple"
# The contract knows two sources; the encrypted file is shown as the keychain it stands in for.
STANDS_IN = "keychain"


class Provider:
    """Stands in for Anthropic only far enough to see the key it is sent, and turns it down."""

    def __init__(self):
        keys = self.keys = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                keys.append(self.headers.get("x-api-key"))
                self.send_response(401)
                self.send_header("Content-Length", "0")
                self.end_headers()

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.environment = {"SENTIENT_BASES": f"anthropic=http://127.0.0.1:{self._server.server_address[1]}"}
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


class Secrets(unittest.TestCase):
    def setUp(self):
        self.provider = Provider()
        self.addCleanup(self.provider.close)

    def home(self, config=None):
        home = Home(config)
        self.addCleanup(home.close)
        return home

    def engine(self, home, env=None):
        return Engine(home, "anthropic/claude-sonnet-4-5", {**self.provider.environment, **(env or {})})

    def state(self, engine, name="anthropic"):
        (row,) = [row for row in engine.get("/api/secrets") if row["name"] == name]
        return row["set"], row["source"]

    def key_in_use(self, engine):
        """The key the provider is sent now."""
        self.provider.keys.clear()
        engine.ask("hello")
        return self.provider.keys[-1] if self.provider.keys else None

    def save(self, engine, value=SAVED):
        return engine.request("PUT", "/api/secrets/anthropic", {"value": value})

    def check_not_readable(self, home, engine):
        self.assertNotIn(SAVED, engine.log())
        for path in home.path.rglob("*"):
            if path.is_file():
                self.assertNotIn(SAVED.encode(), path.read_bytes(), path)

    def test_a_key_in_the_desktops_keychain_is_kept_until_it_is_deleted(self):
        keychain = Keychain()
        self.addCleanup(keychain.close)
        home, other_home = self.home(), self.home()
        with self.engine(home, keychain.environment) as engine:
            self.assertEqual(self.state(engine), (False, None))
            self.assertEqual(self.save(engine), (200, {"ok": True}))
            self.assertEqual(self.state(engine), (True, "keychain"))
            self.assertEqual(self.key_in_use(engine), SAVED)
            self.check_not_readable(home, engine)
        # Another data folder has keys of its own.
        with self.engine(other_home, keychain.environment) as engine:
            self.assertEqual(self.state(engine), (False, None))
        with self.engine(home, {**keychain.environment, "ANTHROPIC_API_KEY": FROM_VARIABLE}) as engine:
            self.assertEqual(self.state(engine), (True, "keychain"))
            self.assertEqual(self.key_in_use(engine), SAVED, "what was saved comes before the variable")
            self.assertEqual(engine.request("DELETE", "/api/secrets/anthropic"), (200, {"ok": True}))
            self.assertEqual(self.state(engine), (True, "env"))
            self.assertEqual(self.key_in_use(engine), FROM_VARIABLE)
        with self.engine(home, keychain.environment) as engine:
            self.assertEqual(self.state(engine), (False, None))
            self.assertIsNone(self.key_in_use(engine))

    def test_a_long_value_survives_the_keychain(self):
        keychain = Keychain()
        self.addCleanup(keychain.close)
        home, long = self.home(), "ü" + "k" * 5_000
        with self.engine(home, keychain.environment) as engine:
            # Not a key any provider can be sent, but a sign-in can be as long.
            self.assertEqual(self.save(engine, long), (200, {"ok": True}))
        with self.engine(home, keychain.environment) as engine:
            self.assertEqual(self.state(engine), (True, "keychain"))
            self.assertEqual(self.save(engine), (200, {"ok": True}))
            self.assertEqual(self.key_in_use(engine), SAVED, "nothing of the long value is left")

    def test_a_keychain_that_goes_away_is_told_and_a_variable_still_works(self):
        keychain = Keychain()
        self.addCleanup(keychain.close)
        with self.engine(self.home(), {**keychain.environment, "ANTHROPIC_API_KEY": FROM_VARIABLE}) as engine:
            self.assertEqual(self.save(engine), (200, {"ok": True}))
            keychain.close()
            status, answer = self.save(engine, "sk-ant-another")
            self.assertEqual(status, 503, answer)
            self.assertTrue(answer["detail"].endswith("."), answer)
            self.assertEqual(self.key_in_use(engine), FROM_VARIABLE)

    def test_without_a_keychain_saving_says_what_to_do_and_a_variable_works(self):
        home = self.home()
        with self.engine(home, {"ANTHROPIC_API_KEY": FROM_VARIABLE}) as engine:
            status, answer = self.save(engine)
            self.assertEqual(status, 503)
            for part in ("keychain", "secrets.file", "SENTIENT_SECRETS_PASSPHRASE", "environment variable"):
                self.assertIn(part, answer["detail"])
            self.assertNotIn(SAVED, answer["detail"])
            self.assertEqual(self.state(engine), (True, "env"))
            self.assertEqual(self.key_in_use(engine), FROM_VARIABLE)
            self.check_not_readable(home, engine)
            self.assertEqual(engine.log().count("no keychain: "), 1, "said once, not for every key")

    def test_the_encrypted_file_opens_with_its_passphrase_only(self):
        home = self.home({"secrets": {"file": True}})
        with self.engine(home, {"SENTIENT_SECRETS_PASSPHRASE": PASSPHRASE}) as engine:
            self.assertEqual(self.save(engine), (200, {"ok": True}))
            self.assertEqual(self.state(engine), (True, STANDS_IN))
            self.check_not_readable(home, engine)
        box = home.path / "secrets.enc"
        self.assertEqual(box.stat().st_mode & 0o777, 0o600)
        with self.engine(home, {"SENTIENT_SECRETS_PASSPHRASE": PASSPHRASE}) as engine:
            self.assertEqual(self.state(engine), (True, STANDS_IN))
            self.assertEqual(self.key_in_use(engine), SAVED)

        kept = box.read_bytes()
        for name, env in [
            ("another passphrase", {"SENTIENT_SECRETS_PASSPHRASE": "incorrect horse battery"}),
            ("no passphrase", {}),
        ]:
            with self.subTest(name), self.engine(home, env) as engine:
                self.assertNotEqual(self.key_in_use(engine), SAVED)
                status, answer = self.save(engine, "sk-ant-another")
                self.assertGreaterEqual(status, 400)
                self.assertIn("SENTIENT_SECRETS_PASSPHRASE", answer["detail"])
                self.assertEqual(box.read_bytes(), kept, "a file that does not open is never written over")

        with self.engine(home, {"SENTIENT_SECRETS_PASSPHRASE": PASSPHRASE}) as engine:
            self.assertEqual(engine.request("DELETE", "/api/secrets/anthropic"), (200, {"ok": True}))
            self.assertEqual(self.state(engine), (False, None))

    def test_a_damaged_file_is_told_and_kept(self):
        home = self.home({"secrets": {"file": True}})
        env = {"SENTIENT_SECRETS_PASSPHRASE": PASSPHRASE}
        with self.engine(home, env) as engine:
            self.assertEqual(self.save(engine), (200, {"ok": True}))
        box = home.path / "secrets.enc"
        whole = box.read_bytes()
        for name, damaged in [
            ("cut in half", whole[: len(whole) // 2]),
            ("a byte changed", whole[:-1] + bytes([whole[-1] ^ 1])),
        ]:
            box.write_bytes(damaged)
            with self.subTest(name), self.engine(home, env) as engine:
                status, answer = self.save(engine)
                self.assertGreaterEqual(status, 400)
                self.assertTrue(answer["detail"].endswith("."), answer)
                self.assertEqual(box.read_bytes(), damaged)
