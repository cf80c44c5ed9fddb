/* SPDX-License-Identifier: MIT */
/* Chooses the user's program that knows the symbols of an ELF file. */
#ifndef HOSTLINK_PROGRAMS_H
#define HOSTLINK_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRAM_ARGUMENTS 12u

/* Candidate number "index" for this e_machine, the best first; NULL after the last. */
const char *program_for(uint16_t machine, size_t index);
/* False if its answers cannot be trusted. */
bool program_knows(const char *name, uint64_t address);
/* Its command line for this file; ended by NULL. "name" is a name in PATH or a path. */
void program_arguments(const char *arguments[PROGRAM_ARGUMENTS], const char *name,
                       const char *elf_path);

#endif
