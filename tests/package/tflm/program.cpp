/* SPDX-License-Identifier: MIT */
/* A hundred inferences under KymoTflmProfiler, and what an interpreter does not do: events that are too deep, left
 * open, ended twice or unknown. The trace goes to standard output. */
#include "kymo_tflm.h"
#include "posix_fd.h"

static KymoTflmProfiler profiler;
static tflite::MicroInterpreter interpreter(&profiler);

static void drain() {
    while (kymo_pending()) {
        (void)kymo_drain(0u);
    }
}

static void wrong_uses() {
    KYMO_ZONE("wrong uses");
    uint32_t deepest = 0u;
    for (int i = 0; i < 20; i++) { /* 16 of them are zones */
        deepest = profiler.BeginEvent("deep");
        if (i == 15) {
            profiler.EndEvent(deepest);
            deepest = profiler.BeginEvent("deepest");
        }
    }
    profiler.EndEvent(deepest); /* 0: too deep */
    profiler.EndEvent(1u);      /* all of them */
    profiler.EndEvent(1u);
    profiler.EndEvent(1000u);
    profiler.EndEvent(profiler.BeginEvent(nullptr));
    profiler.EndEvent(profiler.BeginEvent("after"));
}

int main() {
    static struct kymo_posix_fd out;
    if (kymo_posix_fd_init(&out, 1, false) != 0) {
        return 1;
    }
    kymo_init(kymo_posix_fd_transport(&out), "model");
    kymo_tflm_arena(interpreter);
    for (int i = 0; i < 100; i++) {
        {
            KYMO_ZONE("inference");
            interpreter.Invoke();
        }
        drain();
    }
    wrong_uses();
    kymo_finish();
    drain();
    return 0;
}
