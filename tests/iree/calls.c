/* SPDX-License-Identifier: MIT */
#define SAY(text) "c " text
#define SAY_BYTES(text) (sizeof "c " text - 1u)
#define SAY_ADDRESS(text) ((intptr_t)(text))
#include "calls.h"

int calls_c(void) { return all_calls(); }

/* ---- an executor's workers ---- */

void worker_begins(unsigned worker) {
    char name[] = "iree-worker-0";
    name[sizeof name - 2u] = (char)('0' + worker);
    IREE_TRACE_SET_THREAD_NAME(name);
    name[0] = '?';
}

void worker_round(unsigned worker, unsigned round) {
    static const char *const pool = "worker's pool";
    static char blocks[8][16];
    char name[] = "task 0";
    name[sizeof name - 2u] = (char)('0' + round % 8u);
    IREE_TRACE_ZONE_BEGIN_NAMED(z_round, "round");
    IREE_TRACE_ZONE_APPEND_VALUE_I64(z_round, round);
    IREE_TRACE_PLOT_VALUE_F32("busy", 100.0f);
    IREE_TRACE_ALLOC_NAMED(pool, blocks[worker], 16);
    {
        IREE_TRACE_ZONE_BEGIN_NAMED_DYNAMIC(z_task, name, sizeof name - 1u);
        IREE_TRACE_ZONE_APPEND_TEXT(z_task, "tile");
        IREE_TRACE_ZONE_BEGIN_EXTERNAL(z_dispatch, "model.mlir", 10, 7u, "matmul", 6, NULL, 0);
        IREE_TRACE_ZONE_END(z_dispatch);
        IREE_TRACE_ZONE_END(z_task);
    }
    IREE_TRACE_FREE_NAMED(pool, blocks[worker]);
    IREE_TRACE_PLOT_VALUE_F32("busy", 0.0f);
    if (round % 100u == 0u) {
        IREE_TRACE_MESSAGE(VERBOSE, "another hundred");
    }
    IREE_TRACE_ZONE_END(z_round);
    (void)worker;
    (void)pool;
    (void)blocks;
    (void)name;
}

/* ---- a fiber that goes from one thread to another ---- */

#if (IREE_TRACING_FEATURES) & IREE_TRACING_FEATURE_FIBERS
static const char wandering[] = "fiber of two threads";
static iree_zone_id_t z_wandering;

void fiber_begins(void) {
    IREE_TRACE_FIBER_ENTER((intptr_t)wandering);
    IREE_TRACE_ZONE_BEGIN_NAMED(z_here, "from thread to thread");
    z_wandering = z_here;
    IREE_TRACE_FIBER_LEAVE();
}

void fiber_ends(void) {
    IREE_TRACE_FIBER_ENTER((intptr_t)wandering);
    IREE_TRACE_ZONE_END(z_wandering);
    IREE_TRACE_FIBER_LEAVE();
}
#else
void fiber_begins(void) {}
void fiber_ends(void) {}
#endif
