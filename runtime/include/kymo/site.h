/* SPDX-License-Identifier: MIT */
/* Sites: the constant descriptions of places in the code, and how C and C++ put them into their table. Included by
 * kymo.h; not for direct use. */
#ifndef KYMO_SITE_H
#define KYMO_SITE_H

#include <stddef.h>
#include <stdint.h>

#include "kymo/config.h"
#include "kymo/language.h"
#include "kymo/wire.h"

/* A place in the code: a constant in the linker section "kymo_sites". The fields are private to kymo. With KYMO_NAMES 0
 * it has an address but is not in memory: nothing on the board may read it. */
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

/* Describes a site made at run time, for kymo_site_dynamic(). The strings need no NUL at the end; NULL: none. kymo
 * copies them, except those in "constant", which must stay valid and unchanged for ever. Of a string longer
 * than 255 bytes the beginning is kept, and sent with a mark. */
struct kymo_site_text {
    const char *name, *function, *file;
    uint16_t name_bytes, function_bytes, file_bytes;
    uint8_t constant; /* enum kymo_site_constant, or'ed */
    uint8_t kind;     /* enum kymo_site_kind */
    uint8_t level;    /* messages: enum kymo_level */
    uint32_t line;
    uint32_t detail; /* by kind, see wire.h */
    uint32_t color;  /* 0xRRGGBB, 0 = the viewer's choice */
};
enum kymo_site_constant {
    KYMO_CONSTANT_NAME = 1,
    KYMO_CONSTANT_FUNCTION = 2,
    KYMO_CONSTANT_FILE = 4
};

/* A value that the host may set. Define it with KYMO_PARAM. */
struct kymo_param {
    int32_t value, minimum, maximum;
};

/* With KYMO_NAMES 0: the part of a parameter's site that the runtime needs in memory. */
struct kymo_param_place {
    const struct kymo_site *site;
    struct kymo_param *param;
};

/* lld needs this attribute to keep unreferenced sections; other linkers keep these without it. */
#if defined(__clang__) && __has_attribute(retain)
#define KYMO_KEPT used, retain
#else
#define KYMO_KEPT used
#endif

/* The fields of a site, in order. */
#define KYMO_SITE_FIELDS_(kind_, name_, function_, file_, color_, detail_, level_, param_)         \
    {                                                                                              \
        (name_), (function_), (file_), KYMO_CAST_(uint32_t, __LINE__),                             \
            KYMO_CAST_(uint32_t, detail_), (color_), KYMO_CAST_(uint8_t, kind_),                   \
            KYMO_CAST_(uint8_t, level_), 0u, (param_)                                              \
    }

#if !KYMO_ENABLE

/* A name whose address can be taken and is NULL. In C it is a weak symbol; in C++ a weak symbol cannot be in an unnamed
 * namespace. */
#ifdef __cplusplus
#define KYMO_OFF_SITE_(ident)                                                                      \
    enum KYMO_PASTE(ident, _kymo_off) { ident };                                                   \
    KYMO_INLINE_ constexpr const struct kymo_site *operator&(KYMO_PASTE(ident, _kymo_off)) {       \
        return nullptr;                                                                            \
    }                                                                                              \
    static_assert(ident == 0, "takes the semicolon")
#else
#define KYMO_OFF_SITE_(ident) extern const struct kymo_site ident __attribute__((weak))
#endif

#elif KYMO_NAMES

/* Defines a site outside of functions. "used": only the runtime reads a parameter's site, and a compiler would drop
 * it. */
#define KYMO_SITE_DEFINE_GLOBAL(ident, kind_, name_, color_, detail_, param_)                      \
    static const struct kymo_site ident                                                            \
        __attribute__((used, section("kymo_sites"), aligned(8))) =                                 \
            KYMO_SITE_FIELDS_(kind_, name_, KYMO_NULL_, __FILE__, color_, detail_, 0u, param_)
#define KYMO_SITE_DEFINE_PARAM(ident, name)                                                        \
    KYMO_SITE_DEFINE_GLOBAL(ident, KYMO_SITE_PARAM, name, 0u, 0u, &KYMO_PASTE(ident, _param))

#ifndef __cplusplus
/* Defines a site within a function. Its position in the section is its index. */
#define KYMO_SITE_DEFINE(ident, kind_, name_, color_, detail_, level_, param_)                     \
    static const struct kymo_site ident __attribute__((section("kymo_sites"), aligned(8))) =       \
        KYMO_SITE_FIELDS_(kind_, name_, __func__, __FILE__, color_, detail_, level_, param_)
/* One without a name, and one with the name of its function. */
#define KYMO_SITE_DEFINE_UNNAMED(ident, kind)                                                      \
    KYMO_SITE_DEFINE(ident, kind, KYMO_NULL_, 0u, 0u, 0u, KYMO_NULL_)
#define KYMO_SITE_DEFINE_FUNCTION(ident, kind) KYMO_SITE_DEFINE_UNNAMED(ident, kind)
#endif

#else

/* The same in sections that are not loaded. The strings must be in such a section too, so they are arrays: the compiler
 * chooses the section of a literal, and of the name of a function, which is left out where possible. "aligned(1)": a
 * name of another length changes the length of the section, by which hostlink tells builds apart. */
#define KYMO_SITE_IN_ELF_(ident, kind_, name_, function_, color_, detail_, level_, param_)         \
    static const char KYMO_PASTE(ident, _file)[]                                                   \
        __attribute__((section("kymo_elf_text"), aligned(1))) = __FILE__;                          \
    static const struct kymo_site ident                                                            \
        __attribute__((used, section("kymo_elf_sites"), aligned(8))) =                             \
            KYMO_SITE_FIELDS_(kind_, name_, function_, KYMO_PASTE(ident, _file), color_, detail_,  \
                              level_, param_)
#define KYMO_SITE_NAMED_IN_ELF_(ident, kind_, name_, color_, detail_, level_, param_)              \
    static const char KYMO_PASTE(ident, _name)[]                                                   \
        __attribute__((section("kymo_elf_text"), aligned(1))) = name_;                             \
    KYMO_SITE_IN_ELF_(ident, kind_, KYMO_PASTE(ident, _name), KYMO_NULL_, color_, detail_, level_, \
                      param_)
#define KYMO_SITE_DEFINE_GLOBAL(ident, kind_, name_, color_, detail_, param_)                      \
    KYMO_SITE_NAMED_IN_ELF_(ident, kind_, name_, color_, detail_, 0u, param_)

#define KYMO_SITE_DEFINE_PARAM(ident, name)                                                        \
    KYMO_SITE_DEFINE_GLOBAL(ident, KYMO_SITE_PARAM, name, 0u, 0u, KYMO_NULL_);                     \
    static const struct kymo_param_place KYMO_PASTE(ident, _place)                                 \
        __attribute__((KYMO_KEPT, section("kymo_params"))) = {&(ident), &KYMO_PASTE(ident, _param)}

#ifndef __cplusplus
#define KYMO_SITE_DEFINE(ident, kind_, name_, color_, detail_, level_, param_)                     \
    KYMO_SITE_NAMED_IN_ELF_(ident, kind_, name_, color_, detail_, level_, param_)
#define KYMO_SITE_DEFINE_UNNAMED(ident, kind)                                                      \
    KYMO_SITE_IN_ELF_(ident, kind, KYMO_NULL_, KYMO_NULL_, 0u, 0u, 0u, KYMO_NULL_)
#define KYMO_SITE_DEFINE_FUNCTION(ident, kind)                                                     \
    KYMO_SITE_IN_ELF_(ident, kind, KYMO_NULL_, __func__, 0u, 0u, 0u, KYMO_NULL_)
#endif

#endif

#if defined(__cplusplus) && KYMO_ENABLE
#include "kymo/site_cxx.h"
#endif

#endif
