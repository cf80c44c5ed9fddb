/* SPDX-License-Identifier: MIT */
/* KYMO_CHECK: compares the firmware's calls with the open zones and interrupts; record/check.c. Private to the
 * runtime. */
#ifndef KYMO_CHECK_H
#define KYMO_CHECK_H

#include "lane.h"

#if KYMO_CHECK

/* Notes the usage error, records a message that names the site, and calls kymo_check_failed(). Not while interrupts are
 * masked. */
void kymo_check_report(enum kymo_usage what, const struct kymo_site *site);

enum kymo_check_state {
    KYMO_CHECK_FREE, /* keeps its content, so that a second end knows its site */
    KYMO_CHECK_TAKEN,
    KYMO_CHECK_OPEN,
    KYMO_CHECK_PASSED /* a zone around it was ended: its end may come, or is missing */
};

/* Interrupts that nest deeper are only counted. */
#define KYMO_CHECK_NESTED 16u

struct kymo_check {
    struct kymo_check_zone {
        uint32_t state;
        uint8_t lane;
        uint8_t depth; /* in its row, the outermost has 1 */
        uint16_t serial;
        kymo_context context;
        const struct kymo_site *site;
    } zones[KYMO_CHECK];
    uint32_t next; /* place in the table that is looked at first */
    struct kymo_check_entered {
        uint32_t count;
        uint32_t
            passed; /* those from count + 1 up to here: an outer one was left first, and theirs may come */
        struct {
            kymo_context before, context; /* the result of the entry, and the context after it */
        } of[KYMO_CHECK_NESTED];
    } entered[KYMO_LANES];
};
extern struct kymo_check kymo_check;

/* A zone has begun on the lane, or was refused (NULL); returns its handle. */
kymo_zone kymo_check_begun(const struct kymo_lane *lane, const struct kymo_site *site);
/* A zone ends: the lane that has its promise. NULL: its end is dropped. */
struct kymo_lane *kymo_check_ended(kymo_zone zone);
/* True if the text, value and so on of this zone must be recorded. */
bool kymo_check_attribute(kymo_zone zone);
/* An interrupt was entered; returns "before". */
kymo_context kymo_check_entered(kymo_context before);
/* An interrupt is left, whose entry returned "before". */
void kymo_check_leaves(kymo_context before);
/* No zone of the context is open any more. */
void kymo_check_over(kymo_context context);
/* The thread that had the lane is over: the ends of its zones may still come. */
void kymo_check_left(const struct kymo_lane *lane);

#else

static inline void kymo_check_report(enum kymo_usage what, const struct kymo_site *site) {
    (void)site;
    kymo_usage_error(what);
}
static inline kymo_zone kymo_check_begun(struct kymo_lane *lane, const struct kymo_site *site) {
    (void)site;
    return kymo_zone_on(lane);
}
static inline struct kymo_lane *kymo_check_ended(kymo_zone zone) { return kymo_lane_of_zone(zone); }
static inline bool kymo_check_attribute(kymo_zone zone) { return zone != NULL; }
static inline kymo_context kymo_check_entered(kymo_context before) { return before; }
static inline void kymo_check_leaves(kymo_context before) { (void)before; }
static inline void kymo_check_over(kymo_context context) { (void)context; }
static inline void kymo_check_left(const struct kymo_lane *lane) { (void)lane; }

#endif

#endif
