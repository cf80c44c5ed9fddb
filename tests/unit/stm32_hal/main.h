/* SPDX-License-Identifier: MIT */
/* The part of ST's HAL that ports/vendor/stm32_hal.c uses, as in a project of CubeMX includes it by "main.h".
 * The pointers are those of the older families, to bytes that are not constant; the newer take both. */
#ifndef MAIN_H
#define MAIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { HAL_OK, HAL_ERROR, HAL_BUSY, HAL_TIMEOUT } HAL_StatusTypeDef;
typedef enum {
    HAL_UART_STATE_RESET = 0x00,
    HAL_UART_STATE_READY = 0x20,
    HAL_UART_STATE_BUSY_TX = 0x21,
    HAL_UART_STATE_BUSY_RX = 0x22,
} HAL_UART_StateTypeDef;

#define HAL_UART_ERROR_NONE 0x00u
#define HAL_UART_ERROR_ORE 0x08u
#define HAL_UART_ERROR_DMA 0x10u

typedef struct {
    uint32_t unused;
} DMA_HandleTypeDef;

typedef struct {
    DMA_HandleTypeDef *hdmatx;
    volatile HAL_UART_StateTypeDef gState;
    volatile HAL_UART_StateTypeDef RxState;
    volatile uint32_t ErrorCode;
} UART_HandleTypeDef;

HAL_StatusTypeDef HAL_UART_Transmit_IT(UART_HandleTypeDef *huart, uint8_t *pData, uint16_t Size);
HAL_StatusTypeDef HAL_UART_Transmit_DMA(UART_HandleTypeDef *huart, uint8_t *pData, uint16_t Size);
HAL_StatusTypeDef HAL_UART_Receive_IT(UART_HandleTypeDef *huart, uint8_t *pData, uint16_t Size);

#ifdef __cplusplus
}
#endif

#endif
