// SPDX-License-Identifier: MIT
// bridge.mjs PROGRAM SOCKET CONTROL: a USB device that is a program on pipes (pipe.h), offered by the usbredir
// protocol on the unix socket SOCKET. Lines on the unix socket CONTROL pull its cable out and put it in again:
// "unplug" and "plug". A bus without a request for a while is suspended.
//
// Ends when its peer does: with 0 if the program has ended, or then ends, as it should.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsbHost } from '../../boards/common/usb_host.mjs';
import { UsbRedirection } from '../../boards/common/usbredir.mjs';

const HEADER_BYTES = 6;
const ENDS = [0, 3]; // the program's status when it has done its work, and when its input ends
const POLL_MS = 1;
const IDLE_MS = 300;

class Device {
    constructor(program) {
        const folder = mkdtempSync(join(tmpdir(), 'kymo.'));
        const [input, output] = [join(folder, 'in'), join(folder, 'out')];
        execFileSync('mkfifo', [input, output]);
        this.process = spawn('sh', ['-c', 'exec "$0" <"$1" >"$2"', program, input, output], { stdio: ['ignore', 'ignore', 'inherit'] });
        this.exit = new Promise((done) => this.process.on('exit', (code, signal) => done(code ?? signal)));
        this.input = openSync(input, 'w');
        this.output = openSync(output, 'r');
        this.cable = true;
        this.asleep = false;
        this.ended = false;
        rmSync(folder, { recursive: true });
    }

    read(length) {
        const bytes = Buffer.alloc(length);
        for (let at = 0; at < length;) {
            const count = readSync(this.output, bytes, at, length - at);
            if (count === 0) throw new Error('the device has ended');
            at += count;
        }
        return bytes;
    }

    // A program that has ended does not answer any more.
    ask(kind, address = 0, endpoint = 0, toggle = 0, bytes = []) {
        try {
            writeSync(this.input, Buffer.from([kind.charCodeAt(0), address, endpoint, toggle, bytes.length, 0, ...bytes]));
            const head = this.read(HEADER_BYTES);
            return { kind: String.fromCharCode(head[0]), toggle: head[3], bytes: this.read(head.readUInt16LE(4)) };
        } catch {
            this.ended = true;
            return { kind: 'X' };
        }
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
        return this.cable && !this.ended && this.ask('P').kind === 'A';
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
        this.host = new UsbHost(device, () => performance.now(), () => {});
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

    async end() {
        clearInterval(this.timer);
        closeSync(this.device.input);
        const status = await this.device.exit;
        if (!ENDS.includes(status)) console.error(`the device ended with ${status}`);
        process.exit(ENDS.includes(status) && !this.failed ? 0 : 1);
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
