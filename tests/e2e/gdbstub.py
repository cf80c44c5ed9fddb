"""A debugger for QEMU's gdb stub: breakpoint, continue, memory, QEMU's monitor. The protocol is in gdb's manual,
"Remote Protocol"."""
import socket


class Stub:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.input = b""

    def _byte(self):
        if not self.input:
            self.input = self.socket.recv(65536)
            if not self.input:
                raise EOFError("the emulator has ended")
        byte, self.input = self.input[:1], self.input[1:]
        return byte

    def receive(self):
        while self._byte() != b"$":
            pass
        packet = b""
        while not packet.endswith(b"#"):
            packet += self._byte()
        self._byte(), self._byte()  # the checksum: a socket makes no errors
        self.socket.sendall(b"+")
        return packet[:-1].decode()

    def send(self, text):
        self.socket.sendall(b"$%s#%02x" % (text.encode(), sum(text.encode()) % 256))

    def ask(self, text):
        self.send(text)
        answer = self.receive()
        if answer.startswith("E"):
            raise ValueError(f"the stub answers {answer} to {text}")
        return answer

    def run_to(self, address):
        self.ask(f"Z0,{address:x},2")
        self.send("c")
        self.receive()  # it has stopped
        self.ask(f"z0,{address:x},2")

    def store(self, address, value):
        self.ask(f"M{address:x},4:{value.to_bytes(4, 'little').hex()}")

    def monitor(self, command):
        """What the monitor prints comes first, in hexadecimal behind an O."""
        self.send("qRcmd," + command.encode().hex())
        printed = ""
        while (answer := self.receive()) != "OK":
            printed += bytes.fromhex(answer[1:]).decode()
        return printed

    def go(self):
        self.send("c")
