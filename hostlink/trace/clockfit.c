#include "trace/clockfit.h"

#define NS_PER_S UINT64_C(1000000000)
#define PAIR_NS_MIN (NS_PER_S / 2)
#define NEAR_S 10u

__extension__ typedef unsigned __int128 wide;

void clockfit_pair(struct clockfit *fit, uint64_t host_ns, uint64_t ticks) {
    if (!fit->paired || host_ns < fit->first_host_ns || ticks < fit->first_ticks) {
        fit->paired = true;
        fit->first_host_ns = host_ns;
        fit->first_ticks = ticks;
    }
    fit->last_host_ns = host_ns;
    fit->last_ticks = ticks;
}

uint64_t clockfit_measured_ns(const struct clockfit *fit) {
    return fit->last_host_ns - fit->first_host_ns;
}

uint64_t clockfit_measured_hz(const struct clockfit *fit) {
    uint64_t host_ns = fit->last_host_ns - fit->first_host_ns;
    if (!fit->paired || host_ns < PAIR_NS_MIN) {
        return 0;
    }
    wide hz = (wide)(fit->last_ticks - fit->first_ticks) * NS_PER_S / host_ns;
    return hz > UINT64_MAX ? 0 : (uint64_t)hz;
}

uint64_t clockfit_hz(const struct clockfit *fit) {
    if (fit->board_hz != 0) {
        return fit->board_hz;
    }
    uint64_t measured = clockfit_measured_hz(fit);
    return measured != 0 ? measured : CLOCKFIT_UNKNOWN_HZ;
}

void clockfit_start(struct clockfit *fit, uint64_t first_ticks, int64_t offset_ns) {
    uint64_t hz = clockfit_hz(fit);
    wide near = (wide)hz * NEAR_S;
    fit->base_ticks = first_ticks < near || first_ticks < hz ? 0 : first_ticks - hz;
    fit->offset_ns = offset_ns;
    fit->based = true;
}

int64_t clockfit_ns(const struct clockfit *fit, uint64_t ticks) {
    if (ticks <= fit->base_ticks) {
        return fit->offset_ns;
    }
    wide ns = (wide)(ticks - fit->base_ticks) * NS_PER_S / clockfit_hz(fit);
    wide room = (wide)(INT64_MAX / 2);
    return fit->offset_ns + (int64_t)(ns < room ? ns : room);
}
