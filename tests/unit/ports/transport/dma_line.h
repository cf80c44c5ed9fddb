/* SPDX-License-Identifier: MIT */
/* The common part of the models of UARTs that a DMA feeds: it fetches each byte only when the
 * line is ready for it, like the chips, so a byte that is written too early is seen. */
#ifndef DMA_LINE_H
#define DMA_LINE_H

#include "uart_contract.h"

struct dma_line {
    struct uart_line line;
    const uint8_t *ring; /* of the driver: all that the DMA may read */
    uint32_t ring_bytes;
    void (*ended)(void); /* the DMA has fetched its piece */
    const uint8_t *at;
    uint32_t left;
    bool running;
    bool feeding;
    uint32_t pieces;
    unsigned accesses, writes; /* of registers, by the driver */
    /* Effects of any access, once "random" is not 0: bytes go out, and the interrupt
     * preempts. */
    uint32_t random;
    bool handling;
    bool (*interrupts)(void);
    unsigned (*cause)(void);
};
extern struct dma_line dma;

/* Everything new; "depth" is that of the UART's FIFO. */
void dma_line_reset(unsigned depth, const uint8_t *ring, uint32_t ring_bytes, void (*ended)(void));

/* The DMA fetches from "address", the lower half of a pointer, from now on. */
void dma_line_start(uint32_t address, uint32_t count);

/* A bus error: the piece stops where it is. Returns how many of its bytes were not fetched. */
uint32_t dma_line_stop(void);

/* Each access of the driver's to a register begins with this. */
void dma_line_access(bool writing);

/* Tests, with the driver's contract as their state. All of some hundred streams of bytes arrive,
 * whatever goes out before whichever access to a register, by polling, or with the interrupt
 * coming there. */
void dma_keeps_every_byte(void **contract);
/* A piece's end, polled, is no cause for a handler and starts nothing there, as that may have
 * interrupted a write; "idle" then sees it. */
void dma_is_left_alone_by_a_receive_interrupt(void **contract);

#define DMA_CONTRACT_TESTS(set_up, contract)                                                       \
    UART_TEST(dma_keeps_every_byte, set_up, contract),                                             \
        UART_TEST(dma_is_left_alone_by_a_receive_interrupt, set_up, contract),                     \
        UART_TEST(uart_never_waits, set_up, contract),                                             \
        UART_TEST(uart_is_idle_when_all_is_out, set_up, contract),                                 \
        UART_TEST(uart_sends_by_interrupt, set_up, contract),                                      \
        UART_TEST(uart_goes_on_after_silence, set_up, contract),                                   \
        UART_TEST(uart_tells_of_received_bytes, set_up, contract)

#endif
