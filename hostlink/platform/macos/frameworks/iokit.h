/* SPDX-License-Identifier: MIT */
/* The part of IOKit and CoreFoundation that hostlink uses, in our own words: for a compiler without Apple's headers
 * of frameworks. packaging/frameworks.sh makes the linker's input from it. */
#ifndef HOSTLINK_FRAMEWORKS_IOKIT_H
#define HOSTLINK_FRAMEWORKS_IOKIT_H

#include <stdint.h>
#include <sys/ioctl.h>
#include <termios.h>

typedef const void *CFTypeRef;
typedef const struct __CFString *CFStringRef;
typedef const struct __CFNumber *CFNumberRef;
typedef const struct __CFAllocator *CFAllocatorRef;
typedef const struct __CFDictionary *CFDictionaryRef;
typedef struct __CFDictionary *CFMutableDictionaryRef;
typedef unsigned long CFTypeID;
typedef long CFIndex, CFNumberType;
typedef unsigned char Boolean;
typedef uint32_t CFStringEncoding;
#define CFSTR(text) ((CFStringRef)__builtin___CFStringMakeConstantString("" text ""))
enum { kCFNumberSInt64Type = 4 };
#define kCFStringEncodingUTF8 0x08000100u
CFTypeID CFGetTypeID(CFTypeRef);
CFTypeID CFStringGetTypeID(void);
CFTypeID CFNumberGetTypeID(void);
Boolean CFStringGetCString(CFStringRef, char *, CFIndex, CFStringEncoding);
Boolean CFNumberGetValue(CFNumberRef, CFNumberType, void *);
void CFRelease(CFTypeRef);

typedef unsigned int mach_port_t;
typedef mach_port_t io_object_t, io_iterator_t, io_registry_entry_t;
typedef int kern_return_t;
typedef uint32_t IOOptionBits;
typedef char io_name_t[128];
#define KERN_SUCCESS 0
#define kIOServicePlane "IOService"
#define kIORegistryIterateRecursively 1u
#define kIORegistryIterateParents 2u
#define kIOSerialBSDServiceValue "IOSerialBSDClient"
#define kIOCalloutDeviceKey "IOCalloutDevice"
#define IOSSIOSPEED _IOW('T', 2, speed_t)
CFMutableDictionaryRef IOServiceMatching(const char *);
kern_return_t IOServiceGetMatchingServices(mach_port_t, CFDictionaryRef, io_iterator_t *);
io_object_t IOIteratorNext(io_iterator_t);
kern_return_t IOObjectRelease(io_object_t);
CFTypeRef IORegistryEntrySearchCFProperty(io_registry_entry_t, const io_name_t, CFStringRef,
                                          CFAllocatorRef, IOOptionBits);

#endif
