/* SPDX-License-Identifier: MIT */
/* Reads the flash chip's number, see flash_id.h. In RAM, as the flash cannot be read meanwhile. Registers:
 * "RP2040 Datasheet", section 4.10.13. */
#define SSI 0x18000000
#define CTRLR0 0x00
#define SSIENR 0x08
#define SER 0x10
#define SR 0x28
#define SR_RECEIVED_SHIFT 29 /* RFNE, bit 3, into the highest bit but one; lsls puts it into the carry */
#define DR0 0x60

/* Frames of 8 bits (DFS_32) on one data line, each sent and received (TMOD 0). */
#define BYTES 7 << 16

/* The command, four bytes of waiting, eight of the number. That fits the FIFOs of 16, so all is sent at
 * once: a pause would end the command. */
#define COMMAND 0x4b
#define FILL_BYTES 12
#define SKIP_BYTES 5
#define ID_BYTES 8

    .syntax unified
    .thumb
    .section .data.flash_id, "aw"
    .balign 4
    .global flash_id
    .thumb_func
    .type flash_id, %function
flash_id:
    push {r4, r5, r6, lr}
    mrs r4, primask
    cpsid i
    ldr r1, =SSI
    movs r2, #0 /* it can be set up only when it is off */
    str r2, [r1, #SSIENR]
    ldr r5, [r1, #CTRLR0]
    ldr r3, =BYTES
    str r3, [r1, #CTRLR0]
    movs r6, #1
    str r6, [r1, #SER]
    str r6, [r1, #SSIENR]

    movs r3, #COMMAND
    str r3, [r1, #DR0]
    movs r3, #FILL_BYTES
1:  str r2, [r1, #DR0]
    subs r3, #1
    bne 1b

    movs r6, #SKIP_BYTES + ID_BYTES
2:  ldr r3, [r1, #SR]
    lsls r3, #SR_RECEIVED_SHIFT
    bcc 2b
    ldr r3, [r1, #DR0]
    cmp r6, #ID_BYTES
    bhi 3f
    strb r3, [r0]
    adds r0, #1
3:  subs r6, #1
    bne 2b

    str r2, [r1, #SSIENR] /* as boot2.S has it */
    str r5, [r1, #CTRLR0]
    movs r3, #1
    str r3, [r1, #SSIENR]
    msr primask, r4
    pop {r4, r5, r6, pc}
    .ltorg
