/* SPDX-License-Identifier: MIT */
/* An Ethernet interface of this machine's kernel, in a private network namespace:
 * reads give the kernel's frames, and the kernel receives each frame written. */
#ifndef TAP_H
#define TAP_H

#include <stddef.h>
#include <stdint.h>

/* Moves this process into a network namespace of its own (as root, or with a user namespace),
 * makes the interface there with "address" in a network of 24 bits, and returns its file,
 * non-blocking. On failure returns -errno, and prints the cause. */
int tap_open(uint32_t address);

#endif
