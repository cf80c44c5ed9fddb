/* Zones with what the core has counted in them: cycles, and instructions retired where it counts these, for the
 * quotient of both. On top of kymo.h; apart from it as the arch port must know counters (kymo/counters.h). */
#ifndef KYMO_ZONE_COUNTERS_H
#define KYMO_ZONE_COUNTERS_H

#include "kymo/kymo.h"

#if KYMO_ENABLE
#include "kymo/counters.h"
#define KYMO_COUNTERS_ARE_THERE_                                                                   \
    KYMO_STATIC_ASSERT_(                                                                           \
        KYMO_ARCH_COUNTERS != 0u,                                                                  \
        "KYMO_ZONE_COUNTERS: this arch port knows no counter that may be read here. Use "          \
        "KYMO_ZONE; or, where the firmware has let this privilege level read the core's "          \
        "counters, define KYMO_COUNTERS=1 (RISC-V, x86)")
#endif

KYMO_C_BEGIN

/* A zone, and how the counters stood at its begin. */
struct kymo_counted_zone {
    kymo_zone zone;
    uint32_t cycles, instructions;
};

/* Begins a zone, and ends it, with what was counted between: of the core that it runs on, with the interrupts in
 * between and some 20 instructions of these calls. Modulo 2^32. None of it where the zone ends on another lane than
 * it began, where the core was never seen to count, or with a full ring: then only that is dropped, and counts as
 * one lost event. The first call on each lane switches the counters on, which takes some thousand cycles. */
#if KYMO_ENABLE
struct kymo_counted_zone kymo_zone_begin_counted(const struct kymo_site *site) KYMO_NOEXCEPT;
void kymo_zone_end_counted(const struct kymo_counted_zone *counted) KYMO_NOEXCEPT;
#endif

KYMO_C_END

/* A zone as KYMO_ZONE(), with its counters: three events of 8, 16 and 8 bytes. Anywhere that KYMO_ZONE() may be. */
#define KYMO_ZONE_COUNTERS(name) KYMO_ZONE_COUNTERS_(KYMO_PASTE(kymo_counted_, __LINE__), name)

#if !KYMO_ENABLE
#define KYMO_ZONE_COUNTERS_(ident, name) KYMO_OFF_ZONE_(ident, name)
#elif defined(__cplusplus)
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
#define KYMO_ZONE_COUNTERS_(ident, name)                                                           \
    KYMO_COUNTERS_ARE_THERE_;                                                                      \
    KYMO_SITE_DEFINE(KYMO_PASTE(ident, _site), KYMO_SITE_ZONE, name, 0u, 0u, 0u, KYMO_NULL_);      \
    const kymo_scoped_counted_zone ident(&KYMO_PASTE(ident, _site))
#else
#define KYMO_ZONE_COUNTERS_(ident, name)                                                           \
    KYMO_COUNTERS_ARE_THERE_;                                                                      \
    KYMO_SITE_DEFINE(KYMO_PASTE(ident, _site), KYMO_SITE_ZONE, name, 0u, 0u, 0u, KYMO_NULL_);      \
    const struct kymo_counted_zone ident __attribute__((cleanup(kymo_zone_end_counted), unused)) = \
        kymo_zone_begin_counted(&KYMO_PASTE(ident, _site))
#endif

#endif
