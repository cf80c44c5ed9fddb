/* SPDX-License-Identifier: MIT */
/* Included in front of every C file of ESP-IDF's component "freertos" (CMakeLists.txt), whose
 * FreeRTOS.h takes hooks that are defined already: no setting of all releases of ESP-IDF does. */
#ifndef KYMO_FREERTOS_HOOKS_H
#define KYMO_FREERTOS_HOOKS_H

void kymo_esp_switched_in(void);
void kymo_esp_task_created(void *task);
void kymo_esp_task_deleted(void *task);

#define traceTASK_SWITCHED_IN() kymo_esp_switched_in()
#define traceTASK_CREATE(task) kymo_esp_task_created(task)
#define traceTASK_DELETE(task) kymo_esp_task_deleted(task)

#endif
