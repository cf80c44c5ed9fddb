// SPDX-License-Identifier: MIT
// The flash chip on the emulated chip's SSI, as far as it answers commands: "W25Q16JV" data sheet. rp2040js
// answers every one with the same byte. Registers: "RP2040 Datasheet", section 4.10.13.
const CTRLR0 = 0x00;
const SSIENR = 0x08;
const SER = 0x10;
const SR = 0x28;
const SR_RECEIVED = 1 << 3; // RFNE
const DR0 = 0x60;
const BYTES = 7 << 16; // frames of 8 bits, each sent and received
const FIFO_FRAMES = 16;

const READ_UNIQUE_ID = 0x4b;
const UNIQUE_ID = [0xe6, 0x60, 0x58, 0x38, 0x83, 0x12, 0x34, 0x56];

// The command, four bytes of waiting, the number.
function answer(sent) {
    return sent[0] === READ_UNIQUE_ID ? [0, 0, 0, 0, 0, ...UNIQUE_ID][sent.length - 1] ?? 0xff : 0xff;
}

export function addFlashCommands(chip) {
    const ssi = chip.peripherals[0x18000];
    const [read, write] = [ssi.readUint32.bind(ssi), ssi.writeUint32.bind(ssi)];
    let selected = 1; // by the boot ROM
    let sent = [];
    let received = [];
    const byByte = () => read(SSIENR) === 1 && read(CTRLR0) === BYTES;
    ssi.writeUint32 = (offset, value) => {
        if (offset === SSIENR && value === 0) [sent, received] = [[], []];
        if (offset === SER) selected = value;
        if (offset === DR0 && byByte() && selected === 1) {
            if (received.length === FIFO_FRAMES) throw new Error('SSI: its receive FIFO is full');
            sent.push(value & 0xff);
            received.push(answer(sent));
        }
        if (offset !== SER) write(offset, value);
    };
    ssi.readUint32 = (offset) => {
        if (offset === SR && byByte()) return received.length > 0 ? SR_RECEIVED : 0;
        if (offset === DR0 && byByte()) return received.shift() ?? 0;
        return read(offset);
    };
}
