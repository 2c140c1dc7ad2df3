# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command share: calling it, and small NetCDF-3 files written without any library."""
import ast
import atexit
import json
import os
import pathlib
import resource
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

SOURCE = pathlib.Path(os.environ.get("ULPINE_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("ULPINE_PROGRAM", str(SOURCE / "build/cpu/bin/ulpine"))
SERVED = os.environ.get("ULPINE_SERVED", "")  # the program of served.cpp, where the program itself is ULPINE_PROGRAM
DATA = pathlib.Path(os.environ.get("ULPINE_TEST_DATA", ""))
COMMANDS = ("run", "ensemble", "report", "bitwise", "conformance", "restart", "trace", "trace-diff", "replay", "compare", "same", "consistency", "lkf", "spectrum", "search", "digits", "info", "cases")
CASE = SOURCE / "cases/seaice/cyclone_quick.toml"
# The shipped case made so small that a step takes milliseconds.
# One thread: threads that wait for each other are slow where tests share the cores.
SMALL = ("--threads", "1", "--set", "grid.nx=8", "--set", "grid.ny=8", "--set", "time.substeps=4")


def limit(**limits):
    """For subprocess: resource limits by name, e.g. limit(FSIZE=4096)."""
    def apply():
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, "RLIMIT_" + name), (value, value))
    return apply


class Server:
    """Calls of the command by a process that forks for each, started at the first (served.cpp)."""
    process = connection = None

    def start(self):
        self.connection, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            self.process = subprocess.Popen([SERVED, "SERVE"], stdin=other,
                                            env=dict(os.environ, ULPINE_PYTHON="/bin/true", LD_BIND_NOW="1"))
        atexit.register(self.stop)

    def stop(self):
        self.connection.close()
        self.process.wait()

    def number(self):
        answer = self.connection.recv(4)
        if len(answer) != 4:
            raise RuntimeError(f"{SERVED} has ended")
        return struct.unpack("=i", answer)[0]

    def call(self, words, folder, timeout):
        if self.process is None:
            self.start()
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors, open(os.devnull, "rb") as nothing:
            streams = [file.fileno() for file in (nothing, output, errors)]
            socket.send_fds(self.connection, [b"\0".join(os.fsencode(word) for word in (folder, *words)) + b"\0"], streams)
            child = self.number()
            self.connection.settimeout(timeout)
            try:
                code = self.number()
            except TimeoutError:
                os.kill(child, signal.SIGKILL)
                self.connection.settimeout(None)
                self.number()
                raise subprocess.TimeoutExpired(words, timeout) from None
            self.connection.settimeout(None)
            texts = []
            for file in (output, errors):
                file.seek(0)
                texts.append(file.read().decode())
        return subprocess.CompletedProcess(words, code, *texts)


SERVER = Server()


class CommandTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)

    def call(self, *words, **options):
        """Calls the command: in a process of its own where `options` say anything but the time it may take, else in one of the server's."""
        options.setdefault("timeout", 240)
        if SERVED and options.keys() == {"timeout"}:
            return SERVER.call([PROGRAM, *map(str, words)], self.folder, options["timeout"])
        options.setdefault("cwd", self.folder)
        # Pages take seconds to draw: only the tests about them do it.
        options.setdefault("env", dict(os.environ, ULPINE_PYTHON="/bin/true"))
        if "stdout" not in options:
            options["stdout"] = subprocess.PIPE
        return subprocess.run([PROGRAM, *map(str, words)], stderr=subprocess.PIPE, text=True, check=False, **options)

    def assert_fails(self, code, *words, says=(), **options):
        """The call ends with `code` and exactly one line on standard error, which says all of `says`."""
        words = (words[0], "--quiet", *words[1:]) if words else words
        done = self.call(*words, **options)
        self.assertEqual(done.returncode, code, f"{words}: {done.stderr}")
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, f"{words}: {done.stderr!r}")
        self.assertTrue(lines[0].startswith("ulpine: "), lines[0])
        self.assertNotIn("internal error", lines[0])
        for word in [says] if isinstance(says, str) else says:
            self.assertIn(word, lines[0])
        self.assertFalse(done.stdout, done.stdout)
        return lines[0]

    def assert_done(self, *words, code=0, **options):
        done = self.call(*words, **options)
        self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        return done.stdout

    def json(self, *words, code=0, **options):
        """The answer as strict JSON: Python's own reader would take NaN and Infinity."""
        def refuse(word):
            self.fail(f"{words}: {word} is no JSON")
        return json.loads(self.assert_done(*words, code=code, **options), parse_constant=refuse)

    def start(self, *words):
        process = subprocess.Popen([PROGRAM, *map(str, words)], cwd=self.folder, env=dict(os.environ, ULPINE_PYTHON="/bin/true"), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        return process

    def wait_for(self, path):
        """Until the file is there, and a little longer so that the run is under way."""
        for _ in range(1000):
            if path.exists():
                break
            time.sleep(0.01)
        time.sleep(0.1)

    def stop(self, process, number):
        """Sends a signal, waits for the end, returns exit code and standard error."""
        process.send_signal(number)
        _, errors = process.communicate(timeout=120)
        return process.returncode, errors


def _padded(data):
    return data + b"\0" * (-len(data) % 4)


def _name(text):
    return struct.pack(">i", len(text)) + _padded(text.encode())


def _attributes(attributes):
    if not attributes:
        return struct.pack(">ii", 0, 0)
    body = b"".join(_name(key) + struct.pack(">ii", 2, len(value)) + _padded(value.encode())
                    for key, value in attributes.items())
    return struct.pack(">ii", 12, len(attributes)) + body


def write_netcdf(path, dimensions, variables):
    """NetCDF-3 classic. dimensions: {name: size}; variables: {name: (dimension names, values, {attribute: text})}."""
    names = list(dimensions)
    header = b"CDF\x01" + struct.pack(">i", 0) + struct.pack(">ii", 10, len(names))
    header += b"".join(_name(name) + struct.pack(">i", size) for name, size in dimensions.items())
    header += _attributes({}) + struct.pack(">ii", 11, len(variables))
    entries = []
    for name, (axes, values, attributes) in variables.items():
        entry = _name(name) + struct.pack(">i", len(axes)) + b"".join(struct.pack(">i", names.index(a)) for a in axes)
        entries.append((entry + _attributes(attributes) + struct.pack(">ii", 6, 8 * len(values)), values))
    offset = len(header) + sum(len(entry) + 4 for entry, _ in entries)
    body = b""
    for entry, values in entries:
        header += entry + struct.pack(">i", offset + len(body))
        body += struct.pack(f">{len(values)}d", *values)
    pathlib.Path(path).write_bytes(header + body)
    return path


def write_field(path, name, values, ny, nx, units="1", spacing=None):
    """One field of y, x with coordinates where a spacing (m) is given, or two: that of y (0: none) and that of x."""
    variables = {}
    if spacing:
        pair = spacing if isinstance(spacing, tuple) else (spacing, spacing)
        for axis, size, step in (("y", ny, pair[0]), ("x", nx, pair[1])):
            if step:
                variables[axis] = ((axis,), [step * i for i in range(size)], {"units": "m", "axis": axis.upper()})
    variables[name] = (("y", "x"), values, {"units": units})
    return write_netcdf(path, {"y": ny, "x": nx}, variables)


def read_npy(path):
    """Shape and float64 values of a .npy file in C order."""
    data = pathlib.Path(path).read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    assert header["descr"] == "<f8" and not header["fortran_order"]
    count = len(data[10 + length:]) // 8
    return header["shape"], list(struct.unpack(f"<{count}d", data[10 + length:]))


INTERRUPT, KILL, TERMINATE = signal.SIGINT, signal.SIGKILL, signal.SIGTERM
