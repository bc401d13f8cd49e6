"""aimock: a model provider nobody here wrote: three wires, faults on command, a journal of what it was asked."""

import json
import pathlib
import subprocess
import unittest
import urllib.error
import urllib.request

import tools
from engine import free_port, wait_for

FIXTURES = pathlib.Path(__file__).with_name("fixtures")
KEY = "sk-peer-4f1d9c7a20b84e55"


def environment(base):
    """Variables that send every provider of the three wires to this address, with a key."""
    bases = {"openai": "/v1", "anthropic": "", "ollama_chat": ""}
    return {
        "SENTIENT_BASES": ",".join(f"{name}={base}{path}" for name, path in bases.items()),
        "OPENAI_API_KEY": KEY,
        "ANTHROPIC_API_KEY": KEY,
    }


class Aimock:
    def __init__(self):
        script = tools.aimock_script()
        if not script:
            raise unittest.SkipTest("aimock or node is not installed")
        self.base = f"http://127.0.0.1:{free_port()}"
        port = self.base.rsplit(":", 1)[1]
        command = ["node", str(script), "--host", "127.0.0.1", "--port", port, "--fixtures", str(FIXTURES)]
        self._process = subprocess.Popen(
            [*command, "--strict", "--validate-on-load", "--log-level", "warn"], stdin=subprocess.DEVNULL
        )
        wait_for("aimock is ready", self._ready, 20)

    def _ready(self):
        if self._process.poll() is not None:
            raise AssertionError(f"aimock ended with {self._process.returncode}")
        try:
            self._call("GET", "/__aimock/health")
            return True
        except urllib.error.URLError:
            return False

    def _call(self, method, path):
        request = urllib.request.Request(self.base + path, method=method)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def forget(self):
        """Empties the journal."""
        self._call("POST", "/__aimock/reset/journal")

    def journal(self):
        """What it was asked, oldest first: `{method, path, headers, body, response}`."""
        return self._call("GET", "/__aimock/journal")

    def close(self):
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)
