/* SPDX-License-Identifier: MIT */
/* Zones with the core's counters: cycles, and retired instructions where the core counts them, which gives instructions
 * per cycle; and up to four events that the firmware chooses, such as cache misses. Not part of
 * kymo.h, as the arch port must support counters (kymo/counters.h). */
#ifndef KYMO_ZONE_COUNTERS_H
#define KYMO_ZONE_COUNTERS_H

#include "kymo/kymo.h"

#if KYMO_ENABLE
#include "kymo/counters.h"
#define KYMO_COUNTERS_ARE_THERE_                                                                   \
    KYMO_STATIC_ASSERT_(                                                                           \
        KYMO_ARCH_COUNTERS != 0u,                                                                  \
        "KYMO_ZONE_COUNTERS: this arch port knows no counter that may be read here. Use "          \
        "KYMO_ZONE")
#define KYMO_EVENTS_ARE_THERE_                                                                     \
    KYMO_STATIC_ASSERT_(KYMO_ARCH_EVENTS != 0,                                                     \
                        "KYMO_ZONE_EVENTS, KYMO_COUNT_EVENT: this arch port cannot choose what "   \
                        "the core counts. Use KYMO_ZONE_COUNTERS or KYMO_ZONE")
#endif

KYMO_C_BEGIN

/* A zone, and the counters at its begin. */
struct kymo_counted_zone {
    kymo_zone zone;
    uint32_t cycles, instructions;
};

#if KYMO_ENABLE
/* The same, with the chosen events that this core counts: one bit each. */
struct kymo_event_zone {
    struct kymo_counted_zone counted;
    uint32_t counts[KYMO_COUNTER_EVENTS], there;
};

/* Begin and end a zone and record the counts between: those of the core, including interrupts and some 20 of
 * these calls' own instructions, modulo 2^32. If the zone ends on another lane than it began, or the core does not
 * count, it has no counts. They are recorded before the zone's end, so the zone lasts some hundred instructions longer
 * than they say: an empty one counts 70 cycles and lasts 500 on a small RISC-V core. Full: only the counts are
 * dropped, one lost event. The first call on each lane enables the counters, which
 * takes some thousand cycles. */
struct kymo_counted_zone kymo_zone_begin_counted(const struct kymo_site *site) KYMO_NOEXCEPT;
void kymo_zone_end_counted(const struct kymo_counted_zone *counted) KYMO_NOEXCEPT;

/* The same with the events: some 20 instructions more, and 20 for each event. A warning message names each event that
 * the core does not count. */
void kymo_zone_begin_events(struct kymo_event_zone *zone,
                            const struct kymo_site *site) KYMO_NOEXCEPT;
void kymo_zone_end_events(const struct kymo_event_zone *zone) KYMO_NOEXCEPT;
void kymo_count_event(const struct kymo_site *event, uint32_t number) KYMO_NOEXCEPT;
#endif

KYMO_C_END

/* Like KYMO_ZONE(), with the counters: three events of 8, 16 and 8 bytes. Anywhere. */
#define KYMO_ZONE_COUNTERS(name) KYMO_ZONE_COUNTERS_(KYMO_UNIQUE_(kymo_counted_), name)

/* Like KYMO_ZONE_COUNTERS(), with the events of KYMO_COUNT_EVENT(): 16 bytes more for each. */
#define KYMO_ZONE_EVENTS(name) KYMO_ZONE_EVENTS_(KYMO_UNIQUE_(kymo_counted_), name)

/* Chooses an event that the zones of KYMO_ZONE_EVENTS() count from here on, on all cores; up to four, by one core:
 * KYMO_COUNT_EVENT("cache misses", KYMO_EVENT_CACHE_MISSES). The number is one of those, or the core's own; a number
 * chosen before keeps its first name. The host shows the name. Call it in the firmware's start-up; not in
 * interrupts. */
#define KYMO_COUNT_EVENT(name, number) KYMO_COUNT_EVENT_(name, number)

#if !KYMO_ENABLE
#define KYMO_ZONE_COUNTERS_(ident, name) KYMO_OFF_ZONE_(ident, name)
#define KYMO_ZONE_EVENTS_(ident, name) KYMO_OFF_ZONE_(ident, name)
#define KYMO_COUNT_EVENT_(name, number) ((void)0)
#else
#define KYMO_COUNTED_SITE_(ident, name)                                                            \
    KYMO_SITE_DEFINE(KYMO_PASTE(ident, _site), KYMO_SITE_ZONE, name, 0u, 0u, 0u, KYMO_NULL_)
#define KYMO_COUNT_EVENT_(name, number)                                                            \
    do {                                                                                           \
        KYMO_EVENTS_ARE_THERE_;                                                                    \
        KYMO_STATIC_ASSERT_((number) != KYMO_EVENT_UNKNOWN,                                        \
                            "KYMO_COUNT_EVENT: this architecture has no number for the event. "    \
                            "Give that of the core's manual");                                     \
        KYMO_SITE_DEFINE(kymo_event_site, KYMO_SITE_STRING, name, 0u, number, 0u, KYMO_NULL_);     \
        kymo_count_event(&kymo_event_site, (number));                                              \
    } while (0)
#ifdef __cplusplus
class kymo_scoped_counted_zone {
  public:
    explicit KYMO_INLINE_ kymo_scoped_counted_zone(const struct kymo_site *site) noexcept
        : counted(kymo_zone_begin_counted(site)) {}
    KYMO_INLINE_ ~kymo_scoped_counted_zone() { kymo_zone_end_counted(&counted); }
    kymo_scoped_counted_zone(const kymo_scoped_counted_zone &) = delete;
    kymo_scoped_counted_zone &operator=(const kymo_scoped_counted_zone &) = delete;

  private:
    const struct kymo_counted_zone counted;
};
class kymo_scoped_event_zone {
  public:
    explicit KYMO_INLINE_ kymo_scoped_event_zone(const struct kymo_site *site) noexcept {
        kymo_zone_begin_events(&zone, site);
    }
    KYMO_INLINE_ ~kymo_scoped_event_zone() { kymo_zone_end_events(&zone); }
    kymo_scoped_event_zone(const kymo_scoped_event_zone &) = delete;
    kymo_scoped_event_zone &operator=(const kymo_scoped_event_zone &) = delete;

  private:
    struct kymo_event_zone zone;
};
#define KYMO_ZONE_COUNTERS_(ident, name)                                                           \
    KYMO_COUNTERS_ARE_THERE_;                                                                      \
    KYMO_COUNTED_SITE_(ident, name);                                                               \
    const kymo_scoped_counted_zone ident(&KYMO_PASTE(ident, _site))
#define KYMO_ZONE_EVENTS_(ident, name)                                                             \
    KYMO_EVENTS_ARE_THERE_;                                                                        \
    KYMO_COUNTED_SITE_(ident, name);                                                               \
    const kymo_scoped_event_zone ident(&KYMO_PASTE(ident, _site))
#else
#define KYMO_ZONE_COUNTERS_(ident, name)                                                           \
    KYMO_COUNTERS_ARE_THERE_;                                                                      \
    KYMO_COUNTED_SITE_(ident, name);                                                               \
    const struct kymo_counted_zone ident __attribute__((cleanup(kymo_zone_end_counted), unused)) = \
        kymo_zone_begin_counted(&KYMO_PASTE(ident, _site))
#define KYMO_ZONE_EVENTS_(ident, name)                                                             \
    KYMO_EVENTS_ARE_THERE_;                                                                        \
    KYMO_COUNTED_SITE_(ident, name);                                                               \
    struct kymo_event_zone ident __attribute__((cleanup(kymo_zone_end_events), unused));           \
    kymo_zone_begin_events(&ident, &KYMO_PASTE(ident, _site))
#endif
#endif

#endif
