// SPDX-License-Identifier: MIT
// Offers a USB device to a peer such as QEMU's usb-redir, as the "usb-host" of the "USB Network Redirection
// protocol", version 0.7. Numbers: that document and its usbredirproto.h.
import { STATUS } from './usb_host.mjs';

const TYPE = {
    hello: 0,
    deviceConnect: 1,
    deviceDisconnect: 2,
    reset: 3,
    interfaceInfo: 4,
    endpointInfo: 5,
    setConfiguration: 6,
    getConfiguration: 7,
    configurationStatus: 8,
    setAlternate: 9,
    getAlternate: 10,
    alternateStatus: 11,
    startInterrupt: 15,
    stopInterrupt: 16,
    interruptStatus: 17,
    cancel: 21,
    control: 100,
    bulk: 101,
    interrupt: 103,
};
// Capabilities: connect_device_version, ep_info_max_packet_size, 64bits_ids, 32bits_bulk_length. QEMU has them
// all; without them headers have other lengths.
const CAPABILITIES = (1 << 1) | (1 << 4) | (1 << 5) | (1 << 6);
const HELLO_BYTES = 68;
const FULL_SPEED = 1;
const INVALID_TYPE = 255;
const INTERRUPT = 3;

// "Universal Serial Bus Specification", revision 2.0: tables 9-4, 9-5.
const GET_DESCRIPTOR = 6;
const DEVICE = 1;
const CONFIGURATION = 2;
const INTERFACE = 4;
const ENDPOINT = 5;

const request = (type, number, value, index, length) => {
    const setup = new DataView(new ArrayBuffer(8));
    setup.setUint8(0, type);
    setup.setUint8(1, number);
    setup.setUint16(2, value, true);
    setup.setUint16(4, index, true);
    setup.setUint16(6, length, true);
    return new Uint8Array(setup.buffer);
};

const endpointIndex = (address) => ((address & 0x80) >> 3) | (address & 0x0f);

// The interfaces and endpoints of a configuration's descriptors.
function parse(configuration) {
    const interfaces = [];
    const endpoints = [];
    for (let at = 0; at + 2 <= configuration.length && configuration[at] >= 2; at += configuration[at]) {
        const part = configuration.subarray(at, at + configuration[at]);
        if (part[1] === INTERFACE) interfaces.push({ number: part[2], kind: part.subarray(5, 8) });
        if (part[1] === ENDPOINT) {
            endpoints.push({
                address: part[2], type: part[3] & 3, bytes: part[4] | (part[5] << 8), interval: part[6],
                owner: interfaces[interfaces.length - 1].number,
            });
        }
    }
    return { interfaces, endpoints };
}

export class UsbRedirection {
    // receive() wants to be called from time to time.
    constructor(host, socket, log) {
        Object.assign(this, { host, socket, log, arrived: [], pending: Buffer.alloc(0), connected: false, helloSeen: false, alternate: {} });
        socket.on('data', (bytes) => this.arrived.push(bytes));
        const hello = Buffer.alloc(HELLO_BYTES);
        hello.write('kymo');
        hello.writeUInt32LE(CAPABILITIES, 64);
        this.write(TYPE.hello, 0, hello);
    }

    // ---- packets: type, length, id; 64 bits of it after the greeting ----

    write(type, id, ...parts) {
        const body = Buffer.concat(parts);
        const header = Buffer.alloc(type === TYPE.hello ? 12 : 16);
        header.writeUInt32LE(type, 0);
        header.writeUInt32LE(body.length, 4);
        if (type !== TYPE.hello) header.writeBigUInt64LE(BigInt(id), 8);
        this.socket.write(Buffer.concat([header, body]));
    }

    receive() {
        this.pending = Buffer.concat([this.pending, ...this.arrived.splice(0)]);
        for (;;) {
            const headerBytes = this.helloSeen ? 16 : 12;
            if (this.pending.length < headerBytes) return;
            const length = this.pending.readUInt32LE(4);
            if (this.pending.length < headerBytes + length) return;
            const id = this.helloSeen ? this.pending.readBigUInt64LE(8) : 0n;
            const body = this.pending.subarray(headerBytes, headerBytes + length);
            const type = this.pending.readUInt32LE(0);
            this.pending = this.pending.subarray(headerBytes + length);
            this.handle(type, id, body);
        }
    }

    handle(type, id, body) {
        switch (type) {
        case TYPE.hello: return this.greet(body);
        case TYPE.reset: return this.reset();
        case TYPE.control: return this.control(id, body);
        case TYPE.bulk: return this.bulk(id, body);
        case TYPE.setConfiguration: return this.setConfiguration(id, body[0]);
        case TYPE.getConfiguration: return this.configurationStatus(id, STATUS.success);
        case TYPE.setAlternate: return this.setAlternate(id, body[0], body[1]);
        case TYPE.getAlternate: return this.alternateStatus(id, STATUS.success, body[0]);
        case TYPE.startInterrupt: return this.startInterrupt(id, body[0]);
        case TYPE.stopInterrupt: return this.stopInterrupt(id, body[0]);
        case TYPE.cancel: return this.host.cancel((other) => other === id);
        default: return this.log(`usbredir: packet of type ${type} is not known`);
        }
    }

    greet(body) {
        const capabilities = body.length >= HELLO_BYTES ? body.readUInt32LE(64) : 0;
        if ((capabilities & CAPABILITIES) !== CAPABILITIES) throw new Error('usbredir: the peer is too old');
        this.helloSeen = true;
        this.look();
    }

    // ---- the device comes and goes ----

    // To be called when the pull-up may have changed.
    look() {
        const attached = this.helloSeen && this.host.device.attached();
        if (attached && !this.connected) this.connect();
        if (!attached && this.connected) this.disconnect();
    }

    disconnect() {
        this.connected = false;
        this.host.cancel(() => true);
        this.log('detached');
        this.write(TYPE.deviceDisconnect, 0);
    }

    // Reads the device's descriptors, as the peer wants to know them first.
    connect() {
        this.connected = true;
        this.configuration = 0;
        this.reset();
        this.ask(DEVICE, 18, (device) => {
            this.device = device;
            this.ask(CONFIGURATION, 9, (head) => {
                this.ask(CONFIGURATION, head[2] | (head[3] << 8), (all) => this.announce(parse(all)));
            });
        });
    }

    // The peer keeps SET_ADDRESS to itself.
    reset() {
        this.host.reset();
        this.host.control(null, request(0x00, 5, 1, 0, 0), null, (status) => this.expect(status, 'SET_ADDRESS'));
    }

    expect(status, what) {
        if (status !== STATUS.success && status !== STATUS.cancelled) throw new Error(`USB host: ${what} failed`);
        return status === STATUS.success;
    }

    ask(descriptor, length, then) {
        this.host.control(null, request(0x80, GET_DESCRIPTOR, descriptor << 8, 0, length), null, (status, bytes) => {
            if (!this.expect(status, `descriptor ${descriptor}`)) return;
            if (bytes.length !== length) throw new Error(`USB host: descriptor ${descriptor} has ${bytes.length} of ${length} bytes`);
            then(bytes);
        });
    }

    announce({ interfaces, endpoints }) {
        Object.assign(this, { interfaces, endpoints });
        this.host.sizes = Object.fromEntries(endpoints.map(({ address, bytes }) => [address, bytes]));
        this.writeLayout();
        const d = this.device;
        this.log(`attached: ${interfaces.length} interfaces, ${endpoints.length} endpoints`);
        this.write(TYPE.deviceConnect, 0, Buffer.from([FULL_SPEED, d[4], d[5], d[6], d[8], d[9], d[10], d[11], d[12], d[13]]));
    }

    writeLayout() {
        const endpoints = Buffer.alloc(32 * 3 + 32 * 2);
        endpoints.fill(INVALID_TYPE, 0, 32);
        endpoints[0] = endpoints[16] = 0; // endpoint 0 is a control endpoint
        for (const { address, type, interval, owner, bytes } of this.endpoints) {
            const index = endpointIndex(address);
            [endpoints[index], endpoints[32 + index], endpoints[64 + index]] = [type, interval, owner];
            endpoints.writeUInt16LE(bytes, 96 + 2 * index);
        }
        const interfaces = Buffer.alloc(4 + 32 * 4);
        interfaces.writeUInt32LE(this.interfaces.length, 0);
        this.interfaces.forEach(({ number, kind }, index) => {
            [number, ...kind].forEach((byte, field) => (interfaces[4 + 32 * field + index] = byte));
        });
        this.write(TYPE.endpointInfo, 0, endpoints);
        this.write(TYPE.interfaceInfo, 0, interfaces);
    }

    // ---- requests of the peer ----

    control(id, body) {
        const head = Buffer.from(body.subarray(0, 10)); // endpoint, request, type, status, value, index, length
        const length = head.readUInt16LE(8);
        const setup = request(head[2], head[1], head.readUInt16LE(4), head.readUInt16LE(6), length);
        const data = Uint8Array.from(body.subarray(10));
        this.host.control(id, setup, data, (status, bytes) => {
            head[3] = status;
            const toHost = (head[2] & 0x80) !== 0;
            head.writeUInt16LE(status !== STATUS.success ? 0 : toHost ? bytes.length : length, 8);
            this.write(TYPE.control, id, head, toHost && status === STATUS.success ? bytes : Buffer.alloc(0));
        });
    }

    bulk(id, body) {
        const head = Buffer.from(body.subarray(0, 10)); // endpoint, status, length, stream, length's high half
        const length = head.readUInt16LE(2) | (head.readUInt16LE(8) << 16);
        const reply = (status, count, bytes) => {
            head[1] = status;
            head.writeUInt16LE(count & 0xffff, 2);
            head.writeUInt16LE(count >>> 16, 8);
            this.write(TYPE.bulk, id, head, bytes);
        };
        if (!this.connected || !(head[0] in this.host.sizes)) reply(STATUS.invalid, 0, Buffer.alloc(0));
        else if (head[0] & 0x80) this.host.read(id, head[0], length, (status, bytes) => reply(status, bytes.length, bytes));
        else this.host.write(id, head[0], Uint8Array.from(body.subarray(10)), (status, sent) => reply(status, sent, Buffer.alloc(0)));
    }

    setConfiguration(id, value) {
        this.host.control(id, request(0x00, 9, value, 0, 0), null, (status) => {
            if (status === STATUS.success) this.configuration = value;
            this.writeLayout();
            this.configurationStatus(id, status);
        });
    }

    configurationStatus(id, status) {
        this.write(TYPE.configurationStatus, id, Buffer.from([status, this.configuration]));
    }

    setAlternate(id, number, value) {
        this.host.control(id, request(0x01, 11, value, number, 0), null, (status) => {
            if (status === STATUS.success) this.alternate[number] = value;
            this.writeLayout();
            this.alternateStatus(id, status, number);
        });
    }

    alternateStatus(id, status, number) {
        this.write(TYPE.alternateStatus, id, Buffer.from([status, number, this.alternate[number] ?? 0]));
    }

    // The peer does not ask for each packet of an interrupt endpoint; it counts them instead.
    startInterrupt(id, endpoint) {
        let packets = 0n;
        const poll = () => this.host.read(`interrupt ${endpoint}`, endpoint, this.host.packetBytes(endpoint), (status, bytes) => {
            if (status !== STATUS.success) return;
            const head = Buffer.from([endpoint, status, bytes.length & 0xff, bytes.length >>> 8]);
            this.write(TYPE.interrupt, packets++, head, bytes);
            poll();
        });
        const known = this.endpoints.some(({ address, type }) => address === endpoint && type === INTERRUPT);
        if (known) poll();
        this.write(TYPE.interruptStatus, id, Buffer.from([known ? STATUS.success : STATUS.invalid, endpoint]));
    }

    stopInterrupt(id, endpoint) {
        this.host.cancel((other) => other === `interrupt ${endpoint}`);
        this.write(TYPE.interruptStatus, id, Buffer.from([STATUS.success, endpoint]));
    }
}
