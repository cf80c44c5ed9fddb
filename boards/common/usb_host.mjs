// SPDX-License-Identifier: MIT
// A full-speed USB host, transaction by transaction ("Universal Serial Bus Specification", revision 2.0, chapter
// 8), for devices that are emulated. It asks for data only when a client waits for it, and ends with an error
// when the device does something that a real host rejects: wrong data toggles, packets that are too long, a
// status stage with data, no answer under its address.
//
// The device has the methods
//   attached()                                  whether its pull-up is on
//   reset()                                     bus reset
//   setup(address, bytes)                       { kind }
//   in(address, endpoint)                       { kind, toggle, bytes }
//   out(address, endpoint, toggle, bytes)       { kind }
// where "kind" is 'A' for ACK, 'D' for data, 'N' for NAK, 'T' for STALL, 'X' for no answer.

export const CONTROL_BYTES = 64;

// Status codes of the usbredir protocol, which has them for every request.
export const STATUS = { success: 0, cancelled: 1, invalid: 2, ioError: 3, stall: 4 };

const SET_ADDRESS = 5; // table 9-4
const CLEAR_FEATURE = 1;
const SET_CONFIGURATION = 9;
const TO_DEVICE = 0x00; // table 9-2
const TO_ENDPOINT = 0x02;
const TRIES = 3; // of a transaction that has no answer (8.7.2)
const AFTER_RESET_MS = 20; // reset and recovery (7.1.7.5)
const AFTER_ADDRESS_MS = 2; // 9.2.6.3

const hex = (number) => number.toString(16).padStart(2, '0');

// One control transfer (8.5.3). "data" is what goes to the device.
class Control {
    constructor(setup, data, done) {
        Object.assign(this, { setup, data, done, stage: 'setup', received: [], sent: 0, toggle: 1 });
        this.toHost = (setup[0] & 0x80) !== 0;
        this.length = setup[6] | (setup[7] << 8);
    }

    // One transaction. Returns its kind; 'end' when the transfer is over.
    step(host) {
        if (this.stage === 'setup') return this.begin(host);
        if (this.stage === 'data') return this.toHost ? this.read(host) : this.write(host);
        return this.status(host);
    }

    begin(host) {
        const kind = host.answer(host.device.setup(host.address, this.setup), 'SETUP').kind;
        if (kind === 'N') return kind;
        if (kind !== 'A') host.fail(`SETUP was answered by ${kind}`);
        this.stage = this.length > 0 ? 'data' : 'status';
        return kind;
    }

    read(host) {
        const { kind, bytes } = host.takeData(0x80, this.toggle, CONTROL_BYTES);
        if (kind === 'D') {
            this.toggle ^= 1;
            this.received.push(...bytes);
            if (this.received.length > this.length) host.fail(`${this.received.length} bytes where ${this.length} were asked for`);
            if (bytes.length < CONTROL_BYTES || this.received.length === this.length) this.stage = 'status';
        }
        return kind;
    }

    write(host) {
        const packet = this.data.subarray(this.sent, this.sent + CONTROL_BYTES);
        const { kind } = host.giveData(0x00, this.toggle, packet);
        if (kind === 'A') {
            this.toggle ^= 1;
            this.sent += packet.length;
            if (this.sent === this.length) this.stage = 'status';
        }
        return kind;
    }

    // Empty, DATA1, against the direction of the data.
    status(host) {
        if (this.toHost && this.length > 0) {
            const { kind } = host.giveData(0x00, 1, new Uint8Array(0));
            return kind === 'A' ? 'end' : kind;
        }
        const { kind, bytes } = host.takeData(0x80, 1, CONTROL_BYTES);
        if (kind === 'D' && bytes.length > 0) host.fail('a status stage with data');
        return kind === 'D' ? 'end' : kind;
    }

    finish(status) {
        this.done(status, Uint8Array.from(this.received));
    }
}

// A request for data: ends when as much has come, or with a packet that is not full.
class Read {
    constructor(endpoint, length, done) {
        Object.assign(this, { endpoint, length, done, received: [] });
    }

    step(host) {
        const { kind, bytes } = host.takeData(this.endpoint, host.toggles[this.endpoint] ?? 0, host.packetBytes(this.endpoint));
        if (kind !== 'D') return kind;
        host.flip(this.endpoint);
        this.received.push(...bytes);
        return bytes.length < host.packetBytes(this.endpoint) || this.received.length >= this.length ? 'end' : kind;
    }

    finish(status) {
        this.done(status, Uint8Array.from(this.received));
    }
}

class Write {
    constructor(endpoint, data, done) {
        Object.assign(this, { endpoint, data, done, sent: 0 });
    }

    step(host) {
        const packet = this.data.subarray(this.sent, this.sent + host.packetBytes(this.endpoint));
        const { kind } = host.giveData(this.endpoint, host.toggles[this.endpoint] ?? 0, packet);
        if (kind !== 'A') return kind;
        host.flip(this.endpoint);
        this.sent += packet.length;
        return this.sent >= this.data.length ? 'end' : kind;
    }

    finish(status) {
        this.done(status, this.sent);
    }
}

export class UsbHost {
    // "wake" is called when there is something to do: step() then wants to be called. "now" tells milliseconds.
    constructor(device, now, wake) {
        Object.assign(this, { device, now, wake, queues: new Map(), sizes: {}, quietUntil: 0 });
        this.forget();
    }

    forget() {
        this.address = 0;
        this.toggles = {};
    }

    fail(what) {
        throw new Error(`USB host: ${what}`);
    }

    // ---- requests; "done" gets a status and the bytes, or their number ----

    control(id, setup, data, done) {
        this.add(0, id, new Control(setup, data, (status, bytes) => {
            if (status === STATUS.success) this.follow(setup);
            done(status, bytes);
        }));
    }

    read(id, endpoint, length, done) {
        this.add(endpoint, id, new Read(endpoint, length, done));
    }

    write(id, endpoint, data, done) {
        this.add(endpoint, id, new Write(endpoint, data, done));
    }

    add(endpoint, id, request) {
        if (!this.queues.has(endpoint)) this.queues.set(endpoint, []);
        this.queues.get(endpoint).push({ id, request });
        this.wake();
    }

    cancel(matches) {
        for (const queue of this.queues.values()) {
            for (const entry of queue.filter(({ id }) => matches(id))) {
                queue.splice(queue.indexOf(entry), 1);
                entry.request.finish(STATUS.cancelled);
            }
        }
    }

    reset() {
        this.cancel(() => true);
        this.forget();
        this.device.reset();
        this.pause(AFTER_RESET_MS);
    }

    pause(ms) {
        this.quietUntil = this.now() + ms;
    }

    // How long the bus must be quiet yet.
    pausesMs() {
        return Math.max(0, this.quietUntil - this.now());
    }

    // Applies a request's effect on the host's side; "requested" is a hook for other code.
    follow(setup) {
        this.requested?.(setup);
        const [type, request, value] = [setup[0], setup[1], setup[2] | (setup[3] << 8)];
        if (type === TO_DEVICE && request === SET_ADDRESS) {
            this.address = value;
            this.pause(AFTER_ADDRESS_MS);
        }
        if (type === TO_DEVICE && request === SET_CONFIGURATION) this.toggles = {}; // 9.1.1.5
        if (type === TO_ENDPOINT && request === CLEAR_FEATURE) this.toggles[setup[4]] = 0; // 9.4.5
    }

    // ---- transactions ----

    packetBytes(endpoint) {
        return this.sizes[endpoint] ?? this.fail(`there is no endpoint ${hex(endpoint)}`);
    }

    flip(endpoint) {
        this.toggles[endpoint] = (this.toggles[endpoint] ?? 0) ^ 1;
    }

    // A device that has left the bus is for others to see.
    answer(answer, what) {
        if (answer.kind === 'X' && !this.device.attached()) return { kind: 'N' };
        this.silent = answer.kind === 'X' ? (this.silent ?? 0) + 1 : 0;
        if (this.silent === TRIES) this.fail(`no answer to ${what} at address ${this.address}`);
        return answer;
    }

    takeData(endpoint, toggle, most) {
        const answer = this.answer(this.device.in(this.address, endpoint), `IN of endpoint ${hex(endpoint)}`);
        if (answer.kind === 'D') {
            if (answer.toggle !== toggle) this.fail(`endpoint ${hex(endpoint)} sends DATA${answer.toggle}, DATA${toggle} is due`);
            if (answer.bytes.length > most) this.fail(`endpoint ${hex(endpoint)} sends ${answer.bytes.length} bytes in a packet`);
        }
        return answer;
    }

    giveData(endpoint, toggle, bytes) {
        return this.answer(this.device.out(this.address, endpoint, toggle, bytes), `OUT of endpoint ${hex(endpoint)}`);
    }

    // Whether anybody wants anything of the device, or of one endpoint.
    busy(endpoint) {
        const queues = endpoint === undefined ? [...this.queues.values()] : [this.queues.get(endpoint) ?? []];
        return queues.some((queue) => queue.length > 0);
    }

    // Tries one transaction of each endpoint for which there is a request. Returns how many moved something;
    // the others got NAK.
    step() {
        let moved = 0;
        for (const queue of [...this.queues.values()]) {
            if (queue.length === 0 || this.pausesMs() > 0) continue;
            const { request } = queue[0];
            const kind = request.step(this);
            if (kind === 'A' || kind === 'D' || kind === 'end' || kind === 'T') moved++;
            if (kind === 'end' || kind === 'T') {
                queue.splice(0, 1);
                request.finish(kind === 'end' ? STATUS.success : STATUS.stall);
            }
        }
        return moved;
    }
}
