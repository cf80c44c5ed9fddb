/* SPDX-License-Identifier: MIT */
/* The heap of a C library as KYMO_ALLOC and KYMO_FREE in the pool "heap", including allocations of the library itself,
 * in strdup() or printf(). Add this file to the firmware's sources, and to the linker's options
 *
 *   newlib     -Wl,--wrap=_malloc_r,--wrap=_free_r,--wrap=_realloc_r
 *   picolibc   -Wl,--wrap=malloc,--wrap=free,--wrap=realloc
 *
 * In newlib, malloc() and strdup() call _malloc_r(): with --wrap=malloc alone those of the library are missed. calloc()
 * calls malloc() in both. Blocks of memalign() are missed in picolibc, and have their address before it is aligned in
 * newlib. */
#include <stdint.h>
#include <stdlib.h>

#include "kymo/kymo.h"

#if defined(_NEWLIB_VERSION) && !defined(__PICOLIBC__)
#include <reent.h>
#define WRAP(name) __wrap__##name##_r
#define REAL(name) __real__##name##_r
#define REENT_ struct _reent *reent,
#define REENT reent,
#else
#define WRAP(name) __wrap_##name
#define REAL(name) __real_##name
#define REENT_
#define REENT
#endif

void *REAL(malloc)(REENT_ size_t bytes);
void REAL(free)(REENT_ void *at);
void *REAL(realloc)(REENT_ void *at, size_t bytes);
void *WRAP(malloc)(REENT_ size_t bytes);
void WRAP(free)(REENT_ void *at);
void *WRAP(realloc)(REENT_ void *at, size_t bytes);

KYMO_POOL(heap, "heap");
static void *volatile last;

void *WRAP(malloc)(REENT_ size_t bytes) {
    void *at = REAL(malloc)(REENT bytes);
    if (at != NULL) {
        KYMO_ALLOC(heap, at, bytes);
        last = at;
    }
    return at;
}

/* First the event: another task may get the block as soon as it is free. */
void WRAP(free)(REENT_ void *at) {
    if (at != NULL) {
        KYMO_FREE(heap, at);
    }
    REAL(free)(REENT at);
}

/* Where the block is a new one, the library has called malloc() and free(). */
void *WRAP(realloc)(REENT_ void *at, size_t bytes) {
    const uintptr_t before = (uintptr_t)at;
    void *now = REAL(realloc)(REENT at, bytes);
    if (before != 0u && now != NULL && ((uintptr_t)now == before || now != last)) {
        KYMO_FREE(heap, before);
        KYMO_ALLOC(heap, now, bytes);
    }
    return now;
}
