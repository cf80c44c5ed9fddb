/* SPDX-License-Identifier: MIT */
/* Which thread has which lane, and the clocks. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE 1 /* syscall(), MAP_ANONYMOUS */
#endif

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/mman.h>
#if defined(__linux__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "kymo/arch.h"
#include "kymo/kymo.h"
#include "kymo/unwind.h"

#if KYMO_ENABLE

__thread struct kymo_lane *kymo_posix_held __attribute__((tls_model("initial-exec")));
__thread uintptr_t kymo_posix_lane __attribute__((tls_model("initial-exec")));

/* Words: no core exchanges bytes at once without a library on 64-bit RISC-V. */
static uint32_t lane_taken[KYMO_LANES];
static pthread_key_t lane_key;
static bool has_key;

/* The first look at the clock chooses it. */
static void hold(uintptr_t lane) {
    (void)kymo_arch_clock();
#ifdef KYMO_ARCH_QUICK_CLOCK
    struct kymo_lane *const held = kymo_arch_clock_is_quick() ? kymo_lane_of(lane) : NULL;
#else
    struct kymo_lane *const held = kymo_lane_of(lane);
#endif
    __atomic_store_n(&kymo_posix_held, held, __ATOMIC_RELAXED);
}

#if KYMO_POSIX_THREADS

__thread bool kymo_posix_is_untraced __attribute__((tls_model("initial-exec")));

/* A place that no other thread has while this one lives. */
static kymo_context own_context(void) { return (kymo_context)&kymo_posix_held; }

static void begin_row(uintptr_t lane) {
    char name[16] = ""; /* PR_GET_NAME gives so much */
    if (lane == KYMO_ARCH_SPARE_LANE) {
        return;
    }
    (void)prctl(PR_GET_NAME, name, 0, 0, 0);
    (void)kymo_context_switch(own_context());
    kymo_context_name(own_context(), KYMO_CONTEXT_TASK, name);
}

static void end_row(uintptr_t lane) {
    if (lane != KYMO_ARCH_SPARE_LANE) {
        (void)kymo_context_switch(0u);
        kymo_context_end(own_context());
    }
}

void kymo_posix_untraced(void) {
    kymo_posix_is_untraced = true;
#if KYMO_FULL_WAIT_MS
    kymo_posix_hurries = true;
#endif
    __atomic_store_n(&kymo_posix_lane, KYMO_ARCH_SPARE_LANE + 1u, __ATOMIC_RELAXED);
    hold(KYMO_ARCH_SPARE_LANE);
}

#else

static void begin_row(uintptr_t lane) { (void)lane; }
static void end_row(uintptr_t lane) { (void)lane; }

#endif

#ifdef KYMO_ARCH_MAPS_RINGS

/* errno is that of the code that records; a signal handler may be. */
void *kymo_arch_map(size_t bytes) {
    static const char why[] = "kymo: no memory for the rings (KYMO_LANES x KYMO_RING_BYTES): this "
                              "program records nothing\n";
    const int before = errno;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
#if defined(KYMO_ARCH_RING_PIECE) && defined(MADV_DONTDUMP)
    /* A core file that goes through a pipe would have all of it. */
    if (memory != MAP_FAILED) {
        (void)madvise(memory, bytes, MADV_DONTDUMP);
    }
#endif
    if (memory == MAP_FAILED) {
        static bool is_said; /* the first events of several threads may come at once */
        if (!__atomic_exchange_n(&is_said, true, __ATOMIC_RELAXED)) {
            const ssize_t written = write(STDERR_FILENO, why, strlen(why));
            (void)written;
        }
        memory = NULL;
    }
    errno = before;
    return memory;
}

void kymo_arch_unmap(void *memory, size_t bytes) { (void)munmap(memory, bytes); }

#ifdef KYMO_ARCH_RING_PIECE
/* It holds zeros, so a system that keeps it does no harm. */
void kymo_arch_give_back(void *memory, size_t bytes) {
    (void)madvise(memory, bytes, MADV_DONTNEED);
}
#endif

#endif

#if KYMO_FULL_WAIT_MS

/* A reader that finds nothing to do rests as long. */
#define WAIT_STEP_NS 100000
#define NS_A_MS 1000000u

__thread bool kymo_posix_hurries __attribute__((tls_model("initial-exec")));
/* Here the ring was not read on for as long as a thread waits. */
static __thread bool gave_up __attribute__((tls_model("initial-exec")));
static __thread uint32_t gave_up_at __attribute__((tls_model("initial-exec")));

static bool has_moved(const uint32_t *tail, uint32_t before) {
    return __atomic_load_n(tail, __ATOMIC_ACQUIRE) != before;
}

/* Times the wait by the clock, as a sleep may take many times the requested duration. */
bool kymo_posix_wait(const uint32_t *tail) {
    const struct timespec step = {.tv_nsec = WAIT_STEP_NS};
    const uint32_t before = __atomic_load_n(tail, __ATOMIC_ACQUIRE);
    const int error = errno;
    if (kymo_posix_hurries || (gave_up && gave_up_at == before)) {
        return false;
    }
    const uint64_t start_ns = kymo_posix_monotonic_ns();
    while (!has_moved(tail, before) &&
           kymo_posix_monotonic_ns() - start_ns < KYMO_FULL_WAIT_MS * (uint64_t)NS_A_MS) {
        (void)nanosleep(&step, NULL);
    }
    errno = error;
    gave_up_at = before;
    gave_up = !has_moved(tail, before);
    return !gave_up;
}

#endif

#ifdef KYMO_ARCH_STACK_END

/* Larger ones are walked as far. */
#define STACK_MOST ((uintptr_t)8 << 20)
/* The smallest of Linux's pages. */
#define PAGE_BYTES ((uintptr_t)4096)
/* Size of the kernel's set of signals. */
#define SIGNALS_BYTES 8u

/* All from here to kymo_posix_held could be read; 0 = nothing is known. */
static __thread uintptr_t known_stack __attribute__((tls_model("initial-exec")));

/* The kernel reads the set of signals before it finds that there is no such way to change the mask. */
static bool is_readable(uintptr_t page) {
    const int before = errno;
    const bool is =
        syscall(SYS_rt_sigprocmask, ~0, page, NULL, SIGNALS_BYTES) == 0 || errno != EFAULT;
    errno = before;
    return is;
}

static bool is_of_this_frame(uintptr_t page) {
    return (uintptr_t)__builtin_frame_address(0) - page < PAGE_BYTES;
}

/* "end", or the first page from "stack" on that cannot be read. Where a coroutine begins, its stack pointer may still
 * be the end of its stack, and no memory of that. */
static uintptr_t readable_end(uintptr_t stack, uintptr_t end) {
    uintptr_t page = stack & ~(PAGE_BYTES - 1u);
    while (page < end && (is_of_this_frame(page) || is_readable(page))) {
        page += PAGE_BYTES;
    }
    page = page > stack ? page : stack;
    return page < end ? page : end;
}

extern char **environ;

/* Where the kernel laid the number of the program's arguments, above all frames of the main thread; 0 = unknown. */
static uintptr_t main_stack_end;

/* There follow the arguments' addresses, NULL, and those of the environment's strings (System V ABI, "Process
 * Initialization"), until the program gives itself another environment. Without this, libc's value of the
 * frame pointer at main() may lead to the number of arguments, as a return address. */
__attribute__((constructor(101))) static void find_main_stack_end(void) {
    const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    const uintptr_t *word = (const uintptr_t *)environ;
    uintptr_t arguments = 0u;
    if ((uintptr_t)word <= frame || (uintptr_t)word >= (uintptr_t)getauxval(AT_EXECFN)) {
        return;
    }
    for (word -= 2; (uintptr_t)word > frame && *word != arguments; word--) {
        arguments++;
    }
    main_stack_end = (uintptr_t)word;
}

static bool is_main_thread(void) { return syscall(SYS_gettid) == getpid(); }

/* Above the main thread's stack lies the data that the kernel gave the program, strings at last. For other threads the
 * C libraries lay the thread's own data, and so the variable, above the stack, into the same piece of memory. Stacks
 * made by the program, for coroutines or signal handlers, may lie anywhere, also close below that variable, with
 * nothing in between, and a coroutine's first frame may lead to a stack that is gone. So memory that is not known to
 * be the thread's is looked at, page by page, by system calls that a signal handler may make. */
uintptr_t kymo_posix_stack_end(uintptr_t stack) {
    const uintptr_t own = (uintptr_t)&kymo_posix_held;
    const uintptr_t strings = (uintptr_t)getauxval(AT_EXECFN) & ~(uintptr_t)15u;
    const uintptr_t known = known_stack;
    if (strings > stack && strings - stack < STACK_MOST) {
        return main_stack_end > stack ? main_stack_end : strings;
    }
    if (known != 0u && stack >= known && stack < own) {
        return own;
    }
    if (own <= stack || own - stack >= STACK_MOST || is_main_thread()) {
        return readable_end(stack, stack + KYMO_STACK_BYTES);
    }
    const uintptr_t wanted = known > stack ? known : own;
    const uintptr_t end = readable_end(stack, wanted);
    if (end != wanted) {
        return end;
    }
    known_stack = stack & ~(PAGE_BYTES - 1u);
    return own;
}

#endif

/* At the end of a thread. An event recorded after this takes a lane again, and this is called
 * again. */
static void give_lane_back(void *value) {
    uint32_t *taken = value;
    const uintptr_t lane = (uintptr_t)(taken - lane_taken);
    hold(lane);
    end_row(lane);
    kymo_lane_left();
    __atomic_store_n(&kymo_posix_held, NULL, __ATOMIC_RELAXED);
    __atomic_store_n(&kymo_posix_lane, 0u, __ATOMIC_RELAXED);
    if (taken != &lane_taken[KYMO_ARCH_SPARE_LANE]) {
        __atomic_store_n(taken, 0u, __ATOMIC_RELEASE);
    }
}

/* Before main() and the work of other constructors, as making a key is not allowed in a signal handler. Without a key
 * (a process has a hundred and more of them) lanes are not given back. */
__attribute__((constructor(101))) static void make_key(void) {
    has_key = pthread_key_create(&lane_key, give_lane_back) == 0;
}

/* In a library that is unloaded: threads that recorded in it end later. */
__attribute__((destructor)) static void delete_key(void) {
    if (has_key) {
        has_key = false;
        (void)pthread_key_delete(lane_key);
    }
}

static uintptr_t find_lane(void) {
    for (uintptr_t i = 0u; i < KYMO_ARCH_SPARE_LANE; i++) {
        if (__atomic_exchange_n(&lane_taken[i], 1u, __ATOMIC_ACQUIRE) == 0u) {
            return i;
        }
    }
    return KYMO_ARCH_SPARE_LANE;
}

/* Once a thread. A signal handler that preempted this could take a second lane, or leave it by siglongjmp() with a
 * lane that nobody gives back. */
uintptr_t kymo_posix_take_lane(void) {
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    if (kymo_posix_lane == 0u) { /* a handler may have come just before */
        const uintptr_t lane = find_lane();
        __atomic_store_n(&kymo_posix_lane, lane + 1u, __ATOMIC_RELAXED);
        hold(lane);
        if (has_key) {
            (void)pthread_setspecific(lane_key, &lane_taken[lane]);
        }
        begin_row(lane);
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return kymo_posix_lane;
}

uint64_t kymo_posix_monotonic_ns(void) {
    struct timespec now;
    /* Cannot fail: the clock exists on every POSIX.1-2008. */
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#ifdef KYMO_POSIX_COUNTER

#if KYMO_CLOCK == 0

enum kymo_posix_source kymo_posix_chosen;

#if defined(__x86_64__) || defined(__i386__)

/* Intel's and AMD's manuals, CPUID leaf 80000007h, EDX bit 8: "invariant TSC", one rate in all states of the core. */
static bool counter_is_sound(void) {
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & 1u << 8) != 0u;
}

#else

/* The architectures demand it: one rate, and in step on all cores ("Arm Architecture Reference Manual", the system
 * counter; RISC-V, Zicntr, "time"). */
static bool counter_is_sound(void) { return true; }

#endif

/* Every thread that gets here first chooses the same. */
kymo_clock_t kymo_posix_first_clock(void) {
    if (__atomic_load_n(&kymo_posix_chosen, __ATOMIC_RELAXED) == KYMO_POSIX_NOT_YET) {
        __atomic_store_n(&kymo_posix_chosen,
                         counter_is_sound() ? KYMO_POSIX_BY_COUNTER : KYMO_POSIX_BY_MONOTONIC,
                         __ATOMIC_RELAXED);
    }
    return __atomic_load_n(&kymo_posix_chosen, __ATOMIC_RELAXED) == KYMO_POSIX_BY_COUNTER
               ? kymo_posix_counter()
               : kymo_posix_monotonic_ns();
}

#endif

#if KYMO_CLOCK_HZ == 0

#define MEASURED_NS 10000000u

static uint64_t start_ticks, start_ns;

/* Before other constructors, which may start threads that ask for the rate. */
__attribute__((constructor(101))) static void start_measuring(void) {
    start_ns = kymo_posix_monotonic_ns();
    start_ticks = kymo_posix_counter();
}

/* Both clocks at one moment: the counter is read between two looks at the other. A few tries bring
 * them as close together as they can, since the thread may be moved aside in between. */
static uint64_t both_clocks(uint64_t *ns) {
    uint64_t ticks = 0u;
    uint64_t best = UINT64_MAX;
    for (unsigned i = 0u; i < 8u; i++) {
        uint64_t before = kymo_posix_monotonic_ns();
        uint64_t now = kymo_posix_counter();
        uint64_t after = kymo_posix_monotonic_ns();
        if (after - before < best) {
            best = after - before;
            ticks = now;
            *ns = before + best / 2u;
        }
    }
    return ticks;
}

/* In floating point, since ticks times 10^9 does not fit. Good to some ten parts in a million. */
static uint64_t measured_hz(void) {
    uint64_t ns = kymo_posix_monotonic_ns() - start_ns;
    if (ns < MEASURED_NS) {
        const struct timespec rest = {.tv_nsec = (long)(MEASURED_NS - ns)};
        (void)nanosleep(&rest, NULL); /* a signal may shorten it: then over less */
    }
    uint64_t now_ns = 0u;
    uint64_t ticks = both_clocks(&now_ns) - start_ticks;
    return (uint64_t)((double)ticks * 1e9 / (double)(now_ns - start_ns));
}

#if defined(__aarch64__)

static uint64_t stated_hz(void) {
    uint64_t hz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    return hz;
}

#elif defined(__riscv)

/* A number of one or two words, high byte first (Devicetree Specification, 3.8). Not everywhere: 0. */
static uint64_t stated_hz(void) {
    unsigned char bytes[8];
    const int file = open("/proc/device-tree/cpus/timebase-frequency", O_RDONLY | O_CLOEXEC);
    const ssize_t count = file >= 0 ? read(file, bytes, sizeof bytes) : 0;
    uint64_t hz = 0u;
    if (file >= 0) {
        (void)close(file);
    }
    for (ssize_t i = 0; i < count && (count == 4 || count == 8); i++) {
        hz = hz << 8 | bytes[i];
    }
    return hz;
}

#else

static uint64_t stated_hz(void) { return 0u; }

#endif

/* If threads measure at the same time, the first one's result holds for all: with two rates time would go back. */
uint64_t kymo_posix_counter_hz(void) {
    static uint64_t known_hz;
    uint64_t known = __atomic_load_n(&known_hz, __ATOMIC_RELAXED);
    if (known == 0u) {
        uint64_t hz = stated_hz();
        hz = hz != 0u ? hz : measured_hz();
        known = __atomic_compare_exchange_n(&known_hz, &known, hz, false, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED)
                    ? hz
                    : known;
    }
    return known;
}

#endif

#endif

const char *kymo_posix_clock_name(void) {
#ifdef KYMO_POSIX_COUNTER
    (void)kymo_arch_clock();
    if (kymo_posix_by_counter()) {
        return KYMO_POSIX_COUNTER;
    }
#endif
    return "CLOCK_MONOTONIC";
}

#else

/* Programs name these whether kymo is on or not. */
const char *kymo_posix_clock_name(void) { return "CLOCK_MONOTONIC"; }
#if KYMO_POSIX_THREADS
void kymo_posix_untraced(void) {}
#endif
#if KYMO_FULL_WAIT_MS
__thread bool kymo_posix_hurries __attribute__((tls_model("initial-exec")));
#endif

#endif
