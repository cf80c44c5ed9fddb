/* SPDX-License-Identifier: MIT */
// A library that is loaded while the program runs, with Tracy's markup.
#include "tracy/Tracy.hpp"

extern "C" void plugin_run();
void plugin_run() { ZoneScopedN("plugin"); }
