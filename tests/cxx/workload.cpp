/* SPDX-License-Identifier: MIT */
/* The first source that includes the library. */
#include "library.h"
#include "program.h"

static void same_name() { KYMO_ZONE("static in the first"); }

namespace {
class Hidden {
  public:
    void run() { KYMO_ZONE("hidden in the first"); }
};

/* Recorded before main() and before kymo_init(). */
class Early {
  public:
    Early() noexcept : number(half(8)) { KYMO_ZONE("before main in the first"); }
    const int number;
};
const Early early;
} // namespace

/* Each id ends the zone that has it. */
static void overlap() {
    KYMO_ASYNC_BEGIN("ends first", 1);
    KYMO_ASYNC_ZONE("ends last", 2);
    KYMO_ASYNC_END("ends first", 1);
}

void workload() {
    KYMO_FUNCTION();
    (void)half(early.number);
    use_library();
    same_name();
    overlap();
    Hidden().run();
    second();
    arguments();
    plain_c();
}
