/* SPDX-License-Identifier: MIT */
/* A viewer for tests from the command line: connects, takes a whole trace, asserts what a viewer
 * asserts, and prints its zones as "file:line name count total_ns", sorted by the caller.
 *
 *     tracy_viewer PORT PROTOCOL [all|stacks]    waits up to two minutes for the port; "all": prints also the other
 *                                                items, each message; "stacks": and how often each call stack came,
 *                                                and the lines of its addresses
 *
 * Exit status: 0 when the end was confirmed and nothing was wrong. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tracy_peer.h"

#define TRIES 18000
#define GREETINGS 10
#define TRY_NS 50000000

static int connect_to(uint16_t port) {
    struct sockaddr_in where = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct timespec pause = {.tv_nsec = TRY_NS};
    for (unsigned i = 0; i < TRIES; i++) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        if (fd < 0 || connect(fd, (struct sockaddr *)&where, sizeof where) == 0) {
            return fd;
        }
        (void)close(fd);
        (void)nanosleep(&pause, NULL);
    }
    return -1;
}

static bool say(struct tracy_peer *peer, int fd) {
    size_t at = 0;
    while (at < peer->out_used) {
        ssize_t count = send(fd, peer->out + at, peer->out_used - at, MSG_NOSIGNAL);
        if (count <= 0) {
            return false;
        }
        at += (size_t)count;
    }
    peer->out_used = 0;
    return true;
}

/* True when the peer's last word was the wish to end. */
static bool take_all(struct tracy_peer *peer, int fd) {
    static uint8_t bytes[1 << 17];
    bool ended = false;
    while (!ended && say(peer, fd)) {
        ssize_t count = recv(fd, bytes, sizeof bytes, 0);
        if (count <= 0 || !tracy_peer_feed(peer, bytes, (size_t)count)) {
            return false;
        }
        ended = peer->out_used >= TRACY_QUERY_BYTES &&
                peer->out[peer->out_used - TRACY_QUERY_BYTES] == 0;
    }
    return ended && say(peer, fd);
}

static bool visit(struct tracy_peer *peer, const char *port) {
    int fd = connect_to((uint16_t)strtoul(port, NULL, 10));
    bool ended = fd >= 0 && take_all(peer, fd);
    if (fd >= 0) {
        (void)close(fd);
    }
    return ended;
}

static const char *text_of(const struct tracy_peer *peer, uint64_t key) {
    const char *text = tracy_peer_text(peer, TRACY_QUERY_STRING, key);
    return text != NULL ? text : "?";
}

static void print_places(const struct tracy_peer *peer) {
    for (size_t i = 0; i < peer->place_count; i++) {
        const struct peer_place *place = &peer->places[i];
        printf("%s:%u %s %llu %lld\n", text_of(peer, place->file), (unsigned)place->line,
               text_of(peer, place->name != 0 ? place->name : place->function),
               (unsigned long long)place->count, (long long)place->total_ns);
    }
}

static size_t count_sources(const struct tracy_peer *peer) {
    size_t count = 0;
    for (size_t i = 0; i < peer->source_count; i++) {
        count += peer->sources[i].there && peer->sources[i].length > 0;
    }
    return count;
}

static void print_message(void *context, const char *text) {
    (void)context;
    printf("message: %s\n", text);
    (void)fflush(stdout); /* somebody may wait for it */
}

static void print_crash(const struct tracy_peer *peer) {
    if (peer->crash != 0) {
        const char *text = tracy_peer_text(peer, TRACY_QUERY_STRING, peer->crash);
        printf("crash: %s\n", text != NULL ? text : "");
    }
}

static void print_count(const char *what, uint64_t count) {
    printf("count: %s %llu\n", what, (unsigned long long)count);
}

/* "image: FRAME WIDTHxHEIGHT" and the pixels of its corners, the left upper one first. */
static void print_pictures(const struct tracy_peer *peer) {
    for (size_t i = 0; i < peer->picture_count; i++) {
        const struct peer_picture *picture = &peer->pictures[i];
        const uint32_t right = picture->width - 1u, bottom = picture->height - 1u;
        printf("image: %llu %ux%u %06x %06x %06x %06x\n", (unsigned long long)picture->frame,
               picture->width, picture->height, (unsigned)tracy_peer_pixel(picture, 0, 0),
               (unsigned)tracy_peer_pixel(picture, right, 0),
               (unsigned)tracy_peer_pixel(picture, 0, bottom),
               (unsigned)tracy_peer_pixel(picture, right, bottom));
    }
}

/* "code: FUNCTION BYTES SUM", the sum of all bytes; after "cpu: NUMBER". */
static void print_code(const struct tracy_peer *peer) {
    printf("cpu: %d\n", (int)peer->cpu);
    for (size_t i = 0; i < peer->symbol_count; i++) {
        const struct peer_symbol *symbol = &peer->symbols[i];
        uint32_t sum = 0;
        for (uint32_t at = 0; symbol->code != NULL && at < symbol->bytes; at++) {
            sum += symbol->code[at];
        }
        if (symbol->code != NULL) {
            printf("code: %s %u %u\n", symbol->function, (unsigned)symbol->bytes, (unsigned)sum);
        }
    }
}

static void print_counts(const struct peer_counts *counts) {
    print_count("zones", counts->zones);
    print_count("texts", counts->texts);
    print_count("names", counts->names);
    print_count("values", counts->values);
    print_count("colors", counts->colors);
    print_count("plots", counts->plots);
    print_count("plot configs", counts->plot_configs);
    print_count("app infos", counts->app_infos);
    print_count("frames", counts->frames);
    print_count("frame starts", counts->frame_starts);
    print_count("frame ends", counts->frame_ends);
    print_count("allocs", counts->allocs);
    print_count("frees", counts->frees);
    print_count("params", counts->params);
    print_count("locks", counts->locks);
    print_count("lock ends", counts->lock_ends);
    print_count("lock marks", counts->lock_marks);
    for (unsigned shared = 0; shared < 2; shared++) {
        print_count(shared != 0 ? "shared waits" : "waits", counts->lock_waits[shared]);
        print_count(shared != 0 ? "shared obtains" : "obtains", counts->lock_obtains[shared]);
        print_count(shared != 0 ? "shared releases" : "releases", counts->lock_releases[shared]);
    }
}

static void print_lines(const struct tracy_peer *peer) {
    for (size_t i = 0; i < PEER_ADDRESSES; i++) {
        const struct peer_address *address = &peer->addresses[i];
        for (uint32_t line = 0; line < address->count; line++) {
            printf("line: %s|%s:%u\n", address->lines[line].function, address->lines[line].file,
                   (unsigned)address->lines[line].line);
        }
    }
}

static struct tracy_peer *new_peer(uint32_t protocol, bool all, bool stacks) {
    struct tracy_peer *peer = tracy_peer_new(protocol);
    peer->message = all ? print_message : NULL;
    if (stacks) {
        tracy_peer_count_stacks(peer);
    }
    return peer;
}

int main(int argc, char **argv) {
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: tracy_viewer PORT PROTOCOL [all|stacks|both]\n");
        return 2;
    }
    const uint32_t protocol = (uint32_t)strtoul(argv[2], NULL, 10);
    const bool stacks = argc == 4 && strcmp(argv[3], "all") != 0;
    const bool all = argc == 4 && strcmp(argv[3], "stacks") != 0;
    struct tracy_peer *peer = new_peer(protocol, all, stacks);
    bool ended = visit(peer, argv[1]);
    /* A peer not scheduled between connection and greeting is dropped, and may come again. */
    for (int i = 0; i < GREETINGS && !ended && peer->program[0] == '\0'; i++) {
        tracy_peer_free(peer);
        peer = new_peer(protocol, all, stacks);
        ended = visit(peer, argv[1]);
    }
    print_places(peer);
    const struct peer_counts *counts = &peer->counts;
    if (argc == 4) {
        print_counts(counts);
        print_pictures(peer);
        print_crash(peer);
        print_code(peer);
        tracy_peer_print_stacks(peer);
    }
    if (stacks) {
        print_lines(peer);
    }
    fprintf(
        stderr,
        "protocol %u, %s: %llu zones, %llu messages, %llu plots, %llu frames, %llu allocations, "
        "%llu frees, %zu source files%s%s\n",
        (unsigned)peer->proto.number, peer->program, (unsigned long long)counts->zones,
        (unsigned long long)counts->messages, (unsigned long long)counts->plots,
        (unsigned long long)counts->frames, (unsigned long long)counts->allocs,
        (unsigned long long)counts->frees, count_sources(peer), ended ? "" : "; refused: ",
        ended                   ? ""
        : peer->failure[0] != 0 ? peer->failure
                                : "the connection ended");
    tracy_peer_free(peer);
    return ended ? 0 : 1;
}
