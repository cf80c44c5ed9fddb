/* SPDX-License-Identifier: MIT */
/* The firmware's functions as zones: calls of code compiled with -finstrument-functions (kymo/functions.h).
 *
 * An end says only which function ends, not whether its begin was accepted, and after a longjmp() ends are missing. So
 * each lane, and each task, has the list of its open functions. An interrupt ends before the preempted context goes on,
 * so one list serves a context and all that interrupt it, without a lock: an interrupt appends its functions, and takes
 * them away again. */
#include "kymo/functions.h"

#include "../ring/claim.h"
#include "../ring/ring.h"

#if KYMO_ENABLE && KYMO_FUNCTIONS

_Static_assert(
    KYMO_TASKS == 0 || KYMO_LANES == 1 || !KYMO_CLAIM_ONE_LANE,
    "KYMO_FUNCTIONS with KYMO_TASKS and several lanes needs atomic words, which this core lacks");

struct open_function {
    uintptr_t address;
    uintptr_t
        frame; /* where its caller's part of the stack ends: of the calls of one function each has another */
    struct kymo_lane
        *lane; /* of its begin; NULL: not recorded. Always so in places that are free */
};

/* "depth" of them are open, and "beyond" more that are called inside these and are not followed. */
struct open_functions {
    uint32_t depth, beyond;
    struct open_function open[KYMO_FUNCTIONS];
};

static struct open_functions of_lanes[KYMO_LANES];

#if KYMO_COMMANDS
/* The host may want fewer, or none. */
KYMO_PARAM(function_limit, "kymo.function_depth", KYMO_FUNCTIONS, 0, KYMO_FUNCTIONS);
#define FUNCTION_LIMIT ((uint32_t)KYMO_PARAM_GET(function_limit))
#else
#define FUNCTION_LIMIT ((uint32_t)KYMO_FUNCTIONS)
#endif

/* ---- whose functions ---- */

#if KYMO_TASKS

static uint32_t tasks[KYMO_TASKS]; /* contexts that have a list, low words; 0: free */
static struct open_functions of_tasks[KYMO_TASKS];

static bool has_own_list(kymo_context context) {
    const uintptr_t first = (uintptr_t)__start_kymo_sites;
    const bool is_site = context >= first && context < (uintptr_t)__stop_kymo_sites;
    const struct kymo_site *site = (const struct kymo_site *)context;
    return context != 0u && (!is_site || (KYMO_NAMES && site->detail >= KYMO_CONTEXT_TASK));
}

/* A list is free when no function is open in it, or its task is over. */
static struct open_functions *list_of_task(uint32_t task, bool begins) {
    for (uint32_t i = 0u; i < KYMO_TASKS; i++) {
        if (KYMO_LOAD(tasks[i]) == task) {
            return &of_tasks[i];
        }
    }
    for (uint32_t i = 0u; begins && i < KYMO_TASKS; i++) {
        if (kymo_claim(&tasks[i], 0u, task)) {
            return &of_tasks[i];
        }
    }
    return NULL;
}

static void close_list(const struct open_functions *list) {
    if (list >= of_tasks && list < of_tasks + KYMO_TASKS) {
        KYMO_STORE(tasks[list - of_tasks], 0u);
    }
}

#else

static bool has_own_list(kymo_context context) {
    return context != 0u &&
           (context < (uintptr_t)__start_kymo_sites || context >= (uintptr_t)__stop_kymo_sites);
}
static struct open_functions *list_of_task(uint32_t task, bool begins) {
    (void)task, (void)begins;
    return NULL;
}
static void close_list(const struct open_functions *list) { (void)list; }

#endif

KYMO_INLINE_ struct open_functions *list_here(bool begins) {
    kymo_context context;
    const struct kymo_lane *lane = kymo_lane_and_context(&context);
    if (KYMO_UNLIKELY(kymo_lane_is_shared(lane))) {
        return NULL;
    }
    return KYMO_UNLIKELY(has_own_list(context)) ? list_of_task((uint32_t)context, begins)
                                                : &of_lanes[kymo_lane_index(lane)];
}

/* ---- open functions ---- */

/* The functions called inside the one at "index" were left: its end ends them all, except further calls of the same
 * function, as an event ends the innermost one. Apart from close_at(), whose registers it would take. */
static __attribute__((noinline)) void leave_inside(struct open_functions *list, uint32_t index) {
    const uintptr_t address = list->open[index].address;
    for (uint32_t depth = list->depth; depth > index + 1u; depth--) {
        struct kymo_lane *const left = list->open[depth - 1u].lane;
        const bool is_alike = list->open[depth - 1u].address == address;
        list->open[depth - 1u].lane = NULL;
        KYMO_STORE(list->depth, depth - 1u);
        if (is_alike) {
            kymo_ring_function_end(left, address, KYMO_KIND_FUNCTION_LEFT);
        } else {
            kymo_ring_function_left(left);
        }
    }
}

/* The function at "index" ends, or was left. */
static void close_at(struct open_functions *list, uint32_t index, enum kymo_event_kind kind) {
    if (KYMO_UNLIKELY(list->depth > index + 1u)) {
        leave_inside(list, index);
    }
    struct kymo_lane *const lane = list->open[index].lane;
    const uintptr_t address = list->open[index].address;
    list->open[index].lane = NULL;
    KYMO_STORE(list->beyond, 0u);
    KYMO_STORE(list->depth, index);
    if (index == 0u) {
        close_list(list);
    }
    kymo_ring_function_end(lane, address, kind);
}

/* The innermost call of the function with this frame; list->depth: not found. */
static uint32_t find_open(const struct open_functions *list, uintptr_t address, uintptr_t frame) {
    for (uint32_t i = list->depth; i-- != 0u;) {
        if (list->open[i].address == address && list->open[i].frame == frame) {
            return i;
        }
    }
    return list->depth;
}

/* The list is in use by an interrupt that the firmware reports: open functions of others in it continue afterwards. */
static bool is_interrupts(const struct open_functions *list) {
    return list >= of_lanes && list < of_lanes + KYMO_LANES &&
           kymo_lanes[list - of_lanes].context != 0u;
}

/* Stacks grow downwards. The innermost open function lies below the new one: it was left, by longjmp() or another way,
 * or this is an interrupt with a stack of its own. It was left if the new call stands where one that is open does; and
 * where there is no more room it is taken to be, unless this is an interrupt. */
static __attribute__((noinline)) void drop_left(struct open_functions *list, uintptr_t address,
                                                uintptr_t frame) {
    if (is_interrupts(list)) {
        return;
    }
    uint32_t index = find_open(list, address, frame);
    list->beyond = 0u;
    if (index == list->depth && list->depth >= FUNCTION_LIMIT) {
        while (index != 0u && list->open[index - 1u].frame < frame) {
            index--;
        }
    }
    if (index != list->depth) {
        close_at(list, index, KYMO_KIND_FUNCTION_LEFT);
    }
}

static void function_began(struct open_functions *list, uintptr_t address, uintptr_t frame) {
    if (list->depth != 0u && KYMO_UNLIKELY(list->open[list->depth - 1u].frame < frame)) {
        drop_left(list, address, frame);
    }
    const uint32_t depth = list->depth;
    if (list->beyond != 0u || depth >= FUNCTION_LIMIT) {
        list->beyond++;
        return;
    }
    struct open_function *open = &list->open[depth];
    KYMO_STORE(list->depth, depth + 1u); /* first: an interrupt appends after this place */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    open->address = address;
    open->frame = frame;
    open->lane = kymo_ring_function_begin(address);
}

/* An end comes from another place of the stack than its begin where the function took more of it meanwhile (alloca(),
 * arrays of variable length); and from a higher one where the compiler made the last call a jump. For the latter
 * only the address counts. */
static bool ends_by_jumps;

static __attribute__((noinline)) void function_ended_elsewhere(struct open_functions *list,
                                                               uintptr_t address, uintptr_t frame) {
    const uint32_t depth = list->depth;
    uint32_t index = KYMO_LOAD(ends_by_jumps) ? depth : find_open(list, address, frame);
    if (index == depth && list->beyond != 0u) {
        list->beyond--;
        return;
    }
    if (index == depth) {
        while (index != 0u && list->open[index - 1u].address != address) {
            index--;
        }
        if (index-- == 0u) {
            return;
        }
        if (list->open[index].frame < frame) {
            KYMO_STORE(ends_by_jumps, true);
        }
    }
    close_at(list, index, KYMO_KIND_FUNCTION_END);
}

static void function_ended(struct open_functions *list, uintptr_t address, uintptr_t frame) {
    const uint32_t depth = list->depth;
    const struct open_function *last = &list->open[depth - 1u];
    if (KYMO_LIKELY(depth != 0u && last->address == address && last->frame == frame)) {
        close_at(list, depth - 1u, KYMO_KIND_FUNCTION_END);
    } else {
        function_ended_elsewhere(list, address, frame);
    }
}

#if KYMO_ARCH_ATOMIC
void kymo_functions_left(const struct kymo_lane *lane) {
    struct open_functions *list = &of_lanes[kymo_lane_index(lane)];
    if (list->depth != 0u) {
        close_at(list, 0u, KYMO_KIND_FUNCTION_LEFT);
    }
    list->beyond = 0u;
}
#endif

#if KYMO_TASKS
void kymo_functions_over(kymo_context context) {
    struct open_functions *list = list_of_task((uint32_t)context, false);
    for (uint32_t depth = list != NULL ? list->depth : 0u; depth != 0u; depth--) {
        struct kymo_lane *const left = list->open[depth - 1u].lane;
        list->open[depth - 1u].lane = NULL;
        KYMO_STORE(list->depth, depth - 1u);
        kymo_ring_function_left(left);
    }
    if (list != NULL) {
        list->beyond = 0u;
        close_list(list);
    }
}
#endif

/* ---- calls of compiled code ---- */

static uintptr_t address_of(const void *function) {
    return (uintptr_t)function & ~(uintptr_t)KYMO_ARCH_CODE_BITS;
}

/* Alike, so that both have their frame in the same place below that of the function. */
void __cyg_profile_func_enter(void *function, void *caller) {
    const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    struct open_functions *list = list_here(true);
    (void)caller;
    if (KYMO_LIKELY(list != NULL)) {
        function_began(list, address_of(function), frame);
    }
}

void __cyg_profile_func_exit(void *function, void *caller) {
    const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    struct open_functions *list = list_here(false);
    (void)caller;
    if (KYMO_LIKELY(list != NULL)) {
        function_ended(list, address_of(function), frame);
    }
}

#endif
