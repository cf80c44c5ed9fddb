# Rules that a grep or a compiler can hold. One script each.
kymo_script_test(lint.includes tests/lint/includes.sh)
kymo_script_test(lint.text tests/lint/text.sh)

kymo_script_test(size.runtime tests/size/size.sh)
# What the runtime promises of itself: nothing needed, and nothing left when it is switched off.
kymo_script_test(freestanding.link tests/freestanding/link.sh)
kymo_script_test(freestanding.off tests/freestanding/off.sh)
