/* SPDX-License-Identifier: MIT */
/* The third source that includes the library: arguments by overload. */
#include "library.h"
#include "program.h"

KYMO_POOL(pool, "pool");
KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);

namespace {
struct Registers {
    unsigned ready : 1;
    unsigned count : 7;
};

void interrupt() {
    KYMO_INTERRUPT(timer);
    KYMO_ZONE("in the interrupt");
}
} // namespace

void arguments() {
    use_library();
    char local[] = "local";
    const char *const text = "text";
    const Registers registers = {1u, 100u};
    KYMO_MESSAGE("%d %d %u %lld", true, -5, 4000000000u, -5000000000ll);
    KYMO_MESSAGE("%s %s %s %s", text, local, "literal", KYMO_STRING("constant"));
    KYMO_MESSAGE("%.2f %.2f %c %d", 1.5f, 2.25, 'x', Colour::blue);
    KYMO_MESSAGE("%u %u %p", registers.ready, registers.count, nullptr);
    KYMO_MESSAGE_LEVEL(KYMO_LEVEL_ERROR, "%zu %lu", sizeof(uint64_t), 7ul);
    KYMO_PLOT("colour", Colour::red);
    KYMO_PLOT("most", ~0ull);
    KYMO_PLOT("real", 0.5f);
    KYMO_PLOT("flag", true);
    KYMO_ALLOC(pool, local, sizeof local);
    KYMO_FREE(pool, local);
    KYMO_FRAME();
    KYMO_FRAME_NAMED("frames");
    KYMO_BEGIN(by_hand, "by hand");
    interrupt();
    KYMO_END(by_hand);
}
