# SPDX-License-Identifier: MIT
# Rules that a grep can hold.
kymo_script_test(lint.includes tests/lint/includes.sh)
kymo_script_test(lint.text tests/lint/text.sh)

# The runtime's own promises: nothing needed, nothing left when it is switched off, and its size.
kymo_script_test(freestanding.link tests/freestanding/link.sh)
kymo_script_test(freestanding.arguments tests/freestanding/arguments.sh)
kymo_script_test(freestanding.sampling_handler tests/freestanding/sampling_handler.sh)
kymo_script_test(freestanding.symbols tests/freestanding/symbols.sh)
kymo_script_test(freestanding.warnings tests/freestanding/warnings.sh)
kymo_script_test(freestanding.headers tests/freestanding/headers.sh)
kymo_script_test(freestanding.tracy tests/tracy/compile.sh)
kymo_script_test(lint.tracy_coverage python3 -B tests/tracy/coverage.py)
kymo_script_test(freestanding.usb tests/freestanding/stack.sh ports/usb kymo_usb_cdc_init)
kymo_script_test(freestanding.net tests/freestanding/stack.sh ports/net kymo_net_init)
kymo_script_test(freestanding.off tests/freestanding/off.sh)
kymo_script_test(freestanding.pairs tests/freestanding/pairs.sh $<TARGET_FILE:hostlink>)
kymo_script_test(freestanding.knobs tests/freestanding/knobs.sh)
kymo_script_test(freestanding.order tests/freestanding/order.sh)
kymo_script_test(freestanding.names tests/freestanding/names.sh)
kymo_script_test(size.runtime tests/size/size.sh)
kymo_script_test(size.usb tests/size/usb.sh)
kymo_script_test(size.stack tests/size/stack.sh)
