"""The lines between this program and a server, and how a server is found and started.

The page serve of the manual of heavytail describes the lines.
"""

import base64
import hashlib
import json
import math
import os
import socket
import stat
import subprocess
import tempfile
import threading
import time

from . import errors

VERSION = 1
PART = 192 << 10  # bytes of a line of data


def sockets(path):
    """Where the socket of a file may be, as query/internal/wire has it."""
    real = os.path.realpath(path)
    name = hashlib.sha256(os.fsencode(real)).hexdigest()[:24]
    places = [os.path.join(folder(), name + ".sock")]
    beside = real + ".sock"
    return [beside] + places if len(os.fsencode(beside)) <= 103 else places


def folder():
    return f"/tmp/heavytail-{os.getuid()}"


def _own_folder():
    try:
        found = os.lstat(folder())
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


class Connection:
    """A connection to a server, for one statement at a time."""

    def __init__(self, sock, token=None):
        self._socket = sock
        self._lines = sock.makefile("rb")
        hello = {"hello": VERSION}
        if token:
            hello["token"] = token
        try:
            self._send(hello)
            self.greeting = self._read()
            if self.greeting.get("error"):
                raise errors.of(self.greeting["error"], "")
            if self.greeting.get("heavytail") != VERSION:
                raise errors.Error(f"the server has version {self.greeting.get('heavytail')} of the protocol, and not {VERSION}")
        except BaseException:
            self.close()
            raise

    @classmethod
    def to_file(cls, path):
        """A connection to the server of a file; None if there is none."""
        places = sockets(path)
        for place in places:
            if place == places[-1] and not _own_folder():
                continue
            sock = socket.socket(socket.AF_UNIX)
            try:
                sock.connect(place)
            except OSError:
                sock.close()
                continue
            return cls(sock)
        return None

    @classmethod
    def to_address(cls, address, token):
        """A connection to an address, HOST:PORT."""
        host, _, port = address.rpartition(":")
        sock = socket.create_connection((host.strip("[]"), int(port)))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return cls(sock, token)

    def close(self):
        self._lines.close()
        self._socket.close()

    def frames(self, request, data=None):
        """Yields the lines of the answer to a request up to its end or its error.

        data are the bytes that IMPORT '-' reads, in parts. A caller that does not read all of the lines
        must close the connection.
        """
        request = dict(request, id=1)
        if data is not None:
            request["input"] = True
        self._send(request)
        feeding = None
        while True:
            frame = self._read()
            if frame.get("input"):
                feeding = _Feeding(self, data)
            else:
                yield frame
            if "end" in frame or "error" in frame:
                break
        if feeding:
            feeding.end()

    def _send(self, message):
        try:
            self._socket.sendall(json.dumps(message, allow_nan=False).encode() + b"\n")
        except OSError as error:
            raise errors.Lost(f"the server has ended the connection: {error}") from error

    def _read(self):
        line = self._received(self._lines.readline, lambda line: line.endswith(b"\n"))
        frame = json.loads(line, object_hook=_decoded)
        size = frame.get("arrow", 0)
        if size:
            frame["arrow"] = self._received(lambda: self._lines.read(size), lambda data: len(data) == size)
        return frame

    def _received(self, read, whole):
        """What read returns, of which whole says whether all was received."""
        try:
            data = read()
        except OSError as error:
            raise errors.Lost(f"the server has ended the connection: {error}") from error
        if not whole(data):
            raise errors.Lost("the server has ended the connection before the answer was complete: it was stopped or killed")
        return data


class _Feeding(threading.Thread):
    """Sends data while the answer is read, which may have progress."""

    def __init__(self, connection, data):
        super().__init__(daemon=True)
        self._connection, self._data, self._error = connection, data, None
        self.start()

    def run(self):
        try:
            waiting = bytearray()
            for part in self._data:
                waiting += part
                while len(waiting) >= PART:
                    self._part(waiting[:PART])
                    del waiting[:PART]
            if waiting:
                self._part(waiting)
            self._connection._send({"id": 1, "last": True})
        except errors.Lost:
            pass  # the reader sees it as well
        except BaseException as error:  # of the caller's data: the server must not take the part for the whole
            self._error = error
            self._connection._send({"cancel": 1})

    def _part(self, part):
        self._connection._send({"id": 1, "data": base64.b64encode(part).decode()})

    def end(self):
        self.join()
        if self._error:
            raise self._error


def encoded(value):
    """The value of a parameter as JSON has it."""
    if hasattr(value, "tolist"):  # of numpy
        value = value.tolist()
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise ValueError(f"{value} is no integer of 64 bits")
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, (list, tuple)) and all(isinstance(x, (int, float)) for x in value):
        return [float(x) for x in value]
    raise TypeError(f"a parameter is a text, a number, a boolean, a list of numbers or None, and not {type(value).__name__}")


def _decoded(value):
    """Values that JSON lacks are objects with one member."""
    if len(value) == 1:
        if isinstance(value.get("float"), str):
            return float(value["float"])
        if isinstance(value.get("base64"), str):
            return base64.b64decode(value["base64"])
    return value


class Server:
    """A server that this program has started, and that ends with it."""

    def __init__(self, path, command, flags):
        self._messages = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(
                [command, "serve", path, "--stdio", *flags], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                stderr=self._messages, start_new_session=True,  # Ctrl-C is for this program
            )
        except FileNotFoundError as error:
            self._messages.close()
            raise errors.Error(f"the command {command!r} is not there: install heavytail, or name it by HEAVYTAIL") from error

    def connection(self, path, patience=60):
        """The first connection, when the server answers."""
        end = time.monotonic() + patience
        pause = 0.001
        while True:
            ended = self._process.poll() is not None
            connection = Connection.to_file(path)
            if connection:
                return connection
            if ended or time.monotonic() > end:
                said = self._said()
                self.close()
                raise errors.Error(said)
            time.sleep(pause)
            pause = min(2 * pause, 0.05)

    def _said(self):
        self._messages.seek(0)
        lines = self._messages.read().decode(errors="replace").splitlines()
        return "\n".join(line.removeprefix("heavytail: ") for line in lines if not line.startswith("notice: ")) or "the server does not answer"

    def close(self):
        self._process.stdin.close()
        self._process.wait()
        self._messages.close()
