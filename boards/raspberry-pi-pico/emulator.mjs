// SPDX-License-Identifier: MIT
// emulator.mjs IMAGE.uf2 SOCKET uart|dma|usb: a Raspberry Pi Pico in rp2040js.
//
// Listens on the unix socket, boots when a client is there, and carries the bytes of UART0 both ways, or is
// the client's USB device, by the usbredir protocol. Ends with the status that the firmware gives by
// semihosting; with 70 if the firmware crashes, or has set up the chip or its USB device so that nothing
// readable would come out of a real one.
//
// Emulated: core 0. The boot ROM's part is played here.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { LogLevel, ConsoleLogger, RP2040 } from '../../build/emulators/rp2040js/dist/esm/index.js';
import { addFlashCommands } from './flash.mjs';
import { Uart } from './uart.mjs';
import { Usb } from './usb.mjs';

const FAILED = 70;
const SLICE = 20000; // instructions between two looks at the socket ...
const SLICE_NS = 1e6; // ... and, where it sleeps, time

const FLASH = 0x10000000;
const BOOT2_BYTES = 256;
const BOOT2_AT = 0x20041f00; // "RP2040 Datasheet", section 2.8.1.3
const SRAM = 0x20000000;
const SRAM_END = 0x20042000;

const chip = new RP2040();
chip.logger = new ConsoleLogger(LogLevel.Error);
addFlashCommands(chip);
const resets = chip.peripherals[0x4000c];
const watchdog = chip.peripherals[0x40058];
let client = null;
let link = null;
let status = null;

function fail(what) {
    throw new Error(what);
}

// ---- from the file into the flash ("USB Flashing Format (UF2)", microsoft/uf2) ----

function load(path) {
    const file = readFileSync(path);
    const blocks = file.length / 512;
    for (let number = 0; number < blocks; number++) {
        const block = new DataView(file.buffer, file.byteOffset + number * 512, 512);
        const word = (offset) => block.getUint32(offset, true);
        if (word(0) !== 0x0a324655 || word(4) !== 0x9e5d5157 || word(508) !== 0x0ab16f30) {
            fail(`${path}: block ${number} is no UF2 block`);
        }
        if (word(8) !== 0x2000 || word(28) !== 0xe48bff56 || word(20) !== number || word(24) !== blocks) {
            fail(`${path}: block ${number} is not for the RP2040, or not in its place`);
        }
        // Checks that the boot ROM makes (2.8.4.2).
        if (word(16) !== 256 || word(12) % 256 !== 0) {
            fail(`${path}: block ${number} is not one page`);
        }
        chip.flash.set(file.subarray(number * 512 + 32, number * 512 + 32 + 256), word(12) - FLASH);
    }
}

// ---- the boot ROM (2.8.1) ----

function crc32(bytes) {
    return bytes.reduce((crc, byte) => {
        for (let bit = 7; bit >= 0; bit--) {
            const feedback = (crc >>> 31) ^ ((byte >>> bit) & 1);
            crc = (crc << 1) ^ (feedback ? 0x04c11db7 : 0);
        }
        return crc >>> 0;
    }, 0xffffffff);
}

function boot() {
    const stage = chip.flash.subarray(0, BOOT2_BYTES);
    if (crc32(stage.subarray(0, 252)) !== chip.flashView.getUint32(252, true)) {
        fail('the second stage in the flash has a wrong checksum');
    }
    chip.sram.set(stage, BOOT2_AT - SRAM);
    chip.core.registers.fill(0);
    chip.core.SP = BOOT2_AT;
    chip.core.PC = BOOT2_AT;
    // The emulator starts with everything released and clocked, the chip does not.
    resets.reset = 0x1ffffff;
    watchdog.tickEnable = false;
    chip.clkSys = chip.clkPeri = chip.roscFreq;
}

// ---- the other side of the socket ----

// Throws when the firmware uses what it has not switched on.
function check(blocks) {
    const held = resets.reset & (blocks | (1 << 21)); // TIMER
    if (held !== 0) fail(`in use but held in reset: bits ${held.toString(16)} of RESETS`);
    if (!watchdog.tickEnable) fail('TIMER stands still: the watchdog gives it no tick');
}

// ---- running ----

// "Semihosting for AArch32 and AArch64", Arm: SYS_EXIT_EXTENDED.
chip.onBreak = (number) => {
    const [operation, block] = chip.core.registers;
    if (number !== 0xab || operation !== 0x20 || chip.readUint32(block) !== 0x20026) {
        fail(`breakpoint ${number} at ${chip.core.PC.toString(16)}`);
    }
    status = chip.readUint32(block + 4);
};

function checkPlace() {
    const { PC } = chip.core;
    const inFlash = PC >= FLASH && PC < FLASH + chip.flash.length;
    if (!inFlash && !(PC >= SRAM && PC < SRAM_END)) fail(`runs at ${PC.toString(16)}, where nothing is`);
}

// Until the next thing that is due, and a cycle more, or rounding could leave us just before it. SysTick does
// not wake the emulated core by itself.
function sleep() {
    const { clock, core } = chip;
    clock.tick(clock.nanosToNextAlarm + 1e9 / chip.clkSys);
    if (core.pendingSystick && core.checkForInterrupts()) core.waiting = false;
}

function execute() {
    const { clock, core } = chip;
    const until = clock.nanos + SLICE_NS;
    for (let i = 0; i < SLICE && status === null && clock.nanos < until; i++) {
        if (core.waiting) sleep();
        else clock.tick((core.executeInstruction() * 1e9) / chip.clkSys);
    }
}

let began = 0;

// How far the chip's time is ahead of this machine's: it may be slower than a real one, but not faster.
function aheadMs() {
    return chip.clock.nanos / 1e6 - (performance.now() - began);
}

function end(code) {
    process.exitCode = code;
    client?.end();
}

function slice() {
    try {
        link.before();
        execute();
        checkPlace();
        link.after();
    } catch (error) {
        console.error(`raspberry-pi-pico: ${error.message}`);
        status = FAILED;
    }
    if (status !== null) end(status);
    else if (link.blocked) return; // unblock() goes on
    else if (aheadMs() > 1) setTimeout(slice, aheadMs());
    else setImmediate(slice);
}

function unblock() {
    if (link.blocked && status === null) {
        link.blocked = false;
        setImmediate(slice);
    }
}

function begin(connection) {
    client = connection;
    client.on('drain', unblock);
    client.on('data', unblock);
    client.on('error', () => {});
    client.on('close', unblock); // the board goes on, without its cable
    link = new Link(chip, client, check);
    began = performance.now();
    slice();
}

process.exitCode = FAILED;
const [image, socket, kind] = process.argv.slice(2);
const Link = kind === 'usb' ? Usb : Uart;
try {
    load(image);
    boot();
    const server = createServer((connection) => {
        server.close();
        begin(connection);
    });
    server.on('error', (error) => console.error(`raspberry-pi-pico: ${error.message}`));
    server.listen(socket);
} catch (error) {
    console.error(`raspberry-pi-pico: ${error.message}`);
}
