/* SPDX-License-Identifier: MIT */
#include "virtio_net.h"

#include "kymo/bytes.h"

#include <stdatomic.h>

#include "mmio.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "virtio_net: queues are little-endian (VIRTIO 2.6.3.2); swapping is not there"
#endif

/* VIRTIO 4.2.2, table 4.1, and 4.2.4, table 4.2 (the legacy ones) */
enum {
    MAGIC = 0x000,
    VERSION = 0x004,
    DEVICE_ID = 0x008,
    DEVICE_FEATURES = 0x010,
    DEVICE_FEATURES_SELECT = 0x014,
    DRIVER_FEATURES = 0x020,
    DRIVER_FEATURES_SELECT = 0x024,
    LEGACY_PAGE_SIZE = 0x028,
    QUEUE_SELECT = 0x030,
    QUEUE_MOST = 0x034,
    QUEUE_SIZE = 0x038,
    LEGACY_QUEUE_ALIGN = 0x03c,
    LEGACY_QUEUE_PAGE = 0x040,
    QUEUE_READY = 0x044,
    QUEUE_NOTIFY = 0x050,
    INTERRUPT_STATUS = 0x060,
    INTERRUPT_ACKNOWLEDGE = 0x064,
    STATUS = 0x070,
    QUEUE_DESCRIPTORS = 0x080, /* two halves of 32 bits each, from here on */
    QUEUE_AVAILABLE = 0x090,
    QUEUE_USED = 0x0a0,
    CONFIGURATION = 0x100,
};
#define MAGIC_VALUE 0x74726976u
#define VERSION_LEGACY 1u
#define VERSION_MODERN 2u
#define DEVICE_NETWORK 1u /* section 5 */

/* Section 2.1 */
#define STATUS_ACKNOWLEDGE 1u
#define STATUS_DRIVER 2u
#define STATUS_DRIVER_OK 4u
#define STATUS_FEATURES_OK 8u
#define STATUS_FAILED 128u

/* Section 5.1.3 and section 6, as bits of their words of 32 */
#define FEATURES_0_MAC (1u << 5)
#define FEATURES_1_VERSION_1 (1u << (32 - 32))

/* Sections 2.6.5, 2.6.6 and 2.6.8 */
#define DESCRIPTOR_WRITE 2u
#define AVAILABLE_NO_INTERRUPT 1u
#define USED_NO_NOTIFY 1u

/* Section 5.1.2 */
enum { RECEIVE_QUEUE = 0, TRANSMIT_QUEUE = 1 };
#define LEGACY_HEAD_BYTES 10u
#define INDEX_MASK (KYMO_VIRTIO_NET_FRAMES - 1u)

static uint32_t get(const struct kymo_virtio_net *device, unsigned reg) {
    return mmio_get(device->base + reg);
}
static void put(const struct kymo_virtio_net *device, unsigned reg, uint32_t value) {
    mmio_put(device->base + reg, value);
}

/* ---- queues ---- */

/* Data for the device is written before the index that hands it over, and data from the device is
 * read after the index that gives it back: sections 2.6.13.2, 2.6.13.3, 2.6.14. As the compiler
 * does not know of the device, the shared words are accessed as volatile. */
static void order(void) { atomic_thread_fence(memory_order_seq_cst); }

static uint16_t load(const uint16_t *word) { return *(const volatile uint16_t *)word; }
static void store(uint16_t *word, uint16_t value) { *(volatile uint16_t *)word = value; }

/* The stack's view of a buffer: the frame after the header, of either length. */
static uint8_t *frame_of(struct kymo_virtio_net_queue *queue, uint16_t id) {
    return queue->buffers[id] + KYMO_VIRTIO_NET_HEAD_BYTES;
}

static void offer(const struct kymo_virtio_net *device, struct kymo_virtio_net_queue *queue,
                  unsigned number, uint16_t id, uint32_t frame_bytes) {
    const uint16_t index = queue->available.index;
    queue->descriptors[id].length = device->head_bytes + frame_bytes;
    store(&queue->available.ring[index & INDEX_MASK], id);
    order();
    store(&queue->available.index, (uint16_t)(index + 1u));
    order();
    if ((load(&queue->used.flags) & USED_NO_NOTIFY) == 0u) {
        put(device, QUEUE_NOTIFY, number);
    }
}

static bool has_used(const struct kymo_virtio_net_queue *queue) {
    if (load(&queue->used.index) == queue->seen) {
        return false;
    }
    order();
    return true;
}

static uint16_t oldest_used(const struct kymo_virtio_net_queue *queue) {
    return (uint16_t)(queue->used.ring[queue->seen & INDEX_MASK].id & INDEX_MASK);
}

/* ---- the link ---- */

static uint8_t *claim(void *context) {
    struct kymo_virtio_net *device = context;
    struct kymo_virtio_net_queue *queue = &device->transmit;
    while (device->free_count < KYMO_VIRTIO_NET_FRAMES && has_used(queue)) {
        device->free_buffers[device->free_count++] = oldest_used(queue);
        queue->seen++;
    }
    return device->free_count != 0u ? frame_of(queue, device->free_buffers[device->free_count - 1u])
                                    : NULL;
}

static void send(void *context, size_t length) {
    struct kymo_virtio_net *device = context;
    if (device->free_count != 0u && length <= KYMO_NET_FRAME_BYTES) {
        const uint16_t id = device->free_buffers[--device->free_count];
        offer(device, &device->transmit, TRANSMIT_QUEUE, id, (uint32_t)length);
    }
}

static const uint8_t *receive(void *context, size_t *length) {
    struct kymo_virtio_net *device = context;
    struct kymo_virtio_net_queue *queue = &device->receive;
    if (!has_used(queue)) {
        return NULL;
    }
    const uint32_t bytes = queue->used.ring[queue->seen & INDEX_MASK].length;
    *length = bytes >= device->head_bytes ? bytes - device->head_bytes : 0u;
    if (*length > KYMO_NET_FRAME_BYTES) {
        *length = 0u;
    }
    return frame_of(queue, oldest_used(queue));
}

static void release(void *context) {
    struct kymo_virtio_net *device = context;
    struct kymo_virtio_net_queue *queue = &device->receive;
    if (has_used(queue)) {
        const uint16_t id = oldest_used(queue);
        queue->seen++;
        offer(device, queue, RECEIVE_QUEUE, id, KYMO_NET_FRAME_BYTES);
    }
}

/* ---- setting up: section 3.1.1 ---- */

static void put_address(const struct kymo_virtio_net *device, unsigned reg, const void *place) {
    const uint64_t address = (uintptr_t)place;
    put(device, reg, (uint32_t)address);
    put(device, reg + 4u, (uint32_t)(address >> 32));
}

/* Buffers keep their descriptors for ever. The header of a frame to send is zero: no offload
 * (section 5.1.6.2). */
static void fill_queue(const struct kymo_virtio_net *device, struct kymo_virtio_net_queue *queue,
                       unsigned number) {
    queue->available.index = 0u;
    queue->available.flags = AVAILABLE_NO_INTERRUPT;
    queue->used.index = 0u;
    queue->used.flags = 0u;
    queue->seen = 0u;
    for (uint16_t id = 0u; id < KYMO_VIRTIO_NET_FRAMES; id++) {
        uint8_t *header = frame_of(queue, id) - device->head_bytes;
        kymo_put_zeros(header, device->head_bytes);
        queue->descriptors[id].address = (uintptr_t)header;
        queue->descriptors[id].flags = number == RECEIVE_QUEUE ? DESCRIPTOR_WRITE : 0u;
    }
}

/* Sections 4.2.3.2 and 4.2.4 */
static bool set_up_queue(const struct kymo_virtio_net *device, struct kymo_virtio_net_queue *queue,
                         unsigned number) {
    put(device, QUEUE_SELECT, number);
    if (get(device, QUEUE_MOST) < KYMO_VIRTIO_NET_FRAMES) {
        return false;
    }
    fill_queue(device, queue, number);
    put(device, QUEUE_SIZE, KYMO_VIRTIO_NET_FRAMES);
    if (device->head_bytes == LEGACY_HEAD_BYTES) {
        const uintptr_t page = (uintptr_t)queue / KYMO_VIRTIO_NET_PAGE_BYTES;
        put(device, LEGACY_QUEUE_ALIGN, KYMO_VIRTIO_NET_PAGE_BYTES);
        put(device, LEGACY_QUEUE_PAGE, (uint32_t)page);
        return page <= UINT32_MAX;
    }
    put_address(device, QUEUE_DESCRIPTORS, queue->descriptors);
    put_address(device, QUEUE_AVAILABLE, &queue->available);
    put_address(device, QUEUE_USED, &queue->used);
    put(device, QUEUE_READY, 1u);
    return true;
}

/* The only features taken: the device's own address, and in version 2 that it is that. */
static bool agree_on_features(const struct kymo_virtio_net *device) {
    put(device, DEVICE_FEATURES_SELECT, 0u);
    if ((get(device, DEVICE_FEATURES) & FEATURES_0_MAC) == 0u) {
        return false;
    }
    put(device, DRIVER_FEATURES_SELECT, 0u);
    put(device, DRIVER_FEATURES, FEATURES_0_MAC);
    if (device->head_bytes == LEGACY_HEAD_BYTES) {
        put(device, LEGACY_PAGE_SIZE, KYMO_VIRTIO_NET_PAGE_BYTES);
        return true;
    }
    put(device, DRIVER_FEATURES_SELECT, 1u);
    put(device, DRIVER_FEATURES, FEATURES_1_VERSION_1);
    put(device, STATUS, STATUS_ACKNOWLEDGE | STATUS_DRIVER | STATUS_FEATURES_OK);
    return (get(device, STATUS) & STATUS_FEATURES_OK) != 0u;
}

static void start_link(struct kymo_virtio_net *device) {
    kymo_put_zeros(&device->link, sizeof device->link);
    device->link.claim = claim;
    device->link.send = send;
    device->link.receive = receive;
    device->link.release = release;
    device->link.context = device;
    for (unsigned i = 0u; i < KYMO_NET_MAC_BYTES; i++) {
        device->link.mac[i] = mmio_get8(device->base + CONFIGURATION + i); /* section 5.1.4 */
    }
    for (uint16_t id = 0u; id < KYMO_VIRTIO_NET_FRAMES; id++) {
        device->free_buffers[id] = id;
        offer(device, &device->receive, RECEIVE_QUEUE, id, KYMO_NET_FRAME_BYTES);
    }
    device->free_count = KYMO_VIRTIO_NET_FRAMES;
}

bool kymo_virtio_net_init(struct kymo_virtio_net *device, uintptr_t base) {
    device->base = base;
    const uint32_t version = get(device, VERSION);
    if (get(device, MAGIC) != MAGIC_VALUE ||
        (version != VERSION_LEGACY && version != VERSION_MODERN) ||
        get(device, DEVICE_ID) != DEVICE_NETWORK) {
        return false;
    }
    device->head_bytes = version == VERSION_LEGACY ? LEGACY_HEAD_BYTES : KYMO_VIRTIO_NET_HEAD_BYTES;
    put(device, STATUS, 0u);
    put(device, STATUS, STATUS_ACKNOWLEDGE);
    put(device, STATUS, STATUS_ACKNOWLEDGE | STATUS_DRIVER);
    if (!agree_on_features(device) || !set_up_queue(device, &device->receive, RECEIVE_QUEUE) ||
        !set_up_queue(device, &device->transmit, TRANSMIT_QUEUE)) {
        put(device, STATUS, STATUS_FAILED);
        return false;
    }
    put(device, STATUS, get(device, STATUS) | STATUS_DRIVER_OK);
    start_link(device);
    return true;
}

void kymo_virtio_net_interrupts(struct kymo_virtio_net *device, bool on) {
    store(&device->receive.available.flags, (uint16_t)(on ? 0u : AVAILABLE_NO_INTERRUPT));
    order();
}

void kymo_virtio_net_acknowledge(const struct kymo_virtio_net *device) {
    put(device, INTERRUPT_ACKNOWLEDGE, get(device, INTERRUPT_STATUS));
}
