/* SPDX-License-Identifier: MIT */
/* clang-format off */
/* Every macro of TracyC.h: those that bring a semicolon of their own are used without one, as Tracy's users may. */
#include "tracy/TracyC.h"

#include "program.h"

static char block_a[16], block_b[16], block_c[16];
static const char fiber[] = "fiber in C";
static const char *const pool = "pool by a pointer";

void zones(int active);
void zones(int active) {
    TracyCZone(plain, 1) TracyCZoneText(plain, "first", 5) TracyCZoneText(plain, "second", 6)
    TracyCZoneValue(plain, 42) TracyCZoneColor(plain, 0x102030) TracyCZoneEnd(plain)
    TracyCZoneN(named, "c named", active) TracyCZoneName(named, "renamed", 7) TracyCZoneEnd(named)
    TracyCZoneC(coloured, 0xff0000, 1) TracyCZoneEnd(coloured)
    TracyCZoneNC(both, "c named and coloured", 0x00ff00, 1) TracyCZoneEnd(both)
    TracyCZoneS(with_stack, 4, 1) TracyCZoneEnd(with_stack)
    TracyCZoneNS(named_stack, "c named, stack", 4, 1) TracyCZoneEnd(named_stack)
    TracyCZoneCS(coloured_stack, 0x0000ff, 4, 1) TracyCZoneEnd(coloured_stack)
    TracyCZoneNCS(all_stack, "c all", 0xffff00, 4, 1) TracyCZoneEnd(all_stack)
    TracyCZoneN(off, "never shown", !active) TracyCZoneText(off, "nor this", 8)
    TracyCZoneValue(off, 1) TracyCZoneEnd(off)
    TracyCZoneN(formatted, "c formatted", 1) TracyCZoneTextF(formatted, "%d of %s", 3, "four")
    TracyCZoneNameF(formatted, "name %d", 5) TracyCZoneEnd(formatted)
}

void memory(void);
void memory(void) {
    TracyCAlloc(block_a, 16);
    TracyCFree(block_a);
    TracyCAllocN(block_a, 16, "c pool");
    TracyCFreeN(block_a, "c pool");
    TracyCAllocS(block_a, 16, 4);
    TracyCFreeS(block_a, 4);
    TracyCAllocNS(block_a, 16, 4, "c pool");
    TracyCFreeNS(block_a, 4, "c pool");
    TracyCSecureAlloc(block_a, 16);
    TracyCSecureFree(block_a);
    TracyCSecureAllocN(block_a, 16, "c pool");
    TracyCSecureFreeN(block_a, "c pool");
    TracyCSecureAllocS(block_a, 16, 4);
    TracyCSecureFreeS(block_a, 4);
    TracyCSecureAllocNS(block_a, 16, 4, "c pool");
    TracyCSecureFreeNS(block_a, 4, "c pool");
    TracyCAllocN(block_a, 16, pool);
    TracyCAllocN(block_b, 16, pool);
    TracyCAllocN(block_c, 16, "c pool");
    TracyCMemoryDiscard(pool)
    TracyCAllocN(block_a, 16, pool);
    TracyCMemoryDiscardS("pool by a pointer", 4);
    TracyCSecureMemoryDiscard("c pool")
    TracyCAllocN(block_c, 16, "c pool");
    TracyCSecureMemoryDiscardS("c pool", 4);
}

void messages(void);
void messages(void) {
    static const char text[] = "c message and more";
    TracyCMessage(text, 9);
    TracyCMessageL("c literal, 100%");
    TracyCMessageC(text, 9, 0xff8000);
    TracyCMessageLC("c literal in colour", 0xff8000);
    TracyCMessageS(text, 9, 4);
    TracyCMessageLS("c literal with stack", 4);
    TracyCMessageCS(text, 9, 0xff8000, 4);
    TracyCMessageLCS("c literal, all", 0xff8000, 4);
    TracyCMessageL(text);
    TracyCAppInfo("c app info", 10)
}

void frames_and_plots(void);
void frames_and_plots(void) {
    static const char *const by_pointer = "c plot by a pointer";
    TracyCFrameMark
    TracyCFrameMarkNamed("c frames")
    TracyCFrameMarkStart("c spans")
    TracyCFrameMarkEnd("c spans")
    TracyCPlotConfig("c plot", TracyPlotFormatMemory, 1, 1, 0x00ffff)
    TracyCPlot("c plot", 1.5)
    TracyCPlotF("c plot float", 2.5f)
    TracyCPlotI("c plot int", -3)
    TracyCPlotI(by_pointer, 4)
    TracyCPlotI("c plot by a pointer", 5)
}

void locks(void);
void locks(void) {
    TracyCLockCtx lock;
    TracyCSharedLockCtx shared;
    TracyCLockAnnounce(lock)
    TracyCLockCustomName(lock, "c lock", 6)
    TracyCLockBeforeLock(lock)
    TracyCLockAfterLock(lock)
    TracyCLockMark(lock)
    TracyCLockAfterUnlock(lock)
    TracyCLockAfterTryLock(lock, 1)
    TracyCLockAfterUnlock(lock)
    TracyCLockAfterTryLock(lock, 0)
    TracyCLockTerminate(lock)
    TracyCSharedLockAnnounce(shared)
    TracyCSharedLockCustomName(shared, "c shared lock", 13)
    TracyCSharedLockBeforeLock(shared)
    TracyCSharedLockAfterLock(shared)
    TracyCSharedLockMark(shared)
    TracyCSharedLockAfterUnlock(shared)
    TracyCSharedLockAfterTryLock(shared, 1)
    TracyCSharedLockAfterUnlock(shared)
    TracyCSharedLockBeforeSharedLock(shared)
    TracyCSharedLockAfterSharedLock(shared)
    TracyCSharedLockAfterSharedUnlock(shared)
    TracyCSharedLockAfterTrySharedLock(shared, 1)
    TracyCSharedLockAfterSharedUnlock(shared)
    TracyCSharedLockTerminate(shared)
    (void)lock;
    (void)shared;
}

void markup_c(void) {
    TracyCSetThreadName("main of C")
    zones(1);
    memory();
    messages();
    frames_and_plots();
    locks();
    TracyCFiberEnter(fiber)
    TracyCZoneN(inside, "c in a fiber", 1)
    TracyCFiberLeave
    TracyCFiberEnter(fiber)
    TracyCZoneEnd(inside)
    TracyCFiberLeave
    TracyCBeginSamplingProfiling();
    TracyCEndSamplingProfiling();
    if (TracyCIsStarted && TracyCIsConnected) {
        TracyCMessageL("c: a host listens, which is not so here");
        TracyCFrameImage(block_a, 2, 2, 0, 0) /* one at a time, and none is sent before main() ends */
    }
}
