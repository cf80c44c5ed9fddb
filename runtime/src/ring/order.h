/* SPDX-License-Identifier: MIT */
/* The order in which contexts and cores see what others write: each word for it, once. Private to the runtime. */
#ifndef KYMO_ORDER_H
#define KYMO_ORDER_H

#include "kymo/arch.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KYMO_THREAD_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define KYMO_THREAD_SANITIZER 1
#endif

/* One word, whole, in no order with others. Compilers make a call of it where the core has no atomic
 * instructions, though its plain loads and stores of a word are whole too. */
#if __GCC_ATOMIC_INT_LOCK_FREE == 2
#define KYMO_LOAD(place) __atomic_load_n(&(place), __ATOMIC_RELAXED)
#define KYMO_STORE(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELAXED)
#else
#define KYMO_LOAD(place) (*(const volatile __typeof__(place) *)(const void *)&(place))
#define KYMO_STORE(place, value) ((void)(*(volatile __typeof__(place) *)(void *)&(place) = (value)))
#endif

/* Publish: all writes before it are visible to a context that acquires the value. Between contexts on
 * one core it is enough that the compiler keeps the order. A fence and a volatile store of an
 * aligned word, because some compilers make an atomic store an atomic swap. */
#if KYMO_LANES > 1 || KYMO_ARCH_ATOMIC
#define KYMO_CORES_IN_ORDER 1
#define KYMO_RELEASE() KYMO_ARCH_RELEASE()
#define KYMO_ACQUIRED() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#else
#define KYMO_CORES_IN_ORDER 0
#define KYMO_RELEASE() __atomic_signal_fence(__ATOMIC_RELEASE)
#define KYMO_ACQUIRED() __atomic_signal_fence(__ATOMIC_ACQUIRE)
#endif
/* One word of a lane that other cores may store to or read. With one core nobody does while interrupts are masked: then
 * plain accesses, which the compiler may join with their neighbours'. */
#if KYMO_CORES_IN_ORDER
#define KYMO_LOAD_SHARED(place) KYMO_LOAD(place)
#define KYMO_PUBLISH_MASKED(place, value) KYMO_PUBLISH(place, value)
#else
#define KYMO_LOAD_SHARED(place) (place)
#define KYMO_PUBLISH_MASKED(place, value) ((void)((place) = (value)))
#endif
#ifdef KYMO_THREAD_SANITIZER
/* It knows no fences. */
#define KYMO_PUBLISH(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELEASE)
#define KYMO_ACQUIRE(place) __atomic_load_n(&(place), __ATOMIC_ACQUIRE)
#else
#define KYMO_PUBLISH(place, value)                                                                 \
    do {                                                                                           \
        KYMO_RELEASE();                                                                            \
        *(volatile __typeof__(place) *)(void *)&(place) = (value);                                 \
    } while (0)
#define KYMO_ACQUIRE(place)                                                                        \
    (__extension__({                                                                               \
        __typeof__(place) kymo_acquired = KYMO_LOAD(place);                                        \
        KYMO_ACQUIRED();                                                                           \
        kymo_acquired;                                                                             \
    }))
#endif

#endif
