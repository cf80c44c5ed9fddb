/* SPDX-License-Identifier: MIT */
#include "cli/line_load.h"

#include "base/host_clock.h"

/* Time between two looks: longer than adapters and their drivers hold bytes back. */
#define LOOK_NS (NS_PER_S / 4)
#define BITS_PER_BYTE 10.0 /* with start and stop */

void line_load_look(struct line_load *load, const struct pipeline_totals *totals, uint64_t now_ns) {
    const bool is_first = load->looked_ns == 0;
    if (!is_first && now_ns - load->looked_ns < LOOK_NS) {
        return;
    }
    if (!is_first && totals->lost_ring > load->lost) {
        load->lossy_ns += now_ns - load->looked_ns;
        load->lossy_bytes += totals->bytes - load->bytes;
    }
    load->looked_ns = now_ns;
    load->bytes = totals->bytes;
    load->lost = totals->lost_ring;
}

unsigned line_load_percent(const struct line_load *load, uint32_t baud) {
    if (load->lossy_ns == 0 || baud == 0) {
        return 0;
    }
    const double bits_per_s =
        (double)load->lossy_bytes * BITS_PER_BYTE * (double)NS_PER_S / (double)load->lossy_ns;
    const double percent = 100.0 * bits_per_s / baud;
    return percent < 1.0 ? 1u : percent > 100.0 ? 100u : (unsigned)percent;
}
