"""A relay between the engine and a provider that writes down what the engine really sent, byte for byte.

aimock's own journal shows requests as it understood them: keys blacked out, and every wire turned into one shape. What
a test says about a header or about `cache_control` is looked up here. The relay also answers the one question of
Ollama's API that aimock does not know (`POST /api/show`); that answer is ours, written from Ollama's API reference.
"""

import http.client
import http.server
import json
import threading
import urllib.parse

OLLAMA_SHOW = {
    "details": {"family": "qwen3", "parameter_size": "8.2B", "quantization_level": "Q4_K_M"},
    "model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40960},
    "capabilities": ["completion", "tools"],
}
PIECE_BYTES = 64 * 1024


class Sent:
    """One request of the engine."""

    def __init__(self, path, headers, body):
        self.path = path
        self.headers = {name.lower(): value for name, value in headers}
        self.body = body
        self.json = json.loads(body) if body else None


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self._hand_on()

    def do_POST(self):
        self._hand_on()

    def _hand_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.wire.sent.append(Sent(self.path, self.headers.items(), body))
        self.close_connection = True
        if self.path == "/api/show":
            return self._answer(json.dumps(OLLAMA_SHOW).encode())
        upstream = http.client.HTTPConnection(self.server.wire.host, timeout=60)
        try:
            headers = {
                name: value for name, value in self.headers.items() if name.lower() not in ("host", "accept-encoding")
            }
            upstream.request(self.command, self.path, body or None, headers)
            answer = upstream.getresponse()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("connection", "transfer-encoding", "content-length", "date", "server"):
                    self.send_header(name, value)
            self.send_header("Transfer-Encoding", "chunked")
            self.send_header("Connection", "close")
            self.end_headers()
            while piece := answer.read1(PIECE_BYTES):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")
        except (OSError, http.client.HTTPException):
            # One side broke off: the other is broken off as well, without an orderly end.
            pass
        finally:
            upstream.close()

    def _answer(self, text):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(text)


class Wire:
    def __init__(self, target):
        self.host = urllib.parse.urlsplit(target).netloc
        self.sent = []
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.wire = self
        self.base = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def chats(self):
        """The model calls, oldest first."""
        return [sent for sent in self.sent if sent.path.endswith(("/chat/completions", "/v1/messages", "/api/chat"))]

    def close(self):
        self._server.shutdown()
        self._server.server_close()
