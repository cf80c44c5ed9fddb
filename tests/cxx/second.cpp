/* SPDX-License-Identifier: MIT */
/* The second source that includes the library. */
#include "library.h"
#include "program.h"

/* Another function with the same name as one in the first source. */
static void same_name() { KYMO_ZONE("static in the second"); }

namespace {
class Hidden {
  public:
    void run() { KYMO_ZONE("hidden in the second"); }
};

/* Recorded before main() and before kymo_init(). */
class Early {
  public:
    Early() noexcept { KYMO_ZONE("before main in the second"); }
};
const Early early;
} // namespace

void second() {
    use_library();
    same_name();
    Hidden().run();
}
