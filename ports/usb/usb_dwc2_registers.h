/* SPDX-License-Identifier: MIT */
/* Registers of the DWC2 core and their bits, as far as the driver uses them: RM0090, 34.16 "OTG_FS control and
 * status registers"; what says RM0390 is of its chapter 31. */
#ifndef KYMO_USB_DWC2_REGISTERS_H
#define KYMO_USB_DWC2_REGISTERS_H

#define GOTGCTL 0x000u
#define GOTGCTL_BVALOEN (1u << 6) /* RM0390: the cable counts as there */
#define GOTGCTL_BVALOVAL (1u << 7)
#define GOTGINT 0x004u
#define GOTGINT_SEDET (1u << 2) /* the cable is out */
#define GAHBCFG 0x008u
#define GAHBCFG_GINT (1u << 0)
#define GUSBCFG 0x00cu
#define GUSBCFG_PHYSEL (1u << 6)
#define GUSBCFG_TRDT_SHIFT 10u
#define GUSBCFG_FDMOD (1u << 30)
#define GRSTCTL 0x010u
#define GRSTCTL_CSRST (1u << 0)
#define GRSTCTL_RXFFLSH (1u << 4)
#define GRSTCTL_TXFFLSH (1u << 5)
#define GRSTCTL_TXFNUM_SHIFT 6u
#define GRSTCTL_TXFNUM_ALL 0x10u
#define GRSTCTL_AHBIDL (1u << 31)
#define GINTSTS 0x014u
#define GINTMSK 0x018u
#define INT_HOST_MODE (1u << 0) /* CMOD */
#define INT_OTG (1u << 2)
#define INT_RXFLVL (1u << 4)
#define INT_USBSUSP (1u << 11)
#define INT_USBRST (1u << 12)
#define INT_IEP (1u << 18)
#define INT_WKUP (1u << 31)
#define INT_ALL (INT_OTG | INT_RXFLVL | INT_USBSUSP | INT_USBRST | INT_IEP | INT_WKUP)
#define GRXSTSP 0x020u
#define GRXSTSP_ENDPOINT 0xfu
#define GRXSTSP_BYTES_SHIFT 4u
#define GRXSTSP_BYTES 0x7ffu
#define GRXSTSP_STATUS_SHIFT 17u
#define GRXSTSP_STATUS 0xfu
#define GRXFSIZ 0x024u
#define DIEPTXF0 0x028u
#define GCCFG 0x038u
#define GCCFG_PWRDWN (1u << 16) /* set: the transceiver is on */
#define GCCFG_VBUSBSEN (1u << 19)
#define GCCFG_NOVBUSSENS (1u << 21)
#define GCCFG_VBDEN (1u << 21) /* RM0390 */
#define DIEPTXF 0x100u         /* and 4 bytes for each IN endpoint from 1 on */
#define DCFG 0x800u
#define DCFG_FULL_SPEED 3u
#define DCFG_ADDRESS_SHIFT 4u
#define DCFG_ADDRESS (0x7fu << DCFG_ADDRESS_SHIFT)
#define DCTL 0x804u
#define DCTL_SDIS (1u << 1)
#define DSTS 0x808u
#define DSTS_SUSPSTS (1u << 0)
#define DIEPMSK 0x810u
#define DAINT 0x818u
#define DAINTMSK 0x81cu
#define DAINT_IN_ALL 0xfu
#define DIEP 0x900u /* registers of the IN endpoints, 0x20 bytes each; then the same of OUT */
#define DOEP 0xb00u
#define EP_CTL 0x00u
#define EP_INT 0x08u
#define EP_TSIZ 0x10u
#define PCGCCTL 0xe00u
#define FIFO 0x1000u /* 4 KiB of addresses for each endpoint */

/* DIEPCTL, DOEPCTL */
#define CTL_USBAEP (1u << 15)
#define CTL_NAKSTS (1u << 17)
#define CTL_TYPE_SHIFT 18u
#define CTL_STALL (1u << 21)
#define CTL_TXFNUM_SHIFT 22u
#define CTL_CNAK (1u << 26)
#define CTL_SNAK (1u << 27)
#define CTL_SD0PID (1u << 28)
#define CTL_EPDIS (1u << 30)
#define CTL_EPENA (1u << 31)
/* DIEPINT, DIEPMSK */
#define EP_XFRC (1u << 0)
#define EP_EPDISD (1u << 1)
#define EP_INEPNE (1u << 6)
/* DIEPTSIZ, DOEPTSIZ */
#define TSIZ_PACKET (1u << 19)
#define TSIZ_SETUPS (3u << 29) /* of endpoint 0: as many SETUP packets may come in a row */

/* GRXSTSP: what is next in the receive FIFO (34.17.6 "Packet read"). */
enum { RX_OUT_DATA = 2, RX_OUT_DONE = 3, RX_SETUP_DONE = 4, RX_SETUP_DATA = 6 };

#endif
