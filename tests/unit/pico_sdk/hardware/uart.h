/* SPDX-License-Identifier: MIT */
#include "pico_sdk_model.h"
