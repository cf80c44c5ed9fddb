/* SPDX-License-Identifier: MIT */
/* tracy/Tracy.hpp where it is on. */
#ifndef KYMO_TRACY_ON_HPP
#define KYMO_TRACY_ON_HPP

#include <stdarg.h>

#include "kymo/tracy.h"

#ifndef TracyConcatIndirect
#define TracyConcatIndirect(x, y) x##y
#endif
#ifndef TracyConcat
#define TracyConcat(x, y) TracyConcatIndirect(x, y)
#endif

namespace tracy {

struct SourceLocationData {
    const char *name;
    const char *function;
    const char *file;
    uint32_t line;
    uint32_t color;
};

enum class PlotFormatType : uint8_t { Number, Memory, Percentage, Watt };
enum class MessageSeverity : uint8_t { Trace, Debug, Info, Warning, Error, Fatal };
enum class MessageSourceType : uint8_t { User, Tracy };

KYMO_INLINE_ const kymo_site *kymo_place_of(const SourceLocationData *location) {
    return kymo_tracy_place(location->name, location->function, location->file, location->line,
                            location->color);
}

/* A zone to the end of the block. */
class ScopedZone {
  public:
    ScopedZone(const ScopedZone &) = delete;
    ScopedZone &operator=(const ScopedZone &) = delete;

    KYMO_INLINE_ ScopedZone(const kymo_site *site, int32_t depth, bool is_active) noexcept
        : zone(kymo_tracy_begin(site, depth, is_active)), active(is_active) {}
    KYMO_INLINE_ explicit ScopedZone(const SourceLocationData *location, int32_t depth = -1,
                                     bool is_active = true) noexcept
        : ScopedZone(is_active ? kymo_place_of(location) : nullptr, depth, is_active) {}
    KYMO_INLINE_ ScopedZone(const SourceLocationData *location, bool is_active) noexcept
        : ScopedZone(location, -1, is_active) {}
    /* One whose place is made at run time. */
    KYMO_INLINE_ ScopedZone(uint32_t line, const char *source, size_t source_bytes,
                            const char *function, size_t function_bytes, const char *name,
                            size_t name_bytes, uint32_t color, int32_t depth = -1,
                            bool is_active = true) noexcept
        : ScopedZone(is_active ? transient(line,
                                           {name, function, source, name_bytes, function_bytes,
                                            source_bytes},
                                           color)
                               : nullptr,
                     depth, is_active) {}
    KYMO_INLINE_ ScopedZone(uint32_t line, const char *source, size_t source_bytes,
                            const char *function, size_t function_bytes, const char *name,
                            size_t name_bytes, int32_t depth, bool is_active) noexcept
        : ScopedZone(line, source, source_bytes, function, function_bytes, name, name_bytes, 0u,
                     depth, is_active) {}
    KYMO_INLINE_ ~ScopedZone() { kymo_zone_end(zone); }

    KYMO_INLINE_ void Text(const char *text, size_t size) const noexcept {
        kymo_tracy_zone_text(zone, text, size);
    }
    KYMO_INLINE_ void Name(const char *text, size_t size) const noexcept {
        kymo_tracy_zone_name(zone, text, size);
    }
    KYMO_INLINE_ void Color(uint32_t color) const noexcept { kymo_zone_color(zone, color); }
    KYMO_INLINE_ void Value(uint64_t value) const noexcept { kymo_zone_value(zone, value); }
    KYMO_INLINE_ bool IsActive() const noexcept { return active; }
#if __STDC_HOSTED__
    __attribute__((format(printf, 2, 3))) void TextFmt(const char *format, ...) const noexcept {
        va_list args;
        va_start(args, format);
        Formatted(kymo_tracy_zone_text, format, args);
        va_end(args);
    }
    __attribute__((format(printf, 2, 3))) void NameFmt(const char *format, ...) const noexcept {
        va_list args;
        va_start(args, format);
        Formatted(kymo_tracy_zone_name, format, args);
        va_end(args);
    }
#else
    __attribute__((format(printf, 2, 3))) void TextFmt(const char *, ...) const noexcept {}
    __attribute__((format(printf, 2, 3))) void NameFmt(const char *, ...) const noexcept {}
#endif

  private:
    static KYMO_INLINE_ const kymo_site *transient(uint32_t line, const kymo_tracy_strings &strings,
                                                   uint32_t color) {
        return kymo_tracy_transient(&strings, line, color);
    }
#if __STDC_HOSTED__
    template <class Call> void Formatted(Call call, const char *format, va_list args) const noexcept {
        char text[KYMO_TRACY_FORMAT_BYTES];
        const int length = __builtin_vsnprintf(text, sizeof text, format, args);
        if (length > 0) {
            call(zone, text, static_cast<size_t>(length));
        }
    }
#endif
    const kymo_zone zone;
    const bool active;
};

/* ---- locks ---- */

/* The events that Lockable and SharedLockable record around the calls of the lock itself. If the holder may obtain the
 * lock again, only the outermost hold is recorded. */
class LockableCtx {
  public:
    KYMO_INLINE_ LockableCtx(const kymo_site *site, const char *name) noexcept
        : number(kymo_tracy_lock(site, name)), holder(0u), depth(0u)
#if KYMO_ON_DEMAND
          ,
          announced_site(site), announced_name(name), announced(kymo_is_recording())
#endif
    {
    }
    KYMO_INLINE_ explicit LockableCtx(const SourceLocationData *location) noexcept
        : LockableCtx(kymo_place_of(location), location->function) {}
    KYMO_INLINE_ ~LockableCtx() { event(KYMO_KIND_OBJECT_END); }
    LockableCtx(const LockableCtx &) = delete;
    LockableCtx &operator=(const LockableCtx &) = delete;

    KYMO_INLINE_ bool BeforeLock() noexcept {
        return is_mine() || event(KYMO_KIND_LOCK_WAIT);
    }
    KYMO_INLINE_ void AfterLock() noexcept {
        if (!is_mine()) {
            __atomic_store_n(&holder, kymo_tracy_runner(), __ATOMIC_RELAXED);
            event(KYMO_KIND_LOCK_OBTAIN);
        }
        depth++;
    }
    /* While it is held, unless it never was. */
    KYMO_INLINE_ void AfterUnlock() noexcept {
        if (depth > 1u) {
            depth--;
            return;
        }
        depth = 0u;
        __atomic_store_n(&holder, uintptr_t(0), __ATOMIC_RELAXED);
        event(KYMO_KIND_LOCK_RELEASE);
    }
    KYMO_INLINE_ void AfterTryLock(bool acquired) noexcept {
        if (acquired) {
            AfterLock();
        }
    }
    KYMO_INLINE_ bool BeforeLockShared() noexcept { return event(KYMO_KIND_LOCK_WAIT_SHARED); }
    KYMO_INLINE_ void AfterLockShared() noexcept { event(KYMO_KIND_LOCK_OBTAIN_SHARED); }
    KYMO_INLINE_ void AfterUnlockShared() noexcept { event(KYMO_KIND_LOCK_RELEASE_SHARED); }
    KYMO_INLINE_ void AfterTryLockShared(bool acquired) noexcept {
        if (acquired) {
            event(KYMO_KIND_LOCK_OBTAIN_SHARED);
        }
    }
    KYMO_INLINE_ void Mark(const kymo_site *site) noexcept { kymo_tracy_lock_mark(number, site); }
    KYMO_INLINE_ void Mark(const SourceLocationData *location) noexcept {
        Mark(kymo_place_of(location));
    }
    KYMO_INLINE_ void CustomName(const char *name, size_t size) noexcept {
        kymo_tracy_lock_name(number, name, size);
    }

  private:
    KYMO_INLINE_ bool event(kymo_event_kind kind) noexcept {
#if KYMO_ON_DEMAND
        /* One that was made before the host came: two that use it at once may say so twice. */
        if (!announced && kymo_is_recording()) {
            announced = true;
            kymo_tracy_lock_announce(number, announced_site, announced_name);
        }
#endif
        kymo_tracy_lock_event(kind, number);
        return true;
    }
    /* Another one's number may be torn, but is never this one's. */
    KYMO_INLINE_ bool is_mine() const noexcept {
        return __atomic_load_n(&holder, __ATOMIC_RELAXED) == kymo_tracy_runner();
    }
    const uint32_t number;
    uintptr_t holder;
    uint32_t depth; /* the holder's */
#if KYMO_ON_DEMAND
    const kymo_site *announced_site;
    const char *announced_name;
    bool announced;
#endif
};
typedef LockableCtx SharedLockableCtx;

/* Where a lock is declared. */
struct LockPlace {
    const kymo_site *site;
    const char *name;
};

/* A lock that records which threads wait for it and which one holds it. The release is recorded before the lock is
 * free: else another thread's obtain could come first. */
template <class T> class Lockable {
  public:
    KYMO_INLINE_ explicit Lockable(const LockPlace &place) : context(place.site, place.name) {}
    KYMO_INLINE_ explicit Lockable(const SourceLocationData *location) : context(location) {}
    Lockable(const Lockable &) = delete;
    Lockable &operator=(const Lockable &) = delete;

    KYMO_INLINE_ void lock() {
        context.BeforeLock();
        lockable.lock();
        context.AfterLock();
    }
    KYMO_INLINE_ void unlock() {
        context.AfterUnlock();
        lockable.unlock();
    }
    KYMO_INLINE_ bool try_lock() {
        const bool acquired = lockable.try_lock();
        context.AfterTryLock(acquired);
        return acquired;
    }
    template <class Place> KYMO_INLINE_ void Mark(const Place *place) { context.Mark(place); }
    KYMO_INLINE_ void CustomName(const char *name, size_t size) { context.CustomName(name, size); }

  protected:
    T lockable;
    LockableCtx context;
};

template <class T> class SharedLockable : public Lockable<T> {
  public:
    KYMO_INLINE_ explicit SharedLockable(const LockPlace &place) : Lockable<T>(place) {}
    KYMO_INLINE_ explicit SharedLockable(const SourceLocationData *location)
        : Lockable<T>(location) {}

    KYMO_INLINE_ void lock_shared() {
        this->context.BeforeLockShared();
        this->lockable.lock_shared();
        this->context.AfterLockShared();
    }
    KYMO_INLINE_ void unlock_shared() {
        this->context.AfterUnlockShared();
        this->lockable.unlock_shared();
    }
    KYMO_INLINE_ bool try_lock_shared() {
        const bool acquired = this->lockable.try_lock_shared();
        this->context.AfterTryLockShared(acquired);
        return acquired;
    }
};

/* ---- functions that the macros below call ---- */

KYMO_INLINE_ void kymo_plot(const kymo_site *site, float value) {
    kymo_tracy_plot_float(site, value);
}
KYMO_INLINE_ void kymo_plot(const kymo_site *site, double value) {
    kymo_tracy_plot_double(site, value);
}
#define KYMO_TRACY_PLOT_OF_(type)                                                                  \
    KYMO_INLINE_ void kymo_plot(const kymo_site *site, type value) {                               \
        kymo_plot_int(site, static_cast<int64_t>(value));                                          \
    }
KYMO_TRACY_PLOT_OF_(int)
KYMO_TRACY_PLOT_OF_(long)
KYMO_TRACY_PLOT_OF_(long long)
KYMO_TRACY_PLOT_OF_(unsigned)
KYMO_TRACY_PLOT_OF_(unsigned long)
KYMO_TRACY_PLOT_OF_(unsigned long long)
#undef KYMO_TRACY_PLOT_OF_

KYMO_INLINE_ void kymo_log(MessageSeverity severity, uint32_t color, int32_t depth,
                           const char *text) {
    kymo_tracy_message_all(static_cast<int>(severity), color, depth, text);
}
KYMO_INLINE_ void kymo_log(MessageSeverity severity, uint32_t color, int32_t depth, size_t size,
                           const char *text) {
    kymo_tracy_message(static_cast<int>(severity), color, depth, text, size);
}

template <class... Ignored> KYMO_INLINE_ void kymo_ignored(const Ignored &...) {}

KYMO_INLINE_ bool ProfilerAvailable() { return true; }
KYMO_INLINE_ bool IsProfilerStarted() { return kymo_is_recording(); }
KYMO_INLINE_ void StartupProfiler() { kymo_client_start(); }
KYMO_INLINE_ void ShutdownProfiler() { kymo_client_stop(); }

/* So much of it as programs call themselves. */
class Profiler {
  public:
    static KYMO_INLINE_ int64_t GetTime() { return static_cast<int64_t>(kymo_clock_now()); }
    KYMO_INLINE_ bool IsConnected() const { return kymo_connected(); }
    KYMO_INLINE_ void SetProgramName(const char *) const {}
};
KYMO_INLINE_ Profiler GetProfiler() { return Profiler(); }

} // namespace tracy

#define TracyNoop tracy::ProfilerAvailable()

/* ---- zones ---- */

#define KYMO_TRACY_IDENT_ TracyConcat(__tracy_source_location, TracyLine)

#define ZoneNamedCS(varname, color, depth, active)                                                 \
    KYMO_TRACY_SITE_(KYMO_TRACY_IDENT_, KYMO_SITE_ZONE, color);                                    \
    tracy::ScopedZone varname(&KYMO_TRACY_IDENT_, depth, active)
#define ZoneNamedNCS(varname, name, color, depth, active)                                          \
    KYMO_TRACY_SITE_NAMED_(KYMO_TRACY_IDENT_, KYMO_SITE_ZONE, name, color);                        \
    tracy::ScopedZone varname(&KYMO_TRACY_IDENT_, depth, active)
#define ZoneNamedS(varname, depth, active) ZoneNamedCS(varname, 0u, depth, active)
#define ZoneNamedNS(varname, name, depth, active) ZoneNamedNCS(varname, name, 0u, depth, active)
#define ZoneNamed(varname, active) ZoneNamedS(varname, TRACY_CALLSTACK, active)
#define ZoneNamedN(varname, name, active) ZoneNamedNS(varname, name, TRACY_CALLSTACK, active)
#define ZoneNamedC(varname, color, active) ZoneNamedCS(varname, color, TRACY_CALLSTACK, active)
#define ZoneNamedNC(varname, name, color, active)                                                  \
    ZoneNamedNCS(varname, name, color, TRACY_CALLSTACK, active)

#define KYMO_TRACY_TRANSIENT_(varname, name, color, depth, active)                                 \
    tracy::ScopedZone varname(TracyLine, TracyFile, kymo_tracy_length(TracyFile), TracyFunction,   \
                              kymo_tracy_length(TracyFunction), name, kymo_tracy_length(name),     \
                              static_cast<uint32_t>(color), depth, active)
#define ZoneTransient(varname, active)                                                             \
    KYMO_TRACY_TRANSIENT_(varname, nullptr, 0u, TRACY_CALLSTACK, active)
#define ZoneTransientN(varname, name, active)                                                      \
    KYMO_TRACY_TRANSIENT_(varname, name, 0u, TRACY_CALLSTACK, active)
#define ZoneTransientNC(varname, name, color, active)                                              \
    KYMO_TRACY_TRANSIENT_(varname, name, color, TRACY_CALLSTACK, active)
#define ZoneTransientS(varname, depth, active)                                                     \
    KYMO_TRACY_TRANSIENT_(varname, nullptr, 0u, depth, active)
#define ZoneTransientNS(varname, name, depth, active)                                              \
    KYMO_TRACY_TRANSIENT_(varname, name, 0u, depth, active)

#define ZoneScoped SuppressVarShadowWarning(ZoneNamed(___tracy_scoped_zone, true))
#define ZoneScopedN(name) SuppressVarShadowWarning(ZoneNamedN(___tracy_scoped_zone, name, true))
#define ZoneScopedC(color) SuppressVarShadowWarning(ZoneNamedC(___tracy_scoped_zone, color, true))
#define ZoneScopedNC(name, color)                                                                  \
    SuppressVarShadowWarning(ZoneNamedNC(___tracy_scoped_zone, name, color, true))
#define ZoneScopedS(depth) SuppressVarShadowWarning(ZoneNamedS(___tracy_scoped_zone, depth, true))
#define ZoneScopedNS(name, depth)                                                                  \
    SuppressVarShadowWarning(ZoneNamedNS(___tracy_scoped_zone, name, depth, true))
#define ZoneScopedCS(color, depth)                                                                 \
    SuppressVarShadowWarning(ZoneNamedCS(___tracy_scoped_zone, color, depth, true))
#define ZoneScopedNCS(name, color, depth)                                                          \
    SuppressVarShadowWarning(ZoneNamedNCS(___tracy_scoped_zone, name, color, depth, true))

#define ZoneTextV(varname, txt, size) varname.Text(txt, size)
#define ZoneTextVF(varname, ...) varname.TextFmt(__VA_ARGS__)
#define ZoneNameV(varname, txt, size) varname.Name(txt, size)
#define ZoneNameVF(varname, ...) varname.NameFmt(__VA_ARGS__)
#define ZoneColorV(varname, color) varname.Color(color)
#define ZoneValueV(varname, value) varname.Value(value)
#define ZoneIsActiveV(varname) varname.IsActive()
#define ZoneText(txt, size) ZoneTextV(___tracy_scoped_zone, txt, size)
#define ZoneTextF(...) ZoneTextVF(___tracy_scoped_zone, __VA_ARGS__)
#define ZoneName(txt, size) ZoneNameV(___tracy_scoped_zone, txt, size)
#define ZoneNameF(...) ZoneNameVF(___tracy_scoped_zone, __VA_ARGS__)
#define ZoneColor(color) ZoneColorV(___tracy_scoped_zone, color)
#define ZoneValue(value) ZoneValueV(___tracy_scoped_zone, value)
#define ZoneIsActive ZoneIsActiveV(___tracy_scoped_zone)

/* ---- frames, plots, messages ---- */

#define FrameMark kymo_tracy_frame()
#define FrameMarkNamed(name) kymo_frame(KYMO_TRACY_NAMED_(KYMO_SITE_FRAME, name))
#define FrameMarkStart(name) kymo_frame_start(KYMO_TRACY_NAMED_(KYMO_SITE_FRAME, name))
#define FrameMarkEnd(name) kymo_frame_end(KYMO_TRACY_NAMED_(KYMO_SITE_FRAME, name))
#define FrameImage(image, width, height, offset, flip)                                             \
    kymo_tracy_image(image, width, height, static_cast<uint8_t>(offset), flip)

#define TracyPlot(name, val) tracy::kymo_plot(KYMO_TRACY_NAMED_(KYMO_SITE_PLOT, name), val)
#define TracyPlotConfig(name, type, step, fill, color)                                             \
    kymo_tracy_plot_config(KYMO_TRACY_NAMED_(KYMO_SITE_PLOT, name), static_cast<int32_t>(type),    \
                           step, fill, static_cast<uint32_t>(color))

#define TracyMessageCS(txt, size, color, depth)                                                    \
    kymo_tracy_message(KYMO_LEVEL_INFO, static_cast<uint32_t>(color), depth, txt, size)
#define TracyMessageLCS(txt, color, depth) KYMO_TRACY_MESSAGE_(txt, color, depth)
#define TracyMessage(txt, size) TracyMessageCS(txt, size, 0u, TRACY_CALLSTACK)
#define TracyMessageL(txt) TracyMessageLCS(txt, 0u, TRACY_CALLSTACK)
#define TracyMessageC(txt, size, color) TracyMessageCS(txt, size, color, TRACY_CALLSTACK)
#define TracyMessageLC(txt, color) TracyMessageLCS(txt, color, TRACY_CALLSTACK)
#define TracyMessageS(txt, size, depth) TracyMessageCS(txt, size, 0u, depth)
#define TracyMessageLS(txt, depth) TracyMessageLCS(txt, 0u, depth)
#define TracyLogString(severity, color, depth, ...)                                                \
    tracy::kymo_log(severity, static_cast<uint32_t>(color), depth, __VA_ARGS__)
#define TracyAppInfo(txt, size) kymo_tracy_app_info(txt, size)

/* ---- memory ---- */

#define TracyAllocS(ptr, size, depth)                                                              \
    kymo_tracy_alloc(kymo_tracy_memory(), KYMO_ADDRESS_(ptr), size, depth)
#define TracyFreeS(ptr, depth) kymo_tracy_free(kymo_tracy_memory(), KYMO_ADDRESS_(ptr), depth)
#define TracyAllocNS(ptr, size, depth, name)                                                       \
    kymo_tracy_alloc(KYMO_TRACY_NAMED_(KYMO_SITE_POOL, name), KYMO_ADDRESS_(ptr), size, depth)
#define TracyFreeNS(ptr, depth, name)                                                              \
    kymo_tracy_free(KYMO_TRACY_NAMED_(KYMO_SITE_POOL, name), KYMO_ADDRESS_(ptr), depth)
#define TracyAlloc(ptr, size) TracyAllocS(ptr, size, TRACY_CALLSTACK)
#define TracyFree(ptr) TracyFreeS(ptr, TRACY_CALLSTACK)
#define TracyAllocN(ptr, size, name) TracyAllocNS(ptr, size, TRACY_CALLSTACK, name)
#define TracyFreeN(ptr, name) TracyFreeNS(ptr, TRACY_CALLSTACK, name)
#define TracySecureAlloc(ptr, size) TracyAlloc(ptr, size)
#define TracySecureFree(ptr) TracyFree(ptr)
#define TracySecureAllocN(ptr, size, name) TracyAllocN(ptr, size, name)
#define TracySecureFreeN(ptr, name) TracyFreeN(ptr, name)
#define TracySecureAllocS(ptr, size, depth) TracyAllocS(ptr, size, depth)
#define TracySecureFreeS(ptr, depth) TracyFreeS(ptr, depth)
#define TracySecureAllocNS(ptr, size, depth, name) TracyAllocNS(ptr, size, depth, name)
#define TracySecureFreeNS(ptr, depth, name) TracyFreeNS(ptr, depth, name)
#define TracyMemoryDiscardS(name, depth)                                                           \
    kymo_tracy_discard(KYMO_TRACY_NAMED_(KYMO_SITE_POOL, name), depth)
#define TracyMemoryDiscard(name) TracyMemoryDiscardS(name, TRACY_CALLSTACK)
#define TracySecureMemoryDiscard(name) TracyMemoryDiscard(name)
#define TracySecureMemoryDiscardS(name, depth) TracyMemoryDiscardS(name, depth)

/* ---- locks ---- */

#define KYMO_TRACY_LOCK_PLACE_(desc)                                                               \
    []() -> tracy::LockPlace {                                                                     \
        KYMO_TRACY_SITE_NAMED_(kymo_tracy_lock_site, KYMO_SITE_ZONE, desc, 0u);                    \
        return tracy::LockPlace{&kymo_tracy_lock_site, desc};                                      \
    }()
#define TracyLockableN(type, varname, desc)                                                        \
    tracy::Lockable<type> varname { KYMO_TRACY_LOCK_PLACE_(desc) }
#define TracyLockable(type, varname) TracyLockableN(type, varname, #type " " #varname)
#define TracySharedLockableN(type, varname, desc)                                                  \
    tracy::SharedLockable<type> varname { KYMO_TRACY_LOCK_PLACE_(desc) }
#define TracySharedLockable(type, varname) TracySharedLockableN(type, varname, #type " " #varname)
#define LockableBase(type) tracy::Lockable<type>
#define SharedLockableBase(type) tracy::SharedLockable<type>
#define LockMark(varname)                                                                          \
    KYMO_TRACY_SITE_(TracyConcat(__tracy_lock_location_, TracyLine), KYMO_SITE_ZONE, 0u);          \
    varname.Mark(&TracyConcat(__tracy_lock_location_, TracyLine))
#define LockableName(varname, txt, size) varname.CustomName(txt, size)

/* ---- the rest ---- */

#define TracyIsConnected kymo_connected()
#ifdef TRACY_MANUAL_LIFETIME
#define TracyIsStarted kymo_is_recording()
#else
#define TracyIsStarted true
#endif
#define TracySetProgramName(name) tracy::kymo_ignored(name)
#define TracySourceCallbackRegister(cb, data) tracy::kymo_ignored(cb, data)

#define TracyParameterRegister(cb, data) kymo_tracy_parameters(cb, data)
#define TracyParameterSetup(idx, name, type, val) KYMO_TRACY_PARAMETER_(idx, name, type, val)

#define TracySectionEnter(...) (tracy::kymo_ignored(__VA_ARGS__), 0)
#define TracySectionEnterCategory(...) (tracy::kymo_ignored(__VA_ARGS__), 0)
#define TracySectionLeave(id) tracy::kymo_ignored(id)
#define TracySectionSetup(...) tracy::kymo_ignored(__VA_ARGS__)

#define TracyFiberEnter(fiber) kymo_tracy_fiber_enter(fiber)
#define TracyFiberEnterHint(fiber, groupHint)                                                      \
    (tracy::kymo_ignored(groupHint), kymo_tracy_fiber_enter(fiber))
#define TracyFiberLeave kymo_tracy_fiber_leave()

#endif
