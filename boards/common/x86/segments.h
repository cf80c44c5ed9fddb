/* SPDX-License-Identifier: MIT */
/* Constants that start.S and core.c share. */
#ifndef X86_SEGMENTS_H
#define X86_SEGMENTS_H

/* Selectors: code of the width that the image has; code of 32 bit; from CORE_DATA on a data segment for each core,
 * all alike. GS has the core's own, so that its selector tells which core this is. */
#define CORE_CODE 0x08
#define CORE_CODE_32 0x10
#define CORE_DATA 0x18

/* The entry of another core, in real mode: the first byte of a page below 1 MiB. */
#define CORE_TRAMPOLINE 0x8000

#endif
