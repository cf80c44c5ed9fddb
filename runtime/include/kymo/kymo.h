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
#include "kymo/knobs.h"
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

/* Marks the end: what is in the rings is sent without waiting for full packets, then the final
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
 * KYMO_PACKET_BYTES - 16 bytes of it, which are copied. False: the buffer has no room yet; drain and try again, soon:
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

/* Something too large for an event, such as a picture, a file, a crash dump. The structure and the bytes are yours, and
 * must stay as they are until kymo has done with them. */
struct kymo_large {
    const void *bytes;
    uint32_t length;   /* up to KYMO_LARGE_BYTES_MAX, 16 MiB */
    const char *name;  /* of a file, cut to 40 bytes; NULL: none */
    uint8_t type;      /* enum kymo_large_type */
    uint8_t state;     /* enum kymo_large_state; kymo's, all zero is the start */
    uint8_t cancelled; /* kymo's */
    /* Called by kymo_drain() when it has done with it; NULL: look at kymo_large_state(). It may be sent again from
     * there. "sent" false: it was cancelled. */
    void (*done)(struct kymo_large *large, bool sent);
};
enum kymo_large_state {
    KYMO_LARGE_IDLE = 0,
    KYMO_LARGE_WAITING = 1, /* it must stay as it is */
    KYMO_LARGE_SENT = 2,    /* all of it was given to the transport's buffer; none of it comes again */
    KYMO_LARGE_GIVEN_UP = 3 /* it was cancelled */
};

#if KYMO_ENABLE
/* Records that it is there, an event, and has kymo_drain() send it in pieces, one at most behind every fourth packet of
 * events while these wait. Nothing is copied. False: KYMO_LARGE of them wait already, which hostlink reports, or it
 * waits itself, or is too long. Any context. kymo_finish() ends behind the last of them, kymo_init() begins those
 * that wait anew. A piece that the line loses is not sent again: hostlink says what is not whole. */
bool kymo_large_send(struct kymo_large *large) KYMO_NOEXCEPT;
/* What is not sent yet stays so. The bytes must stay until it is done, at most a call of kymo_drain() with room in its
 * transport later. Any context. */
void kymo_large_cancel(struct kymo_large *large) KYMO_NOEXCEPT;
/* In any context: may the bytes change? */
enum kymo_large_state kymo_large_state(const struct kymo_large *large) KYMO_NOEXCEPT;
#else
KYMO_INLINE_ enum kymo_large_state kymo_off_large(void) { return KYMO_LARGE_IDLE; }
#define kymo_large_send(large) KYMO_OFF_GIVES_(kymo_off_false, large)
#define kymo_large_cancel(large) KYMO_OFF_(large)
#define kymo_large_state(large) KYMO_OFF_GIVES_(kymo_off_large, large)
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

/* For clocks narrower than 64 bits. Call this on every lane at least once in half a wrap of the clock less 1 %, from
 * a periodic interrupt for example; or call kymo_drain() anywhere, which does the same for all lanes. After a longer
 * silence later times may be too early, by one or more wraps. hostlink reports that if the port reads a counter of
 * 64 bits; a port that counts the wraps of a 32-bit counter itself misses whole wraps unnoticed. Does nothing on
 * 64-bit clocks. */
#if KYMO_ENABLE
void kymo_clock_keepalive(void);
#else
#define kymo_clock_keepalive() KYMO_OFF_(0)
#endif

/* Changes of the clock, for KYMO_CLOCK_CHANGES. From one context at a time. Never lost: what a full ring refuses is
 * recorded later, and counts from when it happened. 24 to 48 bytes in the ring. */
#if KYMO_ENABLE
/* From now on the clock runs at "hz"; 0: nobody knows, hostlink measures it. Call it right behind the change. */
void kymo_clock_rate(uint64_t hz);
/* The clock stood still for "ticks" ticks of a slow clock of "hz", as in deep sleep: later times move by that. Of one
 * slow clock only: false for another "hz" than the first time. */
bool kymo_clock_slept(uint64_t ticks, uint32_t hz);
#else
#define kymo_clock_rate(hz) KYMO_OFF_(hz)
#define kymo_clock_slept(ticks, hz) ((void)sizeof(ticks), (void)sizeof(hz), kymo_off_true())
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
/* A place that is known at run time only: the one with the same text, line, kind and so on, made if there is none.
 * For every call that takes a place: zones, plots, pools, messages, frames. It is never removed, and its names travel
 * once. A place that is there takes 200 instructions, and 18 for each byte that is not constant, as a buffer may have
 * another text by now (tests/bench/instructions.sh). Never NULL; see KYMO_DYNAMIC_SITES. */
const struct kymo_site *kymo_site_dynamic(const struct kymo_site_text *text) KYMO_NOEXCEPT;
#else
KYMO_INLINE_ const struct kymo_site *kymo_off_site(void) { return KYMO_NULL_; }
#define kymo_site_dynamic(text) KYMO_OFF_GIVES_(kymo_off_site, text)
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

#if KYMO_ENABLE && KYMO_TRACING_MODE >= 2
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

/* Run-time objects: a lock, a queue, a task, a timer. The identity is 64 bits of your choice, mostly the address; all
 * of them count, so objects that lie side by side are different ones. kymo_object() gives the object its class and its
 * name, which is copied, NULL for none, and says that it exists; "site" is the place to show for it, or NULL. Full:
 * the name is lost, and hostlink shows the identity instead.
 * kymo_object_event() records an event of a kind whose reference is an object (kinds.h): 16 bytes. With
 * KYMO_KIND_OBJECT_END the object is over, and the next of its identity is another one. Full: dropped. */
#if KYMO_ENABLE
void kymo_object(uint64_t identity, enum kymo_object_class of, const char *name,
                 const struct kymo_site *site) KYMO_NOEXCEPT;
void kymo_object_event(enum kymo_event_kind kind, uint64_t identity) KYMO_NOEXCEPT;
#else
#define kymo_object(identity, of, name, site)                                                      \
    (0 ? (void)(identity) : 0 ? (void)(of) : KYMO_OFF_2_(name, site))
#define kymo_object_event(kind, identity) KYMO_OFF_2_(kind, identity)
#endif

/* Zones, messages, locks and memory with the call stack of the caller, in one step with the event: "depth" frames at
 * most, and no more than KYMO_CALLSTACKS and what the host has set the parameter "kymo.callstacks" to. Where no frame
 * is found, or wanted, the event alone. "classes" is the site's detail. */
#if KYMO_ENABLE && KYMO_CALLSTACKS
kymo_zone kymo_zone_begin_stack(const struct kymo_site *site, uint32_t depth) KYMO_NOEXCEPT;
void kymo_message_stack(const struct kymo_site *site, uint32_t classes, const uint64_t *args,
                        uint32_t depth) KYMO_NOEXCEPT;
void kymo_object_event_stack(enum kymo_event_kind kind, uint64_t identity,
                             uint32_t depth) KYMO_NOEXCEPT;
#elif KYMO_ENABLE
KYMO_INLINE_ kymo_zone kymo_zone_begin_stack(const struct kymo_site *site, uint32_t depth) {
    (void)depth;
    return kymo_zone_begin(site);
}
KYMO_INLINE_ void kymo_message_stack(const struct kymo_site *site, uint32_t classes,
                                   const uint64_t *args, uint32_t depth) {
    (void)classes;
    (void)depth;
#if KYMO_NAMES
    kymo_message(site, args);
#else
    kymo_message_of(site, classes, args);
#endif
}
KYMO_INLINE_ void kymo_object_event_stack(enum kymo_event_kind kind, uint64_t identity,
                                        uint32_t depth) {
    (void)depth;
    kymo_object_event(kind, identity);
}
#else
#define kymo_zone_begin_stack(site, depth)                                                         \
    (0 ? ((void)(depth), kymo_zone_begin(site)) : kymo_zone_begin(site))
#define kymo_message_stack(site, classes, args, depth) KYMO_OFF_4_(site, classes, args, depth)
#define kymo_object_event_stack(kind, identity, depth) KYMO_OFF_3_(kind, identity, depth)
#endif
#if KYMO_ENABLE && KYMO_CALLSTACKS && KYMO_TRACING_MODE >= 2
void kymo_alloc_stack(const struct kymo_site *pool, const void *address, size_t bytes,
                      uint32_t depth) KYMO_NOEXCEPT;
void kymo_free_stack(const struct kymo_site *pool, const void *address,
                     uint32_t depth) KYMO_NOEXCEPT;
#elif KYMO_ENABLE && KYMO_TRACING_MODE >= 2
KYMO_INLINE_ void kymo_alloc_stack(const struct kymo_site *pool, const void *address, size_t bytes,
                                 uint32_t depth) {
    (void)depth;
    kymo_alloc(pool, address, bytes);
}
KYMO_INLINE_ void kymo_free_stack(const struct kymo_site *pool, const void *address, uint32_t depth) {
    (void)depth;
    kymo_free(pool, address);
}
#else
#define kymo_alloc_stack(pool, address, bytes, depth) KYMO_OFF_4_(pool, address, bytes, depth)
#define kymo_free_stack(pool, address, depth) KYMO_OFF_3_(pool, address, depth)
#endif

/* A message as it is, without a format: "text", copied as far as KYMO_PAYLOAD_WORDS allows, or, where that is
 * NULL, the name of the site, a KYMO_SITE_MESSAGE. "color" 0xRRGGBB, 0 = the site's; "depth" as above, 0 = no
 * call stack. 16 bytes and the text. Anywhere. Full: dropped.
 * kymo_plot_config() says how the series that has the site's name is to be shown, from here on: "format" is the detail
 * of a plot's site (wire.h). kymo_memory_discard() frees all that is left in the pool. kymo_object_name() gives an
 * object that exists another name. kymo_lock_mark() says where the current context waits for the lock or holds it.
 * 8 to 24 bytes each, and a text. Anywhere. Full: dropped. */
struct kymo_text {
    const char *bytes;
    size_t length;
};
#if KYMO_ENABLE
void kymo_message_text(const struct kymo_site *site, const struct kymo_text *text, uint32_t color,
                       uint32_t depth) KYMO_NOEXCEPT;
void kymo_plot_config(const struct kymo_site *site, uint32_t format, uint32_t color) KYMO_NOEXCEPT;
void kymo_lock_mark(uint64_t identity, const struct kymo_site *site) KYMO_NOEXCEPT;
void kymo_object_name(uint64_t identity, const struct kymo_text *name) KYMO_NOEXCEPT;
#else
#define kymo_object_name(identity, name) KYMO_OFF_2_(identity, name)
#define kymo_message_text(site, text, color, depth) KYMO_OFF_4_(site, text, color, depth)
#define kymo_plot_config(site, format, color) KYMO_OFF_3_(site, format, color)
#define kymo_lock_mark(identity, site) KYMO_OFF_2_(identity, site)
#endif
#if KYMO_ENABLE && KYMO_TRACING_MODE >= 2
void kymo_memory_discard(const struct kymo_site *pool) KYMO_NOEXCEPT;
#else
#define kymo_memory_discard(pool) KYMO_OFF_(pool)
#endif

/* Anywhere: has a host spoken in the last three seconds (false where KYMO_COMMANDS is 0); is anything recorded at the
 * moment; the clock of the events, in its ticks. */
#if KYMO_ENABLE
bool kymo_connected(void) KYMO_NOEXCEPT;
bool kymo_is_recording(void) KYMO_NOEXCEPT;
uint64_t kymo_clock_now(void) KYMO_NOEXCEPT;
#else
KYMO_INLINE_ uint64_t kymo_off_clock(void) { return 0u; }
#define kymo_connected() kymo_off_false()
#define kymo_is_recording() kymo_off_false()
#define kymo_clock_now() kymo_off_clock()
#endif

#if KYMO_ENABLE && defined(KYMO_PARAM_CHANGED)
/* Yours, or kymo_tracy_param_changed() for Tracy's markup: called by kymo_drain() when a host has set a parameter. */
void KYMO_PARAM_CHANGED(struct kymo_param *param);
#endif

#if KYMO_ENABLE && KYMO_CHECK && defined(KYMO_CHECK_FAILED)
/* Yours; called at a usage error, from the call that makes it, in any context. See config.h. */
void KYMO_CHECK_FAILED(enum kymo_usage what, const struct kymo_site *site);
#endif

KYMO_C_END

#include "kymo/message.h"
#include "kymo/macros.h"

#endif
