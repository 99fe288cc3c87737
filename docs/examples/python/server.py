"""A small server that keeps the access contract, in the standard library of Python 3.9 or newer.

    python3 server.py make-key mara >> keys.txt    # the key itself goes to the error output, once
    CERT_FILE=cert.pem CERT_KEY_FILE=key.pem PORT=8443 HTTP_PORT=8080 python3 server.py

Each place that keeps a clause is marked with the clause's id.
"""

import hashlib
import hmac
import json
import os
import re
import secrets
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WORKOUTS = {
    "mara": [
        {"id": 1, "name": "Long run", "date": "2025-03-02", "minutes": 74},
        {"id": 2, "name": "Intervals", "date": "2025-03-05", "minutes": 41},
    ],
}
EXERCISES = [{"id": 1, "name": "Squat"}, {"id": 2, "name": "Plank"}]
INGREDIENTS = [{"id": 1, "name": "Oats", "energy_kcal": 368}, {"id": 2, "name": "Lentils", "energy_kcal": 352}]


def digest(key):
    """Keys are random and long, so a plain hash is enough; a file of digests gives no key away."""
    return hashlib.sha256(key.encode("ascii")).hexdigest()


def read_owners(path):
    """Digest of a key -> its owner, from lines `<digest> <owner>`."""
    with open(path, encoding="utf-8") as lines:
        return dict(line.split() for line in lines if line.strip())


class Api(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    owners = {}

    def owner(self):
        """AUTH-1, AUTH-2: one field Authorization, the word Token, one space, the key. Everything else is no key."""
        fields = self.headers.get_all("Authorization") or []
        match = re.fullmatch(r"Token ([0-9a-f]{40})", fields[0]) if len(fields) == 1 else None
        if not match:
            return None
        given = digest(match.group(1))
        found = None
        for known, owner in self.owners.items():
            if hmac.compare_digest(known, given):
                found = owner
        return found

    def resource(self):
        """PATH-1 and AUTH-3: one table says what is where and who may see it, so gate and router cannot disagree."""
        path = self.path.split("?", 1)[0]
        if path == "/api/v2/workout/":
            owner = self.owner()
            if owner is None:
                return 401, {"detail": "A key is needed: Authorization: Token <key>"}
            return 200, {"count": len(WORKOUTS.get(owner, [])), "results": WORKOUTS.get(owner, [])}
        if path == "/api/v2/exercise/":  # AUTH-4: nobody is asked who they are
            return 200, {"count": len(EXERCISES), "results": EXERCISES}
        if path == "/api/v2/ingredient/":
            return 200, {"count": len(INGREDIENTS), "results": INGREDIENTS}
        return 404, {"detail": "Nothing is here."}

    def do_GET(self):
        status, content = self.resource()
        body = json.dumps(content).encode("utf-8")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        # AUTH-3: what a key opens is for no cache.
        self.send_header("Cache-Control", "no-store")
        if status == 401:
            self.send_header("WWW-Authenticate", "Token")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, format, *args):
        """No log: a request line in a log may hold what somebody put into a query by mistake."""


class UseHttps(BaseHTTPRequestHandler):
    """HTTPS-2: the plain port serves nothing, and does not look at who asks."""

    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self):
        body = b"This API is served over HTTPS only.\n"
        self.send_response(403)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_GET

    def log_message(self, format, *args):
        pass


class TlsServer(ThreadingHTTPServer):
    """HTTPS-1. The handshake is made in the connection's own thread, so that a slow client holds up nobody."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address, handler, context):
        super().__init__(address, handler)
        self.context = context

    def finish_request(self, request, client_address):
        request.settimeout(10)
        try:
            with self.context.wrap_socket(request, server_side=True) as secured:
                super().finish_request(secured, client_address)
        except OSError:
            pass  # plain HTTP on this port, a client that went away: there is nothing to answer


class PlainServer(ThreadingHTTPServer):
    daemon_threads = True


def make_key(owner):
    key = secrets.token_hex(20)
    print(digest(key), owner)
    print(f"key of {owner}, shown this once: {key}", file=sys.stderr)


def main():
    env = os.environ
    Api.owners = read_owners(env.get("KEYS_FILE", "keys.txt"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(env.get("CERT_FILE", "cert.pem"), env.get("CERT_KEY_FILE", "key.pem"))
    host = env.get("HOST", "127.0.0.1")
    secure = TlsServer((host, int(env.get("PORT", "8443"))), Api, context)
    plain = PlainServer((host, int(env.get("HTTP_PORT", "8080"))), UseHttps)
    threading.Thread(target=plain.serve_forever, daemon=True).start()
    print(f"BASE_URL=https://{host}:{secure.server_port}", flush=True)
    print(f"HTTP_BASE_URL=http://{host}:{plain.server_port}", flush=True)
    secure.serve_forever()


if __name__ == "__main__":
    if sys.argv[1:2] == ["make-key"] and len(sys.argv) == 3:
        make_key(sys.argv[2])
    elif len(sys.argv) > 1:
        print("usage: server.py [make-key OWNER]", file=sys.stderr)
        sys.exit(2)
    else:
        try:
            main()
        except KeyboardInterrupt:
            pass
