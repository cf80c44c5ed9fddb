/* SPDX-License-Identifier: MIT */
#include "sink/paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

struct path {
    uint32_t around, name;
};

bool paths_put(struct paths *paths, const char *bytes, size_t length) {
    if (paths->size - paths->used < length) {
        const size_t size = paths->size * 2 + length;
        char *text = realloc(paths->text, size);
        if (text == NULL) {
            return false;
        }
        paths->text = text;
        paths->size = size;
    }
    memcpy(paths->text + paths->used, bytes, length);
    paths->used += length;
    return true;
}

static struct path path_of(const struct paths *paths, uint32_t number) {
    struct path path;
    memcpy(&path, paths->nodes.bytes + paths->nodes.entries[number].offset, sizeof path);
    return path;
}

/* From the path around to that with this step. */
static bool take_step(void *context, const struct profile_step *step) {
    struct paths *paths = context;
    paths->used = 0;
    if (!paths->name(paths, step) || !paths_put(paths, "", 1)) {
        return false;
    }
    const int64_t name = keytable_add(&paths->names, paths->text, paths->used);
    if (name < 0) {
        return false;
    }
    const struct path path = {paths->at, (uint32_t)name};
    const int64_t number = keytable_add(&paths->nodes, &path, sizeof path);
    paths->at = (uint32_t)number;
    return number >= 0;
}

bool paths_make(struct paths *paths, const struct profile *profile, bool without_root,
                bool (*name)(struct paths *paths, const struct profile_step *step)) {
    *paths = (struct paths){.name = name};
    paths->of = malloc((profile->count + 1) * sizeof *paths->of);
    for (uint32_t i = 0; paths->of != NULL && i < profile->count; i++) {
        /* Parents have the smaller numbers. */
        const uint32_t parent = profile->nodes[i].parent;
        paths->at = parent == PROFILE_NONE ? PATHS_NONE : paths->of[parent];
        if (!(parent == PROFILE_NONE && without_root) &&
            !profile_steps(profile, i, paths, take_step)) {
            return false;
        }
        paths->of[i] = paths->at;
    }
    return paths->of != NULL;
}

void paths_free(struct paths *paths) {
    keytable_free(&paths->names);
    keytable_free(&paths->nodes);
    free(paths->of);
    free(paths->text);
    free(paths->steps);
}

int64_t paths_name(struct paths *paths, const char *name) {
    return keytable_add(&paths->names, name, strlen(name) + 1);
}

const char *paths_text(const struct paths *paths, uint32_t name) {
    return (const char *)paths->names.bytes + paths->names.entries[name].offset;
}

const char *paths_inward_out(struct paths *paths, uint32_t path, const char *between) {
    bool good = true;
    paths->used = 0;
    while (path != PATHS_NONE && good) {
        const struct path step = path_of(paths, path);
        const char *name = paths_text(paths, step.name);
        path = step.around;
        good = paths_put(paths, name, strlen(name)) &&
               (path == PATHS_NONE || paths_put(paths, between, strlen(between)));
    }
    return good && paths_put(paths, "", 1) ? paths->text : NULL;
}

int64_t paths_walk(struct paths *paths, uint32_t path) {
    uint32_t count = 0;
    for (; path != PATHS_NONE; path = path_of(paths, path).around) {
        if (!grow(&paths->steps, &paths->step_capacity, count, sizeof *paths->steps)) {
            return -ENOMEM;
        }
        paths->steps[count++] = path_of(paths, path).name;
    }
    return count;
}
