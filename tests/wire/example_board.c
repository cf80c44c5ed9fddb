/* SPDX-License-Identifier: MIT */
#include "example_board.h"

struct kymo_param example_gain = {.value = 3, .minimum = -10, .maximum = 10};

#define SITE(kind_, level_, line_, detail_, color_, name_, function_, file_)                       \
    {                                                                                              \
        .name = (name_), .function = (function_), .file = (file_), .line = (line_),                \
        .detail = (detail_), .color = (color_), .kind = (kind_), .level = (level_),                \
        .param = (kind_) == KYMO_SITE_PARAM ? &example_gain : NULL                                 \
    }

static const char in_main[] = "main.c";
static const char report[] = "report";
static const char measure[] = "measure";
static const char loop[] = "loop";

uint64_t kymo_command_nonce(void) { return 1u; }

const struct kymo_site example_sites[EXAMPLE_SITES] __attribute__((section("kymo_sites"),
                                                                   aligned(8), used)) = {
    SITE(KYMO_SITE_CONTEXT, 0, 8, KYMO_CONTEXT_INTERRUPT, 0, "timer", NULL, in_main),
    SITE(KYMO_SITE_ZONE, 0, 20, 0, 0, "filter", "step", in_main),
    SITE(KYMO_SITE_ZONE, 0, 31, 0, 0x2060c0, NULL, "refresh", in_main),
    SITE(KYMO_SITE_MESSAGE, KYMO_LEVEL_WARNING, 40, 0x87654321, 0, "%d %u %lld %llu %.2f %s %s %p",
         report, in_main),
    SITE(KYMO_SITE_MESSAGE, KYMO_LEVEL_INFO, 41, KYMO_ARG_FLOAT, 0, "%g V", report, in_main),
    SITE(KYMO_SITE_PLOT, 0, 50, KYMO_PLOT_NUMBER, 0, "speed", measure, in_main),
    SITE(KYMO_SITE_PLOT, 0, 51, KYMO_PLOT_NUMBER, 0, "voltage", measure, in_main),
    SITE(KYMO_SITE_PLOT, 0, 52, KYMO_PLOT_PERCENT | KYMO_PLOT_STEP, 0, "load", measure, in_main),
    SITE(KYMO_SITE_POOL, 0, 9, 0, 0, "heap", NULL, "memory.c"),
    SITE(KYMO_SITE_FRAME, 0, 60, 0, 0, NULL, loop, in_main),
    SITE(KYMO_SITE_FRAME, 0, 61, 0, 0, "cycle", loop, in_main),
    SITE(KYMO_SITE_STRING, 0, 42, 0, 0, "hot", report, in_main),
    SITE(KYMO_SITE_PARAM, 0, 10, 0, 0, "gain", NULL, in_main),
};
