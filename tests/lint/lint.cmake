# Rules that a grep or a compiler can hold. One script each.
kymo_script_test(lint.includes tests/lint/includes.sh)
kymo_script_test(lint.text tests/lint/text.sh)
