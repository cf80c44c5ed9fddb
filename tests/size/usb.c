/* What an image with a serial port on USB has in RAM; for usb.sh. */
#include "usb_cdc.h"
#include "usb_dwc2.h"
#include "usb_rp2040.h"

extern struct usb_cdc port;
extern struct usb_dwc2 dwc2;
extern struct usb_rp2040 rp2040;

struct usb_cdc port;
struct usb_dwc2 dwc2;
struct usb_rp2040 rp2040;
