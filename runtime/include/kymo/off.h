/* The forms of every macro and function with KYMO_ENABLE 0: nothing is left in the image, at any
 * level of optimisation, and the arguments are still checked by the compiler. Included by
 * message.h; not for direct use. */
#ifndef KYMO_OFF_H
#define KYMO_OFF_H

/* Never called and never defined: takes arguments so that they are checked. */
void kymo_off_use(int first, ...);
#define KYMO_OFF_(...)                                                                             \
    do {                                                                                           \
        if (0) {                                                                                   \
            kymo_off_use(0, __VA_ARGS__);                                                          \
        }                                                                                          \
    } while (0)
/* A name that may be used like the variable it replaces, and needs no storage. */
#define KYMO_OFF_NAME_(ident) enum { ident }

#define kymo_init(transport, image) KYMO_OFF_((transport), (image))
#define kymo_drain(budget_bytes) (0u * sizeof(budget_bytes) != 0u)
#define kymo_pending() (0 != 0)
#define kymo_finish() KYMO_OFF_(0)
#define kymo_stop() KYMO_OFF_(0)
#define kymo_start() KYMO_OFF_(0)
#define kymo_print(text, length) (sizeof(text) + sizeof(length) != 0u)
#define kymo_lane_name(name) KYMO_OFF_(name)
#define kymo_context_name(context, kind, name) KYMO_OFF_((context), (kind), (name))
#define kymo_clock_keepalive() KYMO_OFF_(0)

#define KYMO_ZONE(name) KYMO_OFF_("" name)
#define KYMO_ZONE_COLORED(name, rgb) KYMO_OFF_("" name, (rgb))
#define KYMO_ZONE_NAMED(ident, name) KYMO_OFF_NAME_(ident)
#define KYMO_FUNCTION() KYMO_OFF_(0)
#define KYMO_BEGIN(ident, name) KYMO_OFF_NAME_(ident)
#define KYMO_END(ident) KYMO_OFF_(ident)
#define KYMO_ZONE_TEXT(ident, text, length) KYMO_OFF_((ident), (text), (length))
#define KYMO_ZONE_RENAME(ident, name, length) KYMO_OFF_((ident), (name), (length))
#define KYMO_ZONE_VALUE(ident, value) KYMO_OFF_((ident), (value))
#define KYMO_ZONE_RECOLOR(ident, rgb) KYMO_OFF_((ident), (rgb))

#define KYMO_OFF_MESSAGE_(...)                                                                     \
    do {                                                                                           \
        if (0) {                                                                                   \
            kymo_format_check(__VA_ARGS__);                                                        \
        }                                                                                          \
    } while (0)
#define KYMO_MESSAGE(...) KYMO_OFF_MESSAGE_(__VA_ARGS__)
#define KYMO_MESSAGE_LEVEL(level, ...) KYMO_OFF_MESSAGE_(__VA_ARGS__)
#define KYMO_MESSAGE_COLORED(rgb, ...) KYMO_OFF_MESSAGE_(__VA_ARGS__)
#define KYMO_STRING(literal) ("" literal)

#define KYMO_PLOT(name, value) KYMO_OFF_("" name, (value))
#define KYMO_PLOT_CONFIG(name, value, format, rgb) KYMO_OFF_("" name, (value), (format), (rgb))
#define KYMO_FRAME() KYMO_OFF_(0)
#define KYMO_FRAME_NAMED(name) KYMO_OFF_("" name)
#define KYMO_FRAME_START(name) KYMO_OFF_("" name)
#define KYMO_FRAME_END(name) KYMO_OFF_("" name)

#define KYMO_POOL(ident, name) enum { KYMO_PASTE(ident, _off) }
#define KYMO_ALLOC(pool, address, bytes) KYMO_OFF_((address), (bytes))
#define KYMO_FREE(pool, address) KYMO_OFF_(address)
#define KYMO_CONTEXT(ident, name, context_kind) enum { KYMO_PASTE(ident, _off) }
#define KYMO_INTERRUPT(ident) KYMO_OFF_(0)
#define KYMO_CONTEXT_SWITCH(context) ((kymo_context)(0u * sizeof(context)))
/* Keeps its initial value. */
#define KYMO_PARAM(ident, name, initial, minimum_, maximum_) enum { ident = (initial) }
#define KYMO_PARAM_GET(ident) ((int32_t)(ident))
#define KYMO_APP_INFO(text, length) KYMO_OFF_((text), (length))
#define KYMO_LANE_NAME(name) KYMO_OFF_(name)

#endif
