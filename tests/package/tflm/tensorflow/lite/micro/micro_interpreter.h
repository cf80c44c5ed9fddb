/* SPDX-License-Identifier: MIT */
/* Model of TensorFlow Lite Micro's interpreter: runs a network of three operators, the last of which runs two more,
 * each as an event of the profiler. */
#ifndef MODEL_TFLM_MICRO_INTERPRETER_H
#define MODEL_TFLM_MICRO_INTERPRETER_H

#include <stddef.h>

#include "tensorflow/lite/micro/micro_profiler_interface.h"

namespace tflite {

class MicroInterpreter {
  public:
    explicit MicroInterpreter(MicroProfilerInterface *profiler) : profiler_(profiler) {}
    void Invoke() {
        run("CONV_2D");
        run("CONV_2D");
        const uint32_t loop = profiler_->BeginEvent("WHILE");
        run("ADD");
        run("SOFTMAX");
        profiler_->EndEvent(loop);
    }
    size_t arena_used_bytes() const { return 85024u; }

  private:
    MicroProfilerInterface *const profiler_;

    void run(const char *name) { profiler_->EndEvent(profiler_->BeginEvent(name)); }
};

} // namespace tflite

#endif
