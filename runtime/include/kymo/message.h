/* SPDX-License-Identifier: MIT */
/* How the arguments of a message travel: their classes are a constant of the site, found at compile time by
 * _Generic (C) or by overloads (C++: message_cxx.h); their values are passed as 64-bit words and packed by the runtime.
 * Included by kymo.h; not for direct use. */
#ifndef KYMO_MESSAGE_H
#define KYMO_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#include "kymo/config.h"
#include "kymo/language.h"
#include "kymo/site.h"
#include "kymo/wire.h"

KYMO_C_BEGIN
/* Never called: lets the compiler check the format against the arguments. */
void kymo_format_check(const char *format, ...) __attribute__((format(printf, 1, 2)));
KYMO_C_END

#if KYMO_NAMES
#define KYMO_MESSAGE_CALL_(site, classes, words) kymo_message(site, words)
#else
#define KYMO_MESSAGE_CALL_(site, classes, words) kymo_message_of(site, classes, words)
#endif

/* printf's view of an argument: a constant string is a %s; a float is a double, which the compiler need not say. */
#ifdef __cplusplus
#include "kymo/message_cxx.h"
#define KYMO_CHECK_(x) kymo_argument_checked(x)
#else
#define KYMO_CHECK_(x)                                                                             \
    _Generic((x), const struct kymo_site *: "", float: ((void)(x), 0.0), default: (x))
#endif

/* Selects by the number of arguments after the format; 9 to 20 are MANY_, for an error that says so. */
#define KYMO_COUNT_(fmt, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, count, ...) count
#define KYMO_COUNTED_(macro, ...)                                                                  \
    KYMO_PASTE(macro, KYMO_COUNT_(__VA_ARGS__, MANY_, MANY_, MANY_, MANY_, MANY_, MANY_, MANY_,    \
                                  MANY_, MANY_, MANY_, MANY_, MANY_, 8_, 7_, 6_, 5_, 4_, 3_, 2_,   \
                                  1_, 0_, 0))
#define KYMO_MANY_                                                                                 \
    KYMO_STATIC_ASSERT_(0, "KYMO_MESSAGE() takes at most eight arguments after the format")

/* clang-format off: a table */
#define KYMO_CHECKS_(...) KYMO_COUNTED_(KYMO_CHECKS_, __VA_ARGS__)(__VA_ARGS__)
#define KYMO_CHECKS_MANY_(...) ("")
#define KYMO_CHECKS_0_(fmt) (fmt)
#define KYMO_CHECKS_1_(fmt, a) (fmt, KYMO_CHECK_(a))
#define KYMO_CHECKS_2_(fmt, a, b) (fmt, KYMO_CHECK_(a), KYMO_CHECK_(b))
#define KYMO_CHECKS_3_(fmt, a, b, c) (fmt, KYMO_CHECK_(a), KYMO_CHECK_(b), KYMO_CHECK_(c))
#define KYMO_CHECKS_4_(fmt, a, b, c, d) (fmt, KYMO_CHECK_(a), KYMO_CHECK_(b), KYMO_CHECK_(c),      \
    KYMO_CHECK_(d))
#define KYMO_CHECKS_5_(fmt, a, b, c, d, e) (fmt, KYMO_CHECK_(a), KYMO_CHECK_(b),                   \
    KYMO_CHECK_(c), KYMO_CHECK_(d), KYMO_CHECK_(e))
#define KYMO_CHECKS_6_(fmt, a, b, c, d, e, f) (fmt, KYMO_CHECK_(a), KYMO_CHECK_(b),                \
    KYMO_CHECK_(c), KYMO_CHECK_(d), KYMO_CHECK_(e), KYMO_CHECK_(f))
#define KYMO_CHECKS_7_(fmt, a, b, c, d, e, f, g) (fmt, KYMO_CHECK_(a), KYMO_CHECK_(b),             \
    KYMO_CHECK_(c), KYMO_CHECK_(d), KYMO_CHECK_(e), KYMO_CHECK_(f), KYMO_CHECK_(g))
#define KYMO_CHECKS_8_(fmt, a, b, c, d, e, f, g, h) (fmt, KYMO_CHECK_(a), KYMO_CHECK_(b),          \
    KYMO_CHECK_(c), KYMO_CHECK_(d), KYMO_CHECK_(e), KYMO_CHECK_(f), KYMO_CHECK_(g),                \
    KYMO_CHECK_(h))
/* clang-format on */

/* The forms of KYMO_MESSAGE_((level, rgb, KYMO_MESSAGE_PLAIN_ or KYMO_MESSAGE_STACKED_, depth), format, ...), and of
 * KYMO_PLOT_(name, value, format, rgb). */
#define KYMO_HOW_LEVEL_(level, rgb, call, depth) level
#define KYMO_HOW_RGB_(level, rgb, call, depth) rgb
#define KYMO_HOW_CALL_(level, rgb, call, depth) call
#define KYMO_HOW_DEPTH_(level, rgb, call, depth) (depth)
#if !KYMO_ENABLE

/* Not KYMO_OFF_(): a check of nothing but the format takes a call. */
#define KYMO_MESSAGE_(how, ...)                                                                    \
    do {                                                                                           \
        KYMO_OFF_(KYMO_HOW_DEPTH_ how);                                                            \
        if (0) {                                                                                   \
            kymo_format_check KYMO_CHECKS_(__VA_ARGS__);                                           \
        }                                                                                          \
    } while (0)
#define KYMO_PLOT_(name, value, format, rgb)                                                       \
    (0 ? (void)("" name) : KYMO_OFF_3_(value, format, rgb))

#elif defined(__cplusplus)

#define KYMO_MESSAGE_PLAIN_(depth) kymo_message_with<kymo_message_place>
#define KYMO_MESSAGE_STACKED_(depth) kymo_message_stacked<kymo_message_place>(depth)
#define KYMO_MESSAGE_(how, ...)                                                                    \
    do {                                                                                           \
        KYMO_PLACE_NAMED_(kymo_message_place, KYMO_SITE_MESSAGE,                                   \
                          KYMO_FORMAT_(__VA_ARGS__, 0), KYMO_HOW_RGB_ how,                         \
                          KYMO_HOW_LEVEL_ how);                                                    \
        KYMO_HOW_CALL_ how(KYMO_HOW_DEPTH_ how) KYMO_ARGUMENTS_(__VA_ARGS__);                      \
        if (0) {                                                                                   \
            kymo_format_check KYMO_CHECKS_(__VA_ARGS__);                                           \
        }                                                                                          \
    } while (0)
#define KYMO_PLOT_(name, value, format, rgb)                                                       \
    do {                                                                                           \
        KYMO_PLACE_NAMED_(kymo_plot_place, KYMO_SITE_PLOT, name, rgb, 0u);                         \
        kymo_plot_with<kymo_plot_place, (format)>(value);                                          \
    } while (0)

#define KYMO_FORMAT_(fmt, ...) fmt
/* clang-format off: a table */
#define KYMO_ARGUMENTS_(...) KYMO_COUNTED_(KYMO_ARGUMENTS_, __VA_ARGS__)(__VA_ARGS__)
#define KYMO_ARGUMENTS_MANY_(...) (); KYMO_MANY_
#define KYMO_ARGUMENTS_0_(fmt) ()
#define KYMO_ARGUMENTS_1_(fmt, a) (a)
#define KYMO_ARGUMENTS_2_(fmt, a, b) (a, b)
#define KYMO_ARGUMENTS_3_(fmt, a, b, c) (a, b, c)
#define KYMO_ARGUMENTS_4_(fmt, a, b, c, d) (a, b, c, d)
#define KYMO_ARGUMENTS_5_(fmt, a, b, c, d, e) (a, b, c, d, e)
#define KYMO_ARGUMENTS_6_(fmt, a, b, c, d, e, f) (a, b, c, d, e, f)
#define KYMO_ARGUMENTS_7_(fmt, a, b, c, d, e, f, g) (a, b, c, d, e, f, g)
#define KYMO_ARGUMENTS_8_(fmt, a, b, c, d, e, f, g, h) (a, b, c, d, e, f, g, h)
/* clang-format on */

#else

static inline KYMO_NO_FUNCTION uint64_t kymo_word_signed(int64_t value) { return (uint64_t)value; }
static inline KYMO_NO_FUNCTION uint64_t kymo_word_unsigned(uint64_t value) { return value; }
static inline KYMO_NO_FUNCTION uint64_t kymo_word_pointer(const volatile void *value) {
    return (uint64_t)(uintptr_t)value;
}
/* The bits of a double where the application has one: no arithmetic is done on it. */
static inline KYMO_NO_FUNCTION uint64_t kymo_word_double(double value) {
    union {
        double real;
        uint64_t bits;
    } pun;
    pun.real = value;
    return pun.bits;
}
static inline KYMO_NO_FUNCTION uint64_t kymo_word_float(float value) {
    union {
        float real;
        uint32_t bits;
    } pun;
    pun.real = value;
    return pun.bits;
}

#define KYMO_CLASS_BY_SIZE_(x, narrow, wide) (sizeof(x) > 4u ? (wide) : (narrow))

/* clang-format off: a table */
#define KYMO_CLASS_OF_(x)                                                                          \
    _Generic((x),                                                                                  \
        _Bool: KYMO_ARG_U32, char: KYMO_ARG_I32, signed char: KYMO_ARG_I32,                        \
        unsigned char: KYMO_ARG_U32, short: KYMO_ARG_I32, unsigned short: KYMO_ARG_U32,            \
        int: KYMO_ARG_I32, unsigned int: KYMO_ARG_U32,                                             \
        long: KYMO_CLASS_BY_SIZE_(x, KYMO_ARG_I32, KYMO_ARG_I64),                                  \
        unsigned long: KYMO_CLASS_BY_SIZE_(x, KYMO_ARG_U32, KYMO_ARG_U64),                         \
        long long: KYMO_ARG_I64, unsigned long long: KYMO_ARG_U64,                                 \
        float: KYMO_ARG_FLOAT, double: KYMO_ARG_DOUBLE,                                            \
        char *: KYMO_ARG_STRING, const char *: KYMO_ARG_STRING,                                    \
        const struct kymo_site *: KYMO_ARG_SITE,                                                   \
        default: KYMO_ARG_ADDRESS)
#define KYMO_WORD_(x)                                                                              \
    _Generic((x),                                                                                  \
        _Bool: kymo_word_unsigned, char: kymo_word_signed, signed char: kymo_word_signed,          \
        unsigned char: kymo_word_unsigned, short: kymo_word_signed,                                \
        unsigned short: kymo_word_unsigned, int: kymo_word_signed,                                 \
        unsigned int: kymo_word_unsigned, long: kymo_word_signed,                                  \
        unsigned long: kymo_word_unsigned, long long: kymo_word_signed,                            \
        unsigned long long: kymo_word_unsigned,                                                    \
        float: kymo_word_float, double: kymo_word_double,                                          \
        default: kymo_word_pointer)(x)
/* clang-format on */

#define KYMO_CLASS_(x, place) ((uint32_t)KYMO_CLASS_OF_(x) << (4 * (place)))
#define KYMO_WORDS_(...) ((const uint64_t[]){__VA_ARGS__})

#define KYMO_MESSAGE_PLAIN_(site, classes, words, depth) KYMO_MESSAGE_CALL_(site, classes, words)
#define KYMO_MESSAGE_STACKED_(site, classes, words, depth)                                         \
    kymo_message_stack(site, classes, words, KYMO_CAST_(uint32_t, depth))
#define KYMO_MESSAGE_EMIT_(how, fmt, classes, words, check)                                        \
    do {                                                                                           \
        KYMO_SITE_DEFINE(kymo_message_site, KYMO_SITE_MESSAGE, fmt, KYMO_HOW_RGB_ how, classes,    \
                         KYMO_HOW_LEVEL_ how, NULL);                                               \
        KYMO_HOW_CALL_ how(&kymo_message_site, classes, words, KYMO_HOW_DEPTH_ how);               \
        if (0) {                                                                                   \
            kymo_format_check check;                                                               \
        }                                                                                          \
    } while (0)

/* clang-format off: a table */
#define KYMO_MESSAGE_(how, ...)                                                                    \
    KYMO_COUNTED_(KYMO_MESSAGE_, __VA_ARGS__)(how, KYMO_CHECKS_(__VA_ARGS__), __VA_ARGS__)
#define KYMO_MESSAGE_MANY_(...) do { KYMO_MANY_; } while (0)
#define KYMO_MESSAGE_0_(how, check, fmt) KYMO_MESSAGE_EMIT_(how, fmt, 0u, NULL, check)
#define KYMO_MESSAGE_1_(how, check, fmt, a) KYMO_MESSAGE_EMIT_(how, fmt,                           \
    KYMO_CLASS_(a, 0), KYMO_WORDS_(KYMO_WORD_(a)), check)
#define KYMO_MESSAGE_2_(how, check, fmt, a, b) KYMO_MESSAGE_EMIT_(how, fmt,                        \
    KYMO_CLASS_(a, 0) | KYMO_CLASS_(b, 1), KYMO_WORDS_(KYMO_WORD_(a), KYMO_WORD_(b)), check)
#define KYMO_MESSAGE_3_(how, check, fmt, a, b, c) KYMO_MESSAGE_EMIT_(how, fmt,                     \
    KYMO_CLASS_(a, 0) | KYMO_CLASS_(b, 1) | KYMO_CLASS_(c, 2), KYMO_WORDS_(KYMO_WORD_(a),          \
    KYMO_WORD_(b), KYMO_WORD_(c)), check)
#define KYMO_MESSAGE_4_(how, check, fmt, a, b, c, d) KYMO_MESSAGE_EMIT_(how,                       \
    fmt, KYMO_CLASS_(a, 0) | KYMO_CLASS_(b, 1) | KYMO_CLASS_(c, 2) | KYMO_CLASS_(d, 3),            \
    KYMO_WORDS_(KYMO_WORD_(a), KYMO_WORD_(b), KYMO_WORD_(c), KYMO_WORD_(d)), check)
#define KYMO_MESSAGE_5_(how, check, fmt, a, b, c, d, e) KYMO_MESSAGE_EMIT_(how,                    \
    fmt, KYMO_CLASS_(a, 0) | KYMO_CLASS_(b, 1) | KYMO_CLASS_(c, 2) | KYMO_CLASS_(d, 3) |           \
    KYMO_CLASS_(e, 4), KYMO_WORDS_(KYMO_WORD_(a), KYMO_WORD_(b), KYMO_WORD_(c), KYMO_WORD_(d),     \
    KYMO_WORD_(e)), check)
#define KYMO_MESSAGE_6_(how, check, fmt, a, b, c, d, e, f) KYMO_MESSAGE_EMIT_(how,                 \
    fmt, KYMO_CLASS_(a, 0) | KYMO_CLASS_(b, 1) | KYMO_CLASS_(c, 2) | KYMO_CLASS_(d, 3) |           \
    KYMO_CLASS_(e, 4) | KYMO_CLASS_(f, 5), KYMO_WORDS_(KYMO_WORD_(a), KYMO_WORD_(b),               \
    KYMO_WORD_(c), KYMO_WORD_(d), KYMO_WORD_(e), KYMO_WORD_(f)), check)
#define KYMO_MESSAGE_7_(how, check, fmt, a, b, c, d, e, f, g) KYMO_MESSAGE_EMIT_(how,              \
    fmt, KYMO_CLASS_(a, 0) | KYMO_CLASS_(b, 1) | KYMO_CLASS_(c, 2) | KYMO_CLASS_(d, 3) |           \
    KYMO_CLASS_(e, 4) | KYMO_CLASS_(f, 5) | KYMO_CLASS_(g, 6), KYMO_WORDS_(KYMO_WORD_(a),          \
    KYMO_WORD_(b), KYMO_WORD_(c), KYMO_WORD_(d), KYMO_WORD_(e), KYMO_WORD_(f), KYMO_WORD_(g)),     \
    check)
#define KYMO_MESSAGE_8_(how, check, fmt, a, b, c, d, e, f, g, h)                                   \
    KYMO_MESSAGE_EMIT_(how, fmt, KYMO_CLASS_(a, 0) | KYMO_CLASS_(b, 1) | KYMO_CLASS_(c,            \
    2) | KYMO_CLASS_(d, 3) | KYMO_CLASS_(e, 4) | KYMO_CLASS_(f, 5) | KYMO_CLASS_(g, 6) |           \
    KYMO_CLASS_(h, 7), KYMO_WORDS_(KYMO_WORD_(a), KYMO_WORD_(b), KYMO_WORD_(c), KYMO_WORD_(d),     \
    KYMO_WORD_(e), KYMO_WORD_(f), KYMO_WORD_(g), KYMO_WORD_(h)), check)
/* clang-format on */

#define KYMO_PLOT_(name, value, format, rgb)                                                       \
    do {                                                                                           \
        KYMO_SITE_DEFINE(kymo_plot_site, KYMO_SITE_PLOT, name, rgb,                                \
                         (format) | KYMO_PLOT_SIGN_(value), 0u, NULL);                             \
        KYMO_PLOT_DISPATCH_(&kymo_plot_site, value);                                               \
    } while (0)

/* clang-format off: a table */
#define KYMO_PLOT_DISPATCH_(site, value)                                                           \
    _Generic((value), float: kymo_plot_float, double: kymo_plot_double, default: kymo_plot_int)(   \
        (site), _Generic((value),                                                                  \
            float: kymo_plot_bits_float, double: kymo_plot_bits_double,                            \
            unsigned long: kymo_plot_bits_unsigned, unsigned long long: kymo_plot_bits_unsigned,   \
            default: kymo_plot_bits_int)(value))
/* Part of the site's detail: an integer above INT64_MAX travels as the same bits as a negative one. */
#define KYMO_PLOT_SIGN_(value)                                                                     \
    _Generic((value), unsigned long: KYMO_PLOT_UNSIGNED,                                           \
             unsigned long long: KYMO_PLOT_UNSIGNED, default: 0u)
/* clang-format on */
static inline KYMO_NO_FUNCTION int64_t kymo_plot_bits_int(int64_t value) { return value; }
static inline KYMO_NO_FUNCTION int64_t kymo_plot_bits_unsigned(uint64_t value) { return (int64_t)value; }
static inline KYMO_NO_FUNCTION uint32_t kymo_plot_bits_float(float value) {
    return (uint32_t)kymo_word_float(value);
}
static inline KYMO_NO_FUNCTION uint64_t kymo_plot_bits_double(double value) { return kymo_word_double(value); }

#endif

#endif
