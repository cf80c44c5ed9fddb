/* SPDX-License-Identifier: MIT */
/* The number that the maker gave the flash chip, which no other one has: the RP2040 itself has none. */
#ifndef FLASH_ID_H
#define FLASH_ID_H

#include <stdint.h>

#define FLASH_ID_BYTES 8

/* Reads it by the command 4Bh ("W25Q16JV" data sheet, "Read Unique ID Number"). Interrupts are off meanwhile,
 * some 10 us, and the flash cannot be read: the other core must not run from it. */
void flash_id(uint8_t id[FLASH_ID_BYTES]);

#endif
