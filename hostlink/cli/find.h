/* SPDX-License-Identifier: MIT */
/* Sources to capture from: serial ports, and boards that announce themselves. */
#ifndef HOSTLINK_FIND_H
#define HOSTLINK_FIND_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "source/beacon.h"
#include "source/port.h"

#define FOUND_MAX (PORTS_MAX + BEACONS_MAX)
#define FIND_LISTEN_NS UINT64_C(2500000000)

enum found_kind {
    FOUND_KYMO,    /* a USB device that identifies itself as a board with kymo */
    FOUND_NETWORK, /* a board that announces itself */
    FOUND_USB,     /* another serial device on USB, maybe a board's */
    FOUND_PORT     /* a port of the machine itself */
};

struct found {
    enum found_kind kind;
    char source[PORT_PATH_SIZE]; /* as hostlink takes it */
    char id[24];                 /* USB vendor:product, or MAC address; "" = none */
    char serial[PORT_TEXT_SIZE];
    char name[4 * PORT_TEXT_SIZE];
};

/* Fills "found" (FOUND_MAX of them), in the order of the kinds; returns how many. Listens to the network for
 * "listen_ns", 0 = does not listen. */
size_t find_all(struct found *found, uint64_t listen_ns);
/* "kymo", "network", "usb" or "port". */
const char *found_kind_name(enum found_kind kind);
/* Prints the table: a head, then a line for each. */
void find_print(const struct found *found, size_t count, FILE *out);

enum find_result { FIND_ONE, FIND_NONE, FIND_SEVERAL };

/* Puts the only board found into "source". Prints its name, or the list of boards if there is not exactly one. */
enum find_result find_only(char *source, size_t size);

#endif
