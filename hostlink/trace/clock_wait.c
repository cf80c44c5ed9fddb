#include "trace/clock_wait.h"

#include <stdlib.h>
#include <string.h>

#include "trace/frames.h"

#define LENGTH_BYTES 2u
/* So long the rate may take to be measured. */
#define WAIT_NS_MAX UINT64_C(5000000000)

bool clock_wait_wants(uint8_t type) {
    return type == KYMO_FRAME_SESSION || type == KYMO_FRAME_SITES || type == KYMO_FRAME_EVENTS ||
           type == KYMO_FRAME_STATUS || type == KYMO_FRAME_PARAM;
}

static bool keep(struct clock_wait *wait, const uint8_t *frame, size_t length) {
    if (length > UINT16_MAX || wait->used + length + LENGTH_BYTES > CLOCK_WAIT_BYTES_MAX) {
        return false;
    }
    if (wait->frames == NULL) {
        wait->frames = malloc(CLOCK_WAIT_BYTES_MAX);
    }
    if (wait->frames == NULL) {
        return false;
    }
    uint8_t *at = wait->frames + wait->used;
    at[0] = (uint8_t)length;
    at[1] = (uint8_t)(length >> 8);
    memcpy(at + LENGTH_BYTES, frame, length);
    wait->used += length + LENGTH_BYTES;
    return true;
}

/* A session of a board that knows its rate ends the waiting; so does another session. */
static enum clock_wait_verdict take_session(struct clock_wait *wait, const uint8_t *frame,
                                            size_t length, uint64_t host_ns) {
    struct reader r = frame_fields(frame, length);
    struct session_frame session;
    read_session(&r, &session);
    if (wait->has_session && session.id != wait->session) {
        return CLOCK_WAIT_END_BEHIND;
    }
    if (session.clock_hz != 0) {
        return CLOCK_WAIT_END_BEFORE_IT;
    }
    if (!wait->has_session) {
        wait->has_session = true;
        wait->session = session.id;
        wait->since_ns = host_ns;
    }
    return CLOCK_WAIT_KEPT;
}

static bool is_final(const uint8_t *frame, size_t length) {
    struct reader r = frame_fields(frame, length);
    struct status_frame status;
    read_status(&r, &status);
    return (status.flags & KYMO_STATUS_FINAL) != 0;
}

enum clock_wait_verdict clock_wait_take(struct clock_wait *wait, const uint8_t *frame,
                                        size_t length, uint64_t host_ns) {
    enum clock_wait_verdict verdict = CLOCK_WAIT_KEPT;
    if (frame_type(frame) == KYMO_FRAME_SESSION) {
        verdict = take_session(wait, frame, length, host_ns);
    } else if (frame_type(frame) == KYMO_FRAME_STATUS && wait->has_session &&
               is_final(frame, length)) {
        verdict = CLOCK_WAIT_END; /* nothing follows that could tell more */
    }
    if (verdict == CLOCK_WAIT_END_BEHIND || verdict == CLOCK_WAIT_END_BEFORE_IT) {
        return verdict;
    }
    return keep(wait, frame, length) ? verdict : CLOCK_WAIT_END_BEHIND;
}

bool clock_wait_is_over(const struct clock_wait *wait, const struct clock_rate *rate,
                        uint64_t host_ns) {
    return wait->has_session &&
           (clock_rate_settled(rate) || host_ns - wait->since_ns > WAIT_NS_MAX);
}

const uint8_t *clock_wait_next(const struct clock_wait *wait, size_t *at, size_t *length) {
    if (*at >= wait->used) {
        return NULL;
    }
    const uint8_t *frame = wait->frames + *at;
    *length = frame[0] | (size_t)frame[1] << 8;
    *at += *length + LENGTH_BYTES;
    return frame + LENGTH_BYTES;
}

void clock_wait_free(struct clock_wait *wait) {
    free(wait->frames);
    *wait = (struct clock_wait){0};
}
