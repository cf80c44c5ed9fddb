// UART0 of the emulated chip, carried to a socket.
const BAUD = 921600; // of the adapter on the other side
const BLOCKS = (1 << 5) | (1 << 8) | (1 << 22); // bits of RESETS: IO and pads of bank 0, UART0

export class Uart {
    constructor(chip, socket, check) {
        Object.assign(this, { chip, socket, check, out: [], received: [], blocked: false });
        socket.on('data', (bytes) => this.received.push(...bytes));
        chip.uart[0].onByte = (byte) => {
            this.checkSettings();
            chip.uart[0].onByte = (next) => this.out.push(next);
            this.out.push(byte);
        };
    }

    checkSettings() {
        this.check(BLOCKS);
        const { gpio, clkSys, uart } = this.chip;
        const { baudRate, wordLength } = uart[0];
        if (gpio[0].functionSelect !== 2 || gpio[1].functionSelect !== 2) throw new Error('GPIO 0 and 1 are not UART0');
        if (Math.abs(baudRate / BAUD - 1) > 0.02 || wordLength !== 8) throw new Error(`UART0 sends ${wordLength} bits at ${baudRate}`);
        console.error(`clk_sys ${clkSys} Hz, UART0 ${baudRate} baud`);
    }

    before() {
        const { rxFIFO } = this.chip.uart[0];
        let at = 0;
        while (at < this.received.length && !rxFIFO.full) {
            this.chip.uart[0].feedByte(this.received[at++]);
        }
        this.received = this.received.slice(at);
    }

    // What the client does not take holds up the board, as with other emulators, so that nothing gets lost.
    after() {
        this.blocked = this.socket.writable && this.out.length > 0 && !this.socket.write(Uint8Array.from(this.out));
        this.out = [];
    }
}
