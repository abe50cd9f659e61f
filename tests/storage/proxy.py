"""A proxy that cuts answers, as networks do."""

import contextlib
import socket
import threading


class Proxy:
    """Passes connections on to a port, and ends those that ask for a name after so many bytes of the answer."""

    def __init__(self, port):
        self.to, self.name, self.cut, self.stall = port, b"\0", None, False
        self.cuts = 0
        self.closed = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        server = socket.create_connection(("127.0.0.1", self.to))
        asked = [b""]
        threading.Thread(target=self.ask, args=(client, server, asked), daemon=True).start()
        passed = 0
        try:
            while piece := server.recv(16384):
                # A head and a listing are short; only transfers of the named object are cut.
                is_meant = self.cut is not None and b"GET " in asked[0] and self.name in asked[0].split(b"\r\n")[0]
                if is_meant and passed + len(piece) > self.cut:
                    client.sendall(piece[: max(0, self.cut - passed)])
                    self.cuts += 1
                    if self.stall:
                        self.closed.wait()
                    break
                client.sendall(piece)
                passed += len(piece)
        except OSError:
            pass
        for end in (client, server):
            # Closing alone would wait for the other thread, which reads.
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def ask(self, client, server, asked):
        try:
            while piece := client.recv(16384):
                # One request per connection, so that each answer is counted from its start.
                if piece.startswith((b"GET ", b"HEAD ")):
                    line, rest = piece.split(b"\r\n", 1)
                    piece = line + b"\r\nConnection: close\r\n" + rest
                    asked[0] = piece
                server.sendall(piece)
        except OSError:
            pass

    def close(self):
        self.closed.set()
        self.listener.close()
