/* Zones with the core's counters: cycles, and retired instructions where the core counts them, which gives instructions
 * per cycle. Not part of kymo.h, as the arch port must support counters (kymo/counters.h). */
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

/* A zone, and the counters at its begin. */
struct kymo_counted_zone {
    kymo_zone zone;
    uint32_t cycles, instructions;
};

/* Begin and end a zone and record the counts between: those of the core, including interrupts and some 20 instructions
 * of these calls, modulo 2^32. There are no counts if the zone ends on another lane than it began, or if the core does
 * not count. Full: only the counts are dropped, one lost event. The first call on each lane enables the counters, which
 * takes some thousand cycles. */
#if KYMO_ENABLE
struct kymo_counted_zone kymo_zone_begin_counted(const struct kymo_site *site) KYMO_NOEXCEPT;
void kymo_zone_end_counted(const struct kymo_counted_zone *counted) KYMO_NOEXCEPT;
#endif

KYMO_C_END

/* As KYMO_ZONE(), with the counters: three events of 8, 16 and 8 bytes. Anywhere. */
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
