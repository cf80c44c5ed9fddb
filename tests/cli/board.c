/* SPDX-License-Identifier: MIT */
/* A board that runs on this machine, for the tests of hostlink's command line: the runtime on the fake
 * arch port, with the clock of the machine. Each round records 10 events: zone "round" with three
 * zones "inner", a plot and a message.
 *
 *   board [-p] [-n ROUNDS] [-a N] [-c] [-k] [-x] [-r] [-l N] [-g] [-t]
 *     -p  on a pseudo-terminal, whose name is the first line on standard output; else on standard
 *         output, without a way back
 *     -n  0 = one round a millisecond until it is killed (default 1000, as fast as the line takes them)
 *     -a  ends no earlier than it has been asked something N times
 *     -c  cut: ends without the final status
 *     -k  keeps the line open until it is killed
 *     -x  closes the line as soon as the other side has read the last byte
 *     -r  does not know the rate of its clock
 *     -l  loses N of a thousand bytes that it is sent, looks for them every 20 ms only, and has a FIFO of 16 bytes
 *     -g  goes on until the host has set its parameter "gain" (1, from 0 to 100), then ends (with BOARD_GAIN)
 *     -t  first runs a task that holds a lock, and names both, and its core, after that (with BOARD_LATE)
 * The last line on standard error is "emitted N". */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "kymo/kymo.h"
#include "kymo_arch.h"

#define EVENTS_A_ROUND 10ul
#ifndef BOARD_ROUND
#define BOARD_ROUND "round"
#endif

#define FIFO_BYTES 16
#define LOOK_NS 20000000u

static int line = STDOUT_FILENO;
static bool two_way, line_full;
static bool loses;
static uint32_t lost_permille;
static uint32_t asked; /* reads that found something */

#ifdef BOARD_GAIN
KYMO_PARAM(gain, "gain", 1, 0, 100);
static bool gain_is_set(void) { return KYMO_PARAM_GET(gain) != 1; }
#else
static bool gain_is_set(void) { return true; }
#endif

static size_t line_write(void *context, const uint8_t *bytes, size_t length) {
    (void)context;
    ssize_t count = write(line, bytes, length);
    if (count < 0 && errno != EAGAIN && errno != EINTR) {
        perror("board: write");
        exit(1);
    }
    line_full = count < (ssize_t)length;
    return count > 0 ? (size_t)count : 0;
}

static struct {
    uint8_t bytes[FIFO_BYTES];
    size_t count, at; /* of them, the first ones are read */
} fifo;

/* Takes bytes that came since the last look, as far as the FIFO takes them, without some of them. */
static void fill_fifo(void) {
    static uint32_t random = 1;
    uint8_t come[1024];
    ssize_t count = read(line, come, sizeof come);
    fifo.count = fifo.at = 0;
    for (ssize_t i = 0; i < count && fifo.count < FIFO_BYTES; i++) {
        random = random * 1664525u + 1013904223u;
        if ((random >> 8) % 1000u >= lost_permille) {
            fifo.bytes[fifo.count++] = come[i];
        }
    }
}

static size_t lossy_read(uint8_t *bytes, size_t length) {
    static uint64_t looked;
    if (fifo.at == fifo.count && fake.clock - looked >= LOOK_NS) {
        looked = fake.clock;
        fill_fifo();
    }
    size_t left = fifo.count - fifo.at;
    length = length < left ? length : left;
    memcpy(bytes, fifo.bytes + fifo.at, length);
    fifo.at += length;
    return length;
}

static size_t line_read(void *context, uint8_t *bytes, size_t length) {
    (void)context;
    if (loses) {
        return lossy_read(bytes, length);
    }
    ssize_t count = two_way ? read(line, bytes, length) : 0;
    asked += count > 0;
    return count > 0 ? (size_t)count : 0;
}

static const struct kymo_transport transport = {.write = line_write, .read = line_read};

/* The clock of the machine, but never back: the work below takes time of its own. */
static void set_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    fake.clock = now_ns > fake.clock ? now_ns : fake.clock;
}

static void wait_ms(int time_ms) {
    struct pollfd nothing = {.fd = -1};
    (void)poll(&nothing, 1, time_ms);
    set_clock();
}

/* Until all is sent that does not wait for a fuller packet; with "all" also that. */
static void drain(bool all) {
    while (kymo_drain(0) || line_full || (all && kymo_pending())) {
        struct pollfd room = {.fd = line, .events = POLLOUT};
        (void)poll(&room, 1, 10);
        line_full = false;
        set_clock();
    }
}

static void work(uint32_t round) {
    KYMO_ZONE(BOARD_ROUND);
    for (uint32_t i = 0; i < 3; i++) {
        KYMO_ZONE("inner");
        fake.clock += 1000;
    }
    KYMO_PLOT("level", (int32_t)(round % 100));
    KYMO_MESSAGE("round %u", round);
#ifdef BOARD_MORE
    if (round == UINT32_MAX) {
        KYMO_MESSAGE("never");
    }
#endif
}

#ifdef BOARD_LARGE
/* A picture and a text, and places beyond the table. */
static void work_large(void) {
    static uint8_t picture[5000];
    static struct kymo_large larges[2] = {
        {.bytes = picture,
         .length = sizeof picture,
         .name = "../screen shot.png",
         .type = KYMO_LARGE_IMAGE},
        {.bytes = "hello\n", .length = 6, .type = KYMO_LARGE_TEXT}};
    char name[8];
    for (size_t i = 0; i < sizeof picture; i++) {
        picture[i] = (uint8_t)i;
    }
    if (!kymo_large_send(&larges[0]) || !kymo_large_send(&larges[1]) ||
        kymo_large_send(&(struct kymo_large){.length = 0})) {
        fprintf(stderr, "board: large\n");
        exit(1);
    }
    for (int i = 0; i < 6; i++) {
        (void)snprintf(name, sizeof name, "late %d", i);
        KYMO_ZONE_DYNAMIC(zone, name, strlen(name));
    }
}
#else
static void work_large(void) {}
#endif

#ifdef BOARD_LATE
static void work_late(void) {
    static uint64_t task[2];
    static int lock;
    const kymo_context before = KYMO_CONTEXT_SWITCH(task);
    KYMO_LOCK_OBTAIN(&lock);
    work(0u);
    KYMO_LOCK_RELEASE(&lock);
    (void)KYMO_CONTEXT_SWITCH(before);
    work(0u);
    kymo_context_name((uintptr_t)task, KYMO_CONTEXT_TASK, "late task");
    kymo_context_name(before, KYMO_CONTEXT_MAIN, "late core");
    KYMO_LOCK(&lock, "late lock");
}
#else
static void work_late(void) {}
#endif

static bool open_pty(void) {
    struct termios settings;
    line = posix_openpt(O_RDWR | O_NOCTTY);
    if (line < 0 || grantpt(line) != 0 || unlockpt(line) != 0 || tcgetattr(line, &settings) != 0 ||
        fcntl(line, F_SETFL, O_NONBLOCK) != 0) {
        return false;
    }
    cfmakeraw(&settings);
    two_way = true;
    return tcsetattr(line, TCSANOW, &settings) == 0 && puts(ptsname(line)) >= 0 &&
           fflush(stdout) == 0;
}

/* Until the other side has read all, seen from its end of the pseudo-terminal: closing that would
 * throw away what it has not read. With "answers" commands are obeyed meanwhile; with "keep" without
 * an end. */
static void linger(bool answers, bool keep) {
    int other = open(ptsname(line), O_RDONLY | O_NOCTTY | O_NONBLOCK);
    /* Written bytes come to the other end a little later: nothing must be there for a while. */
    int looks = 0, waiting = 0;
    while (keep || (looks < 90 && ioctl(other, FIONREAD, &waiting) == 0)) {
        looks = waiting > 0 ? 0 : looks + 1;
        wait_ms(10);
        if (answers) {
            drain(false);
        }
    }
    (void)close(other);
}

int main(int argc, char **argv) {
    unsigned long rounds = 1000, done = 0, asked_min = 0;
    bool cut = false, keep = false, pty = false, leave = false, rate = true, wait_gain = false;
    bool late = false;
    for (int option; (option = getopt(argc, argv, "pn:a:ckxrl:gt")) != -1;) {
        pty = pty || option == 'p';
        cut = cut || option == 'c';
        keep = keep || option == 'k';
        leave = leave || option == 'x';
        rate = rate && option != 'r';
        rounds = option == 'n' ? strtoul(optarg, NULL, 10) : rounds;
        asked_min = option == 'a' ? strtoul(optarg, NULL, 10) : asked_min;
        loses = loses || option == 'l';
        lost_permille = option == 'l' ? (uint32_t)strtoul(optarg, NULL, 10) : lost_permille;
        wait_gain = wait_gain || option == 'g';
        late = late || option == 't';
        if (option == '?') {
            return 2;
        }
    }
    if (pty && !open_pty()) {
        perror("board: pseudo-terminal");
        return 1;
    }
    fake_reset();
    fake.clock_hz = rate ? 1000000000u : 0u;
    set_clock();
    kymo_init(&transport, "test board");
    work_large();
    if (late) {
        work_late();
    }
    for (; rounds == 0 || done < rounds || (wait_gain && !gain_is_set()); done++) {
        work((uint32_t)done);
        drain(false);
        if (rounds == 0 || wait_gain) {
            wait_ms(1);
        }
    }
    while (asked < asked_min) {
        wait_ms(1);
        drain(false);
    }
    if (!cut) {
        kymo_finish();
        drain(true);
    }
    if (two_way) {
        linger(!leave, keep);
    }
    fprintf(stderr, "emitted %lu\n", done * EVENTS_A_ROUND);
    return 0;
}
