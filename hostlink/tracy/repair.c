#include "tracy/repair.h"

#include <string.h>

static const char *const texts[TRACY_REPAIR_COUNT] = {
#define TRACY_REPAIR_LINE(name, text) text,
    TRACY_REPAIR_TABLE(TRACY_REPAIR_LINE)
#undef TRACY_REPAIR_LINE
};

bool tracy_repairs_count(struct tracy_repairs *repairs, enum tracy_repair repair) {
    repairs->total++;
    return ++repairs->count[repair] <= TRACY_REPAIRS_SHOWN;
}

const char *tracy_repair_text(enum tracy_repair repair) { return texts[repair]; }

void tracy_repairs_restart(struct tracy_repairs *repairs) {
    memset(repairs->count, 0, sizeof repairs->count);
}
