/* SPDX-License-Identifier: MIT */
// The half in C++: names that are mangled, a template, a lambda.
#include "kymo/kymo.h"

#include "stacks_board.h"

namespace shop {

template <typename T> class Basket {
  public:
    __attribute__((noinline)) void put(T item) {
        board_alloc(0x100000u + static_cast<uint32_t>(item) * 0x100u, 32);
        sum += item;
    }
    T sum = 0;
};

__attribute__((noinline)) void sell(uint32_t round) {
    board_stack();
    KYMO_ZONE("sell");
    Basket<int> basket;
    basket.put(static_cast<int>(round));
    const auto pay = [&](uint32_t coins) __attribute__((noinline)) {
        board_stack();
        KYMO_ZONE("pay");
        board_pass(coins);
    };
    pay(200);
    board_pass(5);
}

} // namespace shop

extern "C" void board_in_cxx(uint32_t round) {
    shop::sell(round);
    board_pass(1);
}
