/* kymo: records what the firmware does. The only header that an application includes.
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
#include "kymo/transport.h"
#include "kymo/wire.h"

/* A place in the code, constant, in the linker section "kymo_sites". Fields are private to kymo. With
 * KYMO_NAMES 0 it has an address and is in no memory: nothing on the board may read it. */
struct kymo_site {
    const char *name;     /* zone, plot, pool, frame set, context; format string of a message */
    const char *function; /* or NULL */
    const char *file;     /* or NULL */
    uint32_t line;
    uint32_t detail; /* by kind, see wire.h */
    uint32_t color;  /* 0xRRGGBB, 0 = the viewer's choice */
    uint8_t kind;    /* enum kymo_site_kind */
    uint8_t level;   /* messages: enum kymo_level */
    uint16_t reserved;
    struct kymo_param *param; /* parameters only */
};

/* A value that the host may set. Define it with KYMO_PARAM. */
struct kymo_param {
    int32_t value, minimum, maximum;
};

/* An open zone, which may end on another core or in another thread than it began. One that was
 * not accepted (ring full, recording stopped) is NULL, and ending it does nothing: its end was
 * already counted as lost with its begin. Only what kymo_zone_begin() has returned may be ended.
 * Ending a zone twice ends the zone around it, and hostlink names that zone; with KYMO_CHECK the second end is left
 * out. */
typedef struct kymo_lane *kymo_zone;

/* What a lane runs: the address of a context site, or any 8-aligned address or number that stands
 * for a task. 0 is the lane's main context. */
typedef uintptr_t kymo_context;

/* Linkers need no hint to keep what is not referenced but for lld, whose objects mostly come from clang. */
#if defined(__clang__) && __has_attribute(retain)
#define KYMO_KEPT used, retain
#else
#define KYMO_KEPT used
#endif

#if KYMO_NAMES

/* Defines a site. The section attribute gives its index at link time. */
#define KYMO_SITE_DEFINE(ident, kind_, name_, color_, detail_, level_, param_)                     \
    static const struct kymo_site ident __attribute__((section("kymo_sites"), aligned(8))) = {     \
        (name_),   __func__,        __FILE__,         (uint32_t)__LINE__, (uint32_t)(detail_),     \
        (color_), (uint8_t)(kind_), (uint8_t)(level_), 0u,                (param_)}
/* One without a name: that of its function, or none ("function" is NULL). */
#define KYMO_SITE_DEFINE_UNNAMED(ident, kind_, function, color_)                                   \
    KYMO_SITE_DEFINE(ident, kind_, NULL, color_, 0u, 0u, NULL)

/* "used": a parameter's site is read by the runtime alone, and a compiler would drop it. */
#define KYMO_SITE_DEFINE_GLOBAL(ident, kind_, name_, color_, detail_, param_)                      \
    static const struct kymo_site ident                                                            \
        __attribute__((used, section("kymo_sites"), aligned(8))) = {                               \
            (name_), NULL, __FILE__, (uint32_t)__LINE__, (uint32_t)(detail_), (color_),            \
            (uint8_t)(kind_), 0u, 0u, (param_)}
#define KYMO_SITE_DEFINE_PARAM(ident, name)                                                        \
    KYMO_SITE_DEFINE_GLOBAL(ident, KYMO_SITE_PARAM, name, 0u, 0u, &KYMO_PASTE(ident, _param))

#else

/* The same in sections that need not be loaded. So must be the strings: they are arrays, as a literal
 * lies where the compiler wants, and so does the name of a function, which is left out where it can. "aligned(1)":
 * a name of another length is then another length of the section, by which builds differ. */
#define KYMO_SITE_IN_ELF_(ident, kind_, name_, function_, color_, detail_, level_, param_)         \
    static const char KYMO_PASTE(ident, _file)[]                                                   \
        __attribute__((section("kymo_elf_text"), aligned(1))) = __FILE__;                          \
    static const struct kymo_site ident                                                            \
        __attribute__((used, section("kymo_elf_sites"), aligned(8))) = {                           \
            (name_), (function_), KYMO_PASTE(ident, _file), (uint32_t)__LINE__,                    \
            (uint32_t)(detail_), (color_), (uint8_t)(kind_), (uint8_t)(level_), 0u, (param_)}
#define KYMO_SITE_DEFINE(ident, kind_, name_, color_, detail_, level_, param_)                     \
    static const char KYMO_PASTE(ident, _name)[]                                                   \
        __attribute__((section("kymo_elf_text"), aligned(1))) = name_;                             \
    KYMO_SITE_IN_ELF_(ident, kind_, KYMO_PASTE(ident, _name), NULL, color_, detail_, level_, param_)
#define KYMO_SITE_DEFINE_UNNAMED(ident, kind_, function, color_)                                   \
    KYMO_SITE_IN_ELF_(ident, kind_, NULL, function, color_, 0u, 0u, NULL)
#define KYMO_SITE_DEFINE_GLOBAL(ident, kind_, name_, color_, detail_, param_)                      \
    KYMO_SITE_DEFINE(ident, kind_, name_, color_, detail_, 0u, param_)

/* What the runtime must know of a parameter's site, in memory. */
struct kymo_param_place {
    const struct kymo_site *site;
    struct kymo_param *param;
};
#define KYMO_SITE_DEFINE_PARAM(ident, name)                                                        \
    KYMO_SITE_DEFINE_GLOBAL(ident, KYMO_SITE_PARAM, name, 0u, 0u, NULL);                           \
    static const struct kymo_param_place KYMO_PASTE(ident, _place)                                 \
        __attribute__((KYMO_KEPT, section("kymo_params"))) = {&(ident), &KYMO_PASTE(ident, _param)}

#endif

/* To be defined by a firmware whose image has KYMO_COMMAND_KEY: a number that differs at each start
 * of the board, for ever. From a generator of random numbers (64 bits of it do not repeat in
 * practice), a counter of starts in memory that keeps it, or a clock with a battery; it need not be
 * secret. If two starts have one number and the clock reads the same, a listener who heard the commands of
 * the first can repeat them in the second. kymo_init() calls it where the transport is a network. */
uint64_t kymo_command_nonce(void);

#define KYMO_PASTE_(a, b) a##b
#define KYMO_PASTE(a, b) KYMO_PASTE_(a, b)

#if KYMO_ENABLE

/* ---- life cycle: from main code of one core ---- */

/* Attaches the transport. "image" names the program for the viewers; it and *transport must outlive
 * the recording. Recording itself needs no initialisation: what came before is in the ring. With
 * KYMO_KEEP_NEWEST it also finds what the rings hold from before a reset, to be sent first. NULL as the
 * transport: nothing is sent, and "hostlink dump" reads the memory. */
void kymo_init(const struct kymo_transport *transport, const char *image);

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
bool kymo_drain(size_t budget_bytes);

/* True while recorded events, text, the names for the first time, or the end (kymo_finish()) are still to be given
 * to the transport. What only a host asks for does not count, so "while (kymo_pending()) { kymo_drain(0); }" ends
 * while a host sends command after command. Same caller as drain. */
bool kymo_pending(void);

/* Marks the end: what is in the rings is sent without waiting for full frames, then the final
 * status. A record that its writer does not finish within 100 ms (it was aborted, or a fault
 * handler calls this) is counted as lost, and its lane then takes no more events than it has room
 * for. Call kymo_drain() until kymo_pending() is false. Once all events are out, up to 16 more commands of the host
 * are obeyed before the end. Same caller as drain. */
void kymo_finish(void);

/* Stops and resumes recording on all lanes. What is refused while stopped is not counted as
 * lost. With KYMO_KEEP_NEWEST kymo_stop() in a fault handler keeps what led to the fault: then the ends
 * of open zones are refused too, and hostlink closes them. */
void kymo_stop(void);
void kymo_start(void);

/* Sends a line of text beside the trace (shown by hostlink as the board's console), at most
 * KYMO_FRAME_BYTES - 16 bytes of it, which are copied. False: the buffer has no room yet; drain and try again, soon:
 * until then no packet begins. Same caller as drain. */
bool kymo_print(const char *text, size_t length);

/* Names the current lane's main context (core, thread). The string must outlive the recording. */
void kymo_lane_name(const char *name);

/* Names a context that is not a site, such as a task. The string is copied into the ring. */
void kymo_context_name(kymo_context context, enum kymo_context_kind kind, const char *name);

/* The context is over, such as a task that was deleted: hostlink closes its open zones here, and the next
 * task of the same number has a row of its own, without a name until kymo_context_name(). Any core, any
 * context; the task records nothing more. With KYMO_CONTEXTS the room promised to the ends of its zones is
 * free again once kymo_drain() has come by. */
void kymo_context_end(kymo_context context);

/* For clocks narrower than 64 bits. At least once in each half wrap of the clock, call this on every lane, from a
 * periodic interrupt for example; or call kymo_drain() anywhere, which does the same for all lanes. After a longer
 * silence later times may be too early, by one or more wraps. hostlink reports that if the port reads a counter of
 * 64 bits; a port that counts the wraps of a 32-bit counter itself misses whole wraps unnoticed. Does nothing on
 * 64-bit clocks. */
void kymo_clock_keepalive(void);

/* ---- recording: the functions behind the macros ---- */

kymo_zone kymo_zone_begin(const struct kymo_site *site);
void kymo_zone_end(kymo_zone zone);
void kymo_zone_text(kymo_zone zone, const char *text, size_t length);
void kymo_zone_name(kymo_zone zone, const char *name, size_t length);
void kymo_zone_value(kymo_zone zone, uint64_t value);
void kymo_zone_color(kymo_zone zone, uint32_t color);
void kymo_frame(const struct kymo_site *site);
void kymo_frame_start(const struct kymo_site *site);
void kymo_frame_end(const struct kymo_site *site);
void kymo_plot_int(const struct kymo_site *site, int64_t value);
void kymo_plot_float(const struct kymo_site *site, uint32_t bits);
void kymo_plot_double(const struct kymo_site *site, uint64_t bits);
void kymo_message(const struct kymo_site *site, const uint64_t *args);
/* The same for a site that cannot be read (KYMO_NAMES 0): "classes" is its detail. */
void kymo_message_of(const struct kymo_site *site, uint32_t classes, const uint64_t *args);
void kymo_alloc(const struct kymo_site *pool, const void *address, size_t bytes);
void kymo_free(const struct kymo_site *pool, const void *address);
void kymo_app_info(const char *text, size_t length);

/* The lane now runs "context", a task for example; returns what it ran before. A switch that a full
 * ring refuses is sent again before the next event that is accepted. Until then a zone of the new
 * context that was begun earlier ends, on the timeline, in the context that was left. */
kymo_context kymo_context_switch(kymo_context context);

/* An interrupt or signal preempts what the lane runs, and returns to it: hand the result of the
 * entry to the return. An entry is accepted only with the room for its return, so what was
 * interrupted goes on in its own context however full the ring is; if it is refused, so is all that
 * the handler records. */
kymo_context kymo_interrupt_enter(kymo_context context);
void kymo_interrupt_leave(kymo_context before);

#if KYMO_CHECK && defined(KYMO_CHECK_FAILED)
/* Yours; called at a usage error, from the call that makes it, in any context. See config.h. */
void KYMO_CHECK_FAILED(enum kymo_usage what, const struct kymo_site *site);
#endif

static inline void kymo_zone_cleanup(const kymo_zone *zone) { kymo_zone_end(*zone); }
static inline void kymo_interrupt_cleanup(const kymo_context *before) {
    kymo_interrupt_leave(*before);
}

/* ---- zones ---- */

/* From here to the end of the block. "name" is a string literal. */
#define KYMO_ZONE(name) KYMO_ZONE_COLOR_(KYMO_PASTE(kymo_zone_, __LINE__), name, 0u)
#define KYMO_ZONE_COLORED(name, rgb) KYMO_ZONE_COLOR_(KYMO_PASTE(kymo_zone_, __LINE__), name, rgb)
/* The same with a variable of your own name for the zone, for KYMO_ZONE_TEXT and so on. */
#define KYMO_ZONE_NAMED(ident, name) KYMO_ZONE_COLOR_(ident, name, 0u)
/* Named by the function, whose name is in memory also with KYMO_NAMES 0. */
#define KYMO_FUNCTION() KYMO_FUNCTION_(KYMO_PASTE(kymo_zone_, __LINE__))
#define KYMO_FUNCTION_(ident)                                                                      \
    KYMO_SITE_DEFINE_UNNAMED(KYMO_PASTE(ident, _site), KYMO_SITE_ZONE, __func__, 0u);              \
    KYMO_ZONE_OPEN_(ident)
#define KYMO_ZONE_COLOR_(ident, name, rgb)                                                         \
    KYMO_SITE_DEFINE(KYMO_PASTE(ident, _site), KYMO_SITE_ZONE, name, rgb, 0u, 0u, NULL);           \
    KYMO_ZONE_OPEN_(ident)
#define KYMO_ZONE_OPEN_(ident)                                                                     \
    const kymo_zone ident __attribute__((cleanup(kymo_zone_cleanup), unused)) =                    \
        kymo_zone_begin(&KYMO_PASTE(ident, _site))

/* By hand: KYMO_BEGIN declares "ident", KYMO_END ends it. Zones of one context must nest. */
#define KYMO_BEGIN(ident, name)                                                                    \
    KYMO_SITE_DEFINE(KYMO_PASTE(ident, _site), KYMO_SITE_ZONE, name, 0u, 0u, 0u, NULL);            \
    const kymo_zone ident = kymo_zone_begin(&KYMO_PASTE(ident, _site))
#define KYMO_END(ident) kymo_zone_end(ident)

#define KYMO_ZONE_TEXT(ident, text, length) kymo_zone_text((ident), (text), (length))
#define KYMO_ZONE_RENAME(ident, name, length) kymo_zone_name((ident), (name), (length))
#define KYMO_ZONE_VALUE(ident, value) kymo_zone_value((ident), (uint64_t)(value))
#define KYMO_ZONE_RECOLOR(ident, rgb) kymo_zone_color((ident), (rgb))

/* ---- messages: formatted by the host ---- */

#define KYMO_MESSAGE(...) KYMO_MESSAGE_(KYMO_LEVEL_INFO, 0u, __VA_ARGS__)
#define KYMO_MESSAGE_LEVEL(level, ...) KYMO_MESSAGE_(level, 0u, __VA_ARGS__)
#define KYMO_MESSAGE_COLORED(rgb, ...) KYMO_MESSAGE_(KYMO_LEVEL_INFO, rgb, __VA_ARGS__)

/* A constant string as an argument of %s: only its site travels. String literals given without it
 * are copied, up to KYMO_PAYLOAD_WORDS. */
#define KYMO_STRING(literal)                                                                       \
    (__extension__({                                                                               \
        KYMO_SITE_DEFINE(kymo_string_site, KYMO_SITE_STRING, literal, 0u, 0u, 0u, NULL);           \
        &kymo_string_site;                                                                         \
    }))

/* ---- plots, frames, memory, contexts, parameters ---- */

/* "value" of any arithmetic type; float and double travel as raw bits. */
#define KYMO_PLOT(name, value) KYMO_PLOT_CONFIG(name, value, KYMO_PLOT_NUMBER, 0u)
#define KYMO_PLOT_CONFIG(name, value, format, rgb)                                                 \
    do {                                                                                           \
        KYMO_SITE_DEFINE(kymo_plot_site, KYMO_SITE_PLOT, name, rgb,                                \
                         (format) | KYMO_PLOT_SIGN_(value), 0u, NULL);                             \
        KYMO_PLOT_DISPATCH_(&kymo_plot_site, value);                                               \
    } while (0)

#define KYMO_FRAME_SITE_(call, name)                                                               \
    do {                                                                                           \
        KYMO_SITE_DEFINE(kymo_frame_site, KYMO_SITE_FRAME, name, 0u, 0u, 0u, NULL);                \
        call(&kymo_frame_site);                                                                    \
    } while (0)
#define KYMO_FRAME()                                                                               \
    do {                                                                                           \
        KYMO_SITE_DEFINE_UNNAMED(kymo_frame_site, KYMO_SITE_FRAME, NULL, 0u);                      \
        kymo_frame(&kymo_frame_site);                                                              \
    } while (0)
#define KYMO_FRAME_NAMED(name) KYMO_FRAME_SITE_(kymo_frame, name)
/* Start and end of one discontinuous frame: sets of equal name are one set. */
#define KYMO_FRAME_START(name) KYMO_FRAME_SITE_(kymo_frame_start, name)
#define KYMO_FRAME_END(name) KYMO_FRAME_SITE_(kymo_frame_end, name)

/* A pool of memory, at file scope: KYMO_POOL(heap, "heap"); then KYMO_ALLOC(heap, p, bytes). */
#define KYMO_POOL(ident, name) KYMO_SITE_DEFINE_GLOBAL(ident, KYMO_SITE_POOL, name, 0u, 0u, NULL)
#define KYMO_ALLOC(pool, address, bytes) kymo_alloc(&(pool), KYMO_ADDRESS_(address), (bytes))
#define KYMO_FREE(pool, address) kymo_free(&(pool), KYMO_ADDRESS_(address))
/* gcc would warn that nothing was written to fresh memory yet, or that a pointer is used after free(), though nothing
 * looks at what it points to. */
#if defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__)
#define KYMO_MAY_DANGLE_ _Pragma("GCC diagnostic ignored \"-Wuse-after-free\"")
#else
#define KYMO_MAY_DANGLE_
#endif
#define KYMO_ADDRESS_(address)                                                                     \
    (__extension__({                                                                               \
        const void *kymo_address;                                                                  \
        _Pragma("GCC diagnostic push") KYMO_MAY_DANGLE_ __asm__(                                   \
            "" : "=r"(kymo_address) : "0"((const void *)(address)));                               \
        _Pragma("GCC diagnostic pop") kymo_address;                                                \
    }))

/* A context at file scope: KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT); then, first in the
 * handler, KYMO_INTERRUPT(timer): until the end of the block events belong to it. Each core that runs
 * it has a row of its own; a task that moves between cores is another 8-aligned address, such as that of
 * its control block, with the name that kymo_context_name() gives it. */
#define KYMO_CONTEXT(ident, name, context_kind)                                                    \
    KYMO_SITE_DEFINE_GLOBAL(ident, KYMO_SITE_CONTEXT, name, 0u, context_kind, NULL)
#define KYMO_INTERRUPT(ident)                                                                      \
    const kymo_context KYMO_PASTE(kymo_before_, __LINE__)                                          \
        __attribute__((cleanup(kymo_interrupt_cleanup), unused)) =                                 \
            kymo_interrupt_enter((kymo_context) & (ident))
#define KYMO_CONTEXT_SWITCH(context) kymo_context_switch((kymo_context)(context))

/* A value that the host may set, at file scope; read it with KYMO_PARAM_GET(ident). Its site is kept
 * although the compiler sees through it to the value. */
#define KYMO_PARAM(ident, name, initial, minimum_, maximum_)                                       \
    static struct kymo_param KYMO_PASTE(ident, _param) = {(initial), (minimum_), (maximum_)};      \
    KYMO_SITE_DEFINE_PARAM(ident, name)
#define KYMO_PARAM_GET(ident) (*(volatile const int32_t *)&KYMO_PASTE(ident, _param).value)

#define KYMO_APP_INFO(text, length) kymo_app_info((text), (length))
#define KYMO_LANE_NAME(name) kymo_lane_name(name)

#endif /* KYMO_ENABLE */

#include "kymo/message.h" /* argument classes by _Generic, and the off forms */

#endif
