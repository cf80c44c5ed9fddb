#include "tracy/order.h"

static bool before(const struct tracy_held *a, const struct tracy_held *b) {
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->sequence < b->sequence;
}

void tracy_order_reached(struct tracy_order *order, uint32_t core, int64_t time_ns) {
    core = core < TRACY_CORES_MAX ? core : TRACY_CORES_MAX - 1;
    if (core >= order->cores) {
        order->cores = core + 1;
    }
    if (order->reached[core] < time_ns + 1) {
        order->reached[core] = time_ns + 1;
    }
}

static int64_t all_reached(const struct tracy_order *order) {
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < order->cores; i++) {
        if (order->reached[i] != 0 && order->reached[i] < least) {
            least = order->reached[i];
        }
    }
    return least - 1;
}

void tracy_order_put(struct tracy_order *order, const struct tracy_held *held) {
    struct tracy_held item = *held;
    item.sequence = order->sequence++;
    size_t at = order->count++;
    while (at > 0 && before(&item, &order->heap[(at - 1) / 2])) {
        order->heap[at] = order->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    order->heap[at] = item;
}

/* Closes the hole at the root with the last item. */
static void sink_last(struct tracy_order *order) {
    struct tracy_held item = order->heap[--order->count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= order->count) {
            break;
        }
        if (child + 1 < order->count && before(&order->heap[child + 1], &order->heap[child])) {
            child++;
        }
        if (!before(&order->heap[child], &item)) {
            break;
        }
        order->heap[at] = order->heap[child];
        at = child;
    }
    order->heap[at] = item;
}

bool tracy_order_take(struct tracy_order *order, bool all, struct tracy_held *held) {
    if (order->count == 0 ||
        (!all && order->count < TRACY_ORDER_MAX && order->heap[0].time_ns > all_reached(order))) {
        return false;
    }
    *held = order->heap[0];
    sink_last(order);
    return true;
}

void tracy_order_restart(struct tracy_order *order) {
    for (uint32_t i = 0; i < order->cores; i++) {
        order->reached[i] = 0;
    }
    order->cores = 0;
}
