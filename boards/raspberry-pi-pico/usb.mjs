// SPDX-License-Identifier: MIT
// The USB plug of the emulated chip: its controller, as strict as the chip's, driven by a host of our own and
// the usbredir protocol on a socket.
//
// rp2040js models the registers, but gives packets away at once, whatever their toggle, and knows no NAK and
// no STALL. So its look at the buffers is replaced here. Section numbers are of the "RP2040 Datasheet".
import { UsbHost } from '../common/usb_host.mjs';
import { UsbRedirection } from '../common/usbredir.mjs';

const BLOCKS = (1 << 13) | (1 << 24); // bits of RESETS: PLL_USB, USBCTRL

// 4.1.4
const USB_MUXING = 0x74;
const MUXING_TO_PHY = 1 << 0;
const MUXING_SOFTCON = 1 << 3;
const CONTROLLER_EN = 1 << 0;
const PULLUP_EN = 1 << 16;
const VBUS = (1 << 2) | (1 << 3);
const BUS_RESET = 1 << 19;
const SETUP_REC = 1 << 17;
// 4.1.2.5.3
const BUFFER_CONTROL = 0x80;
const BUFFER_CONTROL_END = 0x100;
const FULL = 1 << 15;
const DATA1 = 1 << 13;
const STALL = 1 << 11;
const AVAILABLE = 1 << 10;
const LENGTH = 0x3ff;
// 4.1.2.5.2
const ENABLE = 1 << 31;

// Frames (USB 2.0, 8.4.3), and the frame at which RP2040-E15 would stop the controller; the time that a
// late interrupt may add to the 800 us of the work-around is allowed.
const SOF_RD = 0x48;
const DEV_SOF = 1 << 17;
const FRAME_NS = 1e6;
const LATE_NS = 9e5;
const BULK = 2;

// The function's endpoints (ports/usb/usb_descriptors.h), and its request that opens and closes the port ("USB CDC
// Subclass Specification for PSTN Devices", 6.3.12).
const BULK_OUT = 0x01;
const BULK_IN = 0x81;
const SET_CONTROL_LINE_STATE = 0x22;

// A packet of 64 bytes with token and handshake on a full-speed bus (USB 2.0, table 5-9: 19 in a frame).
const TRANSACTION_NS = 1e6 / 19;

const hex = (number) => number.toString(16).padStart(2, '0');
const isIn = (endpoint) => (endpoint & 0x80) !== 0;
const wordOf = (endpoint) => 8 * (endpoint & 15) + (isIn(endpoint) ? 0 : 4);

function fail(what) {
    throw new Error(`USB controller: ${what}`);
}

// The chip's side, as class UsbHost wants it.
class Device {
    constructor(chip, changed) {
        Object.assign(this, { chip, controller: chip.usbCtrl, memory: chip.usbDPRAMView, changed, words: new Map(), muxing: 0, frame: 0 });
        this.controller.DPRAMUpdated = (offset, value) => this.written(offset, value >>> 0);
        const write = this.controller.writeUint32.bind(this.controller);
        this.controller.writeUint32 = (offset, value) => {
            if (offset === USB_MUXING) this.muxing = value;
            write(offset, value);
            changed();
        };
        const read = this.controller.readUint32.bind(this.controller);
        this.controller.readUint32 = (offset) => {
            if (offset === SOF_RD) {
                this.controller.intRaw &= ~DEV_SOF;
                this.controller.checkInterrupts();
            }
            return read(offset);
        };
    }

    // 4.1.2.5.1, 4.1.2.5.3: AVAILABLE and STALL are set when the rest of the word is there.
    written(offset, value) {
        if (offset < BUFFER_CONTROL || offset >= BUFFER_CONTROL_END) return;
        const before = this.words.get(offset) ?? 0;
        this.words.set(offset, value);
        if ((value & AVAILABLE) !== 0 && ((value ^ before) & ~AVAILABLE) !== 0) {
            fail(`buffer control ${hex(offset)}: ${hex(before)} became ${hex(value)} together with AVAILABLE`);
        }
        if ((value & STALL) !== 0 && offset < BUFFER_CONTROL + 8 && !this.armed(offset === BUFFER_CONTROL)) {
            fail('STALL of endpoint 0 without EP_STALL_ARM');
        }
        if ((value & AVAILABLE) !== 0 && offset % 8 === 0) this.checkLate(offset - BUFFER_CONTROL);
        this.changed();
    }

    // Erratum RP2040-E15, for bulk IN endpoints.
    checkLate(endpointWord) {
        const bulk = endpointWord > 0 && ((this.memory.getUint32(endpointWord, true) >> 26) & 3) === BULK;
        const since = this.chip.clock.nanos - this.frame;
        if (bulk && since > LATE_NS) fail(`a bulk packet is made available ${(since / 1e3).toFixed(0)} us after the frame's begin`);
    }

    // Each millisecond.
    beginFrame() {
        this.frame = this.chip.clock.nanos;
        this.controller.intRaw |= DEV_SOF;
        this.controller.checkInterrupts();
    }

    // Whether endpoint 0 would send a STALL; a SETUP packet has taken that away.
    armed(isIn) {
        return (this.controller.epStallArm & (isIn ? 1 : 2)) !== 0;
    }

    bulkInReady() {
        return (this.memory.getUint32(BUFFER_CONTROL + wordOf(BULK_IN), true) & AVAILABLE) !== 0;
    }

    attached() {
        const { mainCtrl, sieCtrl, usbPwr } = this.controller;
        return (mainCtrl & CONTROLLER_EN) !== 0 && (sieCtrl & PULLUP_EN) !== 0 && (usbPwr & VBUS) === VBUS &&
            this.muxing === (MUXING_TO_PHY | MUXING_SOFTCON);
    }

    raise(bit) {
        this.controller.sieStatus |= bit;
        this.controller.sieStatusUpdated();
    }

    reset() {
        this.raise(BUS_RESET);
    }

    hears(address) {
        return this.attached() && (this.controller.addrEndp & 0x7f) === address;
    }

    setup(address, bytes) {
        if (!this.hears(address)) return { kind: 'X' };
        this.chip.usbDPRAM.set(bytes);
        this.controller.epStallArm = 0;
        this.raise(SETUP_REC);
        return { kind: 'A' };
    }

    // The endpoint's buffer control word, or the controller's answer without a look at the buffer.
    look(address, endpoint) {
        if (!this.hears(address)) return { kind: 'X' };
        const number = endpoint & 15;
        const control = number === 0 ? ENABLE | 0x100 : this.memory.getUint32(wordOf(endpoint), true);
        if ((control & ENABLE) === 0) return { kind: 'X' };
        const word = this.memory.getUint32(BUFFER_CONTROL + wordOf(endpoint), true);
        if ((word & STALL) !== 0 && (number !== 0 || this.armed(isIn(endpoint)))) return { kind: 'T' };
        if ((word & AVAILABLE) === 0 || (this.controller.buffStatus & this.bit(endpoint)) !== 0) return { kind: 'N' };
        return { word, at: control & 0xffc0 };
    }

    bit(endpoint) {
        return 1 << (2 * (endpoint & 15) + (isIn(endpoint) ? 0 : 1));
    }

    // Gives the buffer back to the processor.
    done(endpoint, word) {
        const offset = BUFFER_CONTROL + wordOf(endpoint);
        this.memory.setUint32(offset, word >>> 0, true);
        this.words.set(offset, word >>> 0);
        this.controller.indicateBufferReady(endpoint & 15, !isIn(endpoint));
    }

    in(address, endpoint) {
        const { kind, word, at } = this.look(address, endpoint);
        if (kind) return { kind };
        if ((word & FULL) === 0) fail(`IN of endpoint ${hex(endpoint)}: its buffer is AVAILABLE but not FULL`);
        const bytes = this.chip.usbDPRAM.slice(at, at + (word & LENGTH));
        this.done(endpoint, word & ~(AVAILABLE | FULL));
        return { kind: 'D', toggle: (word & DATA1) !== 0 ? 1 : 0, bytes };
    }

    out(address, endpoint, toggle, bytes) {
        const { kind, word, at } = this.look(address, endpoint);
        if (kind) return { kind };
        if ((word & FULL) !== 0) fail(`OUT of endpoint ${hex(endpoint)}: its buffer is AVAILABLE and FULL`);
        if (((word & DATA1) !== 0 ? 1 : 0) !== toggle) fail(`endpoint ${hex(endpoint)} does not expect DATA${toggle}`);
        if (bytes.length > (word & LENGTH)) fail(`endpoint ${hex(endpoint)} has no room for ${bytes.length} bytes`);
        this.chip.usbDPRAM.set(bytes, at);
        this.done(endpoint, (word & ~(AVAILABLE | LENGTH)) | FULL | bytes.length);
        return { kind: 'A' };
    }
}

export class Usb {
    constructor(chip, socket, check) {
        Object.assign(this, { chip, socket, check, blocked: false, scheduled: false, open: false });
        this.alarm = chip.clock.createAlarm(() => this.transact());
        this.frames = chip.clock.createAlarm(() => this.beginFrame());
        this.frames.schedule(FRAME_NS);
        const wake = () => this.wake();
        this.device = new Device(chip, wake);
        this.host = new UsbHost(this.device, () => chip.clock.nanos / 1e6, wake);
        this.host.requested = (setup) => {
            if (setup[0] === 0x21 && setup[1] === SET_CONTROL_LINE_STATE) this.open = (setup[2] & 1) !== 0;
        };
        this.redirection = new UsbRedirection(this.host, socket, (line) => console.error(`usb: ${line}`));
    }

    wake() {
        if (this.scheduled) return;
        this.scheduled = true;
        this.alarm.schedule(TRANSACTION_NS + this.host.pausesMs() * 1e6);
    }

    beginFrame() {
        this.frames.schedule(FRAME_NS);
        if (this.redirection.connected) this.device.beginFrame();
    }

    transact() {
        this.scheduled = false;
        if (!this.redirection.connected && this.device.attached()) this.checkSettings();
        this.redirection.look();
        if (!this.redirection.connected) return;
        const paused = this.host.pausesMs() > 0;
        if (this.host.step() > 0 || paused) this.wake();
    }

    checkSettings() {
        this.check(BLOCKS);
        const { clocks, pllUsb, clkSys } = this.chip;
        const enabled = (clocks.usbCtrl & (1 << 11)) !== 0 && ((clocks.usbCtrl >> 5) & 7) === 0;
        const rate = enabled ? pllUsb.frequency / (clocks.usbDiv / 256) : 0;
        if ((pllUsb.pwr & 0x29) !== 0) throw new Error('PLL_USB is switched off');
        if (rate !== 48e6) throw new Error(`clk_usb is ${rate} Hz`);
        console.error(`clk_sys ${clkSys} Hz, clk_usb ${rate} Hz`);
    }

    before() {
        this.redirection.receive();
    }

    // A peer that does not read holds up the board, as on a serial port, so that a slow peer loses nothing: when
    // it has the serial port open, a bulk packet waits for it, and there is nothing else to do.
    after() {
        const { host } = this;
        const waits = this.open && this.device.bulkInReady() && !host.busy(BULK_IN) && !host.busy(0) && !host.busy(BULK_OUT);
        this.blocked = this.socket.writableNeedDrain || waits;
    }
}
