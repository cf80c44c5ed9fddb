/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/say.h"
#include "base/stop.h"
#include "cli/cmd.h"
#include "cli/cmd_input.h"
#include "cli/find.h"
#include "sink/json_text.h"

struct settings {
    uint64_t listen_ns;
    bool json, no_network;
};

static int refuse(void *settings, const struct options *options) {
    (void)settings;
    return options_wrong(options, "'list' takes no argument, such as '%s'", options->value);
}

static const struct option_spec option_table[] = {
    {"json", 0, NULL, "print it as JSON, an array of objects", OPTION_FLAG(json)},
    {"listen", 0, "S", "wait S seconds for boards to announce themselves (default: 2.5)",
     OPTION_SECONDS(listen_ns)},
    {"no-network", 0, NULL, "serial ports only, without waiting", OPTION_FLAG(no_network)},
    {.take = refuse},
};

static void print_field(struct outfile *out, const char *name, const char *text, const char *end) {
    outfile_printf(out, "\"%s\": ", name);
    json_text(out, text, strlen(text));
    outfile_printf(out, "%s", end);
}

static void print_json(struct outfile *out, const struct found *found, size_t count) {
    outfile_printf(out, "[");
    for (size_t i = 0; i < count; i++) {
        outfile_printf(out, "%s\n  {", i > 0 ? "," : "");
        print_field(out, "source", found[i].source, ", ");
        print_field(out, "kind", found_kind_name(found[i].kind), ", ");
        print_field(out, "id", found[i].id, ", ");
        print_field(out, "serial", found[i].serial, ", ");
        print_field(out, "name", found[i].name, "}");
    }
    outfile_printf(out, "%s]\n", count > 0 ? "\n" : "");
}

static enum exit_code write_json(const struct found *found, size_t count) {
    struct outfile *out;
    int error = outfile_open(&out, "-");
    if (error == 0) {
        print_json(out, found, count);
        error = outfile_close(out);
    }
    if (error) {
        say("standard output: cannot be written: %s", strerror(-error));
    }
    return error ? EXIT_OUTPUT : EXIT_OK;
}

static enum exit_code print(const struct settings *settings, const struct found *found,
                            size_t count) {
    if (settings->json) {
        return write_json(found, count);
    }
    if (count > 0) {
        find_print(found, count, stdout);
    }
    return cmd_end_stdout();
}

static enum exit_code run(void *state) {
    static struct found found[FOUND_MAX];
    const struct settings *settings = state;
    stop_catch();
    size_t count = find_all(found, settings->no_network ? 0 : settings->listen_ns);
    enum exit_code code = print(settings, found, count);
    if (count == 0) {
        say("no serial port is here%s",
            settings->no_network ? "" : ", and no board announced itself on the network");
    }
    return code == EXIT_OK && count == 0 ? EXIT_NO_DATA : code;
}

const struct cmd cmd_list = {
    .name = "list",
    .usage = "[--json] [--listen S | --no-network]",
    .summary = "Lists serial ports and boards on the network",
    .text =
        "Kinds: kymo is a USB device that names itself so, network a board that announces itself,\n"
        "usb another serial device, port a serial port of the machine. 'hostlink' without an\n"
        "argument captures from the only board there is.\n",
    .options = option_table,
    .settings_size = sizeof(struct settings),
    .defaults = &(const struct settings){.listen_ns = FIND_LISTEN_NS},
    .run = run,
};
