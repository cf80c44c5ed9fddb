#include "pico_sdk_model.h"
