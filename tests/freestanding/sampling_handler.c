/* SPDX-License-Identifier: MIT */
/* A function after KYMO_CORTEXM_SAMPLING_HANDLER: the compiler believes that it is still in the section it was in. */
#include "kymo/kymo.h"
#include "kymo_cortexm_sample.h"

uint32_t behind(uint32_t number);

KYMO_CORTEXM_SAMPLING_HANDLER(TIM2_IRQHandler, take_sample);
void take_sample(const struct kymo_interrupted *at) { (void)kymo_sample(at); }
uint32_t behind(uint32_t number) { return number + 1u; }
