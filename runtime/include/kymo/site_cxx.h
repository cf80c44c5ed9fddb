/* SPDX-License-Identifier: MIT */
/* How C++ puts the sites of functions into their table. Included by site.h; not for direct use.
 *
 * C has a static object with a section attribute. That is wrong in a C++ function that several files may contain
 * (inline, a template, a member, a lambda of one): its statics are COMDAT, and gcc has one section of a name in an
 * object file. It refuses the object ("section type conflict"), or puts all into the group of the first, with which the
 * linker drops them; in a template gcc 12 ignores the attribute, and LTO may take it away. So
 *
 *   - the object is a member of a template in an unnamed namespace: it belongs to one file, is never COMDAT, and is in
 *     the same plain section as the sites of C. The template's parameter is a local type of the function, so that each
 *     function, each instance of a template and each lambda has an object of its own;
 *   - gcc applies the attribute when it instantiates the template, because its string depends on the parameter
 *     (KYMO_IN_SECTION_).
 *
 * A function that several files contain so has a site in each of them, all with the same name, file and line, and
 * events name the one of the file whose copy of the function runs. hostlink makes them one row. */
#ifndef KYMO_SITE_CXX_H
#define KYMO_SITE_CXX_H

#ifdef __clang__
#define KYMO_IN_SECTION_(name, parameter) section(name)
#else
#define KYMO_IN_SECTION_(name, parameter) section(sizeof(parameter) != 0u ? name : name)
#endif

/* A local type of a function, with the fields of its site. "name_" is NULL where "name_bytes_" is 0. */
#define KYMO_PLACE_(ident, kind_, name_, name_bytes_, function_, color_, level_)                   \
    constexpr const char *KYMO_PASTE(ident, _function) __attribute__((unused)) = __func__;         \
    constexpr size_t KYMO_PASTE(ident, _bytes) __attribute__((unused)) = (name_bytes_);            \
    struct ident {                                                                                 \
        static constexpr size_t name_bytes() { return KYMO_PASTE(ident, _bytes); }                 \
        static constexpr size_t file_bytes() { return sizeof(__FILE__); }                          \
        static constexpr const char *name() { return (name_); }                                    \
        static constexpr const char *file() { return __FILE__; }                                   \
        static constexpr struct kymo_site site(const char *name_at, const char *file_at,           \
                                               uint32_t detail) {                                  \
            return KYMO_SITE_FIELDS_(kind_, name_at, function_, file_at, color_, detail, level_,   \
                                     nullptr);                                                     \
        }                                                                                          \
    }
#define KYMO_PLACE_NAMED_(ident, kind, name, color, level)                                         \
    KYMO_PLACE_(ident, kind, name, sizeof(name), KYMO_PLACE_IN_(ident), color, level)
#define KYMO_PLACE_UNNAMED_(ident, kind)                                                           \
    KYMO_PLACE_(ident, kind, nullptr, 0u, KYMO_PLACE_IN_(ident), 0u, 0u)

#if KYMO_NAMES
#define KYMO_PLACE_IN_(ident) KYMO_PASTE(ident, _function)
#define KYMO_PLACE_FUNCTION_(ident, kind) KYMO_PLACE_UNNAMED_(ident, kind)

namespace {
template <class Place, uint32_t detail> struct kymo_site_of {
    static const struct kymo_site site
        __attribute__((KYMO_IN_SECTION_("kymo_sites", Place), aligned(8)));
    static_assert(Place::site(Place::name(), Place::file(), detail).reserved == 0u,
                  "kymo: a name is a string literal");
};
template <class Place, uint32_t detail>
const struct kymo_site kymo_site_of<Place, detail>::site =
    Place::site(Place::name(), Place::file(), detail);
} // namespace

#else

/* The name of the function is read as a constant, and is the name of the site where it has no other: as any name it is
 * then in no memory. */
#define KYMO_PLACE_IN_(ident) nullptr
#define KYMO_PLACE_FUNCTION_(ident, kind)                                                          \
    KYMO_PLACE_(ident, kind, KYMO_PASTE(ident, _function), sizeof(__func__), nullptr, 0u, 0u)

/* The numbers 0 to count - 1, made by halves, as compilers nest templates to some depth only. */
template <size_t... index> struct kymo_indices {};
template <class A, class B> struct kymo_indices_joined;
template <size_t... a, size_t... b>
struct kymo_indices_joined<kymo_indices<a...>, kymo_indices<b...>> {
    typedef kymo_indices<a..., (sizeof...(a) + b)...> type;
};
template <size_t count> struct kymo_indices_up_to {
    typedef typename kymo_indices_up_to<count / 2u>::type first;
    typedef typename kymo_indices_up_to<count - count / 2u>::type rest;
    typedef typename kymo_indices_joined<first, rest>::type type;
};
template <> struct kymo_indices_up_to<0u> { typedef kymo_indices<> type; };
template <> struct kymo_indices_up_to<1u> { typedef kymo_indices<0u> type; };

template <size_t bytes> struct kymo_elf_string {
    char text[bytes];
};
template <size_t... index>
constexpr kymo_elf_string<sizeof...(index)> kymo_elf_string_of(const char *text,
                                                               kymo_indices<index...>) {
    return {{text[index]...}};
}

/* A string in the section of those that need not be loaded; without one, of 0 bytes, NULL. */
namespace {
template <class Text, size_t bytes = Text::bytes> struct kymo_elf_text {
    static const kymo_elf_string<bytes> string
        __attribute__((KYMO_IN_SECTION_("kymo_elf_text", Text), aligned(1)));
    static constexpr const char *at() { return string.text; }
};
template <class Text, size_t bytes>
const kymo_elf_string<bytes> kymo_elf_text<Text, bytes>::string =
    kymo_elf_string_of(Text::text(), typename kymo_indices_up_to<bytes>::type());
template <class Text> struct kymo_elf_text<Text, 0u> {
    static constexpr const char *at() { return nullptr; }
};

template <class Place, uint32_t detail> struct kymo_site_of {
    struct name {
        static constexpr size_t bytes = Place::name_bytes();
        static constexpr const char *text() { return Place::name(); }
    };
    struct file {
        static constexpr size_t bytes = Place::file_bytes();
        static constexpr const char *text() { return Place::file(); }
    };
    static const struct kymo_site site
        __attribute__((KYMO_IN_SECTION_("kymo_elf_sites", Place), aligned(8)));
};
template <class Place, uint32_t detail>
const struct kymo_site kymo_site_of<Place, detail>::site =
    Place::site(kymo_elf_text<name>::at(), kymo_elf_text<file>::at(), detail);
} // namespace

#endif

/* A site within a function, as in C. */
#define KYMO_SITE_AT_(ident, detail)                                                               \
    constexpr const struct kymo_site &ident =                                                      \
        kymo_site_of<KYMO_PASTE(ident, _place), (detail)>::site
#define KYMO_SITE_DEFINE(ident, kind, name, color, detail, level, param)                           \
    KYMO_PLACE_NAMED_(KYMO_PASTE(ident, _place), kind, name, color, level);                        \
    KYMO_SITE_AT_(ident, detail)
#define KYMO_SITE_DEFINE_UNNAMED(ident, kind)                                                      \
    KYMO_PLACE_UNNAMED_(KYMO_PASTE(ident, _place), kind);                                          \
    KYMO_SITE_AT_(ident, 0u)
#define KYMO_SITE_DEFINE_FUNCTION(ident, kind)                                                     \
    KYMO_PLACE_FUNCTION_(KYMO_PASTE(ident, _place), kind);                                         \
    KYMO_SITE_AT_(ident, 0u)

#endif
