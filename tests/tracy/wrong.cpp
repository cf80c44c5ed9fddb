/* SPDX-License-Identifier: MIT */
/* Wrong arguments to the macros: bounded, counted, and visible. */
#include "tracy/Tracy.hpp"
#include "tracy/TracyC.h"

#include "program.h"

void markup_wrong() {
    static char longest[70000];
    for (char &character : longest) {
        character = 'x';
    }
    longest[sizeof longest - 1u] = '\0';
    const char *nothing = nullptr;
    {
        ZoneScopedN("wrong");
        ZoneText(longest, sizeof longest);
        ZoneText(nothing, 4);
        ZoneText("", 0);
    }
    TracyMessage(longest, sizeof longest);
    TracyMessageL(longest);
    TracyMessageL(nothing);
    TracyMessage(nothing, 3);
    TracyPlot(nothing, 1);
    FrameMarkNamed(nothing);
    TracyAllocN(longest, 8, nothing);
    TracyFreeN(longest, nothing);
    {
        ZoneTransientN(transient, longest, true);
        ZoneTransientN(unnamed, nothing, true);
    }
    TracyCZoneN(twice, "ended twice", 1) TracyCZoneEnd(twice) TracyCZoneEnd(twice) TracyFiberLeave;
    TracyFiberEnter(nothing);
    TracyFiberLeave;
    tracy::SetThreadName(nothing);
    TracyCLockCtx lock = nullptr;
    TracyCLockAfterUnlock(lock) TracyCLockAnnounce(lock) TracyCLockAfterUnlock(lock)
        TracyCLockTerminate(lock) TracyCLockTerminate(lock) TracyParameterSetup(3, nothing, 0, 1);
}
