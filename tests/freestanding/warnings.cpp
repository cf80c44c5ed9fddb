/* SPDX-License-Identifier: MIT */
/* Every macro and every function of kymo.h in every kind of C++ function, by a firmware whose own warnings are errors.
 * Only compiled. */
#include "kymo/kymo.h"

#ifdef WITHOUT_LIBRARY
extern "C" {
void *malloc(size_t bytes);
void *realloc(void *old, size_t bytes);
void free(void *old);
}
#else
#include <stdlib.h>
#endif

KYMO_POOL(heap, "heap");
KYMO_CONTEXT(timer, "timer", KYMO_CONTEXT_INTERRUPT);
KYMO_PARAM(gain, "gain", 1, 0, 10);

namespace {
KYMO_POOL(hidden_heap, "hidden");
KYMO_CONTEXT(radio, "radio", KYMO_CONTEXT_INTERRUPT);
KYMO_PARAM(hidden_gain, "hidden gain", 1, 0, 10);
} // namespace

namespace firmware {
KYMO_POOL(heap, "firmware's heap");
KYMO_PARAM(gain, "firmware's gain", -1, -10, 10);
} // namespace firmware

#ifdef KYMO_COMMAND_KEY
extern "C" uint64_t kymo_command_nonce() { return 1u; }
#endif

enum Mode { off_mode, on_mode };
enum class Level : uint8_t { low, high };
enum class Wide : long long { least, most };
struct Registers {
    unsigned ready : 1;
    unsigned count : 7;
};
struct Task {
    uint64_t words[4];
};

/* Sites in every kind of function. */
inline void in_inline(uint32_t number) {
    KYMO_FUNCTION();
    KYMO_ZONE("zone");
    KYMO_ZONE_COLORED("coloured", 0xff0000u);
    KYMO_ZONE_NAMED(never_used, "named");
    if (number > 1u) {
        KYMO_ZONE_NAMED(zone, "named");
        KYMO_ZONE_TEXT(zone, "text", 4u);
        KYMO_ZONE_RENAME(zone, "name", 4u);
        KYMO_ZONE_VALUE(zone, number);
        KYMO_ZONE_VALUE(zone, -1);
        KYMO_ZONE_RECOLOR(zone, 0x00ff00u + number);
        kymo_zone_text(zone, "text", 4u);
        kymo_zone_value(zone, number);
        return;
    } else
        KYMO_MESSAGE("without braces");
    for (uint32_t i = 0u; i < number; i++) {
        KYMO_ZONE("in a loop");
        KYMO_FRAME();
    }
    KYMO_BEGIN(by_hand, "by hand");
    kymo_zone kept = by_hand;
    KYMO_END(by_hand);
    KYMO_BEGIN(other, "by hand");
    kymo_zone_end(other);
    (void)kept;
}

template <class T> T in_template(T value) {
    KYMO_FUNCTION();
    KYMO_ZONE("template");
    KYMO_PLOT("template", value);
    KYMO_MESSAGE("in a template");
    KYMO_FRAME_NAMED("template");
    const auto inner = [=]() {
        KYMO_FUNCTION();
        KYMO_ZONE("lambda in a template");
        KYMO_PLOT("lambda in a template", value);
        return value;
    };
    return inner();
}

template <class T> class Member {
  public:
    explicit Member(T first) noexcept : value(first) { KYMO_ZONE("constructor of a template"); }
    ~Member() { KYMO_FUNCTION(); }
    T get() const {
        KYMO_ZONE("member of a template");
        return value;
    }
    template <class U> U as() const {
        KYMO_ZONE("member template");
        KYMO_MESSAGE("%s", KYMO_STRING("constant in a member template"));
        return static_cast<U>(value);
    }

  private:
    T value;
};

class Device {
  public:
    static const int limit = 3;
    Device() { KYMO_ZONE("constructor"); }
    ~Device() { KYMO_ZONE("destructor"); }
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;
    Device &operator+=(int more) {
        KYMO_FUNCTION();
        total += more;
        KYMO_PLOT("total", total);
        KYMO_PLOT("limit", limit);
        KYMO_MESSAGE("%d of %d", total, limit);
        return *this;
    }
    static int shared() noexcept {
        KYMO_ZONE("static member");
        return 1;
    }

  private:
    int total = 0;
};

#if __cplusplus >= 201402L
const auto generic = [](auto value) {
    KYMO_ZONE("generic lambda");
    KYMO_MESSAGE("generic");
    return value;
};
#endif

void functions(uint32_t number);
void functions(uint32_t number) {
    in_inline(number);
    (void)in_template(1);
    (void)in_template(1.5);
    (void)in_template(1.5f);
    (void)in_template(on_mode);
    const Member<int> member(2);
    (void)member.get();
    (void)member.as<unsigned>();
    (void)member.as<double>();
    Device device;
    device += Device::shared();
    const auto lambda = [&device]() {
        KYMO_ZONE("lambda");
        KYMO_MESSAGE("in a lambda");
        device += 1;
    };
    lambda();
#if __cplusplus >= 201402L
    (void)generic(1);
    (void)generic(2.0);
#endif
    switch (number) {
    case 0: {
        KYMO_ZONE("in a case");
        break;
    }
    default:
        KYMO_FRAME_NAMED("frame");
        KYMO_FRAME_START("piece");
        KYMO_FRAME_END("piece");
        KYMO_FLOW_SEND(1u);
        KYMO_FLOW_STEP_NAMED("flow", UINT64_MAX);
        KYMO_ASYNC_BEGIN("async", 'a');
        KYMO_ASYNC_END("async", 1ll);
        KYMO_ASYNC_ZONE("async", 2);
        break;
    }
}

/* Arguments by overload. */
void numbers(int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e, uint32_t f, int64_t g,
             uint64_t h, bool i, char j, size_t k, long l, unsigned long m);
void numbers(int8_t a, uint8_t b, int16_t c, uint16_t d, int32_t e, uint32_t f, int64_t g,
             uint64_t h, bool i, char j, size_t k, long l, unsigned long m) {
    KYMO_MESSAGE("%d %u %d %u %c", a, b, c, d, j);
    KYMO_MESSAGE("%ld %lu %lld %llu", static_cast<long>(e), static_cast<unsigned long>(f),
                 static_cast<long long>(g), static_cast<unsigned long long>(h));
    KYMO_MESSAGE("%d %zu %ld %lu", i, k, l, m);
    KYMO_MESSAGE("%d %d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, 7, 8);
    KYMO_PLOT("bool", i);
    KYMO_PLOT("byte", b);
    KYMO_PLOT("size", k);
    KYMO_PLOT("wide", g);
    KYMO_PLOT("unsigned", h);
    KYMO_PLOT("long", l);
    KYMO_PLOT("sum", b + 1);
    KYMO_PLOT("literal", 21);
    KYMO_PLOT_CONFIG("bytes", k, KYMO_PLOT_BYTES | KYMO_PLOT_STEP, 0xff00ffu);
}

void values(float real, const float *reals, double wide, Mode mode, Level level, Wide far,
            const char *text, char *buffer, const Task *task, volatile int *place, Registers bits,
            void (*function)());
void values(float real, const float *reals, double wide, Mode mode, Level level, Wide far,
            const char *text, char *buffer, const Task *task, volatile int *place, Registers bits,
            void (*function)()) {
    char local[4] = "abc";
    constexpr int constant = 3;
    KYMO_MESSAGE("%f %g %e", real, reals[0], wide);
    KYMO_MESSAGE("%f %f %f %f %f %f %f", real, real, real, real, real, real, real * 2.0f);
    KYMO_MESSAGE("%s %s %s %s %s", text, buffer, "literal", local, KYMO_STRING("constant"));
    KYMO_MESSAGE("%p %p %p", static_cast<const void *>(task), static_cast<void *>(buffer), nullptr);
    KYMO_MESSAGE("%d %d %d", mode == on_mode, *place, constant);
    KYMO_MESSAGE("%u %d %lld", static_cast<unsigned>(mode), level, far);
    KYMO_MESSAGE("%u %u", bits.ready, bits.count);
    KYMO_MESSAGE_LEVEL(KYMO_LEVEL_ERROR, "%x %d", static_cast<unsigned>(mode), 7);
    KYMO_MESSAGE_COLORED(0x0000ffu, "%f", real);
    KYMO_MESSAGE_STACK(8, "%f", real);
    KYMO_MESSAGE_STACK(4u, "none");
    KYMO_PLOT("float", real);
    KYMO_PLOT("double", wide);
    KYMO_PLOT("mode", mode);
    KYMO_PLOT("level", level);
    KYMO_PLOT("far", far);
    KYMO_PLOT("bits", bits.count);
    (void)function;
}

void *memory(size_t bytes, void *old);
void *memory(size_t bytes, void *old) {
    int local;
    KYMO_ALLOC(heap, &local, sizeof local);
    KYMO_FREE(heap, &local);
    void *fresh = malloc(bytes);
    KYMO_ALLOC(firmware::heap, fresh, bytes);
    char *other = new char[4];
    KYMO_ALLOC(hidden_heap, other, bytes);
    delete[] other;
    KYMO_FREE(hidden_heap, other);
    void *moved = realloc(old, bytes);
    if (moved != nullptr) {
        KYMO_FREE(heap, old);
        KYMO_ALLOC(heap, moved, bytes);
    }
    free(moved);
    KYMO_FREE(heap, moved);
    KYMO_ALLOC_STACK(heap, moved, bytes, 4);
    KYMO_FREE_STACK(hidden_heap, moved, bytes < 8u ? 4u : 8u);
    return fresh;
}

void tasks(const Task *task, kymo_context number, int unused_value);
void tasks(const Task *task, kymo_context number, int unused_value) {
    const kymo_context before = KYMO_CONTEXT_SWITCH(task);
    KYMO_CONTEXT_SWITCH(number);
    (void)KYMO_CONTEXT_SWITCH(0u);
    (void)KYMO_CONTEXT_SWITCH(&timer);
    (void)KYMO_CONTEXT_SWITCH(&radio);
    kymo_context_end(number);
    kymo_context_switch(before);
    KYMO_LANE_NAME("lane");
    kymo_lane_name("lane");
    kymo_context_name(reinterpret_cast<kymo_context>(task), KYMO_CONTEXT_TASK, "task");
    KYMO_APP_INFO("info", 4u);
    kymo_app_info("info", 4u);
    KYMO_PLOT("used only here", unused_value);
}

extern "C" void handler();
extern "C" void handler() {
    KYMO_INTERRUPT(timer);
    KYMO_ZONE("in the handler");
}
extern "C" void handler_by_hand();
extern "C" void handler_by_hand() {
    const kymo_context before = kymo_interrupt_enter(8u);
    kymo_clock_keepalive();
    kymo_interrupt_leave(before);
}

int life(const kymo_transport *transport, const char *name, size_t budget);
int life(const kymo_transport *transport, const char *name, size_t budget) {
    kymo_init(transport, name);
    kymo_init(nullptr, "image");
    kymo_start();
    kymo_drain(64u);
    kymo_print("text", 4u);
    if (!kymo_print(name, budget)) {
        kymo_stop();
    }
    kymo_finish();
    while (kymo_pending()) {
        kymo_drain(0u);
    }
    return KYMO_PARAM_GET(gain) + KYMO_PARAM_GET(firmware::gain) > 0 &&
           KYMO_PARAM_GET(hidden_gain) > 0;
}
