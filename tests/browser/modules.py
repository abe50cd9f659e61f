"""A server for the extension's modules, without JupyterLab."""

import contextlib
import http.server
import threading

from places import ROOT

UNITS = ROOT / "tests" / "browser" / "units"
TYPES = {".js": "text/javascript", ".json": "application/json"}


class Files(http.server.SimpleHTTPRequestHandler):
    """Serves an empty page, the modules under /static and the tests and samples under /units."""

    FOLDERS = {"static": ROOT / "labextension" / "static", "units": UNITS}

    def do_GET(self):
        _, folder, name = (self.path + "/").split("/")[:3]
        file = self.FOLDERS.get(folder, UNITS) / name
        found = file.is_file()
        self.send_response(200 if found or self.path == "/" else 404)
        self.send_header("Content-Type", TYPES.get(file.suffix, "text/html") if found else "text/html")
        self.end_headers()
        self.wfile.write(file.read_bytes() if found else b'<!doctype html><title>units</title><link rel="icon" href="data:,">')

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served():
    """The address of the server."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
