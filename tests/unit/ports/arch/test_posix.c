/* SPDX-License-Identifier: MIT */
/* The POSIX port: lanes of threads, threads beyond the last free lane, the clocks; and a file
 * descriptor as a transport. */
#include <string.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cases.h"
#include "kymo/arch.h"
#include "posix_fd.h"
#include "record/payload.h"
#include "ring/lane.h"
#include "trace.h"

#define THREAD_LANES (KYMO_LANES - 1u)

KYMO_SITE_DEFINE_GLOBAL(zone, KYMO_SITE_ZONE, "zone", 0u, 0u, NULL);
KYMO_SITE_DEFINE_GLOBAL(plot, KYMO_SITE_PLOT, "plot", 0u, 0u, NULL);
KYMO_CONTEXT(handler, "handler", KYMO_CONTEXT_INTERRUPT);

static struct trace trace;

FIXTURE(set_up) {
    trace_power_up();
    trace_init(&trace);
    kymo_init(&trace.transport, "posix");
    return 0;
}

/* ---- texts ---- */

/* The words of a payload with "heads" words before the text must hold "text", byte by byte. */
static void assert_text(const struct kymo_payload *payload, uint32_t heads, const char *text,
                        size_t length) {
    const size_t room = 4u * (KYMO_PAYLOAD_WORDS - heads - 1u);
    const size_t whole = strnlen(text, length);
    const size_t kept = whole < room ? whole : room;
    char words[4u * KYMO_PAYLOAD_WORDS];
    memcpy(words, payload->word, sizeof words);
    assert_int_equal(payload->word[heads], kept);
    assert_int_equal(payload->count, heads + 1u + (kept + 3u) / 4u);
    const char *const bytes = &words[4u * (heads + 1u)];
    assert_memory_equal(bytes, text, whole <= room ? kept : kept - 3u);
    if (whole > room) {
        assert_memory_equal(&bytes[kept - 3u], "\xe2\x80\xa6", 3u);
    }
    for (size_t i = kept; i % 4u != 0u; i++) {
        assert_int_equal(bytes[i], 0);
    }
}

CASE(texts_of_each_length_and_no_byte_beyond) {
    enum { MOST = 4 * KYMO_PAYLOAD_WORDS + 9 };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *const pages =
        mmap(NULL, 2u * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    for (size_t length = 0u; length <= MOST; length++) {
        char *const text = pages + page - length;
        for (size_t end = 0u; end <= length; end++) {
            for (size_t i = 0u; i < length; i++) {
                text[i] = (char)(i == end ? 0 : 0x7f + i % 3u);
            }
            for (uint32_t heads = 0u; heads < 3u; heads++) {
                struct kymo_payload payload = {.count = heads};
                memset(payload.word, 0xff, sizeof payload.word);
                kymo_put_string(&payload, text, length);
                assert_text(&payload, heads, text, length);
            }
        }
    }
    assert_int_equal(munmap(pages, 2u * page), 0);
}

/* ---- lanes ---- */

static pthread_barrier_t all_recorded;

static void *record_and_wait(void *argument) {
    uintptr_t *lane = argument;
    kymo_zone open = kymo_zone_begin(&zone);
    kymo_zone_end(open);
    *lane = kymo_arch_lane();
    (void)pthread_barrier_wait(&all_recorded);
    return NULL;
}

/* Runs so many threads at a time; which lanes they had. */
static void run_threads(uint32_t count, uintptr_t *lanes) {
    pthread_t threads[2u * KYMO_LANES];
    assert_int_equal(pthread_barrier_init(&all_recorded, NULL, count), 0);
    for (uint32_t i = 0u; i < count; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, record_and_wait, &lanes[i]), 0);
    }
    for (uint32_t i = 0u; i < count; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_int_equal(pthread_barrier_destroy(&all_recorded), 0);
}

CASE(each_thread_has_its_lane_and_gives_it_back, set_up) {
    for (uint32_t turn = 1u; turn <= 3u; turn++) {
        uintptr_t lanes[THREAD_LANES];
        uint32_t seen = 0u;
        run_threads(THREAD_LANES, lanes);
        for (uint32_t i = 0u; i < THREAD_LANES; i++) {
            assert_true(lanes[i] < THREAD_LANES);
            seen |= 1u << lanes[i];
        }
        assert_int_equal(seen, (1u << THREAD_LANES) - 1u);
    }
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(trace_events(&trace), 3u * 2u * THREAD_LANES);
}

CASE(threads_without_a_lane_are_counted, set_up) {
    uintptr_t lanes[THREAD_LANES + 3u];
    uint32_t without = 0u;
    run_threads(THREAD_LANES + 3u, lanes);
    for (uint32_t i = 0u; i < THREAD_LANES + 3u; i++) {
        without += lanes[i] == THREAD_LANES ? 1u : 0u;
    }
    assert_int_equal(without, 3u);
    assert_int_equal(trace_finish(&trace), 3u * 2u);
    assert_int_equal(trace_events(&trace), 2u * THREAD_LANES);
    assert_int_equal(trace.lane[THREAD_LANES].events, 0u);
    assert_int_equal(trace.lane[THREAD_LANES].status[1], 3u * 2u);
}

static void on_signal(int number) {
    (void)number;
    KYMO_INTERRUPT(handler);
    kymo_plot_int(&plot, 1);
}

static void *first_event_in_a_handler(void *argument) {
    (void)argument;
    assert_int_equal(raise(SIGUSR1), 0);
    kymo_plot_int(&plot, 2);
    return NULL;
}

CASE(a_signal_may_be_the_first, set_up) {
    struct sigaction action = {.sa_handler = on_signal};
    pthread_t thread;
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    assert_int_equal(pthread_create(&thread, NULL, first_event_in_a_handler, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(trace_events(&trace), 4u); /* two switches, two plots */
    assert_int_equal(trace.lane[0].events, 4u);
}

/* A handler comes while a thread takes its lane, and does not return there. */
int __real_pthread_setspecific(pthread_key_t key, const void *value);
int __wrap_pthread_setspecific(pthread_key_t key, const void *value);
static __thread sigjmp_buf *leaves_to;

int __wrap_pthread_setspecific(pthread_key_t key, const void *value) {
    if (leaves_to != NULL) {
        (void)raise(SIGUSR1);
    }
    return __real_pthread_setspecific(key, value);
}

static void leave_the_call(int number) {
    sigjmp_buf *const to = leaves_to;
    (void)number;
    leaves_to = NULL;
    siglongjmp(*to, 1);
}

static void *first_event_is_left(void *argument) {
    sigjmp_buf here;
    bool *is_left = argument;
    *is_left = sigsetjmp(here, 1) != 0;
    if (!*is_left) {
        leaves_to = &here;
        kymo_plot_int(&plot, 1);
    }
    kymo_plot_int(&plot, 2);
    return NULL;
}

CASE(a_lane_whose_taking_is_left_is_given_back, set_up) {
    struct sigaction action = {.sa_handler = leave_the_call};
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    for (uint32_t i = 0u; i < 2u * KYMO_LANES; i++) {
        bool is_left = false;
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, first_event_is_left, &is_left), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_true(is_left);
    }
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(trace_events(&trace), 2u * KYMO_LANES);
}

/* ---- ends of threads ---- */

static void end_in_a_handler(int number) {
    (void)number;
    (void)kymo_interrupt_enter((kymo_context)&handler);
    pthread_exit(NULL);
}

static void *end_in_some_way(void *argument) {
    kymo_zone *open = argument;
    const bool returns = *open != NULL;
    (void)kymo_context_switch(0x1000u);
    *open = kymo_zone_begin(&zone);
    if (!returns) {
        pthread_exit(NULL);
    }
    return NULL;
}

static void *wait_for_the_end(void *argument) {
    kymo_zone *open = argument;
    __atomic_store_n(open, kymo_zone_begin(&zone), __ATOMIC_RELEASE);
    for (;;) {
        (void)pause(); /* a place where a thread may be cancelled */
    }
    return NULL;
}

static void *record_once(void *argument) {
    (void)argument;
    kymo_plot_int(&plot, 1);
    return NULL;
}

static void run_to_an_end(uint32_t way) {
    pthread_t thread;
    kymo_zone open = way == 0u ? (kymo_zone)(void *)&trace : NULL;
    assert_int_equal(
        pthread_create(&thread, NULL, way < 2u ? end_in_some_way : wait_for_the_end, &open), 0);
    if (way >= 2u) {
        while (__atomic_load_n(&open, __ATOMIC_ACQUIRE) == NULL) {
            (void)sched_yield();
        }
        assert_int_equal(way == 2u ? pthread_cancel(thread) : pthread_kill(thread, SIGUSR2), 0);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_non_null(open);
}

static uint64_t plots_in_main;

static void on_plot(void *user, uint32_t lane, uint32_t context, const struct wire_event *event) {
    (void)user;
    (void)lane;
    plots_in_main += event->kind == KYMO_KIND_PLOT_INT && context == 1u ? 1u : 0u;
}

/* With a zone open, in a task of its own, by a return, pthread_exit(), a cancellation and out of a handler: more of
 * them than one ring holds ends. */
CASE(a_lane_is_as_new_for_the_next_thread, set_up) {
    const uint32_t threads = KYMO_RING_BYTES / KYMO_CELL_BYTES + 40u;
    struct sigaction action = {.sa_handler = end_in_a_handler};
    pthread_t next;
    trace.event = on_plot;
    plots_in_main = 0u;
    assert_int_equal(sigaction(SIGUSR2, &action, NULL), 0);
    for (uint32_t i = 0u; i < threads; i++) {
        run_to_an_end(i % 4u);
        assert_int_equal(pthread_create(&next, NULL, record_once, NULL), 0);
        assert_int_equal(pthread_join(next, NULL), 0);
        for (unsigned call = 0u; call < 8u; call++) { /* what fills no packet may wait */
            (void)kymo_drain(0u);
        }
    }
    assert_int_equal(trace_finish(&trace), 0u);
    assert_int_equal(plots_in_main, threads);
}

/* ---- clocks ---- */

CASE(the_clock_does_not_go_back) {
    uint64_t before = kymo_arch_clock();
    uint64_t first = before;
    for (uint32_t i = 0u; i < 1000000u || before == first; i++) {
        uint64_t now = kymo_arch_clock();
        assert_true(now >= before);
        before = now;
    }
    uint64_t hz = kymo_arch_clock_hz();
    assert_int_equal(kymo_arch_clock_hz(), hz); /* stays what it was first said to be */
#if KYMO_CLOCK == 2
    assert_int_equal(hz, 1000000000u);
#else
    /* No core with a counter of constant rate counts slower or faster than this. */
    assert_in_range(hz, 1000000u, 10000000000u);
#endif
}

/* ---- the file descriptor ---- */

static uint8_t pattern(size_t at) { return (uint8_t)(at * 7u + at / 251u); }

/* Fills the way until it is full, reads it, again; nothing is lost, doubled or waited for. */
static void push_through(int from, int to) {
    struct kymo_posix_fd port;
    uint8_t bytes[3000];
    size_t sent = 0u;
    size_t received = 0u;
    bool was_full = false;
    assert_int_equal(kymo_posix_fd_init(&port, from, false), 0);
    assert_int_equal(fcntl(to, F_SETFL, fcntl(to, F_GETFL) | O_NONBLOCK), 0);
    const struct kymo_transport *transport = kymo_posix_fd_transport(&port);
    assert_null(transport->read);
    while (sent < 2000000u) {
        for (size_t i = 0u; i < sizeof bytes; i++) {
            bytes[i] = pattern(sent + i);
        }
        size_t taken = transport->write(transport->context, bytes, sizeof bytes);
        assert_true(taken <= sizeof bytes);
        sent += taken;
        if (taken == sizeof bytes) {
            continue;
        }
        was_full = true;
        ssize_t count = 0;
        while ((count = read(to, bytes, sizeof bytes)) > 0) {
            for (size_t i = 0u; i < (size_t)count; i++) {
                assert_int_equal(bytes[i], pattern(received++));
            }
        }
        assert_int_equal(received, sent);
    }
    assert_true(was_full);
    assert_int_equal(kymo_posix_fd_error(&port), 0);
    assert_int_equal(close(to), 0);
    errno = 0;
    assert_int_equal(transport->write(transport->context, bytes, sizeof bytes), 0u);
    assert_int_equal(errno, 0);
    assert_int_equal(kymo_posix_fd_error(&port), -EPIPE);
    assert_int_equal(transport->write(transport->context, bytes, sizeof bytes), 0u);
    assert_int_equal(close(from), 0);
}

#if KYMO_CLOCK == 0 && (defined(__x86_64__) || defined(__i386__))

/* Linux shows both flags where CPUID says "invariant TSC". */
CASE(the_counter_is_taken_where_its_rate_is_constant) {
    char line[8192] = "";
    FILE *file = fopen("/proc/cpuinfo", "r");
    assert_non_null(file);
    while (strncmp(line, "flags", 5u) != 0 && fgets(line, sizeof line, file) != NULL) {}
    assert_int_equal(fclose(file), 0);
    const bool is_sound =
        strstr(line, " constant_tsc") != NULL && strstr(line, " nonstop_tsc") != NULL;
    (void)kymo_arch_clock();
    assert_int_equal(kymo_posix_chosen, is_sound ? KYMO_POSIX_BY_COUNTER : KYMO_POSIX_BY_MONOTONIC);
}

#endif

CASE(a_socket_and_a_pipe_carry_all) {
    int sockets[2];
    int pipes[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    push_through(sockets[0], sockets[1]);
    assert_int_equal(pipe(pipes), 0);
    assert_true(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
    push_through(pipes[1], pipes[0]);
}

CASE(commands_are_read) {
    struct kymo_posix_fd port;
    int sockets[2];
    uint8_t bytes[4];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    assert_int_equal(kymo_posix_fd_init(&port, sockets[0], true), 0);
    const struct kymo_transport *transport = kymo_posix_fd_transport(&port);
    assert_int_equal(transport->read(transport->context, bytes, sizeof bytes), 0u);
    assert_int_equal(write(sockets[1], "abcdef", 6u), 6);
    assert_int_equal(transport->read(transport->context, bytes, sizeof bytes), 4u);
    assert_memory_equal(bytes, "abcd", 4u);
    assert_int_equal(transport->read(transport->context, bytes, sizeof bytes), 2u);
    assert_int_equal(transport->read(transport->context, bytes, sizeof bytes), 0u);
    assert_int_equal(kymo_posix_fd_error(&port), 0);
    assert_int_equal(close(sockets[1]), 0);
    assert_int_equal(transport->read(transport->context, bytes, sizeof bytes), 0u);
    assert_int_equal(kymo_posix_fd_error(&port), -ENOTCONN);
    assert_int_equal(close(sockets[0]), 0);
}

CASE(what_is_no_descriptor_is_refused) {
    struct kymo_posix_fd port;
    assert_int_equal(kymo_posix_fd_init(&port, -1, true), -EBADF);
}

static bool is_network(int family) {
    struct kymo_posix_fd port;
    int fd = socket(family, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(kymo_posix_fd_init(&port, fd, true), 0);
    assert_int_equal(close(fd), 0);
    return kymo_posix_fd_transport(&port)->network;
}

CASE(a_socket_to_elsewhere_is_a_network) {
    struct kymo_posix_fd port;
    int pipes[2];
    assert_true(is_network(AF_INET));
    assert_false(is_network(AF_UNIX));
    assert_int_equal(pipe(pipes), 0);
    assert_int_equal(kymo_posix_fd_init(&port, pipes[0], true), 0);
    assert_false(kymo_posix_fd_transport(&port)->network);
    assert_int_equal(close(pipes[0]) + close(pipes[1]), 0);
}

CASE(nothing_waits_for_a_full_packet_in_a_hurry, set_up) {
    while (kymo_drain(0u)) {}
    kymo_zone_end(kymo_zone_begin(&zone));
    kymo_hurry(true);
    while (kymo_drain(0u)) {}
    assert_false(kymo_pending());
    kymo_hurry(false);
}

#if KYMO_CLOCK == 0 && KYMO_CLOCK_HZ == 0 && (defined(__x86_64__) || defined(__i386__))
static void *ask_rate(void *rate) {
    (void)pthread_barrier_wait(&all_recorded);
    *(uint64_t *)rate = kymo_posix_counter_hz();
    return NULL;
}

/* The first calls that ask for the rate. */
CASE(all_threads_have_one_rate) {
    uint64_t rates[8];
    pthread_t threads[8];
    assert_int_equal(pthread_barrier_init(&all_recorded, NULL, 8u), 0);
    for (unsigned i = 0u; i < 8u; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, ask_rate, &rates[i]), 0);
    }
    for (unsigned i = 0u; i < 8u; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(rates[i] == rates[0]);
    }
}
#endif
