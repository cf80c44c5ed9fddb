/* SPDX-License-Identifier: MIT */
/* The profiler of TensorFlow Lite Micro: each operator becomes a zone, and the tensor arena a plot. C++11; needs
 * neither exceptions nor RTTI nor "delete". Build the runtime with KYMO_DYNAMIC_SITES=64 or more: one for each kind of
 * operator, and one for the arena.
 *
 *     static KymoTflmProfiler profiler;
 *     static tflite::MicroInterpreter interpreter(model, resolver, arena, sizeof arena, nullptr, &profiler);
 *     interpreter.AllocateTensors();
 *     kymo_tflm_arena(interpreter);
 *     ...
 *     { KYMO_ZONE("inference"); interpreter.Invoke(); }
 *
 * TensorFlow Lite Micro calls no profiler if it is built with TF_LITE_STRIP_ERROR_STRINGS, as by BUILD_TYPE=release of
 * its makefile: use BUILD_TYPE=release_with_logs there. */
#ifndef KYMO_TFLM_H
#define KYMO_TFLM_H

#include "kymo/kymo.h"
#include "tensorflow/lite/micro/compatibility.h"
#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/micro_profiler_interface.h"

/* One for each interpreter, which must run in one context at a time. An operator takes 16 bytes in the ring and 200
 * instructions more than a KYMO_ZONE(). Full: begin and end are both dropped, two lost events. */
class KymoTflmProfiler : public tflite::MicroProfilerInterface {
  public:
    KymoTflmProfiler() : depth_(0u) {}
    KymoTflmProfiler(const KymoTflmProfiler &) = delete;
    KymoTflmProfiler &operator=(const KymoTflmProfiler &) = delete;

    /* "tag" is the operator's name, which must stay valid and unchanged; NULL makes an unnamed zone. Any context. */
    uint32_t BeginEvent(const char *tag) override {
        if (depth_ == depth_max_) {
            return 0u;
        }
        zones_[depth_] = kymo_zone_begin(site(KYMO_SITE_ZONE, tag));
        return ++depth_;
    }

    /* Ends the event, and those begun after it that have not ended. Any context. */
    void EndEvent(uint32_t event) override {
        while (event != 0u && depth_ >= event) {
            kymo_zone_end(zones_[--depth_]);
        }
    }

    static const struct kymo_site *site(enum kymo_site_kind kind, const char *name) {
        struct kymo_site_text text = {};
        text.name = name;
        text.name_bytes = length(name);
        text.constant = KYMO_CONSTANT_NAME;
        text.kind = static_cast<uint8_t>(kind);
        text.detail = kind == KYMO_SITE_PLOT ? KYMO_PLOT_BYTES | KYMO_PLOT_STEP : 0u;
        return kymo_site_dynamic(&text);
    }

  protected:
    TF_LITE_REMOVE_VIRTUAL_DELETE

  private:
    /* Operators are nested only where one runs a subgraph (IF, WHILE, CALL_ONCE). */
    static constexpr uint32_t depth_max_ = 16u;
    kymo_zone zones_[depth_max_];
    uint32_t depth_;

    /* No strlen(): freestanding. */
    static uint16_t length(const char *text) {
        uint16_t bytes = 0u;
        while (text != nullptr && bytes < 255u && text[bytes] != '\0') {
            bytes++;
        }
        return bytes;
    }
};

/* Plots the bytes of the arena that the interpreter uses, as "tensor arena". Call it after AllocateTensors(), and
 * wherever they may have changed. 16 bytes. Any context. Full: dropped. */
inline void kymo_tflm_arena(const tflite::MicroInterpreter &interpreter) {
    kymo_plot_int(KymoTflmProfiler::site(KYMO_SITE_PLOT, "tensor arena"),
                  static_cast<int64_t>(interpreter.arena_used_bytes()));
}

#endif
