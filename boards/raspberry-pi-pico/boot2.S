/* SPDX-License-Identifier: MIT */
/* The flash second stage ("RP2040 Datasheet", section 2.8.1.3): the boot ROM copies the first 256 bytes of
 * the flash to the top of the RAM, checks their sum, which image.py has put there, and runs them. They make
 * the rest of the flash readable in place, and go there.
 *
 * With the serial read command 03h, which every flash chip has: slower than four data lines, but the cache
 * of 16 KiB is in front of it. Only relative addresses, no stack. */
#define SSI 0x18000000 /* 4.10.13 */
#define CTRLR0 0x00
#define CTRLR1 0x04
#define SSIENR 0x08
#define BAUDR 0x14
#define SPI_CTRLR0 0xf4

/* Data frames of 32 bits (DFS_32), one data line (SPI_FRF 0), EEPROM read: send, then receive (TMOD 3). */
#define ONE_LINE_READ (31 << 16 | 3 << 8)
/* Command 03h, 8 bits long (INST_L 2), 24 address bits (ADDR_L, in units of 4), both on one line. */
#define READ_03H (0x03 << 24 | 2 << 8 | (24 / 4) << 2)
/* An even divisor of the system clock: 31.25 MHz of 125 MHz; 03h goes up to 50 MHz ("W25Q16JV" data sheet). */
#define DIVISOR 4

#define SCB_VTOR 0xe000ed08 /* 2.4.8 */

    .syntax unified
    .thumb
    .section .boot2, "ax"
    ldr r0, =SSI
    movs r1, #0 /* it can be set up only when it is off */
    str r1, [r0, #SSIENR]
    movs r2, #DIVISOR
    str r2, [r0, #BAUDR]
    ldr r2, =ONE_LINE_READ
    str r2, [r0, #CTRLR0]
    str r1, [r0, #CTRLR1] /* one data frame */
    ldr r2, =READ_03H
    movs r3, #SPI_CTRLR0
    str r2, [r0, r3]
    movs r1, #1
    str r1, [r0, #SSIENR]

    ldr r0, =core_vectors
    ldr r1, =SCB_VTOR
    str r0, [r1]
    ldr r1, [r0]
    msr msp, r1
    ldr r0, [r0, #4]
    bx r0
    .ltorg
