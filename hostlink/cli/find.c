/* SPDX-License-Identifier: MIT */
#include "cli/find.h"

#include <stdio.h>
#include <string.h>

#include "base/say.h"

const char *found_kind_name(enum found_kind kind) {
    const char *const names[] = {[FOUND_KYMO] = "kymo",
                                 [FOUND_NETWORK] = "network",
                                 [FOUND_USB] = "usb",
                                 [FOUND_PORT] = "port"};
    return names[kind];
}

/* The names of a USB device, each once, and its driver. */
static void join_names(char *text, size_t size, const struct port *port) {
    const char *const parts[] = {port->maker, port->name, port->interface_name};
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        bool said = parts[i][0] == '\0' || strstr(text, parts[i]) != NULL;
        if (!said && used < size) {
            used +=
                (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", parts[i]);
        }
    }
    if (port->driver[0] != '\0' && used < size) {
        (void)snprintf(text + used, size - used, "%s(%s)", used > 0 ? " " : "", port->driver);
    }
}

static void from_port(struct found *found, const struct port *port) {
    memset(found, 0, sizeof *found);
    found->kind = port_is_kymo(port) ? FOUND_KYMO : port->usb ? FOUND_USB : FOUND_PORT;
    (void)snprintf(found->source, sizeof found->source, "%s", port->path);
    if (port->usb) {
        (void)snprintf(found->id, sizeof found->id, "%04x:%04x", port->vendor, port->product);
    }
    (void)snprintf(found->serial, sizeof found->serial, "%s", port->serial);
    join_names(found->name, sizeof found->name, port);
}

static void from_beacon(struct found *found, const struct beacon *beacon) {
    const uint8_t *mac = beacon->mac;
    memset(found, 0, sizeof *found);
    found->kind = FOUND_NETWORK;
    (void)snprintf(found->source, sizeof found->source, "tcp:%.*s:%u", INET_ADDRSTRLEN - 1,
                   beacon->address, (unsigned)beacon->port);
    (void)snprintf(found->id, sizeof found->id, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1],
                   mac[2], mac[3], mac[4], mac[5]);
    (void)snprintf(found->name, sizeof found->name, "%s", beacon->name);
}

static size_t add_beacons(struct found *found, size_t count, uint64_t listen_ns) {
    struct beacon beacons[BEACONS_MAX];
    int heard = listen_ns > 0 ? beacon_list(beacons, BEACONS_MAX, listen_ns) : 0;
    if (heard < 0) {
        say("boards on the network cannot be heard: %s", strerror(-heard));
    }
    for (int i = 0; i < heard; i++) {
        from_beacon(&found[count++], &beacons[i]);
    }
    return count;
}

/* Keeps the order within a kind. */
static void sort_by_kind(struct found *found, size_t count) {
    for (size_t i = 1; i < count; i++) {
        struct found one = found[i];
        size_t to = i;
        for (; to > 0 && found[to - 1].kind > one.kind; to--) {
            found[to] = found[to - 1];
        }
        found[to] = one;
    }
}

size_t find_all(struct found *found, uint64_t listen_ns) {
    static struct port ports[PORTS_MAX];
    size_t count = port_list(ports, PORTS_MAX);
    for (size_t i = 0; i < count; i++) {
        from_port(&found[i], &ports[i]);
    }
    count = add_beacons(found, count, listen_ns);
    sort_by_kind(found, count);
    return count;
}

static const char *or_dash(const char *text) { return text[0] != '\0' ? text : "-"; }

static size_t wider(size_t width, const char *text) {
    size_t length = strlen(text);
    return length > width ? length : width;
}

void find_print(const struct found *found, size_t count, FILE *out) {
    size_t source = strlen("source"), id = strlen("id"), serial = strlen("serial");
    for (size_t i = 0; i < count; i++) {
        source = wider(source, found[i].source);
        id = wider(id, found[i].id);
        serial = wider(serial, found[i].serial);
    }
    fprintf(out, "%-*s  %-7s  %-*s  %-*s  %s\n", (int)source, "source", "kind", (int)id, "id",
            (int)serial, "serial", "name");
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%-*s  %-7s  %-*s  %-*s  %s\n", (int)source, found[i].source,
                found_kind_name(found[i].kind), (int)id, or_dash(found[i].id), (int)serial,
                or_dash(found[i].serial), or_dash(found[i].name));
    }
}

static size_t count_kinds(const struct found *found, size_t count, enum found_kind last) {
    size_t of_kinds = 0;
    while (of_kinds < count && found[of_kinds].kind <= last) {
        of_kinds++;
    }
    return of_kinds;
}

/* Boards come first; without any, USB devices that may be a board's. */
enum find_result find_only(char *source, size_t size) {
    static struct found found[FOUND_MAX];
    size_t count = find_all(found, FIND_LISTEN_NS);
    size_t boards = count_kinds(found, count, FOUND_NETWORK);
    size_t candidates = boards > 0 ? boards : count_kinds(found, count, FOUND_USB);
    if (candidates == 1) {
        say("from %s, the only %s here: %s", found[0].source,
            boards > 0 ? "board" : "USB serial device", or_dash(found[0].name));
        (void)snprintf(source, size, "%s", found[0].source);
        return FIND_ONE;
    }
    if (candidates == 0) {
        say("no board found: none is plugged in by USB, and none announces itself on the network; "
            "name a source, see 'hostlink help'");
        return FIND_NONE;
    }
    say("several are here; choose one:");
    find_print(found, candidates, stderr);
    return FIND_SEVERAL;
}
