/* SPDX-License-Identifier: MIT */
/* Packets that hostlink writes: commands to the board, and its own marks in a capture file (runtime/WIRE.md). */
#ifndef HOSTLINK_COMMAND_H
#define HOSTLINK_COMMAND_H

#include <stddef.h>
#include <stdint.h>

#define BOARD_NAME_BYTES 47u
/* Longest BOARD packet with its framing. */
#define BOARD_PACKET_BYTES 96u

/* Commands for the board, for guard_packet(), which makes packets of them; each returns the length, 0 if
 * "size" is short. */
size_t command_hello(uint8_t *out, size_t size);
size_t command_get_names(uint8_t *out, size_t size);
size_t command_start(uint8_t *out, size_t size);
size_t command_stop(uint8_t *out, size_t size);
size_t command_ping(uint8_t *out, size_t size, uint64_t cookie);
size_t command_set_param(uint8_t *out, size_t size, uint32_t site_index, int32_t value);
/* For the capture file: the host's clocks at this point of the stream, framed with a leading
 * zero. */
size_t packet_host_clock(uint8_t *out, size_t size, uint64_t monotonic_ns, uint64_t unix_ns);

/* Precedes a piece of a board's stream, in a capture of several boards. "name" is cut to BOARD_NAME_BYTES. */
size_t packet_board(uint8_t *out, size_t size, uint64_t number, uint64_t bytes, const char *name);

#endif
