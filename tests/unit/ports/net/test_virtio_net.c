/* SPDX-License-Identifier: MIT */
/* The driver of virtio-net against a model of the device, by VIRTIO 1.1, in both register
 * layouts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "virtio_net.h"

#define BASE 0x10001000u
#define SLOTS KYMO_VIRTIO_NET_FRAMES

uint32_t mmio_get(uintptr_t address);
uint8_t mmio_get8(uintptr_t address);
void mmio_put(uintptr_t address, uint32_t value);

/* A queue as the device sees it: section 2.6. */
struct queue {
    uint32_t size, align, page, ready;
    uint64_t descriptors, available, used;
    uint16_t taken; /* of the available ring */
    uint32_t notified;
};

static struct {
    uint32_t magic, version, id, features[2];
    uint32_t most; /* entries of a queue */
    bool refuses;  /* the features */
    uint32_t driver_features[2], features_select, queue_select, page_size;
    uint32_t status, statuses; /* and how often it was written */
    uint32_t interrupt, acknowledged;
    struct queue queues[2];
} model;

/* The legacy layout gives the number of a page in 32 bits, so the driver's memory is at a low
 * address. */
#define LOW ((void *)0x20000000)
static struct kymo_virtio_net *device;

static struct queue *selected(void) {
    assert_true(model.queue_select < 2);
    return &model.queues[model.queue_select];
}

uint8_t mmio_get8(uintptr_t address) {
    assert_in_range(address - BASE, 0x100, 0x105);
    return (uint8_t)(0x50 + address - BASE - 0x100);
}

uint32_t mmio_get(uintptr_t address) {
    switch (address - BASE) {
    case 0x000:
        return model.magic;
    case 0x004:
        return model.version;
    case 0x008:
        return model.id;
    case 0x010:
        return model.features[model.features_select & 1u];
    case 0x034:
        return model.most;
    case 0x060:
        return model.interrupt;
    case 0x070:
        return model.status;
    default:
        fail_msg("register %#x is not to be read", (unsigned)(address - BASE));
        return 0;
    }
}

static void put_half(uint64_t *whole, uintptr_t reg, uint32_t value) {
    const unsigned shift = (reg & 4u) * 8u;
    *whole = (*whole & ~((uint64_t)0xffffffffu << shift)) | (uint64_t)value << shift;
}

static void put_queue(uintptr_t reg, uint32_t value) {
    struct queue *queue = selected();
    switch (reg) {
    case 0x038:
        queue->size = value;
        break;
    case 0x03c:
        queue->align = value;
        break;
    case 0x040:
        queue->page = value;
        break;
    case 0x044:
        queue->ready = value;
        break;
    case 0x080:
    case 0x084:
        put_half(&queue->descriptors, reg, value);
        break;
    case 0x090:
    case 0x094:
        put_half(&queue->available, reg, value);
        break;
    case 0x0a0:
    case 0x0a4:
        put_half(&queue->used, reg, value);
        break;
    default:
        fail_msg("register %#x is not to be written", (unsigned)reg);
    }
    const bool of_legacy = reg == 0x03c || reg == 0x040;
    assert_true(reg == 0x038 || of_legacy == (model.version == 1));
}

void mmio_put(uintptr_t address, uint32_t value) {
    switch (address - BASE) {
    case 0x014:
        model.features_select = value;
        break;
    case 0x020:
        model.driver_features[model.features_select & 1u] = value;
        break;
    case 0x024:
        model.features_select = value;
        break;
    case 0x028:
        model.page_size = value;
        break;
    case 0x030:
        model.queue_select = value;
        break;
    case 0x050:
        assert_true(value < 2 && (model.status & 4u) != 0);
        model.queues[value].notified++;
        break;
    case 0x064:
        model.acknowledged = value;
        break;
    case 0x070:
        model.status = model.refuses ? value & ~8u : value;
        model.statuses++;
        break;
    default:
        put_queue(address - BASE, value);
    }
}

/* ---- the device's side ---- */

struct descriptor {
    uint64_t address;
    uint32_t length;
    uint16_t flags, next;
};

/* Section 2.6.2: the places of the legacy layout. */
static void locate(struct queue *queue) {
    if (model.version == 1) {
        queue->descriptors = (uint64_t)queue->page * model.page_size;
        queue->available = queue->descriptors + 16u * queue->size;
        queue->used = (queue->available + 6u + 2u * queue->size + queue->align - 1u) /
                      queue->align * queue->align;
    }
}

static uint16_t word(uint64_t address) {
    uint16_t value;
    memcpy(&value, (const void *)(uintptr_t)address, sizeof value);
    return value;
}

static uint32_t waiting(unsigned number) {
    struct queue *queue = &model.queues[number];
    locate(queue);
    return (uint16_t)(word(queue->available + 2) - queue->taken);
}

static uint16_t take(unsigned number, struct descriptor *descriptor) {
    struct queue *queue = &model.queues[number];
    assert_true(waiting(number) > 0);
    const uint16_t id = word(queue->available + 4 + 2u * (queue->taken++ % queue->size));
    assert_true(id < queue->size);
    memcpy(descriptor, (const void *)(uintptr_t)(queue->descriptors + 16u * id),
           sizeof *descriptor);
    return id;
}

static void give_back(unsigned number, uint16_t id, uint32_t length) {
    struct queue *queue = &model.queues[number];
    const uint16_t index = word(queue->used + 2), next = (uint16_t)(index + 1u);
    const uint32_t element[2] = {id, length};
    memcpy((void *)(uintptr_t)(queue->used + 4 + 8u * (index % queue->size)), element,
           sizeof element);
    memcpy((void *)(uintptr_t)(queue->used + 2), &next, sizeof next);
}

static uint32_t head_bytes(void) { return model.version == 1 ? 10 : 12; }

/* A frame arrives at the board. */
static void deliver(const char *frame, uint32_t length) {
    struct descriptor descriptor;
    const uint16_t id = take(0, &descriptor);
    assert_int_equal(descriptor.flags, 2); /* for the device to write */
    assert_int_equal(descriptor.length, head_bytes() + KYMO_NET_FRAME_BYTES);
    memcpy((char *)(uintptr_t)descriptor.address + head_bytes(), frame, length);
    give_back(0, id, head_bytes() + length);
}

/* ---- tests ---- */

static void reset(uint32_t version) {
    memset(&model, 0, sizeof model);
    memset(device, 0xee, sizeof *device); /* memory need not be zero */
    model.magic = 0x74726976;
    model.version = version;
    model.id = 1;
    model.features[0] = 0xffffffff;
    model.features[1] = 0xffffffff;
    model.most = 1024;
}

static int start(uint32_t version) {
    reset(version);
    assert_true(kymo_virtio_net_init(device, BASE));
    return 0;
}

static int start_legacy(void **state) {
    (void)state;
    return start(1);
}

static int start_modern(void **state) {
    (void)state;
    return start(2);
}

static void the_device_is_set_up(void **state) {
    (void)state;
    static const uint8_t mac[] = {0x50, 0x51, 0x52, 0x53, 0x54, 0x55};
    const bool modern = model.version == 2;
    assert_memory_equal(kymo_virtio_net_link(device)->mac, mac, 6);
    assert_int_equal(model.status, modern ? 15 : 7);
    assert_int_equal(model.driver_features[0], 1u << 5);        /* VIRTIO_NET_F_MAC */
    assert_int_equal(model.driver_features[1], modern ? 1 : 0); /* VIRTIO_F_VERSION_1 */
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(model.queues[i].size, SLOTS);
        assert_int_equal(model.queues[i].ready, modern ? 1 : 0);
        locate(&model.queues[i]);
        assert_int_equal(model.queues[i].descriptors % 16, 0);
        assert_int_equal(word(model.queues[i].available), 1); /* no interrupts */
    }
    assert_int_equal(waiting(0), SLOTS);
    assert_int_equal(waiting(1), 0);
    assert_true(model.queues[0].notified > 0);
}

static void frames_arrive_in_order(void **state) {
    (void)state;
    const struct kymo_net_link *link = kymo_virtio_net_link(device);
    size_t length;
    for (unsigned round = 0; round < 100; round++) {
        const char first[] = {'a', (char)round}, second[] = {'b', (char)round, 'c'};
        assert_null(link->receive(link->context, &length));
        deliver(first, 2);
        deliver(second, 3);
        assert_memory_equal(link->receive(link->context, &length), first, 2);
        assert_memory_equal(link->receive(link->context, &length), first, 2); /* until released */
        assert_int_equal(length, 2);
        link->release(link->context);
        assert_memory_equal(link->receive(link->context, &length), second, 3);
        assert_int_equal(length, 3);
        link->release(link->context);
        assert_int_equal(waiting(0), SLOTS);
    }
}

static void frames_leave_as_they_were_written(void **state) {
    (void)state;
    const struct kymo_net_link *link = kymo_virtio_net_link(device);
    for (unsigned round = 0; round < 100; round++) {
        struct descriptor descriptor;
        uint8_t *frame = link->claim(link->context);
        assert_non_null(frame);
        assert_ptr_equal(link->claim(link->context), frame);
        memset(frame, (int)round, 60);
        link->send(link->context, 60);
        assert_int_equal(model.queues[1].notified, round + 1);
        const uint16_t id = take(1, &descriptor);
        static const uint8_t zeros[12];
        assert_int_equal(descriptor.flags, 0);
        assert_int_equal(descriptor.length, head_bytes() + 60);
        assert_memory_equal((const void *)(uintptr_t)descriptor.address, zeros, head_bytes());
        assert_ptr_equal((const uint8_t *)(uintptr_t)descriptor.address + head_bytes(), frame);
        give_back(1, id, 0);
    }
}

/* The device may give buffers back in any order. */
static void there_are_so_many_buffers_and_no_more(void **state) {
    (void)state;
    const struct kymo_net_link *link = kymo_virtio_net_link(device);
    uint16_t ids[SLOTS];
    struct descriptor descriptor;
    for (unsigned round = 0; round < 5; round++) {
        for (unsigned i = 0; i < SLOTS; i++) {
            assert_non_null(link->claim(link->context));
            link->send(link->context, 60 + i);
            ids[i] = take(1, &descriptor);
            for (unsigned j = 0; j < i; j++) {
                assert_int_not_equal(ids[i], ids[j]);
            }
        }
        assert_null(link->claim(link->context));
        for (unsigned i = SLOTS; i-- > 0;) {
            give_back(1, ids[i], 0);
        }
    }
    assert_non_null(link->claim(link->context));
}

static void a_device_that_wants_no_notice_gets_none(void **state) {
    (void)state;
    const struct kymo_net_link *link = kymo_virtio_net_link(device);
    static const uint16_t no_notice = 1;
    locate(&model.queues[1]);
    memcpy((void *)(uintptr_t)model.queues[1].used, &no_notice, sizeof no_notice);
    assert_non_null(link->claim(link->context));
    link->send(link->context, 60);
    assert_int_equal(model.queues[1].notified, 0);
    assert_int_equal(waiting(1), 1);
}

static void lengths_of_a_mad_device_are_not_believed(void **state) {
    (void)state;
    const struct kymo_net_link *link = kymo_virtio_net_link(device);
    static const uint32_t lengths[] = {0, 9, KYMO_NET_FRAME_BYTES + 13, 0xffffffff};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct descriptor descriptor;
        size_t length = 1;
        give_back(0, take(0, &descriptor), lengths[i]);
        assert_non_null(link->receive(link->context, &length));
        assert_int_equal(length, 0);
        link->release(link->context);
    }
    struct descriptor descriptor;
    size_t length;
    (void)take(0, &descriptor);
    give_back(0, 0xffff, 60); /* no such buffer */
    const uint8_t *frame = link->receive(link->context, &length);
    assert_true(frame >= (const uint8_t *)device &&
                frame + length <= (const uint8_t *)(device + 1));
}

static void interrupts_are_off_until_asked_for(void **state) {
    (void)state;
    locate(&model.queues[0]);
    locate(&model.queues[1]);
    kymo_virtio_net_interrupts(device, true);
    assert_int_equal(word(model.queues[0].available), 0);
    assert_int_equal(word(model.queues[1].available), 1);
    model.interrupt = 3;
    kymo_virtio_net_acknowledge(device);
    assert_int_equal(model.acknowledged, 3);
    kymo_virtio_net_interrupts(device, false);
    assert_int_equal(word(model.queues[0].available), 1);
}

static void other_devices_are_left_alone(void **state) {
    (void)state;
    uint32_t *const fields[] = {&model.magic, &model.version, &model.id};
    static const uint32_t values[] = {0x74726977, 3, 2};
    for (size_t i = 0; i < 3; i++) {
        reset(2);
        *fields[i] = values[i];
        assert_false(kymo_virtio_net_init(device, BASE));
        assert_int_equal(model.statuses, 0);
    }
}

static void a_device_that_cannot_be_used_is_marked_as_failed(void **state) {
    (void)state;
    for (unsigned why = 0; why < 3; why++) {
        reset(2);
        model.features[0] = why == 0 ? 0 : model.features[0]; /* without an address of its own */
        model.refuses = why == 1;
        model.most = why == 2 ? SLOTS - 1 : model.most;
        assert_false(kymo_virtio_net_init(device, BASE));
        assert_int_equal(model.status, 128);
    }
}

#define BOTH(test)                                                                                 \
    {#test ", legacy", test, start_legacy, NULL, NULL}, {                                          \
#test ", version 2", test, start_modern, NULL, NULL                                        \
    }

int main(void) {
    device = mmap(LOW, sizeof *device, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (device == MAP_FAILED) {
        return EXIT_FAILURE;
    }
    const struct CMUnitTest tests[] = {
        BOTH(the_device_is_set_up),
        BOTH(frames_arrive_in_order),
        BOTH(frames_leave_as_they_were_written),
        BOTH(there_are_so_many_buffers_and_no_more),
        BOTH(a_device_that_wants_no_notice_gets_none),
        BOTH(lengths_of_a_mad_device_are_not_believed),
        BOTH(interrupts_are_off_until_asked_for),
        cmocka_unit_test(other_devices_are_left_alone),
        cmocka_unit_test(a_device_that_cannot_be_used_is_marked_as_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
