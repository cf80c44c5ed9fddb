/* SPDX-License-Identifier: MIT */
// Features of C++: a constructor, a member of a template, a lambda, an inline function.
#include "kymo/kymo.h"

extern "C" void cxx_case(void);

namespace {
volatile unsigned after;

template <class T> struct holder {
    __attribute__((noinline)) explicit holder(T number) : value(number) { after = after + 1u; }
    __attribute__((noinline)) T twice() const {
        KYMO_ZONE("in a member");
        after = after + 1u;
        return value + value;
    }
    T value;
};
inline unsigned put_inside_too(unsigned number) { return number + after; }
} // namespace

extern "C" __attribute__((noinline)) void cxx_case(void) {
    const holder<unsigned> number(4u);
    after = number.twice();
    after = number.twice();
    const auto in_lambda = []() __attribute__((noinline)) { after = put_inside_too(after); };
    in_lambda();
    after = after + 1u;
}
