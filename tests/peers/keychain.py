"""A desktop's keychain: gnome-keyring, unlocked, on a message bus of its own. Everything it keeps lies in a folder that
is gone with the test; the keychain and the bus of whoever runs the tests are never reached.
"""

import os
import pathlib
import subprocess
import tempfile
import unittest

import tools
from engine import wait_for

READY_WITHIN_S = 15
# It belongs to this keychain only and guards nothing.
PASSWORD = b"only for tests"


class Keychain:
    def __init__(self):
        missing = tools.missing_keyring()
        if missing:
            raise unittest.SkipTest(f"not installed: {', '.join(missing)}")
        self._folder = tempfile.TemporaryDirectory(prefix="sentient-keychain-", ignore_cleanup_errors=True)
        self._processes = []
        root = pathlib.Path(self._folder.name)
        self._env = {"PATH": os.environ["PATH"], "HOME": str(root), "XDG_RUNTIME_DIR": str(root / "run")}
        (root / "run").mkdir(mode=0o700)
        try:
            bus = self._start(["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1"])
            # The line comes once the bus listens; a bus that dies answers with an empty one.
            self.address = bus.stdout.readline().decode().strip()
            if not self.address:
                raise unittest.SkipTest("no message bus could be started here")
            self._env["DBUS_SESSION_BUS_ADDRESS"] = self.address
            daemon = self._start(["gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets"])
            daemon.stdin.write(PASSWORD)
            daemon.stdin.close()
            wait_for("the keychain is on the bus", self._answers, READY_WITHIN_S)
        except BaseException:
            self.close()
            raise

    def _start(self, command):
        process = subprocess.Popen(
            command, env=self._env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._processes.append(process)
        return process

    def _answers(self):
        question = ["org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets"]
        command = [
            "dbus-send",
            "--session",
            "--print-reply",
            "--dest=org.freedesktop.DBus",
            "/org/freedesktop/DBus",
            *question,
        ]
        answer = subprocess.run(command, env=self._env, capture_output=True, timeout=10, check=False)
        return b"boolean true" in answer.stdout

    @property
    def environment(self):
        """Variables that lead a program to this keychain."""
        return {"DBUS_SESSION_BUS_ADDRESS": self.address, "XDG_RUNTIME_DIR": self._env["XDG_RUNTIME_DIR"]}

    def close(self):
        for process in reversed(self._processes):
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(5)
            for stream in (process.stdin, process.stdout):
                stream.close()
        self._folder.cleanup()
