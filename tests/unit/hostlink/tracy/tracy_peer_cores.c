/* SPDX-License-Identifier: MIT */
/* Context switches: a viewer's assertions about them (ProcessContextSwitch, 0.9 to 0.14), and
 * the names that it asks for. */
#include "tracy_peer.h"

static struct peer_external *external(struct tracy_peer *peer, uint64_t id) {
    for (size_t i = 0; i < peer->external_count; i++) {
        if (peer->externals[i].id == id) {
            return &peer->externals[i];
        }
    }
    return NULL;
}

/* Each row that was switched to is asked for once; two answers must come. */
static struct peer_external *want_external(struct tracy_peer *peer, uint32_t id) {
    struct peer_external *found = external(peer, id);
    if (found != NULL) {
        return found;
    }
    if (peer->external_count == PEER_THREADS) {
        tracy_peer_fail(peer, "too many rows for this test");
        return NULL;
    }
    found = &peer->externals[peer->external_count++];
    *found = (struct peer_external){.id = id, .cpu = -1, .woken_ns = -1};
    peer->external_open += 2;
    tracy_peer_ask(peer, TRACY_QUERY_EXTERNAL_NAME, id);
    return found;
}

static uint32_t load32(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

bool tracy_peer_switch(struct tracy_peer *peer, int64_t time_ns, const uint8_t *at) {
    uint32_t before = load32(at), after = load32(at + 4);
    uint8_t cpu = at[8];
    peer->counts.switches++;
    if (before != 0) {
        struct peer_external *out = external(peer, before);
        if (out == NULL || out->cpu != cpu || time_ns < out->last_ns) {
            return tracy_peer_fail(peer, "core %u leaves row %u, which it does not run", cpu,
                                   (unsigned)before);
        }
        out->total_ns += time_ns - out->last_ns;
        out->last_ns = time_ns;
        out->cpu = -1;
        out->reason = at[9];
        out->state = at[10];
    }
    if (before != peer->cpus[cpu]) {
        return tracy_peer_fail(peer, "core %u runs row %u, not %u", cpu, (unsigned)peer->cpus[cpu],
                               (unsigned)before);
    }
    peer->cpus[cpu] = after;
    if (after == 0) {
        return true;
    }
    struct peer_external *in = want_external(peer, after);
    if (in == NULL || in->cpu != -1 || time_ns < in->last_ns) {
        return tracy_peer_fail(peer, "row %u runs twice, or before it ended", (unsigned)after);
    }
    if (in->woken_ns > time_ns) {
        return tracy_peer_fail(peer, "row %u runs before it was woken", (unsigned)after);
    }
    in->ready_ns += in->woken_ns >= 0 ? time_ns - in->woken_ns : 0;
    in->woken_ns = -1;
    in->cpu = cpu;
    in->last_ns = time_ns;
    in->priority = peer->proto.size_of[TRACY_CONTEXT_SWITCH] > 19 ? (int8_t)at[12] : 0;
    return true;
}

/* A viewer has no run of a row that it does not know yet, and passes over one that runs. */
bool tracy_peer_wakeup(struct tracy_peer *peer, int64_t time_ns, const uint8_t *at) {
    struct peer_external *row = external(peer, load32(at));
    peer->counts.wakeups++;
    if (row == NULL) {
        return true;
    }
    if (row->cpu != -1 || time_ns < row->last_ns) {
        return tracy_peer_fail(peer, "row %u is woken while it runs", (unsigned)row->id);
    }
    row->woken_ns = row->woken_ns < 0 ? time_ns : row->woken_ns;
    return true;
}

const struct peer_external *tracy_peer_row(struct tracy_peer *peer, uint32_t id) {
    return external(peer, id);
}

bool tracy_peer_external_name(struct tracy_peer *peer, uint64_t id, bool of_thread) {
    struct peer_external *found = external(peer, id);
    bool *named = found == NULL ? NULL : of_thread ? &found->thread_named : &found->named;
    if (named == NULL || *named) {
        return tracy_peer_fail(peer, "name of a row that nobody asked for");
    }
    *named = true;
    peer->external_open--;
    return true;
}

int64_t tracy_peer_ran_ns(const struct tracy_peer *peer, uint32_t id) {
    for (size_t i = 0; i < peer->external_count; i++) {
        if (peer->externals[i].id == id) {
            return peer->externals[i].total_ns;
        }
    }
    return -1;
}
