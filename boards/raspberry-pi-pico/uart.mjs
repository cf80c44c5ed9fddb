// SPDX-License-Identifier: MIT
// UART0 of the emulated chip, carried to a socket. rp2040js sends each byte at once and knows no UARTDMACR; here are
// the transmitter's FIFO, its speed, and when it asks the DMA for a byte.
const BAUD = 921600; // of the adapter on the other side
const BLOCKS = (1 << 5) | (1 << 8) | (1 << 22); // bits of RESETS: IO and pads of bank 0, UART0
const DMA = 1 << 2;

// "RP2040 Datasheet", 4.2.8
const FIFO_BYTES = 32;
const FLAGS = { BUSY: 1 << 3, RXFE: 1 << 4, TXFF: 1 << 5, RXFF: 1 << 6, TXFE: 1 << 7 };
const UARTCR = 0x30;
const UARTDMACR = 0x48;
const TXDMAE = 1 << 1;
const BITS_PER_BYTE = 10;

class Transmitter {
    constructor(chip, sent) {
        const uart = chip.uart[0];
        Object.assign(this, { chip, uart, sent, fifo: [], shifting: null, control: 0 });
        this.alarm = chip.clock.createAlarm(() => this.leaves());
        uart.onByte = (byte) => this.take(byte);
        Object.defineProperty(uart, 'flags', { get: () => this.flags() });
        const { readUint32, writeUint32 } = uart;
        uart.readUint32 = (offset) => (offset === UARTDMACR ? this.control : readUint32.call(uart, offset));
        uart.writeUint32 = (offset, value) => {
            if (offset === UARTDMACR) this.control = value;
            else if (offset === UARTCR) uart.ctrlRegister = value;
            else return writeUint32.call(uart, offset, value);
            this.request();
        };
    }

    flags() {
        const { rxFIFO } = this.uart;
        return (this.shifting !== null ? FLAGS.BUSY : 0) | (rxFIFO.empty ? FLAGS.RXFE : 0) | (rxFIFO.full ? FLAGS.RXFF : 0) |
            (this.fifo.length === FIFO_BYTES ? FLAGS.TXFF : 0) | (this.fifo.length === 0 ? FLAGS.TXFE : 0);
    }

    request() {
        const { uart, chip } = this;
        const wants = uart.enabled && (this.control & TXDMAE) !== 0 && this.fifo.length < FIFO_BYTES;
        if (wants) chip.dma.setDREQ(uart.dreq.tx);
        else chip.dma.clearDREQ(uart.dreq.tx);
    }

    take(byte) {
        if (this.fifo.length === FIFO_BYTES) throw new Error('a byte was written to the full FIFO of UART0');
        this.fifo.push(byte);
        if (this.shifting === null) this.shift();
        this.request();
    }

    shift() {
        this.shifting = this.fifo.shift() ?? null;
        if (this.shifting !== null) this.alarm.schedule((BITS_PER_BYTE * 1e9) / this.uart.baudRate);
    }

    leaves() {
        this.sent(this.shifting);
        this.shift();
        this.request();
    }
}

export class Uart {
    constructor(chip, socket, check) {
        Object.assign(this, { chip, socket, check, out: [], received: [], blocked: false, checked: false });
        socket.on('data', (bytes) => this.received.push(...bytes));
        this.transmitter = new Transmitter(chip, (byte) => {
            if (!this.checked) this.checkSettings();
            this.out.push(byte);
        });
    }

    checkSettings() {
        const { gpio, clkSys, uart } = this.chip;
        const byDma = (this.transmitter.control & TXDMAE) !== 0;
        this.checked = true;
        this.check(byDma ? BLOCKS | DMA : BLOCKS);
        const { baudRate, wordLength } = uart[0];
        if (gpio[0].functionSelect !== 2 || gpio[1].functionSelect !== 2) throw new Error('GPIO 0 and 1 are not UART0');
        if (Math.abs(baudRate / BAUD - 1) > 0.02 || wordLength !== 8) throw new Error(`UART0 sends ${wordLength} bits at ${baudRate}`);
        console.error(`clk_sys ${clkSys} Hz, UART0 ${baudRate} baud${byDma ? ', by DMA' : ''}`);
    }

    before() {
        const { rxFIFO } = this.chip.uart[0];
        let at = 0;
        while (at < this.received.length && !rxFIFO.full) {
            this.chip.uart[0].feedByte(this.received[at++]);
        }
        this.received = this.received.slice(at);
    }

    // A client that does not read holds up the board, as with other emulators, so that nothing gets lost.
    after() {
        this.blocked = this.socket.writable && this.out.length > 0 && !this.socket.write(Uint8Array.from(this.out));
        this.out = [];
    }
}
