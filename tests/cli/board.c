/* A board that runs on this machine, for the tests of hostlink's command line: the runtime on the fake
 * arch port, with the clock of the machine. Each round records 10 events: zone "round" with three
 * zones "inner", a plot and a message.
 *
 *   board [-p] [-n ROUNDS] [-c] [-k] [-x] [-r]
 *     -p  on a pseudo-terminal, whose name is the first line on standard output; else on standard
 *         output, without a way back
 *     -n  0 = one round a millisecond until it is killed (default 1000, as fast as the line takes them)
 *     -c  cut: ends without the final status
 *     -k  keeps the line open until it is killed
 *     -x  closes the line as soon as the other side has read the last byte
 *     -r  does not know the rate of its clock
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

static int line = STDOUT_FILENO;
static bool two_way, line_full;

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

static size_t line_read(void *context, uint8_t *bytes, size_t length) {
    (void)context;
    ssize_t count = two_way ? read(line, bytes, length) : 0;
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

/* Until all is sent that does not wait for a fuller frame; with "all" also that. */
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

/* Until the other side has read all, seen from its end of the line. */
static void await_read(void) {
    int other = open(ptsname(line), O_RDONLY | O_NOCTTY | O_NONBLOCK);
    /* What was written comes to the other end a little later: nothing must be there for a while. */
    for (int looks = 0, waiting = 0; looks < 30 && ioctl(other, FIONREAD, &waiting) == 0;) {
        looks = waiting > 0 ? 0 : looks + 1;
        wait_ms(30);
    }
    (void)close(other);
}

/* The last bytes are still in the pseudo-terminal: closing it would throw them away. */
static void linger(bool keep) {
    for (int i = 0; two_way && (keep || i < 50); i++) {
        wait_ms(10);
        drain(false);
    }
}

int main(int argc, char **argv) {
    unsigned long rounds = 1000, done = 0;
    bool cut = false, keep = false, pty = false, leave = false, rate = true;
    for (int option; (option = getopt(argc, argv, "pn:ckxr")) != -1;) {
        pty = pty || option == 'p';
        cut = cut || option == 'c';
        keep = keep || option == 'k';
        leave = leave || option == 'x';
        rate = rate && option != 'r';
        rounds = option == 'n' ? strtoul(optarg, NULL, 10) : rounds;
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
    for (; rounds == 0 || done < rounds; done++) {
        work((uint32_t)done);
        drain(false);
        if (rounds == 0) {
            wait_ms(1);
        }
    }
    if (!cut) {
        kymo_finish();
        drain(true);
    }
    if (leave) {
        await_read();
    } else {
        linger(keep);
    }
    fprintf(stderr, "emitted %lu\n", done * EVENTS_A_ROUND);
    return 0;
}
