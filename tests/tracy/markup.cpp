/* SPDX-License-Identifier: MIT */
/* Every macro of Tracy.hpp, as Tracy's users write it. */
#include "tracy/Tracy.hpp"

#include "program.h"

namespace {

char block_a[16], block_b[16], block_c[16];

/* Like the C++ library's. */
struct Mutex {
    bool taken = false;
    void lock() { taken = true; }
    void unlock() { taken = false; }
    bool try_lock() { return !taken && (taken = true); }
    void lock_shared() {}
    void unlock_shared() {}
    bool try_lock_shared() { return true; }
};

template <class Lock> struct Guard {
    explicit Guard(Lock &by) : held(by) { held.lock(); }
    ~Guard() { held.unlock(); }
    Guard(const Guard &) = delete;
    Guard &operator=(const Guard &) = delete;
    Lock &held;
};

void scoped() {
    ZoneScoped;
    ZoneText("first", 5);
    ZoneText("second", 6);
    ZoneValue(42);
    ZoneColor(tracy::Color::Red);
    if (ZoneIsActive) {
        ZoneScopedN("cpp named");
        ZoneName("renamed", 7);
    }
    {
        ZoneScopedC(0xff0000);
        { ZoneScopedNC("cpp named and coloured", tracy::Color::Green3); }
    }
    {
        ZoneScopedS(4);
        { ZoneScopedNS("cpp named, stack", 4); }
    }
    {
        ZoneScopedCS(0x0000ff, 4);
        { ZoneScopedNCS("cpp all", 0xffff00, 4); }
    }
    {
        ZoneScopedN("cpp formatted");
        ZoneTextF("%d of %s", 3, "four");
        ZoneNameF("name %d", 5);
    }
}

void named(bool active) {
    ZoneNamed(a, active);
    ZoneNamedN(b, "cpp zone b", true);
    ZoneTextV(b, "text", 4);
    ZoneNameV(b, "renamed b", 9);
    ZoneColorV(b, 0x123456);
    ZoneValueV(b, 7u);
    ZoneTextVF(b, "%d", 8);
    ZoneNameVF(b, "%d", 9);
    ZoneNamedC(c, 0xff0000, true);
    ZoneNamedNC(d, "cpp zone d", 0xff0000, true);
    ZoneNamedS(e, 4, true);
    ZoneNamedNS(f, "cpp zone f", 4, true);
    ZoneNamedCS(g, 0xff0000, 4, true);
    ZoneNamedNCS(h, "cpp zone h", 0xff0000, 4, true);
    ZoneNamedN(never, "never shown", !active);
    ZoneTextV(never, "nor this", 8);
    if (ZoneIsActiveV(never)) {
        TracyMessageL("cpp: an inactive zone is active");
    }
}

void transient(const char *name) {
    ZoneTransient(a, true);
    ZoneTransientN(b, name, true);
    ZoneTransientNC(c, name, 0x00ff00, true);
    ZoneTransientS(d, 4, true);
    ZoneTransientNS(e, name, 4, true);
    ZoneTransientN(never, "never shown", false);
}

template <class T> T in_template(T value) {
    ZoneScopedN("cpp template");
    TracyPlot("cpp template plot", value);
    const auto lambda = [value]() {
        ZoneScopedN("cpp lambda");
        return value;
    };
    return lambda();
}

void memory() {
    static const char *const pool = "cpp pool by a pointer";
    TracyAlloc(block_a, 16);
    TracyFree(block_a);
    TracyAllocN(block_a, 16, "cpp pool");
    TracyFreeN(block_a, "cpp pool");
    TracyAllocS(block_a, 16, 4);
    TracyFreeS(block_a, 4);
    TracyAllocNS(block_a, 16, 4, "cpp pool");
    TracyFreeNS(block_a, 4, "cpp pool");
    TracySecureAlloc(block_a, 16);
    TracySecureFree(block_a);
    TracySecureAllocN(block_a, 16, "cpp pool");
    TracySecureFreeN(block_a, "cpp pool");
    TracySecureAllocS(block_a, 16, 4);
    TracySecureFreeS(block_a, 4);
    TracySecureAllocNS(block_a, 16, 4, "cpp pool");
    TracySecureFreeNS(block_a, 4, "cpp pool");
    TracyAllocN(block_a, 16, pool);
    TracyAllocN(block_b, 16, pool);
    TracyAllocN(block_c, 16, "cpp pool");
    TracyMemoryDiscard(pool);
    TracyMemoryDiscardS("cpp pool", 4);
    TracySecureMemoryDiscard("cpp pool");
    TracySecureMemoryDiscardS("cpp pool", 4);
}

void messages() {
    static const char text[] = "cpp message and more";
    TracyMessage(text, 11);
    TracyMessageL("cpp literal, 100%");
    TracyMessageC(text, 11, 0xff8000);
    TracyMessageLC("cpp literal in colour", tracy::Color::Orange);
    TracyMessageS(text, 11, 4);
    TracyMessageLS("cpp literal with stack", 4);
    TracyMessageCS(text, 11, 0xff8000, 4);
    TracyMessageLCS("cpp literal, all", 0xff8000, 4);
    TracyMessageL(text);
    TracyLogString(tracy::MessageSeverity::Warning, 0, 0, "cpp warning");
    TracyLogString(tracy::MessageSeverity::Error, 0, 0, 9, "cpp error and more");
    TracyAppInfo("cpp app info", 12);
}

void frames_and_plots() {
    static const char *const by_pointer = "cpp plot by a pointer";
    FrameMark;
    FrameMarkNamed("cpp frames");
    FrameMarkStart("cpp spans");
    FrameMarkEnd("cpp spans");
    TracyPlotConfig("cpp plot", tracy::PlotFormatType::Percentage, true, false, 0x00ffff);
    TracyPlot("cpp plot", 1.5);
    TracyPlot("cpp plot float", 2.5f);
    TracyPlot("cpp plot int", static_cast<int64_t>(-3));
    TracyPlot("cpp plot int", 4);
    TracyPlot(by_pointer, 5u);
}

struct Device {
    TracyLockableN(Mutex, member, "cpp member lock");
    TracySharedLockable(Mutex, shared);
};

TracyLockable(Mutex, global_mutex);

void locks() {
    Device device;
    {
        Guard<LockableBase(Mutex)> guard(global_mutex);
        LockMark(global_mutex);
    }
    TracySharedLockableN(Mutex, named, "cpp named shared");
    LockableName(device.member, "cpp renamed lock", 16);
    if (device.member.try_lock()) {
        (void)device.member.try_lock();
        device.member.lock(); /* obtained again: a recursive lock */
        device.member.unlock();
        device.member.unlock();
    }
    SharedLockableBase(Mutex) &shared = device.shared;
    shared.lock_shared();
    shared.unlock_shared();
    if (shared.try_lock_shared()) {
        shared.unlock_shared();
    }
    named.lock();
    named.unlock();
}

void on_parameter(void *, uint32_t, int32_t) {}

} // namespace

/* One frame ago; its lowest row first: green above, red below, and the last column blue, of 5 x 3. */
void image() {
    static unsigned char pixels[3][5][4];
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 5; column++) {
            pixels[row][column][column == 4 ? 2 : row == 2 ? 1 : 0] = 255;
        }
    }
    FrameImage(pixels, 5, 3, 1, true);
}

void markup_cxx() {
    TracyNoop;
    tracy::SetThreadName("main of C++");
    TracySetProgramName("set elsewhere");
    scoped();
    named(true);
    transient("cpp transient");
    transient("cpp other transient");
    (void)in_template(1);
    (void)in_template(2.0);
    memory();
    messages();
    frames_and_plots();
    locks();
    TracyFiberEnter("cpp fiber");
    { ZoneScopedN("cpp in a fiber"); }
    TracyFiberLeave;
    TracyFiberEnterHint("cpp fiber", 1);
    TracyFiberLeave;
    { ZoneScopedN("cpp after the fiber"); }
    TracyParameterRegister(on_parameter, nullptr);
    TracyParameterSetup(0, "cpp parameter", TracyParamTypeInt, 5);
    TracyParameterSetup(1, "cpp switch", TracyParamTypeBool, 1);
    TracyParameterSetup(2, "cpp trigger", TracyParamTypeTrigger, 0);
    TracySourceCallbackRegister(nullptr, nullptr);
    const auto section = TracySectionEnter("section %d", 1);
    TracySectionLeave(section);
    (void)TracySectionEnterCategory(1, "section %d", 2);
    TracySectionSetup(1, "category");
    if (TracyIsStarted && TracyIsConnected) {
        TracyMessageL("cpp: a host listens, which is not so here");
    }
    image();
}
