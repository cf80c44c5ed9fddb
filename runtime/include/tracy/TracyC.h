/* SPDX-License-Identifier: MIT */
/* Tracy's markup for C, over kymo: source that carries it compiles without a change, and "hostlink" shows its
 * events in an unmodified Tracy, and everywhere else.
 *
 * On with TRACY_ENABLE; without it nothing is left in the image. The macros are those of Tracy 0.9 to 0.14, together.
 * The functions ___tracy_...() have the form of 0.14.
 *
 * A name that is a string literal is a place of the image, as with kymo's own macros, and takes no table. Any other
 * name, and all that makes source locations at run time, needs KYMO_DYNAMIC_SITES. Texts are copied, and cut to
 * 120 bytes or 4 more, 232 if KYMO_PACKET_BYTES is 1024 or more.
 *
 * Accepted, and of no effect: TracyCBeginSamplingProfiling(), TracyCEndSamplingProfiling(); TracyCZoneTextF() and
 * TracyCZoneNameF() with -ffreestanding; TracyCFrameImage() where KYMO_TRACY_IMAGE is 0. Left out: markup of
 * GPUs and of Lua. */
#ifndef KYMO_TRACY_TRACYC_H
#define KYMO_TRACY_TRACYC_H

#include <stddef.h>
#include <stdint.h>

#include "tracy/common/TracyApi.h"

enum TracyPlotFormatEnum {
    TracyPlotFormatNumber,
    TracyPlotFormatMemory,
    TracyPlotFormatPercentage,
    TracyPlotFormatWatt
};

enum TracyMessageSeverity {
    TracyMessageSeverityTrace,
    TracyMessageSeverityDebug,
    TracyMessageSeverityInfo,
    TracyMessageSeverityWarning,
    TracyMessageSeverityError,
    TracyMessageSeverityFatal
};

#ifdef KYMO_TRACY_ON
#include "tracy/common/KymoTracyC.h"
#else

typedef const void *TracyCZoneCtx;
typedef const void *TracyCLockCtx;
typedef const void *TracyCSharedLockCtx;

#define TracyCSetThreadName(name)

#define TracyCZone(ctx, active)
#define TracyCZoneN(ctx, name, active)
#define TracyCZoneC(ctx, color, active)
#define TracyCZoneNC(ctx, name, color, active)
#define TracyCZoneS(ctx, depth, active)
#define TracyCZoneNS(ctx, name, depth, active)
#define TracyCZoneCS(ctx, color, depth, active)
#define TracyCZoneNCS(ctx, name, color, depth, active)
#define TracyCZoneEnd(ctx)
#define TracyCZoneText(ctx, txt, size)
#define TracyCZoneTextF(ctx, ...)
#define TracyCZoneName(ctx, txt, size)
#define TracyCZoneNameF(ctx, ...)
#define TracyCZoneColor(ctx, color)
#define TracyCZoneValue(ctx, value)

#define TracyCAlloc(ptr, size)
#define TracyCFree(ptr)
#define TracyCAllocN(ptr, size, name)
#define TracyCFreeN(ptr, name)
#define TracyCAllocS(ptr, size, depth)
#define TracyCFreeS(ptr, depth)
#define TracyCAllocNS(ptr, size, depth, name)
#define TracyCFreeNS(ptr, depth, name)
#define TracyCSecureAlloc(ptr, size)
#define TracyCSecureFree(ptr)
#define TracyCSecureAllocN(ptr, size, name)
#define TracyCSecureFreeN(ptr, name)
#define TracyCSecureAllocS(ptr, size, depth)
#define TracyCSecureFreeS(ptr, depth)
#define TracyCSecureAllocNS(ptr, size, depth, name)
#define TracyCSecureFreeNS(ptr, depth, name)
#define TracyCMemoryDiscard(name)
#define TracyCMemoryDiscardS(name, depth)
#define TracyCSecureMemoryDiscard(name)
#define TracyCSecureMemoryDiscardS(name, depth)

#define TracyCMessage(txt, size)
#define TracyCMessageL(txt)
#define TracyCMessageC(txt, size, color)
#define TracyCMessageLC(txt, color)
#define TracyCMessageS(txt, size, depth)
#define TracyCMessageLS(txt, depth)
#define TracyCMessageCS(txt, size, color, depth)
#define TracyCMessageLCS(txt, color, depth)
#define TracyCAppInfo(txt, size)

#define TracyCFrameMark
#define TracyCFrameMarkNamed(name)
#define TracyCFrameMarkStart(name)
#define TracyCFrameMarkEnd(name)
#define TracyCFrameImage(image, width, height, offset, flip)

#define TracyCPlot(name, val)
#define TracyCPlotF(name, val)
#define TracyCPlotI(name, val)
#define TracyCPlotConfig(name, type, step, fill, color)

#define TracyCLockCtx(lock)
#define TracyCLockAnnounce(lock)
#define TracyCLockTerminate(lock)
#define TracyCLockBeforeLock(lock)
#define TracyCLockAfterLock(lock)
#define TracyCLockAfterUnlock(lock)
#define TracyCLockAfterTryLock(lock, acquired)
#define TracyCLockMark(lock)
#define TracyCLockCustomName(lock, name, nameSz)

#define TracyCSharedLockCtx(lock)
#define TracyCSharedLockAnnounce(lock)
#define TracyCSharedLockAnnonce(lock) /* so it is called in Tracy 0.14 where it is off */
#define TracyCSharedLockTerminate(lock)
#define TracyCSharedLockBeforeLock(lock)
#define TracyCSharedLockAfterLock(lock)
#define TracyCSharedLockAfterUnlock(lock)
#define TracyCSharedLockAfterTryLock(lock, acquired)
#define TracyCSharedLockBeforeSharedLock(lock)
#define TracyCSharedLockAfterSharedLock(lock)
#define TracyCSharedLockAfterSharedUnlock(lock)
#define TracyCSharedLockAfterTrySharedLock(lock, acquired)
#define TracyCSharedLockMark(lock)
#define TracyCSharedLockCustomName(lock, name, nameSz)

#define TracyCIsConnected 0
#define TracyCIsStarted 0
#define TracyCBeginSamplingProfiling() 0
#define TracyCEndSamplingProfiling()
#define TracyCFiberEnter(fiber)
#define TracyCFiberLeave

#endif

#endif
