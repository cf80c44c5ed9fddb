/* SPDX-License-Identifier: MIT */
// A library that a program is linked with, with Tracy's markup.
#include "tracy/Tracy.hpp"

void engine_run();
void engine_run() { ZoneScopedN("engine"); }
