/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* the program's own name */
#endif

#include "posix_background.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <arpa/inet.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "kymo/arch.h"
#include "posix_fd.h"
#include "posix_socket.h"

#define LOOPBACK 0x7f000001u
#define PORT_DEFAULT 6996u
#define PORTS_TRIED 20u
#define REST_LEAST_NS 50000
#define REST_MOST_NS 1000000
#define PATIENCE_MS 5000u
/* Bytes of one write to a file; a packet has some hundred bytes. */
#define FILE_BYTES 65536u

static struct {
    struct kymo_posix_socket server;
    struct kymo_posix_fd file;
    struct kymo_transport to_file;
    uint8_t bytes[FILE_BYTES]; /* for the file, which has not taken the first "used" of them yet */
    size_t used;
    int file_fd;
    int port; /* 0: it does not listen */
    pthread_t thread;
    pid_t process; /* in which the thread runs; 0: it does not */
    bool finishing;
    uint32_t flushes_asked, flushes_done;
} background = {.file_fd = -1};

/* ---- where to ---- */

static int listen_near(uint32_t address, uint32_t port) {
    int result = -EADDRINUSE;
    for (uint32_t i = 0u; i < PORTS_TRIED && result == -EADDRINUSE && port + i <= UINT16_MAX; i++) {
        result = kymo_posix_socket_listen(&background.server, address, (uint16_t)(port + i));
    }
    background.port = result == 0 ? kymo_posix_socket_port(&background.server) : 0;
    return result;
}

static void write_file(void) {
    const struct kymo_transport *file = kymo_posix_fd_transport(&background.file);
    const size_t taken = file->write(file->context, background.bytes, background.used);
    background.used -= taken;
    memmove(background.bytes, background.bytes + taken, background.used);
}

static size_t take_for_file(void *unused, const uint8_t *bytes, size_t length) {
    (void)unused;
    if (length > sizeof background.bytes - background.used) {
        write_file();
    }
    const size_t room = sizeof background.bytes - background.used;
    const size_t taken = length < room ? length : room;
    memcpy(background.bytes + background.used, bytes, taken);
    background.used += taken;
    return taken;
}

/* "PORT" or "ADDRESS:PORT". */
static int listen_where(const char *where) {
    const char *colon = strrchr(where, ':');
    const char *digits = colon != NULL ? colon + 1 : where;
    char address[sizeof "255.255.255.255"] = "127.0.0.1";
    struct in_addr parsed;
    char *end = NULL;
    const unsigned long port = strtoul(digits, &end, 10);
    if (colon != NULL) {
        const size_t length = (size_t)(colon - where);
        if (length >= sizeof address) {
            return -EINVAL;
        }
        memcpy(address, where, length);
        address[length] = '\0';
    }
    if (*digits < '0' || *digits > '9' || *end != '\0' || port > UINT16_MAX ||
        inet_pton(AF_INET, address, &parsed) != 1) {
        return -EINVAL;
    }
    return listen_near(ntohl(parsed.s_addr), (uint32_t)port);
}

static int open_file(const char *path) {
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) {
        return -errno;
    }
    const int result = kymo_posix_fd_init(&background.file, fd, false);
    if (result != 0) {
        (void)close(fd);
        return result;
    }
    background.file_fd = fd;
    kymo_transport_set(&background.to_file, take_for_file, NULL, NULL);
    return 0;
}

static int open_where(const char *where) {
    if (where == NULL || *where == '\0') {
        return listen_near(LOOPBACK, PORT_DEFAULT);
    }
    return strchr(where, '/') != NULL ? open_file(where) : listen_where(where);
}

static const struct kymo_transport *transport(void) {
    return background.file_fd >= 0 ? &background.to_file
                                   : kymo_posix_socket_transport(&background.server);
}

static bool has_taker(void) {
    return background.file_fd >= 0 ? kymo_posix_fd_error(&background.file) == 0
                                   : kymo_posix_socket_connected(&background.server);
}

/* ---- the thread ---- */

static void rest(long nanoseconds) {
    const struct timespec pause = {.tv_nsec = nanoseconds};
    (void)nanosleep(&pause, NULL);
}

/* False: there was nothing to do, or the other side takes nothing. */
static bool drain_some(void) {
    if (kymo_drain(0u)) {
        return true;
    }
    const size_t before = background.used;
    if (before != 0u) {
        write_file();
    }
    return background.used != before;
}

static void drain_rest(void) {
    uint32_t silent_ms = 0u;
    kymo_hurry(true);
    while ((kymo_pending() || background.used != 0u) && has_taker() && silent_ms < PATIENCE_MS) {
        if (drain_some()) {
            silent_ms = 0u;
        } else {
            rest(REST_MOST_NS);
            silent_ms++;
        }
    }
    kymo_hurry(false);
}

static void *drain(void *unused) {
    (void)unused;
#ifdef __linux__
    (void)prctl(PR_SET_NAME, "kymo_drain");
#endif
#if KYMO_FULL_WAIT_MS
    kymo_posix_hurries = true; /* nobody else would read on */
#endif
    long pause_ns = REST_LEAST_NS;
    while (!__atomic_load_n(&background.finishing, __ATOMIC_ACQUIRE)) {
        const uint32_t asked = __atomic_load_n(&background.flushes_asked, __ATOMIC_ACQUIRE);
        if (asked != background.flushes_done) {
            drain_rest();
            __atomic_store_n(&background.flushes_done, asked, __ATOMIC_RELEASE);
        }
        if (drain_some()) {
            pause_ns = REST_LEAST_NS;
        } else {
            rest(pause_ns);
            pause_ns = 2 * pause_ns < REST_MOST_NS ? 2 * pause_ns : REST_MOST_NS;
        }
    }
    kymo_finish();
    drain_rest();
    return NULL;
}

/* The program's signals are for its own threads: a new one has the mask of the one that makes it. */
static int start_thread(void) {
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    const int result = -pthread_create(&background.thread, NULL, drain, NULL);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}

static void wait_for_host(void) {
    const char *wait = getenv("KYMO_WAIT");
    while (wait != NULL && *wait == '1' && background.port != 0 && !has_taker()) {
        (void)kymo_drain(0u);
        rest(REST_MOST_NS);
    }
}

/* A program built for hostlink is run like one that serves viewers itself. */
static void warn_of_tracys_settings(void) {
    static const char *const settings[] = {"TRACY_NO_EXIT", "TRACY_PORT"};
    for (size_t i = 0; KYMO_TRACY && i < sizeof settings / sizeof settings[0]; i++) {
        if (getenv(settings[i]) != NULL) {
            (void)fprintf(
                stderr, "kymo: %s has no effect: this program sends to hostlink; set %s instead\n",
                settings[i], i == 0 ? "KYMO_WAIT=1" : "KYMO_TRACE=PORT");
        }
    }
}

int kymo_posix_background_start(const char *image) {
    const char *where = getenv("KYMO_TRACE");
    if (where != NULL && strcmp(where, "off") == 0) {
        kymo_stop();
        return 0;
    }
    warn_of_tracys_settings();
    int result = open_where(where);
    if (result == 0) {
        kymo_init(transport(), image != NULL ? image : program_invocation_short_name);
        wait_for_host();
        result = start_thread();
    }
    if (result == -EINVAL && where != NULL && strchr(where, '/') == NULL) {
        (void)fprintf(
            stderr,
            "kymo: no trace is sent: KYMO_TRACE=%s is no ADDRESS:PORT; a file has a slash: "
            "./%s\n",
            where, where);
    } else if (result != 0) {
        (void)fprintf(stderr, "kymo: no trace is sent to %s: %s\n",
                      where != NULL ? where : "port 6996", strerror(-result));
    }
    if (result != 0) {
        return result;
    }
    background.process = getpid();
    return 0;
}

void kymo_posix_background_flush(void) {
    if (background.process != getpid()) {
        return;
    }
    const uint32_t mine = __atomic_add_fetch(&background.flushes_asked, 1u, __ATOMIC_ACQ_REL);
    while ((int32_t)(__atomic_load_n(&background.flushes_done, __ATOMIC_ACQUIRE) - mine) < 0) {
        rest(REST_MOST_NS);
    }
}

/* Runs after the destructors of C++, and the functions of atexit(). */
__attribute__((destructor)) void kymo_posix_background_finish(void) {
    if (background.process != getpid()) {
        return;
    }
    background.process = 0;
    __atomic_store_n(&background.finishing, true, __ATOMIC_RELEASE);
    (void)pthread_join(background.thread, NULL);
    if (background.file_fd >= 0) {
        (void)close(background.file_fd);
    } else {
        kymo_posix_socket_close(&background.server);
    }
}

int kymo_posix_background_port(void) { return background.port; }
