/* SPDX-License-Identifier: MIT */
/* Tracy's markup for C++, from C++11 on, over kymo: source that carries it compiles without a change, and "hostlink"
 * shows its events in an unmodified Tracy, and everywhere else. No exceptions, no RTTI, no C++ library.
 *
 * On with TRACY_ENABLE; without it nothing is left in the image. The macros are those of Tracy 0.9 to 0.14, together.
 * Names and texts as in tracy/TracyC.h.
 *
 * Accepted, and of no effect: TracySourceCallbackRegister() (hostlink has the sources: --source), sections,
 * TracySetProgramName() (the name is an argument of kymo_init()); ZoneTextF() and its like with
 * -ffreestanding; FrameImage() where KYMO_TRACY_IMAGE is 0. Left out: markup of GPUs and of Lua. */
#ifndef KYMO_TRACY_TRACY_HPP
#define KYMO_TRACY_TRACY_HPP

#include <stddef.h>
#include <stdint.h>
/* Sources take strlen() from here, as Tracy includes it. */
#if __STDC_HOSTED__ && defined(__has_include)
#if __has_include(<string.h>)
#include <string.h>
#endif
#endif

#include "tracy/common/TracyColor.hpp"
#include "tracy/common/TracySystem.hpp"

#define TracyParamTypeInt 0
#define TracyParamTypeBool 1
#define TracyParamTypeTrigger 2

/* An inner zone hides the outer one's variable, as it should. */
#if defined(TRACY_ALLOW_SHADOW_WARNING)
#define SuppressVarShadowWarning(Expr) Expr
#elif defined(__clang__)
#define SuppressVarShadowWarning(Expr)                                                             \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wshadow\"") Expr;        \
    _Pragma("clang diagnostic pop")
#else
#define SuppressVarShadowWarning(Expr)                                                             \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") Expr;            \
    _Pragma("GCC diagnostic pop")
#endif

#ifdef KYMO_TRACY_ON
#include "tracy/common/KymoTracy.hpp"
#else

#define TracyNoop

#define ZoneNamed(varname, active)
#define ZoneNamedN(varname, name, active)
#define ZoneNamedC(varname, color, active)
#define ZoneNamedNC(varname, name, color, active)
#define ZoneNamedS(varname, depth, active)
#define ZoneNamedNS(varname, name, depth, active)
#define ZoneNamedCS(varname, color, depth, active)
#define ZoneNamedNCS(varname, name, color, depth, active)

#define ZoneTransient(varname, active)
#define ZoneTransientN(varname, name, active)
#define ZoneTransientNC(varname, name, color, active)
#define ZoneTransientS(varname, depth, active)
#define ZoneTransientNS(varname, name, depth, active)

#define ZoneScoped
#define ZoneScopedN(name)
#define ZoneScopedC(color)
#define ZoneScopedNC(name, color)
#define ZoneScopedS(depth)
#define ZoneScopedNS(name, depth)
#define ZoneScopedCS(color, depth)
#define ZoneScopedNCS(name, color, depth)

#define ZoneText(txt, size)
#define ZoneTextV(varname, txt, size)
#define ZoneTextF(...)
#define ZoneTextVF(varname, ...)
#define ZoneName(txt, size)
#define ZoneNameV(varname, txt, size)
#define ZoneNameF(...)
#define ZoneNameVF(varname, ...)
#define ZoneColor(color)
#define ZoneColorV(varname, color)
#define ZoneValue(value)
#define ZoneValueV(varname, value)
#define ZoneIsActive false
#define ZoneIsActiveV(varname) false

#define FrameMark
#define FrameMarkNamed(name)
#define FrameMarkStart(name)
#define FrameMarkEnd(name)
#define FrameImage(image, width, height, offset, flip)

#define TracyLockable(type, varname) type varname
#define TracyLockableN(type, varname, desc) type varname
#define TracySharedLockable(type, varname) type varname
#define TracySharedLockableN(type, varname, desc) type varname
#define LockableBase(type) type
#define SharedLockableBase(type) type
#define LockMark(varname) (void)varname
#define LockableName(varname, txt, size)

#define TracyPlot(name, val)
#define TracyPlotConfig(name, type, step, fill, color)

#define TracyMessage(txt, size)
#define TracyMessageL(txt)
#define TracyMessageC(txt, size, color)
#define TracyMessageLC(txt, color)
#define TracyMessageS(txt, size, depth)
#define TracyMessageLS(txt, depth)
#define TracyMessageCS(txt, size, color, depth)
#define TracyMessageLCS(txt, color, depth)
#define TracyLogString(...)
#define TracyAppInfo(txt, size)

#define TracyAlloc(ptr, size)
#define TracyFree(ptr)
#define TracyAllocN(ptr, size, name)
#define TracyFreeN(ptr, name)
#define TracyAllocS(ptr, size, depth)
#define TracyFreeS(ptr, depth)
#define TracyAllocNS(ptr, size, depth, name)
#define TracyFreeNS(ptr, depth, name)
#define TracySecureAlloc(ptr, size)
#define TracySecureFree(ptr)
#define TracySecureAllocN(ptr, size, name)
#define TracySecureFreeN(ptr, name)
#define TracySecureAllocS(ptr, size, depth)
#define TracySecureFreeS(ptr, depth)
#define TracySecureAllocNS(ptr, size, depth, name)
#define TracySecureFreeNS(ptr, depth, name)
#define TracyMemoryDiscard(name)
#define TracyMemoryDiscardS(name, depth)
#define TracySecureMemoryDiscard(name)
#define TracySecureMemoryDiscardS(name, depth)

#define TracySourceCallbackRegister(cb, data)
#define TracyParameterRegister(cb, data)
#define TracyParameterSetup(idx, name, type, val)
#define TracyIsConnected false
#define TracyIsStarted false
#define TracySetProgramName(name)

#define TracySectionEnter(...) 0
#define TracySectionEnterCategory(...) 0
#define TracySectionLeave(id)
#define TracySectionSetup(...)

#define TracyFiberEnter(fiber)
#define TracyFiberEnterHint(fiber, groupHint)
#define TracyFiberLeave

#endif

#endif
