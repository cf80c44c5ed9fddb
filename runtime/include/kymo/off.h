/* The forms of every macro and function with KYMO_ENABLE 0: nothing is left in the image, at any
 * level of optimisation, and the arguments are still checked by the compiler. Included by
 * message.h; not for direct use. */
#ifndef KYMO_OFF_H
#define KYMO_OFF_H

/* The compiler checks the argument and drops it, at any level of optimisation. An expression, as a call is. */
#define KYMO_OFF_(argument) (0 ? (void)(argument) : (void)0)
#define KYMO_OFF_2_(a, b) (0 ? (void)(a) : 0 ? (void)(b) : (void)0)
#define KYMO_OFF_3_(a, b, c) (0 ? (void)(a) : 0 ? (void)(b) : 0 ? (void)(c) : (void)0)
/* A name that may be used like the variable it replaces, and needs no storage. */
#define KYMO_OFF_NAME_(ident) enum { ident }
/* One of which the address may be taken, though it is nowhere: weak, so that it is then NULL. */
#define KYMO_OFF_SITE_(ident) extern struct kymo_site ident __attribute__((weak))
/* The same with a result: of a function, as it may be left unused. */
#define KYMO_OFF_GIVES_(result, argument) (0 ? ((void)(argument), result()) : result())
#define KYMO_OFF_RESULT_ static inline __attribute__((always_inline, unused))
KYMO_OFF_RESULT_ int32_t kymo_off_number(int32_t number) { return number; }
KYMO_OFF_RESULT_ bool kymo_off_false(void) { return false; }
KYMO_OFF_RESULT_ bool kymo_off_true(void) { return true; }
KYMO_OFF_RESULT_ kymo_context kymo_off_context(void) { return 0u; }
KYMO_OFF_RESULT_ kymo_zone kymo_off_zone(void) { return NULL; }

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
#define kymo_lane_name(name) KYMO_OFF_(name)
#define kymo_context_name(context, kind, name) KYMO_OFF_3_(context, kind, name)
#define kymo_clock_keepalive() KYMO_OFF_(0)
#define kymo_zone_begin(site) KYMO_OFF_GIVES_(kymo_off_zone, site)
#define kymo_zone_end(zone) KYMO_OFF_(zone)
#define kymo_zone_text(zone, text, length) KYMO_OFF_3_(zone, text, length)
#define kymo_zone_name(zone, name, length) KYMO_OFF_3_(zone, name, length)
#define kymo_zone_value(zone, value) KYMO_OFF_2_(zone, value)
#define kymo_zone_color(zone, color) KYMO_OFF_2_(zone, color)
#define kymo_frame(site) KYMO_OFF_(site)
#define kymo_frame_start(site) KYMO_OFF_(site)
#define kymo_frame_end(site) KYMO_OFF_(site)
#define kymo_plot_int(site, value) KYMO_OFF_2_(site, value)
#define kymo_plot_float(site, bits) KYMO_OFF_2_(site, bits)
#define kymo_plot_double(site, bits) KYMO_OFF_2_(site, bits)
#define kymo_message(site, args) KYMO_OFF_2_(site, args)
#define kymo_message_of(site, classes, args) KYMO_OFF_3_(site, classes, args)
#define kymo_alloc(pool, address, bytes) KYMO_OFF_3_(pool, address, bytes)
#define kymo_free(pool, address) KYMO_OFF_2_(pool, address)
#define kymo_app_info(text, length) KYMO_OFF_2_(text, length)
#define kymo_context_end(context) KYMO_OFF_(context)
#define kymo_context_switch(context) KYMO_OFF_GIVES_(kymo_off_context, context)
#define kymo_interrupt_enter(context) KYMO_OFF_GIVES_(kymo_off_context, context)
#define kymo_interrupt_leave(before) KYMO_OFF_(before)

#define KYMO_ZONE(name) KYMO_OFF_("" name)
#define KYMO_ZONE_COLORED(name, rgb) KYMO_OFF_2_("" name, rgb)
#define KYMO_ZONE_NAMED(ident, name) KYMO_OFF_NAME_(ident)
#define KYMO_FUNCTION() KYMO_OFF_(0)
#define KYMO_BEGIN(ident, name) KYMO_OFF_NAME_(ident)
#define KYMO_END(ident) KYMO_OFF_(ident)
#define KYMO_ZONE_TEXT(ident, text, length) KYMO_OFF_3_(ident, text, length)
#define KYMO_ZONE_RENAME(ident, name, length) KYMO_OFF_3_(ident, name, length)
#define KYMO_ZONE_VALUE(ident, value) KYMO_OFF_2_(ident, value)
#define KYMO_ZONE_RECOLOR(ident, rgb) KYMO_OFF_2_(ident, rgb)

/* Not KYMO_OFF_(): a check of nothing but the format takes a call. */
#define KYMO_OFF_MESSAGE_(...)                                                                     \
    do {                                                                                           \
        if (0) {                                                                                   \
            kymo_format_check KYMO_CHECKS_(__VA_ARGS__);                                           \
        }                                                                                          \
    } while (0)
#define KYMO_MESSAGE(...) KYMO_OFF_MESSAGE_(__VA_ARGS__)
#define KYMO_MESSAGE_LEVEL(level, ...) KYMO_OFF_MESSAGE_(__VA_ARGS__)
#define KYMO_MESSAGE_COLORED(rgb, ...) KYMO_OFF_MESSAGE_(__VA_ARGS__)
#define KYMO_STRING(literal) ("" literal)

#define KYMO_PLOT(name, value) KYMO_OFF_2_("" name, value)
#define KYMO_PLOT_CONFIG(name, value, format, rgb)                                                 \
    (0 ? (void)("" name) : KYMO_OFF_3_(value, format, rgb))
#define KYMO_FRAME() KYMO_OFF_(0)
#define KYMO_FRAME_NAMED(name) KYMO_OFF_("" name)
#define KYMO_FRAME_START(name) KYMO_OFF_("" name)
#define KYMO_FRAME_END(name) KYMO_OFF_("" name)

#define KYMO_POOL(ident, name) KYMO_OFF_SITE_(ident)
#define KYMO_ALLOC(pool, address, bytes) KYMO_OFF_3_(&(pool), address, bytes)
#define KYMO_FREE(pool, address) KYMO_OFF_2_(&(pool), address)
#define KYMO_CONTEXT(ident, name, context_kind) KYMO_OFF_SITE_(ident)
#define KYMO_INTERRUPT(ident) KYMO_OFF_(&(ident))
#define KYMO_CONTEXT_SWITCH(context) KYMO_OFF_GIVES_(kymo_off_context, context)
/* Keeps its initial value. */
#define KYMO_PARAM(ident, name, initial, minimum_, maximum_) enum { ident = (initial) }
#define KYMO_PARAM_GET(ident) kymo_off_number(ident)
#define KYMO_APP_INFO(text, length) KYMO_OFF_2_(text, length)
#define KYMO_LANE_NAME(name) KYMO_OFF_(name)

#endif
