/* SPDX-License-Identifier: MIT */
/* A timer for each thread that is sampled, and the code that its signal preempted. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* registers by name, and signals for one thread */
#endif

#include "kymo_posix_sample.h"

#if KYMO_ENABLE && KYMO_SAMPLE_HZ_MAX && defined(__linux__)

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "kymo/arch.h"

#ifndef sigev_notify_thread_id /* older C libraries name the field only */
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define NS_A_SECOND 1000000000u

/* The thread's timer. The child of a fork() has none of its parent's timers, and may have one of this number itself. */
static __thread timer_t timer __attribute__((tls_model("initial-exec")));
/* Where it is sampled; 0: nowhere. */
static __thread volatile pid_t on_in __attribute__((tls_model("initial-exec")));
/* Its place in "sampled". */
static __thread uintptr_t sampled_lane __attribute__((tls_model("initial-exec")));
static uint64_t clock_hz;
static pthread_key_t timer_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_ready;
/* For each lane: the process in which its thread is sampled, 0: none, and by which timer. */
static struct {
    pid_t process;
    timer_t by;
} sampled[KYMO_LANES];
/* Another library of the process may sample, too, by its own timers. */
static struct sigaction others;
static uint32_t handlers;

static bool is_on(void) { return on_in != 0 && on_in == getpid(); }

#if defined(__x86_64__) || defined(__i386__)
/* The word at the stack pointer; 0: it cannot be read. */
static uintptr_t stack_top(uintptr_t stack) {
#ifdef KYMO_ARCH_STACK_END
    return stack % sizeof stack == 0u && kymo_arch_stack_end(stack) - stack >= sizeof stack
               ? *(const volatile uintptr_t *)stack
               : 0u;
#else
    return stack & 0u;
#endif
}
#endif

static struct kymo_interrupted preempted(const ucontext_t *context) {
    struct kymo_interrupted at = {0};
#if defined(__x86_64__)
    at.pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
    at.frame = (uintptr_t)context->uc_mcontext.gregs[REG_RBP];
    at.stack = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
    at.link = stack_top(at.stack);
#elif defined(__i386__)
    at.pc = (uintptr_t)context->uc_mcontext.gregs[REG_EIP];
    at.frame = (uintptr_t)context->uc_mcontext.gregs[REG_EBP];
    at.stack = (uintptr_t)context->uc_mcontext.gregs[REG_ESP];
    at.link = stack_top(at.stack);
#elif defined(__aarch64__)
    at.pc = (uintptr_t)context->uc_mcontext.pc;
    at.frame = (uintptr_t)context->uc_mcontext.regs[29];
    at.stack = (uintptr_t)context->uc_mcontext.sp;
    at.link = (uintptr_t)context->uc_mcontext.regs[30];
#elif defined(__riscv)
    at.pc = (uintptr_t)context->uc_mcontext.__gregs[REG_PC];
    at.frame = (uintptr_t)context->uc_mcontext.__gregs[REG_S0];
    at.stack = (uintptr_t)context->uc_mcontext.__gregs[REG_SP];
    at.link = (uintptr_t)context->uc_mcontext.__gregs[REG_RA];
#else
    (void)context;
#endif
    return at;
}

static void fire_in(uint32_t ticks) {
    const uint64_t ns = ticks != 0u && clock_hz != 0u ? (uint64_t)ticks * NS_A_SECOND / clock_hz
                                                      : NS_A_SECOND / 100u;
    const struct itimerspec when = {.it_value = {.tv_sec = (time_t)(ns / NS_A_SECOND),
                                                 .tv_nsec = (long)(ns % NS_A_SECOND) + 1}};
    (void)timer_settime(timer, 0, &when, NULL);
}

/* The interrupted code may be writing a record that the reader of the ring waits for. */
static uint32_t sample_at_once(const struct kymo_interrupted *at) {
#if KYMO_FULL_WAIT_MS
    const bool before = kymo_posix_hurries;
    kymo_posix_hurries = true;
    const uint32_t next = kymo_sample(at);
    kymo_posix_hurries = before;
    return next;
#else
    return kymo_sample(at);
#endif
}

/* timer_settime() may be called here (POSIX.1-2017, 2.4.3). A signal that was on its way when the timer was stopped
 * still comes. One of another timer goes to the handler that was there before. */
static void on_signal(int number, siginfo_t *info, void *context) {
    const int error = errno;
    (void)__atomic_fetch_add(&handlers, 1u, __ATOMIC_ACQUIRE);
    if (info->si_code != SI_TIMER || info->si_value.sival_ptr != sampled) {
        if ((others.sa_flags & SA_SIGINFO) != 0) {
            others.sa_sigaction(number, info, context);
        } else if (others.sa_handler != SIG_DFL && others.sa_handler != SIG_IGN) {
            others.sa_handler(number);
        }
    } else if (is_on()) {
        const struct kymo_interrupted at = preempted(context);
        fire_in(sample_at_once(&at));
    }
    (void)__atomic_fetch_sub(&handlers, 1u, __ATOMIC_RELEASE);
    errno = error;
}

/* At the end of a thread: another one may get its number, and then its signals. */
static void end_timer(void *value) {
    (void)value;
    kymo_posix_sample_stop();
}

static void get_ready(void) {
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    clock_hz = kymo_arch_clock_hz();
    is_ready = sigemptyset(&action.sa_mask) == 0 &&
               sigaction(KYMO_POSIX_SAMPLE_SIGNAL, &action, &others) == 0 &&
               pthread_key_create(&timer_key, end_timer) == 0;
}

/* A library is unloaded while its threads are sampled: no signal may find its handler any more. One that is on its way
 * is ignored, as without a handler it would end the process. */
__attribute__((destructor)) static void stop_all(void) {
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction now;
    if (!is_ready) {
        return;
    }
    is_ready = false;
    for (uint32_t i = 0u; i < KYMO_LANES; i++) {
        if (__atomic_exchange_n(&sampled[i].process, 0, __ATOMIC_ACQ_REL) == getpid()) {
            (void)timer_delete(sampled[i].by);
        }
    }
    const bool is_default = (others.sa_flags & SA_SIGINFO) == 0 && others.sa_handler == SIG_DFL;
    if (sigaction(KYMO_POSIX_SAMPLE_SIGNAL, NULL, &now) == 0 && now.sa_sigaction == on_signal) {
        (void)sigaction(KYMO_POSIX_SAMPLE_SIGNAL, is_default ? &ignore : &others, NULL);
    }
    (void)pthread_key_delete(timer_key);
    while (__atomic_load_n(&handlers, __ATOMIC_ACQUIRE) != 0u) {
        (void)sched_yield();
    }
}

bool kymo_posix_sample_start(void) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
                             .sigev_signo = KYMO_POSIX_SAMPLE_SIGNAL,
                             .sigev_value = {.sival_ptr = sampled}};
    if (is_on()) {
        return true;
    }
    if (pthread_once(&once, get_ready) != 0 || !is_ready) {
        return false;
    }
    if (kymo_arch_lane() == KYMO_ARCH_SPARE_LANE) {
        errno = EAGAIN;
        return false;
    }
    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) {
        return false;
    }
    (void)pthread_setspecific(timer_key, &timer);
    kymo_sample_restart();
    on_in = getpid();
    sampled_lane = kymo_arch_lane();
    sampled[sampled_lane].by = timer;
    __atomic_store_n(&sampled[sampled_lane].process, on_in, __ATOMIC_RELEASE);
    fire_in(1u);
    return true;
}

void kymo_posix_sample_stop(void) {
    const pid_t in = getpid();
    if (is_on()) {
        pid_t *const listed = &sampled[sampled_lane].process;
        on_in = 0;
        if (__atomic_exchange_n(listed, 0, __ATOMIC_ACQ_REL) == in) {
            (void)timer_delete(timer);
            (void)pthread_setspecific(timer_key, NULL);
        }
    }
}

#endif
