/* SPDX-License-Identifier: MIT */
/* kymo: records events of the firmware. The only header that an application includes.
 *
 * For C from C11 and C++ from C++11 on. The macros are in macros.h, which this includes.
 *
 * Call every macro and function here from main code, any interrupt, any core, and before main(), unless its comment
 * says otherwise. None of them waits, locks or allocates. With KYMO_ENABLE 0 they leave no code: the compiler checks
 * their arguments, and the program does not evaluate them. */
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

/* An open zone, of a type without a definition. It may end on another core or in another thread than it began.
 * NULL: the ring was full or recording was stopped; begin and end are then already counted as lost, and ending it does
 * nothing. End only what kymo_zone_begin() returned, and once: a second end closes the zone around it, and hostlink
 * names that zone. With KYMO_CHECK the second end is dropped and reported. */
typedef struct kymo_open_zone *kymo_zone;

/* The context of a lane: the address of a context site, or any 8-aligned address or number that stands
 * for a task. 0 is the lane's main context. */
typedef uintptr_t kymo_context;

/* Define this function if the firmware has KYMO_COMMAND_KEY: it returns a number that no other start of the board
 * returns. Take 64 bits of a random number generator, a counter of starts in non-volatile memory, or a clock with a
 * battery. The number need not be secret. If two starts return one number and their clocks read the same, an
 * eavesdropper can replay the commands of the first in the second. kymo_init() calls it if the transport is a
 * network. */
uint64_t kymo_command_nonce(void);

/* ---- life cycle: from main code of one core ---- */

/* Attaches the transport. "image" is the program's name in the viewers. Both must stay valid as long as kymo records.
 * Recording needs no initialisation: the ring holds the events recorded before this call. With KYMO_KEEP_NEWEST it also
 * finds the events from before a reset, which are sent first. With a NULL transport nothing is sent, and
 * "hostlink dump" reads the events from the memory. */
void kymo_init(const struct kymo_transport *transport, const char *image);

/* Encodes some of the recorded events and gives at most "budget_bytes" bytes to the transport (0: as many as the
 * transport takes). Also reads commands from the host and carries them out. It never waits, and runs at most
 * KYMO_DRAIN_INSTRUCTIONS instructions besides those of the transport; the next call continues where this one stopped.
 * Returns true if it did anything: call it again as soon as there is time. Returns false if no event waits or the
 * transport is full.
 *
 * Call it from the main loop, an idle task, an interrupt, or several of these on one core: a call that interrupts
 * another returns false at once, and the interrupted one makes up for it before it returns. Put a lock around it if
 * several cores, or tasks that preempt each other, call it.
 *
 * A call that interrupts another does not read received bytes either. A receive interrupt would then be raised again
 * and again, and a handler that loops until its cause is gone would never return. Mask the receive interrupt around
 * calls from other contexts; they are short.
 *
 * Called from the transmit interrupt, one call each, it keeps the line busy while events wait: it gives out what is
 * ready before it makes more. A handler that loops until it returns false ends once the transport is full, but makes
 * up to a block of 254 bytes first if none is ready. A call that has more to do raises the interrupt once more, where
 * the transport can ("again" in transport.h); otherwise it comes after bytes that were sent. Once no events wait, the
 * UART raises no further interrupt, and recording does not restart it. So call kymo_drain() from the main loop or a
 * periodic interrupt as well, at least every KYMO_LATENCY_MS. */
bool kymo_drain(size_t budget_bytes);

/* True while the transport has not yet taken all events, text, the first sending of the names, and the end
 * (kymo_finish()). Answers to the host do not count, so "while (kymo_pending()) { kymo_drain(0); }" ends even if the
 * host sends commands without pause; not while interrupts record faster than the transport takes it. Call it where you
 * call kymo_drain(). */
bool kymo_pending(void);

/* Ends the trace: sends the events in the rings, without waiting for full packets, and then the final status. Call
 * kymo_drain() until kymo_pending() is false. A record that its writer does not complete within 100 ms (the writer was
 * aborted, or a fault handler calls this) is counted as lost, and its lane accepts only as many further events as its
 * ring has room for. Stop samples before, by kymo_sample_rate(0): the final status comes after the last event. Up to
 * 16 more commands of the host are carried out after that event. Call it where you call kymo_drain(). */
void kymo_finish(void);

/* Stop and resume recording on all lanes. Events rejected while stopped do not count as lost. With KYMO_KEEP_NEWEST,
 * kymo_stop() in a fault handler keeps what led to the fault: it rejects the ends of open zones too, and hostlink
 * closes these zones. */
void kymo_stop(void);

void kymo_start(void);

/* Sends a line of text besides the events; hostlink shows it as the board's console. Copies at most
 * KYMO_PACKET_BYTES - 16 bytes. Returns false if the buffer has no room yet: call kymo_drain() and try again soon, as
 * no new packet begins until then. Call it where you call kymo_drain(). */
bool kymo_print(const char *text, size_t length);

/* Data too large for an event, such as a picture, a file or a crash dump. Structure and bytes belong to the firmware,
 * which must not change them until they are sent or cancelled. */
struct kymo_large {
    const void *bytes;
    uint32_t length;   /* up to KYMO_LARGE_BYTES_MAX, 16 MiB */
    const char *name;  /* of a file, cut to 40 bytes; NULL: none */
    uint8_t type;      /* enum kymo_large_type */
    uint8_t state;     /* enum kymo_large_state, written by kymo; start with 0 */
    uint8_t cancelled; /* written by kymo; start with 0 */
    /* kymo_drain() calls it once the data is sent or cancelled ("sent" is false then); it may send the same structure
     * again. NULL: poll kymo_large_state(). */
    void (*done)(struct kymo_large *large, bool sent);
};
enum kymo_large_state {
    KYMO_LARGE_IDLE = 0,
    KYMO_LARGE_WAITING = 1, /* structure and bytes must not change */
    KYMO_LARGE_SENT = 2,    /* the transport's buffer took all of it */
    KYMO_LARGE_GIVEN_UP = 3 /* cancelled */
};

/* Records an event that announces the data; kymo_drain() then sends the data in pieces, at most one piece for four
 * packets of events while events wait. Nothing is copied. Returns false if KYMO_LARGE of them wait already (hostlink
 * reports this), if this one waits already, or if it is too long. The trace ends (kymo_finish()) after the last piece;
 * kymo_init() starts waiting data again from its beginning. A piece lost on the line is not sent again, and hostlink
 * reports the data as incomplete. A jump out of the call (siglongjmp()) takes one of the KYMO_LARGE places for
 * good, and may hold up the data of later calls. Any context. */
bool kymo_large_send(struct kymo_large *large) KYMO_NOEXCEPT;
/* Drops the pieces not sent yet. The bytes must not change until the state is KYMO_LARGE_GIVEN_UP: the next
 * kymo_drain() with room in its transport sets it. Any context. */
void kymo_large_cancel(struct kymo_large *large) KYMO_NOEXCEPT;
/* The bytes may change in every state but KYMO_LARGE_WAITING. Any context. */
enum kymo_large_state kymo_large_state(const struct kymo_large *large) KYMO_NOEXCEPT;

/* Names the main context of the current lane (a core or a thread). The string must stay valid as long as kymo
 * records. */
void kymo_lane_name(const char *name);

/* Names a context that is not a site, such as a task. The ring holds a copy of the string. */
void kymo_context_name(kymo_context context, enum kymo_context_kind kind, const char *name);

/* Ends a context, such as a deleted task. The task must record nothing more. hostlink closes its open zones here, and
 * a later task with the same number gets a row of its own, without a name until kymo_context_name(). With KYMO_TASKS
 * or KYMO_CONTEXTS the next kymo_drain() counts an event that the task was recording when it was killed as lost, of
 * the task that ended last; else such an event holds up its lane until kymo_finish(). With KYMO_CONTEXTS it also frees
 * the room reserved for the ends of the task's zones. Any core, any context. */
void kymo_context_end(kymo_context context);

/* Needed for clocks narrower than 64 bits. Call it on every lane at least once in 49 % of the clock's wrap period, for
 * example from a periodic interrupt. kymo_drain() does the same for all lanes. If neither is called for longer, later
 * times may be too early by one or more wraps. hostlink reports this if the port reads a 64-bit counter; a port that
 * counts the wraps of a 32-bit counter cannot detect missed wraps. Does nothing on 64-bit clocks. */
void kymo_clock_keepalive(void);

/* Changes of the clock; needs KYMO_CLOCK_CHANGES. Call them from one context at a time. A change is never lost: if the
 * ring is full it is recorded later, with the time at which it happened. 24 to 48 bytes in the ring. */
/* The clock now runs at "hz"; 0: unknown, hostlink measures it. Call it immediately after the change. */
void kymo_clock_rate(uint64_t hz);
/* The clock stood still for "ticks" ticks of a slow clock of "hz", as in deep sleep; later times move by that much.
 * Only one slow clock is supported: returns false if "hz" differs from that of the first call. */
bool kymo_clock_slept(uint64_t ticks, uint32_t hz);

/* ---- recording: the functions that the macros call ----
 *
 * The macro of the same name in macros.h documents the meaning of the event, its bytes in the ring, and the behaviour
 * if the ring is full. Any context, any core. */

kymo_zone kymo_zone_begin(const struct kymo_site *site) KYMO_NOEXCEPT;
void kymo_zone_end(kymo_zone zone) KYMO_NOEXCEPT;
void kymo_zone_text(kymo_zone zone, const char *text, size_t length) KYMO_NOEXCEPT;
void kymo_zone_name(kymo_zone zone, const char *name, size_t length) KYMO_NOEXCEPT;
void kymo_zone_value(kymo_zone zone, uint64_t value) KYMO_NOEXCEPT;
void kymo_zone_color(kymo_zone zone, uint32_t color) KYMO_NOEXCEPT;

/* Returns the site with the same text, line, kind and so on, and makes it if it does not exist: for places known at run
 * time only. Every call that takes a site accepts it: zones, plots, pools, messages, frames. It is never removed, and
 * its names are sent once. Finding a site takes 200 instructions, and 18 more for each byte of text that is not
 * constant, as the buffer may have changed (tests/bench/instructions.sh). Never NULL; see KYMO_DYNAMIC_SITES. */
const struct kymo_site *kymo_site_dynamic(const struct kymo_site_text *text) KYMO_NOEXCEPT;

void kymo_frame(const struct kymo_site *site) KYMO_NOEXCEPT;
void kymo_frame_start(const struct kymo_site *site) KYMO_NOEXCEPT;
void kymo_frame_end(const struct kymo_site *site) KYMO_NOEXCEPT;

/* "kind" is one of KYMO_KIND_FLOW_SEND to KYMO_KIND_ASYNC_END. */
void kymo_flow(enum kymo_event_kind kind, const struct kymo_site *site, uint64_t id) KYMO_NOEXCEPT;

/* KYMO_TASK_PERIOD(), in macros.h. Without KYMO_TASKS it does nothing. */
void kymo_task_period(uint32_t period_us, uint32_t deadline_us) KYMO_NOEXCEPT;

void kymo_plot_int(const struct kymo_site *site, int64_t value) KYMO_NOEXCEPT;
void kymo_plot_float(const struct kymo_site *site, uint32_t bits) KYMO_NOEXCEPT;
void kymo_plot_double(const struct kymo_site *site, uint64_t bits) KYMO_NOEXCEPT;

void kymo_message(const struct kymo_site *site, const uint64_t *args) KYMO_NOEXCEPT;
/* The same for a site that is not in the memory (KYMO_NAMES 0): "classes" is its detail. */
void kymo_message_of(const struct kymo_site *site, uint32_t classes,
                     const uint64_t *args) KYMO_NOEXCEPT;

void kymo_alloc(const struct kymo_site *pool, const void *address, size_t bytes) KYMO_NOEXCEPT;
void kymo_free(const struct kymo_site *pool, const void *address) KYMO_NOEXCEPT;

void kymo_app_info(const char *text, size_t length) KYMO_NOEXCEPT;

/* The lane now runs "context", for example a task; returns the context it ran before. 8 bytes. If the ring is full,
 * the switch is sent before the next accepted event. Until then a zone that the new context began earlier ends, on
 * the timeline, in the old context. */
kymo_context kymo_context_switch(kymo_context context) KYMO_NOEXCEPT;

/* An interrupt or signal preempts the context that the lane runs, and returns to it. Pass the result of
 * kymo_interrupt_enter() to kymo_interrupt_leave(). An entry is accepted only together with the room for its return,
 * so the preempted context is right afterwards, however full the ring is. If the entry is rejected, so are all the
 * handler's events. Also call kymo_interrupt_leave() before a handler is left by siglongjmp(): without it a rejected
 * handler ends only after as many events as the ring holds, and an accepted one keeps its row and 16 bytes until its
 * thread ends. 8 bytes each. */
kymo_context kymo_interrupt_enter(kymo_context context) KYMO_NOEXCEPT;
void kymo_interrupt_leave(kymo_context before) KYMO_NOEXCEPT;

/* Objects of run time: a lock, a queue, a task, a timer. The identity is any 64-bit number, mostly the address.
 * kymo_object() announces the object with its class, its name (copied; NULL: none) and the site to show for it (NULL:
 * none). If the ring is full, the name is lost and hostlink shows the identity instead.
 * kymo_object_event() records an event of a kind that refers to an object (kinds.h): 16 bytes. KYMO_KIND_OBJECT_END
 * ends the object; a later one with the same identity is a new object. */
void kymo_object(uint64_t identity, enum kymo_object_class of, const char *name,
                 const struct kymo_site *site) KYMO_NOEXCEPT;
void kymo_object_event(enum kymo_event_kind kind, uint64_t identity) KYMO_NOEXCEPT;

/* Zones, messages, locks and memory with the caller's call stack, both recorded in one step: at most "depth" frames,
 * and at most KYMO_CALLSTACKS and the value of the parameter "kymo.callstacks", which the host can set. If the limit
 * is 0 or no frame is found, the event is recorded alone. "classes" is the site's detail. */
kymo_zone kymo_zone_begin_stack(const struct kymo_site *site, uint32_t depth) KYMO_NOEXCEPT;
void kymo_message_stack(const struct kymo_site *site, uint32_t classes, const uint64_t *args,
                        uint32_t depth) KYMO_NOEXCEPT;
void kymo_object_event_stack(enum kymo_event_kind kind, uint64_t identity,
                             uint32_t depth) KYMO_NOEXCEPT;
void kymo_alloc_stack(const struct kymo_site *pool, const void *address, size_t bytes,
                      uint32_t depth) KYMO_NOEXCEPT;
void kymo_free_stack(const struct kymo_site *pool, const void *address,
                     uint32_t depth) KYMO_NOEXCEPT;

/* kymo_message_text(): a message without a format. Copies "text", cut to KYMO_PACKET_BYTES; if "text" is NULL, the
 * message is the name of the site, which must be a KYMO_SITE_MESSAGE. "color" is 0xRRGGBB, 0 the site's own; "depth"
 * is that above, 0 for no call stack. 16 bytes and the text.
 * kymo_plot_config(): how to show the series with the site's name from here on; "format" is the detail of a plot's
 * site (wire.h). kymo_memory_discard(): frees all that is left in the pool; kymo_memory_discard_stack() with the call
 * stack of it. kymo_object_name(): renames an object.
 * kymo_lock_mark(): the site where the current context waits for the lock or holds it. 8 to 24 bytes each, and the
 * text. */
struct kymo_text {
    const char *bytes;
    size_t length;
};
void kymo_message_text(const struct kymo_site *site, const struct kymo_text *text, uint32_t color,
                       uint32_t depth) KYMO_NOEXCEPT;
void kymo_plot_config(const struct kymo_site *site, uint32_t format, uint32_t color) KYMO_NOEXCEPT;
void kymo_lock_mark(uint64_t identity, const struct kymo_site *site) KYMO_NOEXCEPT;
void kymo_object_name(uint64_t identity, const struct kymo_text *name) KYMO_NOEXCEPT;
void kymo_memory_discard(const struct kymo_site *pool) KYMO_NOEXCEPT;
void kymo_memory_discard_stack(const struct kymo_site *pool, uint32_t depth) KYMO_NOEXCEPT;

/* kymo_connected(): true if the host sent something in the last three seconds; always false with KYMO_COMMANDS 0.
 * kymo_is_recording(): false while recording is stopped. kymo_clock_now(): the clock of the events, in ticks. Any
 * context. */
bool kymo_connected(void) KYMO_NOEXCEPT;
bool kymo_is_recording(void) KYMO_NOEXCEPT;
uint64_t kymo_clock_now(void) KYMO_NOEXCEPT;

/* You may define this function, but not with TracyParameterRegister(), which takes it. kymo_drain() calls it after the
 * host has set a parameter. */
void kymo_param_changed(struct kymo_param *param);
/* You may define this function. With KYMO_CHECK the call with the usage error calls it, in any context. "site": that of
 * the zone or interrupt, NULL if unknown. */
void kymo_check_failed(enum kymo_usage what, const struct kymo_site *site);

/* ---- with KYMO_ENABLE 0, or without the knob of an event: macros in place of the functions leave no code ---- */

#if !KYMO_ENABLE
/* The results of the functions. */
KYMO_INLINE_ int32_t kymo_off_number(int32_t number) { return number; }
KYMO_INLINE_ bool kymo_off_false(void) { return false; }
KYMO_INLINE_ bool kymo_off_true(void) { return true; }
KYMO_INLINE_ kymo_context kymo_off_context(void) { return 0u; }
KYMO_INLINE_ kymo_zone kymo_off_zone(void) { return KYMO_NULL_; }
KYMO_INLINE_ enum kymo_large_state kymo_off_large(void) { return KYMO_LARGE_IDLE; }
KYMO_INLINE_ const struct kymo_site *kymo_off_site(void) { return KYMO_NULL_; }
KYMO_INLINE_ uint64_t kymo_off_clock(void) { return 0u; }
#define kymo_init(transport, image) KYMO_OFF_2_(transport, image)
#define kymo_drain(budget_bytes) ((void)sizeof(budget_bytes), kymo_off_false())
#define kymo_pending() kymo_off_false()
#define kymo_finish() KYMO_OFF_(0)
#define kymo_stop() KYMO_OFF_(0)
#define kymo_start() KYMO_OFF_(0)
#define kymo_print(text, length)                                                                   \
    (__extension__({                                                                               \
        KYMO_OFF_2_(text, length);                                                                 \
        kymo_off_true();                                                                           \
    }))
#define kymo_large_send(large) KYMO_OFF_GIVES_(kymo_off_false, large)
#define kymo_large_cancel(large) KYMO_OFF_(large)
#define kymo_large_state(large) KYMO_OFF_GIVES_(kymo_off_large, large)
#define kymo_lane_name(name) KYMO_OFF_(name)
#define kymo_context_name(context, kind, name) KYMO_OFF_3_(context, kind, name)
#define kymo_context_end(context) KYMO_OFF_(context)
#define kymo_clock_keepalive() KYMO_OFF_(0)
#define kymo_clock_rate(hz) KYMO_OFF_(hz)
#define kymo_clock_slept(ticks, hz) ((void)sizeof(ticks), (void)sizeof(hz), kymo_off_true())
#define kymo_zone_begin(site) KYMO_OFF_GIVES_(kymo_off_zone, site)
#define kymo_zone_end(zone) KYMO_OFF_(zone)
#define kymo_zone_text(zone, text, length) KYMO_OFF_3_(zone, text, length)
#define kymo_zone_name(zone, name, length) KYMO_OFF_3_(zone, name, length)
#define kymo_zone_value(zone, value) KYMO_OFF_2_(zone, value)
#define kymo_zone_color(zone, color) KYMO_OFF_2_(zone, color)
#define kymo_site_dynamic(text) KYMO_OFF_GIVES_(kymo_off_site, text)
#define kymo_frame(site) KYMO_OFF_(site)
#define kymo_frame_start(site) KYMO_OFF_(site)
#define kymo_frame_end(site) KYMO_OFF_(site)
#define kymo_flow(kind, site, id) KYMO_OFF_3_(kind, site, id)
#define kymo_task_period(period_us, deadline_us) KYMO_OFF_2_(period_us, deadline_us)
#define kymo_plot_int(site, value) KYMO_OFF_2_(site, value)
#define kymo_plot_float(site, bits) KYMO_OFF_2_(site, bits)
#define kymo_plot_double(site, bits) KYMO_OFF_2_(site, bits)
#define kymo_message(site, args) KYMO_OFF_2_(site, args)
#define kymo_message_of(site, classes, args) KYMO_OFF_3_(site, classes, args)
#define kymo_app_info(text, length) KYMO_OFF_2_(text, length)
#define kymo_context_switch(context) KYMO_OFF_GIVES_(kymo_off_context, context)
#define kymo_interrupt_enter(context) KYMO_OFF_GIVES_(kymo_off_context, context)
#define kymo_interrupt_leave(before) KYMO_OFF_(before)
#define kymo_object(identity, of, name, site)                                                      \
    (0 ? (void)(identity) : 0 ? (void)(of) : KYMO_OFF_2_(name, site))
#define kymo_object_event(kind, identity) KYMO_OFF_2_(kind, identity)
#define kymo_object_name(identity, name) KYMO_OFF_2_(identity, name)
#define kymo_message_text(site, text, color, depth) KYMO_OFF_4_(site, text, color, depth)
#define kymo_plot_config(site, format, color) KYMO_OFF_3_(site, format, color)
#define kymo_lock_mark(identity, site) KYMO_OFF_2_(identity, site)
#define kymo_connected() kymo_off_false()
#define kymo_is_recording() kymo_off_false()
#define kymo_clock_now() kymo_off_clock()
#endif

#if !KYMO_ENABLE || KYMO_TRACING_MODE < 2
#define kymo_alloc(pool, address, bytes) KYMO_OFF_3_(pool, address, bytes)
#define kymo_free(pool, address) KYMO_OFF_2_(pool, address)
#define kymo_memory_discard(pool) KYMO_OFF_(pool)
#endif

/* Without call stacks the event is recorded alone. */
#if !KYMO_ENABLE || !KYMO_CALLSTACKS
#define kymo_zone_begin_stack(site, depth) ((void)sizeof(depth), kymo_zone_begin(site))
#define kymo_message_stack(site, classes, args, depth)                                             \
    ((void)sizeof(classes), (void)sizeof(depth), KYMO_MESSAGE_CALL_(site, classes, args))
#define kymo_object_event_stack(kind, identity, depth)                                             \
    ((void)sizeof(depth), kymo_object_event(kind, identity))
#endif
#if !KYMO_ENABLE || !KYMO_CALLSTACKS || KYMO_TRACING_MODE < 2
#define kymo_alloc_stack(pool, address, bytes, depth)                                              \
    ((void)sizeof(depth), kymo_alloc(pool, address, bytes))
#define kymo_free_stack(pool, address, depth) ((void)sizeof(depth), kymo_free(pool, address))
#define kymo_memory_discard_stack(pool, depth) ((void)sizeof(depth), kymo_memory_discard(pool))
#endif

KYMO_C_END

#include "kymo/message.h"
#include "kymo/macros.h"

#endif
