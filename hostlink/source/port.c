/* SPDX-License-Identifier: MIT */
#include "source/port.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ttyACM2 before ttyACM10. */
static int by_path(const void *a, const void *b) {
    const char *left = ((const struct port *)a)->path, *right = ((const struct port *)b)->path;
    size_t at = 0;
    while (left[at] != '\0' && left[at] == right[at]) {
        at++;
    }
    size_t digits_left = strspn(left + at, "0123456789");
    size_t digits_right = strspn(right + at, "0123456789");
    return digits_left != digits_right ? (digits_left < digits_right ? -1 : 1)
                                       : strcmp(left + at, right + at);
}

size_t port_list(struct port *ports, size_t limit) {
    const size_t count = ports_list(ports, limit);
    qsort(ports, count, sizeof *ports, by_path);
    return count;
}

bool port_of_path(struct port *port, const char *path) {
    static struct port ports[PORTS_MAX];
    memset(port, 0, sizeof *port);
    const size_t count = port_list(ports, PORTS_MAX);
    for (size_t i = 0; i < count; i++) {
        if (ports_is_same(ports[i].path, path)) {
            *port = ports[i];
            return true;
        }
    }
    return false;
}

static bool is_same_device(const struct port *a, const struct port *b) {
    return a->usb && b->usb && a->vendor == b->vendor && a->product == b->product &&
           strcmp(a->serial, b->serial) == 0 &&
           strcmp(a->interface_number, b->interface_number) == 0;
}

bool port_again(struct port *port, const struct port *before) {
    static struct port ports[PORTS_MAX];
    size_t count = port_list(ports, PORTS_MAX);
    const struct port *found = NULL;
    for (size_t i = 0; i < count; i++) {
        bool same_socket = strcmp(ports[i].location, before->location) == 0;
        if (is_same_device(&ports[i], before) && (same_socket || (before->serial[0] && !found))) {
            found = &ports[i];
        }
    }
    if (found) {
        *port = *found;
    }
    return found != NULL;
}

static bool has_word(const char *text) {
    for (; *text != '\0'; text++) {
        if (strncasecmp(text, "kymo", 4) == 0) {
            return true;
        }
    }
    return false;
}

bool port_is_kymo(const struct port *port) {
    return port->usb && (has_word(port->name) || has_word(port->interface_name));
}
