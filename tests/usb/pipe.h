/* SPDX-License-Identifier: MIT */
/* A USB device as a program: tokens of the bus on its standard input, the device's answers on its
 * standard output. device_main.c and bytes_main.c are such programs; the host drives them.
 *
 * A message either way has a header of 6 bytes and then "length" bytes:
 *
 *   0  kind      one of the letters below
 *   1  address   of the device, 0 to 127, as in a token
 *   2  endpoint  address of the endpoint as in a descriptor: 0x80 is set for IN
 *   3  toggle    0 for DATA0, 1 for DATA1
 *   4  length    of what follows, low byte first; 0 to 64
 *
 * Each request gets exactly one answer, in the order of the requests. The device answers when its firmware
 * next looks at its controller, which takes milliseconds while it computes.
 *
 *   host -> device                               device -> host
 *   'S' SETUP to endpoint 0, 8 bytes, toggle 0   'A', or nothing heard 'X'
 *   'I' IN; the host acknowledges the data       'D' with toggle and data, 'N', 'T', 'X'
 *   'i' IN; the host's acknowledgement is lost   the same; the device sends that packet again
 *   'O' OUT with toggle and data                 'A', 'N', 'T', 'X'
 *   'R' bus reset                                'A'
 *   'Z' suspend   'W' resume                     'A'
 *   'U' the cable is pulled out                  'A'
 *   'P' is the pull-up on? Also plugs in again   'A' yes, 'N' no
 *
 * A is ACK, N is NAK, T is STALL, D is DATA. X is no answer at all: another address, endpoint not open,
 * or cable out. The address byte of an answer is the address that the device has now; the endpoint is that
 * of the request.
 *
 * The program ends when its standard input does, with status 3; with 4, and a line on standard error, where
 * the stack breaks the contract of a controller; and as its main() likes. */
#ifndef USB_PIPE_H
#define USB_PIPE_H

#include "model.h"

enum {
    PIPE_KIND,
    PIPE_ADDRESS,
    PIPE_ENDPOINT,
    PIPE_TOGGLE,
    PIPE_LENGTH,
    PIPE_HEADER_BYTES = 6,
    PIPE_DATA_BYTES = 64,
};

/* Answers a token; waits so long for it. False if there was none. */
bool pipe_serve_one(struct model *model, int wait_ms);

/* Answers all tokens that are there; waits so long for the first one. */
void pipe_serve(struct model *model, int wait_ms);

#endif
