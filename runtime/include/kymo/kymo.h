/* kymo: records what the firmware does. The only header that an application includes.
 *
 * For C from C11 and C++ from C++11 on. The macros are in macros.h, which this includes.
 *
 * Every macro and function here may be used in main code, in any interrupt, on any core, and before
 * main(), unless its comment says otherwise. None waits, locks or allocates. With KYMO_ENABLE 0 all
 * of them vanish; their arguments are still checked by the compiler, and not evaluated. */
#ifndef KYMO_KYMO_H
#define KYMO_KYMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kymo/config.h"
#include "kymo/language.h"
#include "kymo/site.h"
#include "kymo/transport.h"
#include "kymo/wire.h"

KYMO_C_BEGIN

/* An open zone, which may end on another core or in another thread than it began. One that was
 * not accepted (ring full, recording stopped) is NULL, and ending it does nothing: its end was
 * already counted as lost with its begin. Only what kymo_zone_begin() has returned may be ended.
 * Ending a zone twice ends the zone around it, and hostlink names that zone; with KYMO_CHECK the second end is left
 * out. */
typedef struct kymo_lane *kymo_zone;

/* What a lane runs: the address of a context site, or any 8-aligned address or number that stands
 * for a task. 0 is the lane's main context. */
typedef uintptr_t kymo_context;

#if !KYMO_ENABLE
/* What the functions below give then. */
KYMO_INLINE_ int32_t kymo_off_number(int32_t number) { return number; }
KYMO_INLINE_ bool kymo_off_false(void) { return false; }
KYMO_INLINE_ bool kymo_off_true(void) { return true; }
KYMO_INLINE_ kymo_context kymo_off_context(void) { return 0u; }
KYMO_INLINE_ kymo_zone kymo_off_zone(void) { return KYMO_NULL_; }
#endif

/* To be defined by a firmware whose image has KYMO_COMMAND_KEY: a number that differs at each start
 * of the board, for ever. From a generator of random numbers (64 bits of it do not repeat in
 * practice), a counter of starts in memory that keeps it, or a clock with a battery; it need not be
 * secret. If two starts have one number and the clock reads the same, a listener who heard the commands of
 * the first can repeat them in the second. kymo_init() calls it where the transport is a network. */
uint64_t kymo_command_nonce(void);

/* ---- life cycle: from main code of one core ---- */

/* Attaches the transport. "image" names the program for the viewers; it and *transport must outlive
 * the recording. Recording itself needs no initialisation: what came before is in the ring. With
 * KYMO_KEEP_NEWEST it also finds what the rings hold from before a reset, to be sent first. NULL as the
 * transport: nothing is sent, and "hostlink dump" reads the memory. */
#if KYMO_ENABLE
void kymo_init(const struct kymo_transport *transport, const char *image);
#else
#define kymo_init(transport, image) KYMO_OFF_2_(transport, image)
#endif

/* Moves recorded events towards the transport: encodes some of them, and gives at most "budget_bytes" bytes to it (0 =
 * as many as it takes at once). Also reads and obeys commands from the host. Never waits, and takes at most
 * KYMO_DRAIN_INSTRUCTIONS beside what the transport takes: the next call goes on where this one stopped. Returns true
 * if it did anything: call it again as soon as there is time. False: nothing is to be done until events are recorded,
 * or the transport is full.
 *
 * Call it from the main loop or an idle task, or from an interrupt, or from both: it may interrupt itself on one core,
 * and the inner call then returns false at once. Tasks that preempt each other, or cores, need a lock around it.
 * The inner call does not read either. So a receive interrupt would come again and again, and a handler that serves it
 * until there is no cause would never return: mask it around the calls from other contexts, which are short.
 *
 * From the transmit interrupt, it keeps the line busy as long as there are events. When there were none, the UART has
 * nothing to send and raises no further interrupt, and recording does not restart it: call kymo_drain() also from the
 * main loop or a periodic interrupt, at least every KYMO_LATENCY_MS. */
#if KYMO_ENABLE
bool kymo_drain(size_t budget_bytes);
#else
#define kymo_drain(budget_bytes) ((void)sizeof(budget_bytes), kymo_off_false())
#endif

/* True while recorded events, text, the names for the first time, or the end (kymo_finish()) are still to be given
 * to the transport. What only a host asks for does not count, so "while (kymo_pending()) { kymo_drain(0); }" ends
 * while a host sends command after command. Same caller as drain. */
#if KYMO_ENABLE
bool kymo_pending(void);
#else
#define kymo_pending() kymo_off_false()
#endif

/* Marks the end: what is in the rings is sent without waiting for full frames, then the final
 * status. A record that its writer does not finish within 100 ms (it was aborted, or a fault
 * handler calls this) is counted as lost, and its lane then takes no more events than it has room
 * for. Call kymo_drain() until kymo_pending() is false. Once all events are out, up to 16 more commands of the host
 * are obeyed before the end. Same caller as drain. */
#if KYMO_ENABLE
void kymo_finish(void);
#else
#define kymo_finish() KYMO_OFF_(0)
#endif

/* Stops and resumes recording on all lanes. What is refused while stopped is not counted as
 * lost. With KYMO_KEEP_NEWEST kymo_stop() in a fault handler keeps what led to the fault: then the ends
 * of open zones are refused too, and hostlink closes them. */
#if KYMO_ENABLE
void kymo_stop(void);
#else
#define kymo_stop() KYMO_OFF_(0)
#endif

#if KYMO_ENABLE
void kymo_start(void);
#else
#define kymo_start() KYMO_OFF_(0)
#endif

/* Sends a line of text beside the trace (shown by hostlink as the board's console), at most
 * KYMO_FRAME_BYTES - 16 bytes of it, which are copied. False: the buffer has no room yet; drain and try again, soon:
 * until then no packet begins. Same caller as drain. */
#if KYMO_ENABLE
bool kymo_print(const char *text, size_t length);
#else
#define kymo_print(text, length)                                                                   \
    (__extension__({                                                                               \
        KYMO_OFF_2_(text, length);                                                                 \
        kymo_off_true();                                                                           \
    }))
#endif

/* Names the current lane's main context (core, thread). The string must outlive the recording. */
#if KYMO_ENABLE
void kymo_lane_name(const char *name);
#else
#define kymo_lane_name(name) KYMO_OFF_(name)
#endif

/* Names a context that is not a site, such as a task. The string is copied into the ring. */
#if KYMO_ENABLE
void kymo_context_name(kymo_context context, enum kymo_context_kind kind, const char *name);
#else
#define kymo_context_name(context, kind, name) KYMO_OFF_3_(context, kind, name)
#endif

/* The context is over, such as a task that was deleted: hostlink closes its open zones here, and the next
 * task of the same number has a row of its own, without a name until kymo_context_name(). Any core, any
 * context; the task records nothing more. With KYMO_CONTEXTS the room promised to the ends of its zones is
 * free again once kymo_drain() has come by. */
#if KYMO_ENABLE
void kymo_context_end(kymo_context context);
#else
#define kymo_context_end(context) KYMO_OFF_(context)
#endif

/* For clocks narrower than 64 bits. At least once in each half wrap of the clock, call this on every lane, from a
 * periodic interrupt for example; or call kymo_drain() anywhere, which does the same for all lanes. After a longer
 * silence later times may be too early, by one or more wraps. hostlink reports that if the port reads a counter of
 * 64 bits; a port that counts the wraps of a 32-bit counter itself misses whole wraps unnoticed. Does nothing on
 * 64-bit clocks. */
#if KYMO_ENABLE
void kymo_clock_keepalive(void);
#else
#define kymo_clock_keepalive() KYMO_OFF_(0)
#endif

/* ---- recording: the functions behind the macros ---- */

#if KYMO_ENABLE
kymo_zone kymo_zone_begin(const struct kymo_site *site) KYMO_NOEXCEPT;
void kymo_zone_end(kymo_zone zone) KYMO_NOEXCEPT;
void kymo_zone_text(kymo_zone zone, const char *text, size_t length) KYMO_NOEXCEPT;
void kymo_zone_name(kymo_zone zone, const char *name, size_t length) KYMO_NOEXCEPT;
void kymo_zone_value(kymo_zone zone, uint64_t value) KYMO_NOEXCEPT;
void kymo_zone_color(kymo_zone zone, uint32_t color) KYMO_NOEXCEPT;
#else
#define kymo_zone_begin(site) KYMO_OFF_GIVES_(kymo_off_zone, site)
#define kymo_zone_end(zone) KYMO_OFF_(zone)
#define kymo_zone_text(zone, text, length) KYMO_OFF_3_(zone, text, length)
#define kymo_zone_name(zone, name, length) KYMO_OFF_3_(zone, name, length)
#define kymo_zone_value(zone, value) KYMO_OFF_2_(zone, value)
#define kymo_zone_color(zone, color) KYMO_OFF_2_(zone, color)
#endif

#if KYMO_ENABLE
void kymo_frame(const struct kymo_site *site) KYMO_NOEXCEPT;
void kymo_frame_start(const struct kymo_site *site) KYMO_NOEXCEPT;
void kymo_frame_end(const struct kymo_site *site) KYMO_NOEXCEPT;
#else
#define kymo_frame(site) KYMO_OFF_(site)
#define kymo_frame_start(site) KYMO_OFF_(site)
#define kymo_frame_end(site) KYMO_OFF_(site)
#endif

#if KYMO_ENABLE
void kymo_plot_int(const struct kymo_site *site, int64_t value) KYMO_NOEXCEPT;
void kymo_plot_float(const struct kymo_site *site, uint32_t bits) KYMO_NOEXCEPT;
void kymo_plot_double(const struct kymo_site *site, uint64_t bits) KYMO_NOEXCEPT;
#else
#define kymo_plot_int(site, value) KYMO_OFF_2_(site, value)
#define kymo_plot_float(site, bits) KYMO_OFF_2_(site, bits)
#define kymo_plot_double(site, bits) KYMO_OFF_2_(site, bits)
#endif

#if KYMO_ENABLE
void kymo_message(const struct kymo_site *site, const uint64_t *args) KYMO_NOEXCEPT;
/* The same for a site that cannot be read (KYMO_NAMES 0): "classes" is its detail. */
void kymo_message_of(const struct kymo_site *site, uint32_t classes,
                     const uint64_t *args) KYMO_NOEXCEPT;
#else
#define kymo_message(site, args) KYMO_OFF_2_(site, args)
#define kymo_message_of(site, classes, args) KYMO_OFF_3_(site, classes, args)
#endif

#if KYMO_ENABLE
void kymo_alloc(const struct kymo_site *pool, const void *address, size_t bytes) KYMO_NOEXCEPT;
void kymo_free(const struct kymo_site *pool, const void *address) KYMO_NOEXCEPT;
#else
#define kymo_alloc(pool, address, bytes) KYMO_OFF_3_(pool, address, bytes)
#define kymo_free(pool, address) KYMO_OFF_2_(pool, address)
#endif

#if KYMO_ENABLE
void kymo_app_info(const char *text, size_t length) KYMO_NOEXCEPT;
#else
#define kymo_app_info(text, length) KYMO_OFF_2_(text, length)
#endif

/* The lane now runs "context", a task for example; returns what it ran before. A switch that a full
 * ring refuses is sent again before the next event that is accepted. Until then a zone of the new
 * context that was begun earlier ends, on the timeline, in the context that was left. */
#if KYMO_ENABLE
kymo_context kymo_context_switch(kymo_context context) KYMO_NOEXCEPT;
#else
#define kymo_context_switch(context) KYMO_OFF_GIVES_(kymo_off_context, context)
#endif

/* An interrupt or signal preempts what the lane runs, and returns to it: hand the result of the
 * entry to the return. An entry is accepted only with the room for its return, so what was
 * interrupted goes on in its own context however full the ring is; if it is refused, so is all that
 * the handler records. */
#if KYMO_ENABLE
kymo_context kymo_interrupt_enter(kymo_context context) KYMO_NOEXCEPT;
void kymo_interrupt_leave(kymo_context before) KYMO_NOEXCEPT;
#else
#define kymo_interrupt_enter(context) KYMO_OFF_GIVES_(kymo_off_context, context)
#define kymo_interrupt_leave(before) KYMO_OFF_(before)
#endif

#if KYMO_ENABLE && KYMO_CHECK && defined(KYMO_CHECK_FAILED)
/* Yours; called at a usage error, from the call that makes it, in any context. See config.h. */
void KYMO_CHECK_FAILED(enum kymo_usage what, const struct kymo_site *site);
#endif

KYMO_C_END

#include "kymo/message.h"
#include "kymo/macros.h"

#endif
