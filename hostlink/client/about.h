/* SPDX-License-Identifier: MIT */
/* The machine that the program runs on, for viewers. */
#ifndef KYMO_CLIENT_ABOUT_H
#define KYMO_CLIENT_ABOUT_H

#include <stddef.h>
#include <stdint.h>

/* Lines "what: value", as Tracy's own client has them: system, compiler, user, architecture, processor, cores, memory.
 * Cut to "size" bytes with the NUL. */
void about_host(char *text, size_t size);
/* e_machine of the program's ELF file, 0 = one that viewers do not know. */
uint16_t about_machine(void);

#endif
