/* SPDX-License-Identifier: MIT */
#include "model/format.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kymo/wire.h"

/* One argument, as wide as it can be. */
struct argument {
    unsigned class; /* KYMO_ARG_NONE: missing */
    uint64_t bits;  /* signed ones sign-extended */
    double real;
    const char *text;
    size_t length;
};

struct arguments {
    uint32_t classes;
    const uint32_t *words;
    uint32_t count, at;
    format_lookup *lookup;
    void *context;
    char string[4 * 255]; /* the last string argument, byte by byte */
};

static uint32_t next_word(struct arguments *a) { return a->at < a->count ? a->words[a->at++] : 0; }

static uint64_t next_pair(struct arguments *a) {
    uint64_t low = next_word(a);
    return low | (uint64_t)next_word(a) << 32;
}

static void next_string(struct arguments *a, struct argument *argument) {
    size_t length = next_word(a);
    size_t space = (size_t)(a->count - a->at) * 4;
    length = length < space ? length : space;
    for (size_t i = 0; i < length; i++) {
        a->string[i] = (char)(uint8_t)(a->words[a->at + i / 4] >> (8 * (i % 4)));
    }
    a->at += (uint32_t)((length + 3) / 4);
    argument->text = a->string;
    argument->length = strnlen(a->string, length);
}

static double real_of_bits(uint64_t bits) {
    double real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

static double real_of_float_bits(uint32_t bits) {
    float real;
    memcpy(&real, &bits, sizeof real);
    return (double)real;
}

static struct argument next_argument(struct arguments *a) {
    struct argument argument = {.class = a->at < a->count ? a->classes & 15u : KYMO_ARG_NONE};
    a->classes >>= 4;
    switch (argument.class) {
    case KYMO_ARG_NONE:
        break;
    case KYMO_ARG_I32:
        argument.bits = (uint64_t)(int64_t)(int32_t)next_word(a);
        break;
    case KYMO_ARG_DOUBLE:
        argument.real = real_of_bits(next_pair(a));
        break;
    case KYMO_ARG_FLOAT:
        argument.real = real_of_float_bits(next_word(a));
        break;
    case KYMO_ARG_STRING:
        next_string(a, &argument);
        break;
    case KYMO_ARG_SITE:
        argument.text = a->lookup(a->context, next_word(a));
        argument.length = strlen(argument.text);
        break;
    case KYMO_ARG_I64:
    case KYMO_ARG_U64:
    case KYMO_ARG_ADDRESS:
        argument.bits = next_pair(a);
        break;
    default:
        argument.bits = next_word(a);
        break;
    }
    return argument;
}

struct output {
    char *bytes;
    size_t size, used;
};

static void put(struct output *out, const char *bytes, size_t length) {
    size_t space = out->size - 1 - out->used;
    size_t part = length < space ? length : space;
    memcpy(out->bytes + out->used, bytes, part);
    out->used += part;
}

/* One conversion, taken apart. */
struct conversion {
    char flags[6];
    int width, precision; /* 0 and -1: none */
    char letter;
    bool is_short, is_char;
};

static int number(const char **at, struct arguments *a) {
    int value = 0;
    if (**at == '*') {
        ++*at;
        value = (int)(int32_t)next_argument(a).bits;
        return value < -1000 ? -1000 : value > 1000 ? 1000 : value;
    }
    while (**at >= '0' && **at <= '9') {
        value = value < 100 ? value * 10 + (**at - '0') : value;
        ++*at;
    }
    return value;
}

static void add_flag(struct conversion *c, char flag) {
    size_t used = strlen(c->flags);
    if (strchr(c->flags, flag) == NULL && used < sizeof c->flags - 1) {
        c->flags[used] = flag;
    }
}

/* "at" is after the '%'. C11, 7.21.6.1. */
static struct conversion parse(const char **at, struct arguments *a) {
    struct conversion c = {.precision = -1};
    for (; **at != '\0' && strchr("-+ #0", **at) != NULL; ++*at) {
        add_flag(&c, **at);
    }
    if ((**at >= '1' && **at <= '9') || **at == '*') {
        c.width = number(at, a);
    }
    if (c.width < 0) { /* given by an argument */
        add_flag(&c, '-');
        c.width = -c.width;
    }
    if (**at == '.') {
        ++*at;
        c.precision = number(at, a);
    }
    while (**at != '\0' && strchr("hljztLq", **at) != NULL) {
        c.is_char = c.is_short && **at == 'h';
        c.is_short = **at == 'h';
        ++*at;
    }
    c.letter = **at;
    if (c.letter != '\0') {
        ++*at;
    }
    return c;
}

static uint64_t narrow(const struct conversion *c, const struct argument *argument,
                       bool is_signed) {
    uint64_t bits = argument->bits;
    if (c->is_char) {
        return is_signed ? (uint64_t)(int64_t)(int8_t)bits : (uint8_t)bits;
    }
    if (c->is_short) {
        return is_signed ? (uint64_t)(int64_t)(int16_t)bits : (uint16_t)bits;
    }
    if (!is_signed && argument->class == KYMO_ARG_I32) {
        return (uint32_t)bits;
    }
    return bits;
}

static bool fits(char letter, unsigned class) {
    bool real = class == KYMO_ARG_DOUBLE || class == KYMO_ARG_FLOAT;
    bool text = class == KYMO_ARG_STRING || class == KYMO_ARG_SITE;
    if (class == KYMO_ARG_NONE || letter == '\0') {
        return false;
    }
    if (strchr("fFeEgGaA", letter) != NULL) {
        return real;
    }
    return letter == 's' ? text : strchr("diuxXocp", letter) != NULL && !real && !text;
}

/* A character and an address are printed as texts, so that width and justification hold for them. */
static void make_text(struct conversion *c, struct argument *argument, char *text, size_t size) {
    bool left = strchr(c->flags, '-') != NULL;
    if (c->letter == 'p') {
        (void)snprintf(text, size, "0x%" PRIx64, argument->bits);
    } else {
        (void)snprintf(text, size, "%c", (int)(uint8_t)argument->bits);
    }
    *c = (struct conversion){.flags = {left ? '-' : '\0'}, .width = c->width, .precision = -1};
    c->letter = 's';
    argument->text = text;
    argument->length = strlen(text);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
/* The conversion is put together here from checked parts, hence the format that is no literal. */
static int convert(char *out, size_t size, const struct conversion *c,
                   const struct argument *argument) {
    char format[32];
    bool real = argument->class == KYMO_ARG_DOUBLE || argument->class == KYMO_ARG_FLOAT;
    bool text = argument->text != NULL;
    int precision = c->precision;
    if (text && (precision < 0 || (size_t)precision > argument->length)) {
        precision = (int)argument->length;
    }
    snprintf(format, sizeof format, "%%%s*%s%s%c", c->flags, precision < 0 ? "" : ".*",
             text || real ? "" : "ll", c->letter);
    if (text) {
        return snprintf(out, size, format, c->width, precision, argument->text);
    }
    if (real) {
        return precision < 0 ? snprintf(out, size, format, c->width, argument->real)
                             : snprintf(out, size, format, c->width, precision, argument->real);
    }
    unsigned long long value = narrow(c, argument, c->letter == 'd' || c->letter == 'i');
    return precision < 0 ? snprintf(out, size, format, c->width, value)
                         : snprintf(out, size, format, c->width, precision, value);
}
#pragma GCC diagnostic pop

static void put_conversion(struct output *out, const char *from, const char **at,
                           struct arguments *a) {
    char text[1024];
    char short_text[20];
    struct conversion c = parse(at, a);
    if (c.letter == '%') {
        put(out, "%", 1);
        return;
    }
    struct argument argument = next_argument(a);
    if (!fits(c.letter, argument.class)) {
        put(out, from, (size_t)(*at - from));
        return;
    }
    if (c.letter == 'c' || c.letter == 'p') {
        make_text(&c, &argument, short_text, sizeof short_text);
    }
    int length = convert(text, sizeof text, &c, &argument);
    if (length > 0) {
        put(out, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
    }
}

size_t format_message(char *out, size_t size, const struct site *site, const uint32_t *words,
                      uint32_t count, format_lookup *lookup, void *context) {
    struct output output = {out, size, 0};
    struct arguments arguments = {.classes = site->detail,
                                  .words = words,
                                  .count = count < 255 ? count : 255,
                                  .lookup = lookup,
                                  .context = context};
    const char *at = site->name;
    while (*at != '\0') {
        const char *percent = strchr(at, '%');
        if (percent == NULL) {
            put(&output, at, strlen(at));
            break;
        }
        put(&output, at, (size_t)(percent - at));
        at = percent + 1;
        put_conversion(&output, percent, &at, &arguments);
    }
    out[output.used] = '\0';
    return output.used;
}
