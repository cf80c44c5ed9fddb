/* SPDX-License-Identifier: MIT */
/* The arguments of messages and plots in C++, by overloads where C has _Generic. Included by message.h; not for
 * direct use. */
#ifndef KYMO_MESSAGE_CXX_H
#define KYMO_MESSAGE_CXX_H

/* The wire form of a type: its class (enum kymo_arg_class) and its value as a 64-bit word; and its type for printf. By
 * value: a constant of a class need not have an address, a bit-field has none. */
template <class T, uint32_t narrow, uint32_t wide> struct kymo_integer {
    static constexpr uint32_t kind = sizeof(T) > 4u ? wide : narrow;
    static KYMO_INLINE_ uint64_t word(T value) { return static_cast<uint64_t>(value); }
    static KYMO_INLINE_ T printed(T value) { return value; }
};
template <class T> struct kymo_signed : kymo_integer<T, KYMO_ARG_I32, KYMO_ARG_I64> {};
template <class T> struct kymo_unsigned : kymo_integer<T, KYMO_ARG_U32, KYMO_ARG_U64> {};
template <class T, uint32_t pointer_kind> struct kymo_pointer {
    static constexpr uint32_t kind = pointer_kind;
    static KYMO_INLINE_ uint64_t word(T value) { return reinterpret_cast<uintptr_t>(value); }
    static KYMO_INLINE_ T printed(T value) { return value; }
};
/* The bits of a float where the application has one: no arithmetic is done on it. */
template <class T, class Bits, uint32_t float_kind> struct kymo_float {
    static constexpr uint32_t kind = float_kind;
    static KYMO_INLINE_ Bits bits(T value) {
        union {
            T real;
            Bits bits;
        } pun;
        pun.real = value;
        return pun.bits;
    }
    static KYMO_INLINE_ uint64_t word(T value) { return bits(value); }
    static KYMO_INLINE_ double printed(T) { return 0.0; }
};

/* An enum is its integer. */
template <class T> struct kymo_argument {
    static_assert(__is_enum(T), "kymo: an argument is a number, an enum, a string (const char *), "
                                "a KYMO_STRING() or a pointer; a plot's value a number or an enum");
    typedef __underlying_type(T) number;
    static constexpr uint32_t kind = kymo_argument<number>::kind;
    static KYMO_INLINE_ uint64_t word(T value) {
        return kymo_argument<number>::word(static_cast<number>(value));
    }
    static KYMO_INLINE_ number printed(T value) { return static_cast<number>(value); }
};
template <> struct kymo_argument<bool> : kymo_unsigned<bool> {};
template <> struct kymo_argument<char> : kymo_signed<char> {};
template <> struct kymo_argument<signed char> : kymo_signed<signed char> {};
template <> struct kymo_argument<unsigned char> : kymo_unsigned<unsigned char> {};
template <> struct kymo_argument<wchar_t> : kymo_signed<wchar_t> {};
template <> struct kymo_argument<char16_t> : kymo_unsigned<char16_t> {};
template <> struct kymo_argument<char32_t> : kymo_unsigned<char32_t> {};
template <> struct kymo_argument<short> : kymo_signed<short> {};
template <> struct kymo_argument<unsigned short> : kymo_unsigned<unsigned short> {};
template <> struct kymo_argument<int> : kymo_signed<int> {};
template <> struct kymo_argument<unsigned> : kymo_unsigned<unsigned> {};
template <> struct kymo_argument<long> : kymo_signed<long> {};
template <> struct kymo_argument<unsigned long> : kymo_unsigned<unsigned long> {};
template <> struct kymo_argument<long long> : kymo_signed<long long> {};
template <> struct kymo_argument<unsigned long long> : kymo_unsigned<unsigned long long> {};
template <> struct kymo_argument<float> : kymo_float<float, uint32_t, KYMO_ARG_FLOAT> {};
template <> struct kymo_argument<double> : kymo_float<double, uint64_t, KYMO_ARG_DOUBLE> {};
template <class T> struct kymo_argument<T *> : kymo_pointer<T *, KYMO_ARG_ADDRESS> {};
template <> struct kymo_argument<char *> : kymo_pointer<char *, KYMO_ARG_STRING> {};
template <> struct kymo_argument<const char *> : kymo_pointer<const char *, KYMO_ARG_STRING> {};
template <> struct kymo_argument<decltype(nullptr)> {
    static constexpr uint32_t kind = KYMO_ARG_ADDRESS;
    static KYMO_INLINE_ uint64_t word(decltype(nullptr)) { return 0u; }
    static KYMO_INLINE_ const void *printed(decltype(nullptr)) { return nullptr; }
};
/* A constant string, KYMO_STRING(). */
template <>
struct kymo_argument<const struct kymo_site *>
    : kymo_pointer<const struct kymo_site *, KYMO_ARG_SITE> {
    static KYMO_INLINE_ const char *printed(const struct kymo_site *) { return ""; }
};

template <class T>
KYMO_INLINE_ auto kymo_argument_checked(T value) -> decltype(kymo_argument<T>::printed(value)) {
    return kymo_argument<T>::printed(value);
}

#if KYMO_ENABLE

/* The classes of a message's arguments, the first lowest. */
template <class... T> struct kymo_classes { static constexpr uint32_t value = 0u; };
template <class First, class... Rest> struct kymo_classes<First, Rest...> {
    static constexpr uint32_t value = kymo_argument<First>::kind | kymo_classes<Rest...>::value
                                                                       << 4;
};

KYMO_INLINE_ void kymo_plot_put(const struct kymo_site *site, float value) {
    kymo_plot_float(site, kymo_argument<float>::bits(value));
}
KYMO_INLINE_ void kymo_plot_put(const struct kymo_site *site, double value) {
    kymo_plot_double(site, kymo_argument<double>::bits(value));
}
template <class T> KYMO_INLINE_ void kymo_plot_put(const struct kymo_site *site, T value) {
    kymo_plot_int(site, static_cast<int64_t>(kymo_argument<T>::word(value)));
}

/* The macros' calls: "Place" has all of the site except the facts that follow from the types of the arguments. */
namespace {
template <class Place, class... T> KYMO_INLINE_ void kymo_message_with(T... value) {
    const uint64_t words[] = {kymo_argument<T>::word(value)...};
    KYMO_MESSAGE_CALL_((&kymo_site_of<Place, kymo_classes<T...>::value>::site),
                       kymo_classes<T...>::value, words);
}
template <class Place> KYMO_INLINE_ void kymo_message_with() {
    KYMO_MESSAGE_CALL_((&kymo_site_of<Place, 0u>::site), 0u, nullptr);
}
/* The same with a call stack. */
template <class Place> class kymo_message_stacked {
  public:
    explicit KYMO_INLINE_ kymo_message_stacked(uint32_t frames) noexcept : depth(frames) {}
    template <class... T> KYMO_INLINE_ void operator()(T... value) const {
        const uint64_t words[sizeof...(T) + 1u] = {kymo_argument<T>::word(value)...};
        kymo_message_stack((&kymo_site_of<Place, kymo_classes<T...>::value>::site),
                           kymo_classes<T...>::value, words, depth);
    }

  private:
    const uint32_t depth;
};
template <class Place, uint32_t format, class T> KYMO_INLINE_ void kymo_plot_with(T value) {
    static_assert(kymo_argument<T>::kind < KYMO_ARG_STRING ||
                      kymo_argument<T>::kind == KYMO_ARG_FLOAT,
                  "kymo: a plot's value is a number or an enum");
    kymo_plot_put(
        &kymo_site_of<Place, format | (kymo_argument<T>::kind == KYMO_ARG_U64 ? KYMO_PLOT_UNSIGNED
                                                                              : 0u)>::site,
        value);
}
} // namespace

#endif

#endif
