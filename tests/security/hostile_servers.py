"""Servers on loopback that do what an attacker would: an object storage, a web server, and the dashboard of a Ray cluster."""

import contextlib
import http.server
import json
import threading

LISTED = "<Contents><Key>run/{0:06}.json</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><Size>9</Size></Contents>"


class Answer(Exception):
    """An answer: status, headers, and a body, which may be an iterator without end."""

    def __init__(self, status, body=b"", **headers):
        super().__init__(status)
        self.status, self.body, self.headers = status, body, headers


class Server:
    """Answers each request by a function of its handler, and keeps what it heard."""

    def __init__(self, answer):
        # Lines and headers of the requests.
        self.heard = []
        self.closed = threading.Event()
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one_request(self):
                # The client may have gone.
                with contextlib.suppress(OSError):
                    super().handle_one_request()

            def serve(self):
                self.sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                server.heard.append((f"{self.command} {self.path}", str(self.headers)))
                self.close_connection = True
                found = answer(self)
                if found is None:
                    server.closed.wait()
                    return
                is_whole = isinstance(found.body, bytes)
                self.send_response(found.status)
                for name, value in found.headers.items():
                    self.send_header(name.replace("_", "-"), value)
                if is_whole and "Content_Length" not in found.headers:
                    self.send_header("Content-Length", str(len(found.body)))
                self.send_header("Connection", "close")
                self.end_headers()
                if self.command == "HEAD":
                    return
                for piece in [found.body] if is_whole else found.body:
                    self.wfile.write(piece)

            do_GET = do_HEAD = do_POST = do_PUT = serve

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.place = f"127.0.0.1:{self.http.server_port}"
        self.url = f"http://{self.place}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def asked(self, start):
        """How many requests begin so."""
        return sum(line.startswith(start) for line, _ in self.heard)

    def close(self):
        self.closed.set()
        self.http.shutdown()
        self.http.server_close()


def endless(start, piece):
    """A body that never ends."""
    yield start
    while True:
        yield piece


def listing(names, token=None):
    """A page of a listing of S3."""
    more = f"<IsTruncated>true</IsTruncated><NextContinuationToken>{token}</NextContinuationToken>" if token else ""
    return f"<?xml version='1.0'?><ListBucketResult>{''.join(names)}{more}</ListBucketResult>".encode()


def endless_pages():
    """An object storage whose listing always has one more page of 1,000 names."""
    names = [LISTED.format(number) for number in range(1000)]
    pages = iter(range(1, 10**9))

    def answer(request):
        if "list-type=2" in request.path:
            return Answer(200, listing(names, f"page{next(pages)}"))
        return Answer(404)

    return Server(answer)


def storage_with(answer):
    """An object storage that has one answer to everything."""
    return Server(lambda _: answer() if callable(answer) else answer)


def repeating(status, form):
    """A server that repeats the secrets of the request, in a form: its credentials and its tokens."""

    def answer(request):
        sent = [value for name, value in request.headers.items() if "uthorization" in name or "token" in name]
        keys = [part.split("=")[1].split("/")[0] for value in sent for part in value.split() if "Credential=" in part]
        words = [value.removeprefix("Bearer ") for value in sent if not value.startswith("AWS4")] + keys
        return Answer(status, form(words))

    return Server(answer)


class Dashboard(Server):
    """The dashboard of a cluster whose job runs for ever, but for the answers that are given, by the begin of a request."""

    def __init__(self, **answers):
        self.given = {name.replace("_", " "): answer for name, answer in answers.items()}
        super().__init__(self.answer)

    def answer(self, request):
        part = self.part(request)
        if part in self.given:
            given = self.given[part]
            return given(request) if callable(given) else given
        return {
            "version": Answer(200, b'{"version": "4", "ray_version": "2.60.0"}'),
            "package": Answer(200),
            "submit": Answer(200, b"{}"),
            "state": Answer(200, b'{"status": "RUNNING"}') if self.asked("POST /api/jobs/") else Answer(404),
            "log": Answer(200, b'{"logs": ""}'),
            "stop": Answer(200, b'{"stopped": true}'),
        }[part]

    @staticmethod
    def part(request):
        """Which of the seven calls it is."""
        path = request.path
        if path.endswith("/stop"):
            return "stop"
        if path.endswith("/logs"):
            return "log"
        if path.startswith("/api/packages"):
            return "package"
        if path == "/api/version":
            return "version"
        return "submit" if request.command == "POST" else "state"


def log_of(*events, other=""):
    """The answer to the question for the log of a job."""
    lines = "".join(f"tracebook: {json.dumps(event)}\n" for event in events)
    return Answer(200, json.dumps({"logs": lines + other}).encode())
