#include "trace/event.h"

const char *zone_repair_text(enum zone_repair repair) {
    switch (repair) {
    case ZONE_ENDED:
        return "received";
    case ZONE_END_LOST:
        return "not received: events were lost";
    case ZONE_END_OPEN:
        return "not received: still open when the trace ended";
    case ZONE_END_MISSING:
        return "missing: the firmware ended neither this zone nor all zones inside it";
    case ZONE_END_UNSURE:
        return "unsure: may be the end of a zone around it, where one end is missing";
    case ZONE_END_TASK:
        return "its task ended";
    }
    return "unknown";
}

const char *repair_text(enum repair repair) {
    switch (repair) {
    case REPAIR_END_WITHOUT_ZONE:
        return "end without an open zone: left out";
    case REPAIR_NOTE_WITHOUT_ZONE:
        return "text, name, value or colour without an open zone: left out";
    case REPAIR_TOO_DEEP:
        return "zone nested too deeply: left out";
    case REPAIR_NOT_LEFT:
        return "interrupt not left when the trace ended";
    }
    return "unknown";
}
