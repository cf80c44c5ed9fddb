/* SPDX-License-Identifier: MIT */
/* The macros, for C and C++. Included by kymo.h.
 *
 * Each comment says which event the macro records, how many bytes that takes in the ring, and:
 *   Anywhere:      call it from main code, any interrupt, any core, before main() and before kymo_init().
 *   Full, dropped: if the ring is full, the event is not recorded. It counts as one lost event, and hostlink shows
 *                  where on the timeline it was lost. With KYMO_KEEP_NEWEST the oldest events make room instead.
 * No macro waits. Instructions on rv64, in C and in C++ (tests/bench/instructions.sh): a zone's begin and end 27 and
 * 18, a frame mark 49, a plot 118, a message with one number 174, an allocation 130, an interrupt's entry and return
 * 55 and 42.
 *
 * A "name" is a string literal. In C++ the macros work in every kind of function: inline, template, member, lambda.
 * With KYMO_ENABLE 0 the second form of each macro, at the end of this file, leaves nothing in the image. */
#ifndef KYMO_MACROS_H
#define KYMO_MACROS_H

/* ---- zones ---- */

/* A zone from here to the end of the block, however the block is left. Two events of 8 bytes. Anywhere. Full: begin and
 * end are both dropped, two lost events; an accepted zone always has room for its end. */
#define KYMO_ZONE(name) KYMO_ZONE_(KYMO_UNIQUE_(kymo_zone_), name, 0u)
/* The same with a colour, 0xRRGGBB. */
#define KYMO_ZONE_COLORED(name, rgb) KYMO_ZONE_(KYMO_UNIQUE_(kymo_zone_), name, rgb)
/* The same with a name for the variable that holds the zone, for use in KYMO_ZONE_TEXT and similar macros. */
#define KYMO_ZONE_NAMED(ident, name) KYMO_ZONE_(ident, name, 0u)
/* The same with the name of the function ("operator()" in a lambda). In C this name stays in memory with KYMO_NAMES 0
 * too. */
#define KYMO_FUNCTION() KYMO_FUNCTION_(KYMO_UNIQUE_(kymo_zone_))

/* A zone with explicit begin and end: KYMO_BEGIN declares the variable "ident" and begins the zone, KYMO_END ends it.
 * Zones of one context must nest: an end does not say which zone it ends, so it ends the innermost open one. Two that
 * overlap exchange their ends, which hostlink cannot see and KYMO_CHECK reports; for these use KYMO_ASYNC_BEGIN.
 * Otherwise as KYMO_ZONE. */
#define KYMO_BEGIN(ident, name) KYMO_BEGIN_(ident, name)
#define KYMO_END(ident) kymo_zone_end(ident)

/* The same four macros with a call stack of at most "depth" frames, innermost first: the function with the macro, its
 * caller and so on; in an interrupt handler followed by the frames of the preempted code, where the port supports it
 * (unwind.h). All macros named ..._STACK record the event and its stack in one step. The stack takes 12 bytes and 4 for
 * each frame (8 if addresses have more than 32 bits), rounded up to a multiple of 8. Full: both are dropped. A damaged
 * stack is cut where the damage begins. The event is recorded alone with KYMO_CALLSTACKS 0 and if the host has set
 * "kymo.callstacks" to 0. */
#define KYMO_ZONE_STACK(name, depth)                                                               \
    KYMO_ZONE_STACK_(KYMO_UNIQUE_(kymo_zone_), name, depth)
#define KYMO_ZONE_NAMED_STACK(ident, name, depth) KYMO_ZONE_STACK_(ident, name, depth)
#define KYMO_FUNCTION_STACK(depth) KYMO_FUNCTION_STACK_(KYMO_UNIQUE_(kymo_zone_), depth)
#define KYMO_BEGIN_STACK(ident, name, depth) KYMO_BEGIN_STACK_(ident, name, depth)

/* A zone with a name made at run time: "length" bytes at "name", copied the first time. Its site is this function, file
 * and line together with the name, so equal names share a row; kymo_site_dynamic() states the cost. Otherwise as
 * KYMO_ZONE. Needs KYMO_DYNAMIC_SITES. */
#define KYMO_ZONE_DYNAMIC(ident, name, length) KYMO_ZONE_DYNAMIC_(ident, name, length)
/* Such a site for any enum kymo_site_kind, for kymo_plot_int(), kymo_alloc(), kymo_frame() and others. */
#define KYMO_SITE_DYNAMIC(kind, name, length)                                                      \
    KYMO_SITE_DYNAMIC_((kind), (name), (length), __func__, __FILE__)

/* Adds a text to the zone, or renames this one run of it. Copies at most "length" bytes, up to a NUL and as many as
 * KYMO_PACKET_BYTES allows. The zone must be the innermost one. 12 bytes and the text, rounded up to a multiple of 8.
 * Anywhere. Full: dropped. If the zone itself was dropped, nothing is recorded or counted. */
#define KYMO_ZONE_TEXT(ident, text, length) kymo_zone_text((ident), (text), (length))
#define KYMO_ZONE_RENAME(ident, name, length) kymo_zone_name((ident), (name), (length))
/* Adds an unsigned 64-bit number to the zone; sets the colour of this one run, 0xRRGGBB. 16 bytes each. Otherwise as
 * above. */
#define KYMO_ZONE_VALUE(ident, value) kymo_zone_value((ident), KYMO_CAST_(uint64_t, value))
#define KYMO_ZONE_RECOLOR(ident, rgb) kymo_zone_color((ident), (rgb))

/* ---- messages: formatted by the host ---- */

/* A line of text: a string literal with printf's format, and up to 8 arguments: integers, bool, enums, float, double,
 * pointers, strings (copied), KYMO_STRING(). Takes 12 bytes, 4 for each argument (8 if it has 64 bits) and the strings,
 * rounded up to a multiple of 8. Arguments beyond KYMO_PACKET_BYTES are cut; a cut string ends in an ellipsis.
 * Anywhere. Full: dropped. */
#define KYMO_MESSAGE(...)                                                                          \
    KYMO_MESSAGE_((KYMO_LEVEL_INFO, 0u, KYMO_MESSAGE_PLAIN_, 0u), __VA_ARGS__)
/* The same with an enum kymo_level (KYMO_LEVEL_CRASH in a fault handler, before a last drain), with a colour
 * (0xRRGGBB), or with a call stack. */
#define KYMO_MESSAGE_LEVEL(level, ...)                                                             \
    KYMO_MESSAGE_((level, 0u, KYMO_MESSAGE_PLAIN_, 0u), __VA_ARGS__)
#define KYMO_MESSAGE_COLORED(rgb, ...)                                                             \
    KYMO_MESSAGE_((KYMO_LEVEL_INFO, rgb, KYMO_MESSAGE_PLAIN_, 0u), __VA_ARGS__)
#define KYMO_MESSAGE_STACK(depth, ...)                                                             \
    KYMO_MESSAGE_((KYMO_LEVEL_INFO, 0u, KYMO_MESSAGE_STACKED_, depth), __VA_ARGS__)

/* A place by which tables and readers of traces find a part of the run: a header, a string literal without %, and a
 * message as KYMO_MESSAGE() has it: KYMO_SIGNPOST("layer 3", "batch %d", n). hostlink evaluates the part between two:
 * --from signpost:HEADER --to signpost:HEADER. Costs as that message. Anywhere. Full: dropped. */
#define KYMO_SIGNPOST(header, ...) KYMO_MESSAGE("signpost: " header "\n" __VA_ARGS__)

/* A constant string as an argument of %s: only the number of its site is sent, 4 bytes. String literals without this
 * macro are copied. */
#define KYMO_STRING(literal) KYMO_STRING_(literal)

/* ---- plots and frames ---- */

/* A value of a series: an integer, enum, bool, float or double. 16 bytes, 24 for a double or an integer beyond 32 bits.
 * Anywhere. Full: dropped. */
#define KYMO_PLOT(name, value) KYMO_PLOT_(name, value, KYMO_PLOT_NUMBER, 0u)
/* The same with settings for the viewer: the unit KYMO_PLOT_BYTES or KYMO_PLOT_PERCENT, KYMO_PLOT_STEP, KYMO_PLOT_FILL,
 * and a colour, 0xRRGGBB. Constants. If two places differ, the first one received for the name counts. */
#define KYMO_PLOT_CONFIG(name, value, format, rgb) KYMO_PLOT_(name, value, format, rgb)

/* Ends a frame of a display or a loop, and starts the next one. 8 bytes. Anywhere. Full: dropped. */
#define KYMO_FRAME()                                                                               \
    KYMO_FRAME_SITE_(kymo_frame, KYMO_SITE_DEFINE_UNNAMED(kymo_frame_site, KYMO_SITE_FRAME), "")
/* The same for a named set of frames. Sets with equal names are one. */
#define KYMO_FRAME_NAMED(name)                                                                     \
    KYMO_FRAME_SITE_(kymo_frame, KYMO_FRAME_SITE_NAMED_(name), name)
/* Start and end of one frame of a set with gaps between its frames. 16 bytes each. Anywhere. Full: dropped. */
#define KYMO_FRAME_START(name)                                                                     \
    KYMO_FRAME_SITE_(kymo_frame_start, KYMO_FRAME_SITE_NAMED_(name), name)
#define KYMO_FRAME_END(name)                                                                       \
    KYMO_FRAME_SITE_(kymo_frame_end, KYMO_FRAME_SITE_NAMED_(name), name)
#define KYMO_FRAME_SITE_NAMED_(name)                                                               \
    KYMO_SITE_DEFINE(kymo_frame_site, KYMO_SITE_FRAME, name, 0u, 0u, 0u, KYMO_NULL_)

/* ---- flows and asynchronous zones ---- */

/* A flow is something that one place sends and another one receives: a message, a buffer, a job. Viewers show it as
 * an arrow from SEND by way of each STEP to RECEIVE; 'hostlink stats --flows' says how long it took. All events of a
 * flow have the same "id", an unsigned number of up to 64 bits, such as a sequence number. A flow is over with
 * its RECEIVE: then another one may have the id. Write SEND before the call that sends, RECEIVE after the one that
 * receives. 16 bytes each, 24 for an id of 2^32 or more. Anywhere. Full: dropped; hostlink counts flows without SEND
 * or RECEIVE. */
#define KYMO_FLOW_SEND(id) KYMO_FLOW_UNNAMED_(FLOW_SEND, id)
#define KYMO_FLOW_STEP(id) KYMO_FLOW_UNNAMED_(FLOW_STEP, id)
#define KYMO_FLOW_RECEIVE(id) KYMO_FLOW_UNNAMED_(FLOW_RECEIVE, id)
/* The same with a name: flows of other names may have the same ids. */
#define KYMO_FLOW_SEND_NAMED(name, id) KYMO_FLOW_NAMED_(FLOW_SEND, name, id)
#define KYMO_FLOW_STEP_NAMED(name, id) KYMO_FLOW_NAMED_(FLOW_STEP, name, id)
#define KYMO_FLOW_RECEIVE_NAMED(name, id) KYMO_FLOW_NAMED_(FLOW_RECEIVE, name, id)

/* A zone that may begin in one context and end in another, on any core, as a transfer by DMA does. Zones of one name
 * may overlap: "id" says which one ends. Cost as a flow's. Anywhere. Full: dropped; unlike that of KYMO_ZONE the end
 * has no room set aside. */
#define KYMO_ASYNC_BEGIN(name, id) KYMO_FLOW_NAMED_(ASYNC_BEGIN, name, id)
#define KYMO_ASYNC_END(name, id) KYMO_FLOW_NAMED_(ASYNC_END, name, id)
#ifdef __cplusplus
/* C++ only: such a zone to the end of the block. Of a coroutine it lasts until the coroutine ends, whatever resumes
 * it. */
#define KYMO_ASYNC_ZONE(name, id) KYMO_ASYNC_ZONE_(KYMO_UNIQUE_(kymo_async_), name, id)
#endif

/* ---- memory ---- */

/* Defines a pool of memory, outside of functions: KYMO_POOL(heap, "heap"). Records nothing. */
#define KYMO_POOL(ident, name) KYMO_POOL_(ident, name)
/* "bytes" bytes at "address" were allocated from the pool, or freed: KYMO_ALLOC(heap, p, 64u). An allocation takes 24
 * bytes, a free 16; 8 more each for addresses above 4 GiB. Anywhere. Full: dropped. With KYMO_TRACING_MODE 1 both leave
 * nothing in the image. */
#define KYMO_ALLOC(pool, address, bytes) kymo_alloc(&(pool), KYMO_ADDRESS_(address), (bytes))
#define KYMO_FREE(pool, address) kymo_free(&(pool), KYMO_ADDRESS_(address))
/* The same with a call stack. */
#define KYMO_ALLOC_STACK(pool, address, bytes, depth)                                              \
    kymo_alloc_stack(&(pool), KYMO_ADDRESS_(address), (bytes), (depth))
#define KYMO_FREE_STACK(pool, address, depth)                                                      \
    kymo_free_stack(&(pool), KYMO_ADDRESS_(address), (depth))

/* Without this gcc warns that fresh memory is uninitialised, or that a pointer is used after free(), although the macro
 * does not read the memory. */
#if defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__)
#define KYMO_MAY_DANGLE_ _Pragma("GCC diagnostic ignored \"-Wuse-after-free\"")
#else
#define KYMO_MAY_DANGLE_
#endif
#define KYMO_ADDRESS_(address)                                                                     \
    (__extension__({                                                                               \
        const void *kymo_address;                                                                  \
        _Pragma("GCC diagnostic push") KYMO_MAY_DANGLE_ __asm__(                                   \
            "" : "=r"(kymo_address) : "0"(KYMO_POINTER_(address)));                                \
        _Pragma("GCC diagnostic pop") kymo_address;                                                \
    }))

/* ---- contexts ---- */

/* Defines a context of an enum kymo_context_kind, outside of functions: KYMO_CONTEXT(timer, "timer",
 * KYMO_CONTEXT_INTERRUPT). Records nothing. Each core that runs it gets a row. For a task that moves between cores, use
 * an 8-aligned address such as that of its control block instead, and kymo_context_name(). */
#define KYMO_CONTEXT(ident, name, context_kind) KYMO_CONTEXT_(ident, name, context_kind)
/* Write KYMO_INTERRUPT(timer) first in the handler: events up to the end of the block belong to that context. Two
 * events of 8 bytes. In interrupts and signals, on any core, also before kymo_init(). Full: the entry and all events of
 * the handler are dropped and counted. An accepted entry always has room for its return. */
#define KYMO_INTERRUPT(ident) KYMO_INTERRUPT_(ident)
/* The lane now runs this context (an address or a number); returns the context before. 8 bytes. For the scheduler, on
 * the core that switches. Full: sent before the next accepted event. */
#define KYMO_CONTEXT_SWITCH(context) kymo_context_switch(kymo_number_of(context))

/* The running task of a kernel starts a job every "period_us" microseconds, and each must be over "deadline_us" after
 * its start; 0: within the period. Write it at the task's start, or in its loop so that a host that connects later also
 * learns it. 24 bytes, or 16 if the deadline is 0. Not counted as an event. In tasks. Full: dropped. Without KYMO_TASKS
 * it records nothing. */
#define KYMO_TASK_PERIOD(period_us, deadline_us) kymo_task_period((period_us), (deadline_us))

/* ---- objects ---- */

/* Announces an object of run time: its identity (an address or a number), its enum kymo_object_class, and its name
 * (copied). Viewers show it with the place of the macro. 28 bytes and the name, rounded up to a multiple of 8. Not
 * counted as an event. Anywhere. Full: the object stays without a name. */
#define KYMO_OBJECT(object, of, name) KYMO_OBJECT_(object, of, name)
/* Ends the object; a later one with the same identity is a new object. 16 bytes. Anywhere. Full, dropped. */
#define KYMO_OBJECT_END(object) KYMO_OBJECT_EVENT_(OBJECT_END, object)

/* ---- locks ---- */

/* A lock: its address or number, and its name. Write KYMO_LOCK() where the program initialises the lock, and
 * KYMO_LOCK_END() where it destroys it; both as KYMO_OBJECT(). */
#define KYMO_LOCK(lock, name) KYMO_OBJECT(lock, KYMO_OBJECT_LOCK, name)
#define KYMO_LOCK_END(lock) KYMO_OBJECT_END(lock)
/* WAIT goes before the call that takes the lock, OBTAIN after it, RELEASE before the call that gives the lock back, or
 * another core's OBTAIN could come first. 16 bytes each. Anywhere. Full, dropped. A successful try is an OBTAIN
 * without a WAIT. If the wait ends without the lock, record RELEASE. For a recursive lock record only the outermost
 * OBTAIN and RELEASE. */
#define KYMO_LOCK_WAIT(lock) KYMO_OBJECT_EVENT_(LOCK_WAIT, lock)
#define KYMO_LOCK_OBTAIN(lock) KYMO_OBJECT_EVENT_(LOCK_OBTAIN, lock)
#define KYMO_LOCK_RELEASE(lock) KYMO_OBJECT_EVENT_(LOCK_RELEASE, lock)
/* The same with a call stack. */
#define KYMO_LOCK_WAIT_STACK(lock, depth) KYMO_OBJECT_EVENT_STACK_(LOCK_WAIT, lock, depth)
#define KYMO_LOCK_OBTAIN_STACK(lock, depth) KYMO_OBJECT_EVENT_STACK_(LOCK_OBTAIN, lock, depth)
/* The same for shared ownership, such as that of the readers of a readers-writer lock. */
#define KYMO_LOCK_WAIT_SHARED(lock) KYMO_OBJECT_EVENT_(LOCK_WAIT_SHARED, lock)
#define KYMO_LOCK_OBTAIN_SHARED(lock) KYMO_OBJECT_EVENT_(LOCK_OBTAIN_SHARED, lock)
#define KYMO_LOCK_RELEASE_SHARED(lock) KYMO_OBJECT_EVENT_(LOCK_RELEASE_SHARED, lock)

/* ---- parameters and facts ---- */

/* Defines a 32-bit integer that the host may set within the limits, outside of functions. KYMO_PARAM_GET(ident) reads
 * it, anywhere, with one load. Neither records anything. With KYMO_ENABLE 0 it keeps its initial value. */
#define KYMO_PARAM(ident, name, initial, minimum_, maximum_)                                       \
    KYMO_PARAM_(ident, name, initial, minimum_, maximum_)
#define KYMO_PARAM_GET(ident) KYMO_PARAM_GET_(ident)

/* Information about the program for the viewer, at most "length" bytes of text. Cost as a zone's text. Anywhere. Full:
 * dropped. */
#define KYMO_APP_INFO(text, length) kymo_app_info((text), (length))
/* Names the main context of this lane (a core or a thread). The string must stay valid as long as kymo records. Records
 * nothing. */
#define KYMO_LANE_NAME(name) kymo_lane_name(name)

/* ---- the two languages ---- */

#ifdef __cplusplus
/* An address or a number as a number. */
template <class T> KYMO_INLINE_ uintptr_t kymo_number_of(T number) {
    return static_cast<uintptr_t>(number);
}
template <class T> KYMO_INLINE_ uintptr_t kymo_number_of(T *address) {
    return reinterpret_cast<uintptr_t>(address);
}
#define KYMO_POINTER_(address) (+(address)) /* an array is a pointer */
#else
#define kymo_number_of(address) ((uintptr_t)(address))
#define KYMO_POINTER_(address) ((const void *)(address))
#endif

/* ---- the forms with KYMO_ENABLE 1 and 0 ---- */

/* Events recorded at the end of a block: C has an attribute for this, C++ a destructor. A zone with KYMO_ENABLE 0 needs
 * no storage: in C it is a constant; in C++ it is an empty object, because kymo_zone is a pointer and C++ does not
 * convert an enumerator to a pointer. */
#if KYMO_ENABLE && defined(__cplusplus)
class kymo_scoped_zone {
  public:
    explicit KYMO_INLINE_ kymo_scoped_zone(const struct kymo_site *site) noexcept
        : zone(kymo_zone_begin(site)) {}
    KYMO_INLINE_ kymo_scoped_zone(const struct kymo_site *site, uint32_t depth) noexcept
        : zone(kymo_zone_begin_stack(site, depth)) {}
    KYMO_INLINE_ ~kymo_scoped_zone() { kymo_zone_end(zone); }
    kymo_scoped_zone(const kymo_scoped_zone &) = delete;
    kymo_scoped_zone &operator=(const kymo_scoped_zone &) = delete;
    KYMO_INLINE_ operator kymo_zone() const noexcept { return zone; }

  private:
    const kymo_zone zone;
};
class kymo_scoped_interrupt {
  public:
    explicit KYMO_INLINE_ kymo_scoped_interrupt(const struct kymo_site *site) noexcept
        : before(kymo_interrupt_enter(reinterpret_cast<kymo_context>(site))) {}
    KYMO_INLINE_ ~kymo_scoped_interrupt() { kymo_interrupt_leave(before); }
    kymo_scoped_interrupt(const kymo_scoped_interrupt &) = delete;
    kymo_scoped_interrupt &operator=(const kymo_scoped_interrupt &) = delete;

  private:
    const kymo_context before;
};
#define KYMO_SCOPED_ZONE_(ident, site) const kymo_scoped_zone ident(site)
#define KYMO_SCOPED_ZONE_STACK_(ident, site, depth) const kymo_scoped_zone ident(site, depth)
#define KYMO_SCOPED_INTERRUPT_(ident, site) const kymo_scoped_interrupt ident(site)
class kymo_async_zone {
  public:
    KYMO_INLINE_ kymo_async_zone(const struct kymo_site *place, uint64_t number) noexcept
        : site(place), id(number) {
        kymo_flow(KYMO_KIND_ASYNC_BEGIN, site, id);
    }
    KYMO_INLINE_ ~kymo_async_zone() { kymo_flow(KYMO_KIND_ASYNC_END, site, id); }
    kymo_async_zone(const kymo_async_zone &) = delete;
    kymo_async_zone &operator=(const kymo_async_zone &) = delete;

  private:
    const struct kymo_site *const site;
    const uint64_t id;
};
#define KYMO_ASYNC_ZONE_(ident, name, id)                                                          \
    KYMO_SITE_DEFINE(KYMO_PASTE(ident, _site), KYMO_SITE_FLOW, name, 0u, 0u, 0u, KYMO_NULL_);      \
    const kymo_async_zone ident(&KYMO_PASTE(ident, _site), KYMO_CAST_(uint64_t, id))
#define KYMO_STRING_(literal)                                                                       \
    ([]() -> const struct kymo_site * {                                                            \
        KYMO_SITE_DEFINE(kymo_string_site, KYMO_SITE_STRING, literal, 0u, 0u, 0u, KYMO_NULL_);     \
        return &kymo_string_site;                                                                  \
    }())
#elif KYMO_ENABLE
static inline KYMO_NO_FUNCTION void kymo_zone_cleanup(const kymo_zone *zone) {
    kymo_zone_end(*zone);
}
static inline KYMO_NO_FUNCTION void kymo_interrupt_cleanup(const kymo_context *before) {
    kymo_interrupt_leave(*before);
}
#define KYMO_SCOPED_ZONE_(ident, site)                                                             \
    const kymo_zone ident __attribute__((cleanup(kymo_zone_cleanup), unused)) =                    \
        kymo_zone_begin(site)
#define KYMO_SCOPED_ZONE_STACK_(ident, site, depth)                                                \
    const kymo_zone ident __attribute__((cleanup(kymo_zone_cleanup), unused)) =                    \
        kymo_zone_begin_stack(site, depth)
#define KYMO_SCOPED_INTERRUPT_(ident, site)                                                        \
    const kymo_context ident __attribute__((cleanup(kymo_interrupt_cleanup), unused)) =            \
        kymo_interrupt_enter(kymo_number_of(site))
#define KYMO_STRING_(literal)                                                                       \
    (__extension__({                                                                               \
        KYMO_SITE_DEFINE(kymo_string_site, KYMO_SITE_STRING, literal, 0u, 0u, 0u, KYMO_NULL_);     \
        &kymo_string_site;                                                                         \
    }))
#elif defined(__cplusplus)
struct kymo_off_scope {
    KYMO_INLINE_ operator kymo_zone() const noexcept { return nullptr; }
};
#define KYMO_OFF_ZONE_(ident, name)                                                                \
    kymo_off_scope ident;                                                                          \
    static_assert(sizeof("" name) != 0u, "kymo: a name is a string literal");                      \
    KYMO_OFF_(ident)
#define KYMO_ASYNC_ZONE_(ident, name, id) KYMO_OFF_2_("" name, id)
#else
#define KYMO_OFF_ZONE_(ident, name) enum { ident = 0 * (int)sizeof("" name) }
#endif

#if KYMO_ENABLE

#define KYMO_ZONE_(ident, name, rgb)                                                               \
    KYMO_SITE_DEFINE(KYMO_PASTE(ident, _site), KYMO_SITE_ZONE, name, rgb, 0u, 0u, KYMO_NULL_);     \
    KYMO_SCOPED_ZONE_(ident, &KYMO_PASTE(ident, _site))
#define KYMO_FUNCTION_(ident)                                                                      \
    KYMO_SITE_DEFINE_FUNCTION(KYMO_PASTE(ident, _site), KYMO_SITE_ZONE);                           \
    KYMO_SCOPED_ZONE_(ident, &KYMO_PASTE(ident, _site))

#define KYMO_BEGIN_(ident, name)                                                                    \
    KYMO_SITE_DEFINE(KYMO_PASTE(ident, _site), KYMO_SITE_ZONE, name, 0u, 0u, 0u, KYMO_NULL_);      \
    const kymo_zone ident = kymo_zone_begin(&KYMO_PASTE(ident, _site))

#define KYMO_ZONE_STACK_(ident, name, depth)                                                       \
    KYMO_SITE_DEFINE(KYMO_PASTE(ident, _site), KYMO_SITE_ZONE, name, 0u, 0u, 0u, KYMO_NULL_);      \
    KYMO_SCOPED_ZONE_STACK_(ident, &KYMO_PASTE(ident, _site), depth)
#define KYMO_FUNCTION_STACK_(ident, depth)                                                         \
    KYMO_SITE_DEFINE_FUNCTION(KYMO_PASTE(ident, _site), KYMO_SITE_ZONE);                           \
    KYMO_SCOPED_ZONE_STACK_(ident, &KYMO_PASTE(ident, _site), depth)
#define KYMO_BEGIN_STACK_(ident, name, depth)                                                       \
    KYMO_SITE_DEFINE(KYMO_PASTE(ident, _site), KYMO_SITE_ZONE, name, 0u, 0u, 0u, KYMO_NULL_);      \
    const kymo_zone ident = kymo_zone_begin_stack(&KYMO_PASTE(ident, _site), depth)

#define KYMO_ZONE_DYNAMIC_(ident, name, length)                                                    \
    KYMO_SCOPED_ZONE_(ident, KYMO_SITE_DYNAMIC(KYMO_SITE_ZONE, name, length))
#define KYMO_SITE_DYNAMIC_(kind, name, length, function, file)                                     \
    kymo_site_made(kind, name, length, function, sizeof(function) - 1u, file, sizeof(file) - 1u,     \
                 __LINE__)
KYMO_INLINE_ const struct kymo_site *kymo_site_made(enum kymo_site_kind kind, const char *name,
                                                  size_t length, const char *function,
                                                  size_t function_bytes, const char *file,
                                                  size_t file_bytes, uint32_t line) {
    struct kymo_site_text text;
    text.name = name;
    text.function = function;
    text.file = file;
    text.name_bytes = KYMO_CAST_(uint16_t, length < 0xffffu ? length : 0xffffu);
    text.function_bytes = KYMO_CAST_(uint16_t, function_bytes);
    text.file_bytes = KYMO_CAST_(uint16_t, file_bytes);
    text.constant = KYMO_CONSTANT_FUNCTION | KYMO_CONSTANT_FILE;
    text.kind = KYMO_CAST_(uint8_t, kind);
    text.level = 0u;
    text.line = line;
    text.detail = 0u;
    text.color = 0u;
    return kymo_site_dynamic(&text);
}

#define KYMO_FRAME_SITE_(call, site, name)                                                         \
    do {                                                                                           \
        site;                                                                                      \
        call(&kymo_frame_site);                                                                    \
    } while (0)

#define KYMO_FLOW_NAMED_(kind, name, id)                                                           \
    do {                                                                                           \
        KYMO_SITE_DEFINE(kymo_flow_site, KYMO_SITE_FLOW, name, 0u, 0u, 0u, KYMO_NULL_);            \
        kymo_flow(KYMO_KIND_##kind, &kymo_flow_site, KYMO_CAST_(uint64_t, id));                    \
    } while (0)
#define KYMO_FLOW_UNNAMED_(kind, id)                                                               \
    do {                                                                                           \
        KYMO_SITE_DEFINE_UNNAMED(kymo_flow_site, KYMO_SITE_FLOW);                                  \
        kymo_flow(KYMO_KIND_##kind, &kymo_flow_site, KYMO_CAST_(uint64_t, id));                    \
    } while (0)

#define KYMO_POOL_(ident, name)                                                                     \
    KYMO_SITE_DEFINE_GLOBAL(ident, KYMO_SITE_POOL, name, 0u, 0u, KYMO_NULL_)

#define KYMO_CONTEXT_(ident, name, context_kind)                                                    \
    KYMO_SITE_DEFINE_GLOBAL(ident, KYMO_SITE_CONTEXT, name, 0u, context_kind, KYMO_NULL_)

#define KYMO_INTERRUPT_(ident)                                                                      \
    KYMO_SCOPED_INTERRUPT_(KYMO_UNIQUE_(kymo_before_), &(ident))

#define KYMO_OBJECT_(object, of, name)                                                             \
    do {                                                                                           \
        KYMO_SITE_DEFINE_UNNAMED(kymo_object_site, KYMO_SITE_ZONE);                                \
        kymo_object(kymo_number_of(object), of, name, &kymo_object_site);                          \
    } while (0)
#define KYMO_OBJECT_EVENT_(kind, object)                                                           \
    kymo_object_event(KYMO_KIND_##kind, kymo_number_of(object))
#define KYMO_OBJECT_EVENT_STACK_(kind, object, depth)                                              \
    kymo_object_event_stack(KYMO_KIND_##kind, kymo_number_of(object), depth)

#define KYMO_PARAM_(ident, name, initial, minimum_, maximum_)                                       \
    static struct kymo_param KYMO_PASTE(ident, _param) = {(initial), (minimum_), (maximum_)};      \
    KYMO_SITE_DEFINE_PARAM(ident, name)
/* The compiler must not see through the constant site to the value. */
KYMO_INLINE_ int32_t kymo_param_value(const volatile int32_t *value) { return *value; }
#define KYMO_PARAM_GET_(ident) kymo_param_value(&KYMO_PASTE(ident, _param).value)

#else

#define KYMO_ZONE_(ident, name, rgb) KYMO_OFF_ZONE_(ident, name)
#define KYMO_FUNCTION_(ident) KYMO_OFF_(0)
#define KYMO_BEGIN_(ident, name) KYMO_OFF_ZONE_(ident, name)
#define KYMO_ZONE_STACK_(ident, name, depth)                                                       \
    KYMO_OFF_ZONE_(ident, name);                                                                   \
    KYMO_OFF_(depth)
#define KYMO_FUNCTION_STACK_(ident, depth) KYMO_OFF_(depth)
#define KYMO_BEGIN_STACK_(ident, name, depth) KYMO_ZONE_STACK_(ident, name, depth)
#define KYMO_ZONE_DYNAMIC_(ident, name, length)                                                    \
    KYMO_OFF_ZONE_(ident, "");                                                                     \
    KYMO_OFF_2_(name, length)
#define KYMO_SITE_DYNAMIC_(kind, name, length, function, file)                                     \
    (KYMO_OFF_3_(kind, name, length), kymo_off_site())
#define KYMO_FRAME_SITE_(call, site, name) KYMO_OFF_("" name)
#define KYMO_FLOW_NAMED_(kind, name, id) KYMO_OFF_2_("" name, id)
#define KYMO_FLOW_UNNAMED_(kind, id) KYMO_OFF_(id)
#define KYMO_POOL_(ident, name) KYMO_OFF_SITE_(ident)
#define KYMO_CONTEXT_(ident, name, context_kind) KYMO_OFF_SITE_(ident)
#define KYMO_INTERRUPT_(ident) KYMO_OFF_(&(ident))
#define KYMO_OBJECT_(object, of, name) kymo_object(object, of, name, KYMO_NULL_)
#define KYMO_OBJECT_EVENT_(kind, object) KYMO_OFF_(object)
#define KYMO_OBJECT_EVENT_STACK_(kind, object, depth) KYMO_OFF_2_(object, depth)
#define KYMO_PARAM_(ident, name, initial, minimum_, maximum_) enum { ident = (initial) }
#define KYMO_PARAM_GET_(ident) kymo_off_number(ident)
#define KYMO_STRING_(literal) ("" literal)

#endif

#endif
