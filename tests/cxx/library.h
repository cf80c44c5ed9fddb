/* SPDX-License-Identifier: MIT */
/* A library that is all headers, with sites in every kind of function. Three sources of one program include it, and
 * the linker keeps one of three copies of most functions. The counts are in expected.py. */
#ifndef CXX_LIBRARY_H
#define CXX_LIBRARY_H

#include "kymo/kymo.h"

enum class Colour : uint8_t { red = 1, blue = 2 };

inline int half(int number) {
    KYMO_ZONE("inline");
    if (number % 2 != 0) {
        return 0; /* the zone ends here too */
    }
    KYMO_MESSAGE("%d is even", number);
    return number / 2;
}

template <class T> T twice(T value) {
    KYMO_ZONE("template");
    KYMO_PLOT("twice", value);
    const auto inner = [=]() noexcept {
        KYMO_ZONE("lambda in template");
        return value + value;
    };
    return inner();
}

class Counter {
  public:
    static const int limit = 3; /* has no address */
    explicit Counter(int start) noexcept : value(start) { KYMO_ZONE("constructor"); }
    ~Counter() { KYMO_ZONE("destructor"); }
    Counter(const Counter &) = delete;
    Counter &operator=(const Counter &) = delete;
    Counter &operator+=(int more) {
        KYMO_FUNCTION();
        value += more;
        KYMO_MESSAGE("%d of %d", value, limit);
        return *this;
    }
    template <class T> T as() const {
        KYMO_ZONE_NAMED(zone, "member template");
        KYMO_ZONE_VALUE(zone, value);
        return static_cast<T>(value);
    }

  private:
    int value;
};

/* Calls that each of the three sources makes once. */
inline void use_library() {
    (void)half(7);
    (void)half(8);
    (void)twice(2);
    (void)twice(2.5);
    Counter counter(1);
    counter += 2;
    (void)counter.as<long>();
    (void)counter.as<double>();
    const auto lambda = [&counter]() {
        KYMO_ZONE("lambda");
        counter += 1;
    };
    lambda();
}

#endif
