/* SPDX-License-Identifier: MIT */
/* An Ethernet interface of this machine's kernel, in a network of its own that nobody else sees:
 * what the kernel sends to it is read here, what is written here the kernel receives. */
#ifndef TAP_H
#define TAP_H

#include <stddef.h>
#include <stdint.h>

/* Moves this process into a network namespace of its own (as root, or with a user namespace),
 * makes the interface there with "address" in a network of 24 bits, and returns its file,
 * non-blocking. -errno, and says what is wrong. */
int tap_open(uint32_t address);

#endif
