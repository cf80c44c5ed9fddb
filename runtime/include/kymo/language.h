/* SPDX-License-Identifier: MIT */
/* Differences between C and C++, and the macros that replace calls with KYMO_ENABLE 0. Included by the other headers;
 * not for direct use. */
#ifndef KYMO_LANGUAGE_H
#define KYMO_LANGUAGE_H

/* In front of a function that must not become a zone with -finstrument-functions (kymo/functions.h). */
#define KYMO_NO_FUNCTION __attribute__((no_instrument_function))

#ifdef __cplusplus
/* Around the functions of a header: C linkage. */
#define KYMO_C_BEGIN extern "C" {
#define KYMO_C_END }
/* After a function's parameters: it throws nothing, so its caller needs no code for exceptions. */
#define KYMO_NOEXCEPT noexcept
#define KYMO_NULL_ nullptr
#define KYMO_CAST_(type, value) static_cast<type>(value)
#define KYMO_STATIC_ASSERT_(condition, text) static_assert(condition, text)
#define KYMO_ALIGNAS_(bytes) alignas(bytes)
#define KYMO_INLINE_ inline __attribute__((always_inline, unused, no_instrument_function))
#else
#define KYMO_C_BEGIN
#define KYMO_C_END
#define KYMO_NOEXCEPT
#define KYMO_NULL_ NULL
#define KYMO_CAST_(type, value) ((type)(value))
#define KYMO_STATIC_ASSERT_(condition, text) _Static_assert(condition, text)
#define KYMO_ALIGNAS_(bytes) _Alignas(bytes)
#define KYMO_INLINE_ static inline __attribute__((always_inline, unused, no_instrument_function))
#endif

#define KYMO_PASTE_(a, b) a##b
#define KYMO_PASTE(a, b) KYMO_PASTE_(a, b)

/* A name of its own for each use, also for two on one line. clang 22 and later warn of __COUNTER__ with -Wpedantic. */
#if defined(__clang_major__) && __clang_major__ >= 22
#define KYMO_UNIQUE_(name) KYMO_PASTE(name, __LINE__)
#else
#define KYMO_UNIQUE_(name) KYMO_PASTE(name, __COUNTER__)
#endif

/* With KYMO_ENABLE 0: the compiler checks the argument and leaves no code, at any optimisation level. An expression,
 * like a call. */
#define KYMO_OFF_(argument) (0 ? (void)(argument) : (void)0)
#define KYMO_OFF_2_(a, b) (0 ? (void)(a) : 0 ? (void)(b) : (void)0)
#define KYMO_OFF_3_(a, b, c) (0 ? (void)(a) : 0 ? (void)(b) : 0 ? (void)(c) : (void)0)
#define KYMO_OFF_4_(a, b, c, d)                                                                    \
    (0 ? (void)(a) : 0 ? (void)(b) : 0 ? (void)(c) : 0 ? (void)(d) : (void)0)
/* The same with a result, which is that of a function so that it may stay unused. */
#define KYMO_OFF_GIVES_(result, argument) (0 ? ((void)(argument), result()) : result())

#endif
