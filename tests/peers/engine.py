"""Drives the program itself, as a stranger would: its command line, its signals, and HTTP on loopback. Standard library
only. Every wait has a deadline and polls for what it waits for.
"""

import http.client
import json
import os
import pathlib
import secrets
import signal
import socket
import subprocess
import tempfile
import time

import tools

READY_WITHIN_S = 20
ANSWER_WITHIN_S = 60
END_WITHIN_S = 3.5  # three seconds are promised; the rest is this machine's own scheduling
LOG_CHARS_SHOWN = 6_000


def wait_for(what, question, within=10.0, pause=0.02):
    """Asks until the answer is truthy and returns it."""
    until = time.monotonic() + within
    while True:
        answer = question()
        if answer:
            return answer
        if time.monotonic() > until:
            raise AssertionError(f"not within {within} s: {what}")
        time.sleep(pause)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Home:
    """A data folder of its own, gone with the test."""

    def __init__(self, config=None):
        self._folder = tempfile.TemporaryDirectory(prefix="sentient-peers-", ignore_cleanup_errors=True)
        self.path = pathlib.Path(self._folder.name) / "home"
        self.path.mkdir(mode=0o700)
        # JSON is YAML.
        self.configure(config or {})

    def configure(self, config):
        settings = {"chat": {"auto_title": False}, **config}
        (self.path / "config.yaml").write_text(json.dumps(settings))

    def close(self):
        self._folder.cleanup()


class Reply:
    """The lines of one `POST /api/chat`, read as they come."""

    def __init__(self, connection, response):
        self._connection = connection
        self._response = response
        self.status = response.status
        self.lines = []
        self.detail = None
        if self.status != 200:
            self.detail = json.loads(response.read()).get("detail")
            self.hang_up()

    def next(self):
        """The next line; `None` at the end, also when the engine is gone."""
        try:
            line = self._response.readline()
        except (OSError, http.client.HTTPException):
            return None
        if not line.endswith(b"\n"):
            return None
        self.lines.append(json.loads(line))
        return self.lines[-1]

    def until(self, kind):
        """Reads up to the first line of this type."""
        for line in self.lines:
            if line["type"] == kind:
                return line
        while line := self.next():
            if line["type"] == kind:
                return line
        raise AssertionError(f"no {kind} among {[line['type'] for line in self.lines]}")

    def all(self):
        """Reads to the end."""
        while self.next():
            pass
        self.hang_up()
        return self

    def of(self, kind):
        return [line for line in self.lines if line["type"] == kind]

    @property
    def session(self):
        return self.until("session")["session_id"]

    @property
    def text(self):
        return "".join(line["text"] for line in self.of("text_delta"))

    @property
    def done(self):
        done = self.of("done")
        assert len(done) == 1, f"a turn has exactly one done: {self.lines}"
        return done[0]

    def hang_up(self):
        """Leaves, as a client does that was closed. The reply goes on without it."""
        self._response.close()
        self._connection.close()


class Engine:
    """One running program. `with Engine(home, ...) as engine:` starts it and ends it whatever happens."""

    def __init__(self, home, model=None, env=None, wait=True, port=None):
        self.home = home
        self.port = port or free_port()
        self.token = secrets.token_urlsafe(32)
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TZ") if name in os.environ}
        # A bus of the developer's own desktop must not be reached: its keychain is theirs.
        quiet = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus", "NO_COLOR": "1", "SENTIENT_LOG": "info"}
        own = {"SENTIENT_HOME": str(home.path), "SENTIENT_GATEWAY_TOKEN": self.token}
        command = [tools.binary(), "serve", "--host", "127.0.0.1", "--port", str(self.port)]
        if model:
            command += ["--model", model]
        self._log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            command,
            env={**kept, **quiet, **own, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
        )
        if wait:
            try:
                self.wait_until_ready()
            except BaseException:
                self.kill()
                raise

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if error[0]:
            print(f"--- what the engine said last:\n{self.log()[-LOG_CHARS_SHOWN:]}\n---", flush=True)
        try:
            if self.process.poll() is None:
                self.terminate()
        finally:
            self._log.close()

    def log(self):
        self._log.seek(0)
        return self._log.read().decode(errors="replace").replace(self.token, "[token]")

    def wait_until_ready(self):
        def ready():
            if self.process.poll() is not None:
                raise AssertionError(f"the engine ended with {self.process.returncode}:\n{self.log()}")
            try:
                return self.get("/api/health").get("ok")
            except OSError:
                return False

        wait_for("the engine is ready", ready, READY_WITHIN_S)

    def request(self, method, path, body=None, headers=None, within=ANSWER_WITHIN_S):
        """`(status, value)`. `headers` go over the usual ones; `None` leaves one out."""
        connection, response = self._send(method, path, body, headers, within)
        try:
            text = response.read()
        finally:
            connection.close()
        try:
            return response.status, json.loads(text)
        except ValueError:
            return response.status, text.decode(errors="replace")

    def _send(self, method, path, body, headers, within):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=within)
        named = {"Host": f"127.0.0.1:{self.port}", "Authorization": f"Bearer {self.token}", **(headers or {})}
        if body is not None:
            body = json.dumps(body).encode()
            named |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in named.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.endheaders(body)
            return connection, connection.getresponse()
        except BaseException:
            connection.close()
            raise

    def get(self, path):
        status, value = self.request("GET", path)
        assert status == 200, f"GET {path}: {status} {value}"
        return value

    def say(self, text, session=None, **more):
        """Starts a turn; the reply's lines are read from what comes back."""
        body = {"text": text, **({"session_id": session} if session else {}), **more}
        return Reply(*self._send("POST", "/api/chat", body, None, ANSWER_WITHIN_S))

    def ask(self, text, session=None, **more):
        """A whole turn."""
        reply = self.say(text, session, **more)
        assert reply.status == 200, f"{reply.status}: {reply.detail}"
        return reply.all()

    def messages(self, session, role=None):
        rows = self.get(f"/api/sessions/{session}/messages")
        return [row for row in rows if role is None or row["role"] == role]

    def terminate(self):
        """The orderly end. Answers how many seconds it took."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(END_WITHIN_S * 3)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the engine did not end after SIGTERM:\n{self.log()[-LOG_CHARS_SHOWN:]}") from None
        return time.monotonic() - began

    def kill(self):
        """As a power cut does it: no chance to save anything."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)
