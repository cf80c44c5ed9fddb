/* SPDX-License-Identifier: MIT */
/* Model of TensorFlow Lite Micro's interface of profilers. */
#ifndef MODEL_TFLM_MICRO_PROFILER_INTERFACE_H
#define MODEL_TFLM_MICRO_PROFILER_INTERFACE_H

#include <stdint.h>

namespace tflite {

class MicroProfilerInterface {
  public:
    virtual ~MicroProfilerInterface() {}
    virtual uint32_t BeginEvent(const char *tag) = 0;
    virtual void EndEvent(uint32_t event_handle) = 0;
};

} // namespace tflite

#endif
