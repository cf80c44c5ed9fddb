/* SPDX-License-Identifier: MIT */
/* Numbers of the bus and of the class, for the stack's own files. Documents:
 *   USB   "Universal Serial Bus Specification", revision 2.0, April 27, 2000
 *   CDC   "USB Class Definitions for Communications Devices", revision 1.2, November 3, 2010
 *   PSTN  "USB CDC Subclass Specification for PSTN Devices", revision 1.2, February 9, 2007 */
#ifndef KYMO_USB_CONSTANTS_H
#define KYMO_USB_CONSTANTS_H

/* bmRequestType: USB table 9-2 */
#define USB_REQUEST_IN 0x80u
#define USB_REQUEST_TYPE 0x60u
#define USB_REQUEST_STANDARD 0x00u
#define USB_REQUEST_CLASS 0x20u
#define USB_REQUEST_RECIPIENT 0x1fu
#define USB_TO_DEVICE 0u
#define USB_TO_INTERFACE 1u
#define USB_TO_ENDPOINT 2u

/* bRequest: USB table 9-4 */
enum {
    USB_GET_STATUS = 0,
    USB_CLEAR_FEATURE = 1,
    USB_SET_FEATURE = 3,
    USB_SET_ADDRESS = 5,
    USB_GET_DESCRIPTOR = 6,
    USB_GET_CONFIGURATION = 8,
    USB_SET_CONFIGURATION = 9,
    USB_GET_INTERFACE = 10,
    USB_SET_INTERFACE = 11,
};

/* Feature selectors: USB table 9-6. */
#define USB_FEATURE_ENDPOINT_HALT 0u

#define USB_STATUS_HALTED 1u  /* of an endpoint: USB figure 9-6 */
#define USB_ADDRESS_MOST 127u /* USB 9.4.6 */
#define USB_ENDPOINT_IN 0x80u /* bEndpointAddress: USB table 9-13 */

/* Descriptors: types of USB table 9-5, lengths of tables 9-8, 9-10, 9-12, 9-13. */
enum {
    USB_DESCRIPTOR_DEVICE = 1,
    USB_DESCRIPTOR_CONFIGURATION = 2,
    USB_DESCRIPTOR_STRING = 3,
    USB_DESCRIPTOR_INTERFACE = 4,
    USB_DESCRIPTOR_ENDPOINT = 5,
    USB_DESCRIPTOR_ASSOCIATION =
        11, /* "Interface Association Descriptors", an ECN of 2003 to USB 2.0 */
    USB_DEVICE_BYTES = 18,
    USB_CONFIGURATION_BYTES = 9,
    USB_INTERFACE_BYTES = 9,
    USB_ENDPOINT_BYTES = 7,
    USB_ASSOCIATION_BYTES = 8,
};
#define USB_POWER_BUS                                                                              \
    0x80u /* bmAttributes of a configuration: no power of its own, no remote wakeup */
#define USB_LANGUAGE_ENGLISH                                                                       \
    0x0409u /* "Language Identifiers (LANGIDs)" 1.0: English, United States */

/* Class, subclass and protocol of a device that has such associations (the same ECN). */
#define USB_CLASS_MISCELLANEOUS 0xefu
#define USB_SUBCLASS_COMMON 0x02u
#define USB_PROTOCOL_ASSOCIATION 0x01u

/* Classes, subclasses and protocols: CDC 4.1 to 4.7. */
#define CDC_CLASS 0x02u
#define CDC_SUBCLASS_ACM 0x02u
#define CDC_PROTOCOL_NONE 0x00u /* not a modem that takes AT commands: nobody shall try them */
#define CDC_DATA_CLASS 0x0au

/* Functional descriptors: CDC tables 12 and 13, 5.2.3; PSTN 5.3. */
enum {
    CDC_CS_INTERFACE = 0x24,
    CDC_HEADER = 0x00,
    CDC_CALL_MANAGEMENT = 0x01,
    CDC_ACM = 0x02,
    CDC_UNION = 0x06,
    CDC_HEADER_BYTES = 5,
    CDC_CALL_MANAGEMENT_BYTES = 5,
    CDC_ACM_BYTES = 4,
    CDC_UNION_BYTES = 5,
};
/* PSTN 5.3.2: the requests of the line's state and coding with SERIAL_STATE, and SEND_BREAK. */
#define CDC_ACM_LINE 0x02u
#define CDC_ACM_BREAK 0x04u

/* Requests to the communication interface: PSTN 6.3. */
enum {
    CDC_SET_LINE_CODING = 0x20,
    CDC_GET_LINE_CODING = 0x21,
    CDC_SET_CONTROL_LINE_STATE = 0x22,
    CDC_SEND_BREAK = 0x23,
    CDC_LINE_CODING_BYTES = 7, /* PSTN 6.3.11: rate in bit/s, stop bits, parity, data bits */
};
#define CDC_LINE_DTR 1u /* PSTN 6.3.12 */

/* Its notification: PSTN 6.5.4. */
#define CDC_SERIAL_STATE 0x20u
#define CDC_STATE_DCD 0x01u
#define CDC_STATE_DSR 0x02u
#define CDC_STATE_OVERRUN 0x40u

#endif
