/* SPDX-License-Identifier: MIT */
/* Model of TensorFlow Lite Micro's header: a class without a "delete" of its own must not need the global one. */
#ifndef MODEL_TFLM_COMPATIBILITY_H
#define MODEL_TFLM_COMPATIBILITY_H

#define TF_LITE_REMOVE_VIRTUAL_DELETE                                                              \
    void operator delete(void *) {}

#endif
