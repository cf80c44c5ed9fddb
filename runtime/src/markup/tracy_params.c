/* SPDX-License-Identifier: MIT */
/* Tracy's parameters: the table of those set up, and the callback for changes. */
#include "kymo/tracy.h"

#include "../ring/claim.h"
#include "../ring/lane.h"

#if KYMO_ENABLE && KYMO_TRACY

static struct kymo_tracy_parameter *parameters[KYMO_TRACY_PARAMETERS_MAX];
static uint32_t parameters_taken;
static kymo_tracy_callback callback;
static void *callback_data;

static void bound_value(struct kymo_param *param, bool is_number) {
    KYMO_STORE(param->minimum, is_number ? INT32_MIN : 0);
    KYMO_STORE(param->maximum, is_number ? INT32_MAX : 1);
}

/* The table only grows; setting up the same parameter twice gives it new values. */
void kymo_tracy_parameter_set(struct kymo_tracy_parameter *parameter, const struct kymo_site *site,
                              const struct kymo_tracy_setup *setup) {
    if (site == NULL) {
        kymo_tracy_misused(KYMO_TRACY_PARAMETER_NAME);
        return;
    }
    parameter->index = setup->index;
    bound_value(&parameter->param, setup->type == 0);
    KYMO_STORE(parameter->param.value, setup->value);
    if (!kymo_claim(&parameter->known, 0u, 1u)) {
        return;
    }
    const uint32_t place = kymo_claim_add(&parameters_taken, 1u);
    if (place >= KYMO_TRACY_PARAMETERS_MAX) {
        kymo_tracy_misused(KYMO_TRACY_PARAMETERS_FULL);
        return;
    }
    KYMO_PUBLISH(parameters[place], parameter);
}

static struct kymo_tracy_parameter *parameter_of(const struct kymo_param *param) {
    for (uint32_t i = 0u; i < KYMO_TRACY_PARAMETERS_MAX; i++) {
        struct kymo_tracy_parameter *parameter = KYMO_ACQUIRE(parameters[i]);
        if (parameter != NULL && &parameter->param == param) {
            return parameter;
        }
    }
    return NULL;
}

static void param_changed(struct kymo_param *param) {
    struct kymo_tracy_parameter *found = parameter_of(param);
    const kymo_tracy_callback function = KYMO_ACQUIRE(callback);
    if (found != NULL && function != NULL) {
        function(callback_data, found->index, KYMO_LOAD(param->value));
    }
}

void kymo_tracy_parameters(kymo_tracy_callback function, void *data) {
    callback_data = data;
    KYMO_PUBLISH(callback, function);
    if (KYMO_COMMANDS) {
        KYMO_PUBLISH(kymo_tracy_on_param, param_changed);
    }
}

#endif
