/* SPDX-License-Identifier: MIT */
// Features of C++: a member of a template, a lambda, a constructor.
#include "kymo/kymo.h"

extern "C" void cxx_case(void);

namespace {
volatile unsigned after;

template <class T> struct holder {
    __attribute__((noinline)) explicit holder(T number) : value(number) {
        KYMO_ZONE("constructor");
        after = after + 1u;
    }
    __attribute__((noinline)) T twice() const {
        KYMO_FUNCTION_STACK(5u);
        KYMO_MESSAGE_STACK(5u, "member %u", static_cast<unsigned>(value));
        after = after + 1u;
        return value + value;
    }
    T value;
};
} // namespace

extern "C" __attribute__((noinline)) void cxx_case(void) {
    const holder<unsigned> number(4u);
    after = number.twice();
    const auto in_lambda = []() __attribute__((noinline)) {
        KYMO_MESSAGE("lambda");
        after = after + 1u;
    };
    in_lambda();
    after = after + 1u;
}
