/* A devicetree with one node, "device", which is the chosen kymo,uart. */
#ifndef TESTS_ZEPHYR_DEVICETREE_H
#define TESTS_ZEPHYR_DEVICETREE_H

#define DT_HAS_CHOSEN(property) 1
#define DT_CHOSEN(property) device

#endif
