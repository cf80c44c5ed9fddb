# SPDX-License-Identifier: MIT
"""kymo's recorder for Python 3.8 and later: one file, no packages. What a script on the host does stands beside what the
boards do: hostlink tcp:127.0.0.1:5001 /dev/ttyUSB0 -o both.kymo

    import kymo
    kymo.start(listen=5001)             # hostlink connects to it; or kymo.start(path="script.kymo")

    with kymo.zone("send"):             # also a decorator: @kymo.zone("send")
        kymo.flow_send("mail", number)  # flow_step(), flow_receive()
    kymo.plot("queue", len(queue))
    kymo.message("retry", level="warning")
    kymo.signpost("pass", "3")
    kymo.frame()
    kymo.functions()                    # from here on each call of a Python function is a zone

A whole script, each function a zone:

    python3 kymo.py [--listen PORT | -o OUT.kymo] [--under FOLDER] SCRIPT [ARGUMENT ...]

Any thread may call all of it; threads are tasks of one core, as Python runs one at a time. Each asyncio task has a row of its
own, so a zone may last over an await; functions() shows a coroutine on the row of its thread, a zone each time it runs. A zone
over the yield of a generator, or over an await of another library, ends in the wrong order. Nothing is recorded before start(),
nor in a forked child before it calls start() itself. If the file cannot be written, the recording ends and the script goes on.
The format is runtime/WIRE.md. While nobody is connected the last KEEP_BYTES wait; what does not fit is counted as lost.
"""
import atexit
import contextlib
import os
import socket
import struct
import sys
import threading
import time
import weakref
import zlib

VERSION = 4
SESSION, SITES, EVENTS, STATUS, PONG, HELLO, GET_NAMES, PING, HOST_CLOCK = 1, 2, 3, 4, 5, 16, 17, 21, 24
ZONE_END, ZONE_BEGIN, CONTEXT, FRAME, CONTEXT_END, ZONE_TEXT = 0x01, 0x10, 0x11, 0x13, 0x16, 0x21
PLOT_INT, PLOT_DOUBLE, MESSAGE_TEXT, CONTEXT_NAME = 0x30, 0x32, 0x36, 0x3c
FLOW_SEND, FLOW_STEP, FLOW_RECEIVE = 0xb0, 0xb1, 0xb2
SITE_ZONE, SITE_MESSAGE, SITE_PLOT, SITE_FRAME, SITE_FLOW = 0, 1, 2, 3, 8
LEVELS = ("trace", "debug", "info", "warning", "error", "fatal")
SLOTS, PAIRS, VALUES = 62, 128, 32
OF_CONTEXT = (CONTEXT, CONTEXT_END, CONTEXT_NAME)
MAGIC = b"kymo\x04\r\n\0"
PACKET_BYTES, TEXT_BYTES, NAME_BYTES, KEEP_BYTES, SITES_MAX = 3000, 200, 400, 1 << 24, 1 << 19
FLUSH_S, STATUS_S = 0.02, 1.0


# ---- packets ----

def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def utf8(text, limit):
    """Without NUL, where readers of the format end a text."""
    data = text.replace("\0", "\\0").encode("utf-8", "replace")
    return data if len(data) <= limit else data[:limit].decode("utf-8", "ignore").encode()


def string(text, limit):
    data = utf8(text, limit)
    return varint(len(data)) + data


def stuff(packet):
    """COBS."""
    out, at = bytearray(), 0
    for part in packet.split(b"\0"):
        while len(part) >= 254:
            out += b"\xff" + part[:254]
            part = part[254:]
        out += bytes([len(part) + 1]) + part
    return bytes(out)


def unstuff(data):
    """The packet without its CRC, or None."""
    out, at = bytearray(), 0
    while at < len(data):
        code = data[at]
        out += data[at + 1:at + code]
        at += code
        if code != 255 and at < len(data):
            out.append(0)
    packet = bytes(out)
    right = len(packet) >= 6 and zlib.crc32(packet[:-4]) == struct.unpack("<I", packet[-4:])[0]
    return packet[:-4] if right and packet[0] >> 5 == VERSION else None


def change(value, before):
    moved = (value - before) & 0xffffffff
    return 2 * moved if moved < 1 << 31 else 2 * ((1 << 32) - moved) - 1


def number(value):
    if value < 160:
        return bytes([value])
    if value < 6304:
        return struct.pack(">H", value - 160 + 0xa000)
    if value < 6304 + 7 * 65536:
        return struct.pack(">I", value - 6304 + 0xb80000)[1:]
    return b"\xbf" + struct.pack(">I", value)


class Packet:
    """An EVENTS packet that grows (WIRE.md, "The bytes")."""

    def __init__(self, first, ticks, context):
        self.head = b"\xc0" + varint(first) + varint(ticks) + varint(context)
        self.body, self.count, self.ticks = bytearray(), 0, ticks
        self.slots, self.used, self.places = [(ZONE_END, 0, 0)], [False], {(ZONE_END, 0, 0): 0}
        self.victim, self.pair, self.task = 1, 0, context | 1
        self.next, self.last, self.by_change = [0] * PAIRS, [0] * PAIRS, [False] * PAIRS
        self.values = [0] * VALUES

    def place(self):
        if len(self.slots) < SLOTS:
            self.slots.append(None)
            self.used.append(False)
            return len(self.slots) - 1
        for _ in range(4):
            if not self.used[self.victim]:
                break
            self.used[self.victim] = False
            self.victim = self.victim % (SLOTS - 1) + 1
        place = self.victim
        self.victim = self.victim % (SLOTS - 1) + 1
        del self.places[self.slots[place]]
        self.used[place] = False
        return place

    def slot(self, kind, reference, words):
        key = (kind, reference, words)
        place = self.places.get(key)
        if place is not None:
            if place != self.next[self.pair]:
                self.body.append(0xc0 + place)
                self.used[place] = True
            return place
        place = self.place()
        self.slots[place], self.places[key] = key, place
        self.body += b"\xfe" if kind == ZONE_BEGIN else bytes([0xff, kind])
        if kind in OF_CONTEXT:
            if reference & 1:
                self.body += number(change(reference, self.task) | 1)
                self.task = reference
            else:
                self.body += number(reference)
        elif kind & 16:
            self.body += number(reference // 2)
        if kind & 32:
            self.body.append(words)
        return place

    def add(self, kind, reference, words, ticks):
        slot = self.slot(kind, reference, len(words))
        self.next[self.pair] = slot
        pair = self.pair = (PAIRS // 4 * self.pair + slot) % PAIRS
        delta, self.ticks = ticks - self.ticks, ticks
        moved = change(delta, self.last[pair])
        self.body += number(moved if self.by_change[pair] else delta)
        self.by_change[pair], self.last[pair] = moved < delta, delta % (1 << 25)
        plain = False
        for index, word in enumerate(words):
            at = (slot + 5 * index) % VALUES
            coded = number(change(word, self.values[at]))
            if not plain and len(coded) == 5:
                self.body.append(0xc0)
                plain = True
            self.body += struct.pack("<I", word) if plain else coded
            self.values[at] = word
        self.count += 1

    def bytes(self):
        return self.head + bytes(self.body) + struct.pack("<H", self.count)


# ---- the recorder ----

class Row:
    """Of a thread or an asyncio task, which keeps it while it lives."""

    def __init__(self, context, ended):
        self.context, self.ended = context, ended

    def __del__(self):
        self.ended.append(self.context)  # without the lock, which the thread may hold: the next record tells it


class Recorder:
    def __init__(self, name):
        self.lock = threading.RLock()
        self.session = os.urandom(4)
        self.name, self.sequence = name, 0
        self.sites, self.numbers = [], {}
        self.packet, self.events, self.running = None, 0, 1
        self.contexts, self.free, self.ended = 1, [], []
        self.thread, self.tasks = threading.local(), weakref.WeakKeyDictionary()
        self.thread.row = Row(1, self.ended)
        self.kept, self.kept_bytes = [], 0
        self.told_sites = 0
        self.over = False

    # Packets are framed when they are sent, so that their numbers follow each other.
    def framed(self, kind, body):
        packet = bytes([VERSION << 5 | kind, self.sequence & 255]) + body
        self.sequence += 1
        return stuff(packet + struct.pack("<I", zlib.crc32(packet))) + b"\0"

    def hello(self):
        names = string("python", NAME_BYTES)
        body = (self.session + varint(1000000000) + varint(now()) + b"\x01" + varint(0) + b"\x08"
                + string(self.name, NAME_BYTES) + b"\x01" + names)
        return b"\0" + self.framed(SESSION, body) + self.names(0)

    def names(self, first):
        out, body, begin = [], b"", first
        for index in range(first, len(self.sites)):
            if len(body) + len(self.sites[index]) > PACKET_BYTES:
                out.append(self.framed(SITES, varint(begin) + body))
                body, begin = b"", index
            body += self.sites[index]
        self.told_sites = len(self.sites)
        return b"".join(out) + (self.framed(SITES, varint(begin) + body) if body else b"")

    def status(self, flags=0):
        return self.framed(STATUS, bytes([flags]) + varint(now()) + b"\x01" + varint(self.events) + b"\0")

    def pong(self, cookie, read):
        return self.framed(PONG, cookie + varint(read) + varint(now()))

    def site(self, kind, name, level=0, function="", file="", line=0):
        """The number of a place, which is new once."""
        key = (kind, name, level, file, line)
        found = self.numbers.get(key)
        if found is None:
            if len(self.sites) >= SITES_MAX:
                return self.numbers.setdefault((kind, "(too many places)", level, "", 0), 0)
            found = self.numbers[key] = len(self.sites)
            self.sites.append(bytes([kind, level, 1]) + varint(line) + varint(0) + varint(0)
                              + string(name, NAME_BYTES) + string(function, NAME_BYTES) + string(file, NAME_BYTES))
        return found

    def record(self, kind, reference, words, task=None):
        with self.lock:
            ticks = now()
            row = self.tasks.get(task) if task else getattr(self.thread, "row", None)
            context = (row or self.new_row(task, ticks)).context
            if context != self.running:
                self.add(CONTEXT, context, (), ticks)
                self.running = context
            while self.ended:
                self.free.append(self.ended.pop())
                self.add(CONTEXT_END, self.free[-1], (), ticks)
            self.add(kind, reference, words, ticks)

    def new_row(self, task, ticks):
        if self.free:
            context = self.free.pop()
        else:
            self.contexts += 2
            context = self.contexts
        row = Row(context, self.ended)
        if task:
            self.tasks[task] = row
        else:
            self.thread.row = row
        name = task.get_name() if task else threading.current_thread().name
        self.add(CONTEXT_NAME, context, (2,) + words_of(name), ticks)
        return row

    def add(self, kind, reference, words, ticks):
        packet = self.packet
        if packet is not None and (len(packet.body) > PACKET_BYTES or packet.count == 65535 or ticks - packet.ticks >= 1 << 32):
            self.close_packet()
            packet = None
        if packet is None:
            packet = self.packet = Packet(self.events, ticks, self.running)
        packet.add(kind, reference, words, ticks)
        self.events += kind & 15 < 12

    def close_packet(self):
        if self.packet is not None:
            body, self.packet = self.packet.bytes(), None
            if self.kept_bytes + len(body) <= KEEP_BYTES:  # else the next packet's number says what is missing
                self.kept.append(body)
                self.kept_bytes += len(body)

    def take(self):
        """All bytes that are due."""
        with self.lock:
            self.close_packet()
            kept, self.kept, self.kept_bytes = self.kept, [], 0
            names = self.names(self.told_sites) if self.told_sites < len(self.sites) else b""
            return names + b"".join(self.framed(EVENTS, body) for body in kept)


now = time.monotonic_ns


def current_task():
    """Of asyncio, or None."""
    asyncio = sys.modules.get("asyncio")
    try:
        return asyncio and asyncio.current_task()
    except (AttributeError, RuntimeError):  # being imported, or not running here
        return None


def words_of(text):
    data = utf8(text, TEXT_BYTES)
    padded = data + b"\0" * (-len(data) % 4)
    return (len(data),) + struct.unpack(f"<{len(padded) // 4}I", padded)


def pair(value):
    return value & 0xffffffff, value >> 32 & 0xffffffff


# ---- where the bytes go ----

class File:
    """A capture with the host's times, so that it lines up with captures of boards."""

    def __init__(self, recorder, path):
        self.recorder, self.name, self.failed = recorder, str(path), False
        self.file = open(path, "wb", buffering=0)
        self.write(MAGIC + self.clock() + recorder.hello())
        self.thread = threading.Thread(target=self.run, name="kymo", daemon=True)
        self.wake = threading.Event()
        self.thread.start()

    def clock(self):
        return b"\0" + self.recorder.framed(HOST_CLOCK, struct.pack("<QQ", now(), time.time_ns()))

    def write(self, data):
        """Once it fails, nothing is written any more."""
        try:
            while data and not self.failed:
                data = data[self.file.write(data):]
        except OSError as error:
            self.failed = True
            give_up()
            print(f"kymo: {self.name}: {error.strerror}; the recording ends here, choose another file", file=sys.stderr)

    def write_due(self, status):
        with self.recorder.lock:
            data = self.recorder.take() + self.recorder.status(status)
            data += self.recorder.pong(struct.pack("<Q", now()), now())
            self.write(data + self.clock())

    def run(self):
        while not self.failed and not self.wake.wait(STATUS_S / 4):
            self.write_due(0)

    def close(self):
        self.wake.set()
        self.thread.join()
        self.write_due(2)
        self.file.close()

    def forget(self):
        self.file.close()


class Server:
    """Accepts one hostlink after another."""

    def __init__(self, recorder, port, address):
        self.recorder, self.peer, self.failed = recorder, None, False
        self.listener = socket.create_server((address, port))
        self.listener.settimeout(FLUSH_S)
        self.port = self.listener.getsockname()[1]
        self.name = f"tcp:{address}:{self.port}"
        self.ends = threading.Event()
        self.thread = threading.Thread(target=self.run, name="kymo", daemon=True)
        self.thread.start()

    def run(self):
        while not self.ends.is_set():
            try:
                peer, _ = self.listener.accept()
            except OSError:
                continue
            self.peer = peer
            with peer:
                try:
                    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    peer.settimeout(FLUSH_S)
                    self.serve(peer)
                except OSError:
                    pass

    def serve(self, peer):
        recorder, rest, told = self.recorder, b"", 0.0
        with recorder.lock:
            hello = recorder.hello()
        self.send(peer, hello)
        while True:
            ends = self.ends.is_set()
            data = recorder.take()
            if time.monotonic() - told >= STATUS_S:
                told = time.monotonic()
                data += recorder.status()
            self.send(peer, data + (recorder.status(2) * 3 if ends else b""))
            if ends:
                peer.shutdown(socket.SHUT_WR)
                return
            try:
                came = peer.recv(4096)
                read = now()
            except socket.timeout:
                continue
            if not came:
                return
            *commands, rest = (rest + came).split(b"\0")
            rest = rest[-64:]
            for command in commands:
                self.obey(peer, unstuff(command), read)

    def obey(self, peer, packet, read):
        kind = packet[0] & 31 if packet else 0
        if kind == PING and len(packet) == 10:
            self.send(peer, self.recorder.pong(packet[2:], read))
        elif kind in (HELLO, GET_NAMES):
            with self.recorder.lock:
                answer = self.recorder.hello() if kind == HELLO else self.recorder.names(0)
            self.send(peer, answer)

    @staticmethod
    def send(peer, data):
        if data:
            peer.settimeout(10)
            peer.sendall(data)
            peer.settimeout(FLUSH_S)

    def close(self):
        self.ends.set()
        self.thread.join()
        self.listener.close()

    def forget(self):
        self.listener.close()
        if self.peer is not None:
            self.peer.close()


# ---- calls for scripts ----

recorder = None
output = None


def start(listen=None, path=None, name=None, address="127.0.0.1"):
    """Starts recording and returns the port; listen=0 picks a free one. Anyone who can connect to the address can read the trace."""
    global recorder, output
    if (listen is None) == (path is None):
        raise ValueError("kymo.start() needs listen=PORT or path=FILE")
    if listen is not None and not (isinstance(listen, int) and 0 <= listen <= 65535):
        raise ValueError(f"kymo.start(): {listen!r} is no port; use listen=1 to 65535, or 0 for a free one")
    if output is not None:
        raise RuntimeError(f"kymo.start(): {output.name} is being recorded already; call kymo.stop() first")
    known = Recorder(name or os.path.basename(sys.argv[0]) or "python")
    output = File(known, path) if path is not None else Server(known, listen, address)
    recorder = None if output.failed else known
    return getattr(output, "port", None)


def stop():
    """Sends the rest, as the program's end does. Returns False if the file could not be written."""
    global recorder, output
    functions(False)
    ended, recorder, output = output, None, None
    if ended is not None:
        ended.close()
    return ended is None or not ended.failed


atexit.register(stop)


def give_up():
    global recorder
    recorder = None


class Fork:
    """The child of a fork does not touch the parent's file or connection."""
    held = None

    @classmethod
    def before(cls):
        cls.held = recorder
        if cls.held is not None:
            cls.held.lock.acquire()

    @classmethod
    def after(cls):
        held, cls.held = cls.held, None
        if held is not None:
            held.lock.release()

    @classmethod
    def in_child(cls):
        global recorder, output
        forgotten, recorder, output = output, None, None
        cls.after()
        if forgotten is not None:
            forgotten.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=Fork.before, after_in_parent=Fork.after, after_in_child=Fork.in_child)


def record(kind, site_kind, name, words=(), level=0):
    if not isinstance(name, str):
        raise TypeError(f"kymo: the name {name!r} is no str")
    known = recorder
    if known is not None:
        with known.lock:
            known.record(kind, 2 * known.site(site_kind, name, level), words, current_task())


class zone(contextlib.ContextDecorator):
    """with kymo.zone("name"): or @kymo.zone("name")"""

    def __init__(self, name):
        self.name = name

    def _recreate_cm(self):
        return zone(self.name)

    def __enter__(self):
        self.of = recorder
        record(ZONE_BEGIN, SITE_ZONE, self.name)
        return self

    def text(self, text):
        if self.of is not None and self.of is recorder:
            self.of.record(ZONE_TEXT, 0, words_of(str(text)), current_task())

    def __exit__(self, *_):
        if self.of is not None and self.of is recorder:
            self.of.record(ZONE_END, 0, (), current_task())


def message(text, level="info", name="message", color=0):
    if level not in LEVELS:
        raise ValueError(f"kymo.message(): no level {level!r}; use one of {', '.join(LEVELS)}")
    record(MESSAGE_TEXT, SITE_MESSAGE, name, (color | 1 << 31,) + words_of(str(text)), LEVELS.index(level))


def signpost(header, text=""):
    """Marks a place that tables and readers can refer to, as hostlink's --from signpost:HEADER does."""
    message(f"signpost: {header}\n{text}", name=header)


def plot(name, value):
    if isinstance(value, int) and -1 << 63 <= value < 1 << 63:
        low, high = pair(value)
        sign = 0xffffffff if low >> 31 else 0
        record(PLOT_INT, SITE_PLOT, name, (low, (high - sign) & 0xffffffff))
        return
    try:
        data = struct.pack("<d", value)
    except (struct.error, OverflowError):
        raise TypeError(f"kymo.plot(): {value!r} is no number that fits a double") from None
    record(PLOT_DOUBLE, SITE_PLOT, name, struct.unpack("<2I", data))


def frame(name="Frame"):
    record(FRAME, SITE_FRAME, name)


def flow(kind, name, number):
    if not isinstance(number, int) or not 0 <= number < 1 << 64:
        raise TypeError(f"kymo: the number of a flow is from 0 to 2**64 - 1, not {number!r}")
    record(kind, SITE_FLOW, name, pair(number))


def flow_send(name, number):
    flow(FLOW_SEND, name, number)


def flow_step(name, number):
    flow(FLOW_STEP, name, number)


def flow_receive(name, number):
    flow(FLOW_RECEIVE, name, number)


# ---- functions ----

class Functions:
    def __init__(self, under):
        self.under = os.path.abspath(under) + os.sep if under else None
        self.wanted, self.open = {}, threading.local()

    def wants(self, code):
        wanted = self.wanted.get(code)
        if wanted is None:
            path = os.path.abspath(code.co_filename)
            wanted = (path != os.path.abspath(__file__) and not code.co_filename.startswith("<")
                      and (self.under is None or path.startswith(self.under)))
            self.wanted[code] = wanted
        return wanted

    def begin(self, code, *_):
        known = recorder
        if known is not None and self.wants(code):
            name = getattr(code, "co_qualname", code.co_name)
            with known.lock:
                place = known.site(SITE_ZONE, name, 0, name, code.co_filename, code.co_firstlineno)
                known.record(ZONE_BEGIN, 2 * place, ())
            self.open.count = getattr(self.open, "count", 0) + 1

    def end(self, code, *_):
        known = recorder
        if known is not None and self.wants(code) and getattr(self.open, "count", 0) > 0:
            self.open.count -= 1
            known.record(ZONE_END, 0, ())

    def profile(self, place, event, _):
        if event == "call":
            self.begin(place.f_code)
        elif event == "return":
            self.end(place.f_code)


def watch_by_monitoring(of):
    """Python 3.12: only wanted events call back."""
    monitoring = sys.monitoring
    events, tool = monitoring.events, monitoring.PROFILER_ID
    if monitoring.get_tool(tool) == "kymo":
        monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)
    if of is None:
        return

    def begin(code, *_):
        if not of.wants(code):
            return monitoring.DISABLE
        return of.begin(code)

    def end(code, *_):
        if not of.wants(code):
            return monitoring.DISABLE
        return of.end(code)

    monitoring.use_tool_id(tool, "kymo")
    for event in (events.PY_START, events.PY_RESUME):
        monitoring.register_callback(tool, event, begin)
    for event in (events.PY_RETURN, events.PY_YIELD):
        monitoring.register_callback(tool, event, end)
    monitoring.register_callback(tool, events.PY_UNWIND, of.end)  # cannot be disabled
    monitoring.register_callback(tool, events.PY_THROW, of.begin)  # likewise
    monitoring.set_events(tool, events.PY_START | events.PY_RESUME | events.PY_RETURN | events.PY_YIELD
                          | events.PY_UNWIND | events.PY_THROW)
    monitoring.restart_events()  # what was not wanted before may be now


def functions(on=True, under=None):
    """From here on each call of a Python function in a file under the folder is a zone; or no longer."""
    of = Functions(under) if on else None
    if hasattr(sys, "monitoring"):
        watch_by_monitoring(of)
        return
    if of is None and not isinstance(getattr(sys.getprofile(), "__self__", None), Functions):
        return
    threading.setprofile(of.profile if of else None)
    sys.setprofile(of.profile if of else None)


def main(arguments):
    """The exit status is the script's; 1 also without a capture, 2 for a usage error."""
    import argparse
    import runpy
    parser = argparse.ArgumentParser(prog="kymo.py", description="Runs a script, each of its functions a zone of kymo's.")
    parser.add_argument("--listen", type=int, metavar="PORT", help="hostlink connects to tcp:127.0.0.1:PORT (5001)")
    parser.add_argument("-o", dest="path", metavar="OUT.kymo", help="a capture file")
    parser.add_argument("--under", metavar="FOLDER", help="only functions of files there; by default of the script's own folder")
    parser.add_argument("script")
    parser.add_argument("argument", nargs=argparse.REMAINDER)
    given = parser.parse_args(arguments)
    if given.path is not None and given.listen is not None:
        parser.error("-o and --listen: choose one")
    if not os.path.exists(given.script):
        parser.error(f"{given.script}: no such script")
    sys.argv = [given.script] + given.argument
    sys.path[0] = os.path.dirname(os.path.abspath(given.script))
    sys.modules["kymo"] = sys.modules[__name__]
    port = 5001 if given.listen is None else given.listen
    try:
        start(listen=port if given.path is None else None, path=given.path)
    except ValueError as error:
        parser.error(str(error))
    except OSError as error:
        parser.exit(1, f"kymo.py: {given.path or f'port {port}'}: {error.strerror}; choose another with {'-o' if given.path else '--listen'}\n")
    functions(under=given.under or os.path.dirname(os.path.abspath(given.script)))
    try:
        runpy.run_path(given.script, run_name="__main__")
    finally:
        written = stop()
    return 0 if written else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
