/* SPDX-License-Identifier: MIT */
#ifndef MODEL_ESP_CPU_H
#define MODEL_ESP_CPU_H

#include <stdint.h>

uint32_t esp_cpu_get_cycle_count(void);

#endif
