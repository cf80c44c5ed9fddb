/* SPDX-License-Identifier: MIT */
// The library's zones are the library's client's; these are seen here.
#include "tracy/Tracy.hpp"

void engine_run();

int main() {
    ZoneScopedN("with an engine");
    engine_run();
    return 0;
}
