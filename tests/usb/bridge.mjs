// bridge.mjs PROGRAM SOCKET CONTROL: a USB device that is a program on pipes (pipe.h), offered by the usbredir
// protocol on the unix socket SOCKET. Lines on the unix socket CONTROL pull its cable out and put it in again:
// "unplug" and "plug". A bus on which nobody has asked for anything for a while is suspended.
//
// Ends when its peer does: with 0 if the program then ends as it should.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsbHost } from '../../boards/common/usb_host.mjs';
import { UsbRedirection } from '../../boards/common/usbredir.mjs';

const HEADER_BYTES = 6;
const NOBODY = 3; // the program's status when its input ends
const POLL_MS = 1;
const IDLE_MS = 300;

class Device {
    constructor(program) {
        const folder = mkdtempSync(join(tmpdir(), 'kymo.'));
        const [input, output] = [join(folder, 'in'), join(folder, 'out')];
        execFileSync('mkfifo', [input, output]);
        this.process = spawn('sh', ['-c', 'exec "$0" <"$1" >"$2"', program, input, output], { stdio: ['ignore', 'ignore', 'inherit'] });
        this.input = openSync(input, 'w');
        this.output = openSync(output, 'r');
        this.cable = true;
        this.asleep = false;
        rmSync(folder, { recursive: true });
    }

    readAll(length) {
        const bytes = Buffer.alloc(length);
        for (let at = 0; at < length;) {
            const count = readSync(this.output, bytes, at, length - at);
            if (count === 0) throw new Error('the device has ended');
            at += count;
        }
        return bytes;
    }

    ask(kind, address = 0, endpoint = 0, toggle = 0, bytes = []) {
        writeSync(this.input, Buffer.from([kind.charCodeAt(0), address, endpoint, toggle, bytes.length, 0, ...bytes]));
        const head = this.readAll(HEADER_BYTES);
        return { kind: String.fromCharCode(head[0]), toggle: head[3], bytes: this.readAll(head.readUInt16LE(4)) };
    }

    suspend(on) {
        if (this.asleep !== on) this.ask(on ? 'Z' : 'W');
        this.asleep = on;
    }

    plug(on) {
        if (!on) this.ask('U');
        this.cable = on;
        this.asleep = false;
    }

    // ---- as class UsbHost wants it ----

    attached() {
        return this.cable && this.ask('P').kind === 'A';
    }

    reset() {
        this.asleep = false;
        this.ask('R');
    }

    setup(address, bytes) {
        return this.ask('S', address, 0, 0, bytes);
    }

    in(address, endpoint) {
        return this.ask('I', address, endpoint);
    }

    out(address, endpoint, toggle, bytes) {
        return this.ask('O', address, endpoint, toggle, bytes);
    }
}

class Bridge {
    constructor(device, socket) {
        Object.assign(this, { device, socket, moved: performance.now() });
        this.host = new UsbHost(device, () => {});
        this.redirection = new UsbRedirection(this.host, socket, (line) => console.error(`usb: ${line}`));
        this.timer = setInterval(() => this.poll(), POLL_MS);
        socket.on('close', () => this.end());
        socket.on('error', () => {});
    }

    poll() {
        try {
            this.redirection.receive();
            this.redirection.look();
            if (this.redirection.connected) this.transact();
        } catch (error) {
            console.error(error.message);
            this.failed = true;
            this.socket.destroy();
        }
    }

    transact() {
        if (this.host.busy()) {
            this.device.suspend(false);
            this.moved = performance.now();
            while (this.host.step() > 0) {}
        } else if (performance.now() - this.moved > IDLE_MS) {
            this.device.suspend(true);
        }
    }

    end() {
        clearInterval(this.timer);
        closeSync(this.device.input);
        this.device.process.on('exit', (code, signal) => {
            if (code !== NOBODY) console.error(`the device ended with ${code ?? signal}`);
            process.exit(code === NOBODY && !this.failed ? 0 : 1);
        });
    }
}

function serve(path, use) {
    const server = createServer((socket) => {
        server.close();
        use(socket);
    });
    server.listen(path);
}

const [program, socket, control] = process.argv.slice(2);
const device = new Device(program);
let pending = '';
serve(socket, (peer) => new Bridge(device, peer));
serve(control, (peer) => {
    peer.on('error', () => {});
    peer.on('data', (bytes) => {
        const lines = (pending + bytes).split('\n');
        pending = lines.pop();
        lines.filter((line) => line === 'plug' || line === 'unplug').forEach((line) => device.plug(line === 'plug'));
    });
});
