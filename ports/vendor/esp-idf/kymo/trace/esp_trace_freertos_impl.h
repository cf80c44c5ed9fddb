/* SPDX-License-Identifier: MIT */
/* FreeRTOSConfig.h of ESP-IDF 6.1 and later includes this by esp_trace_freertos.h, where an external library traces. */
#ifndef KYMO_ESP_TRACE_FREERTOS_IMPL_H
#define KYMO_ESP_TRACE_FREERTOS_IMPL_H

#include "kymo_freertos.h"

#endif
