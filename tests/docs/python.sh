#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# uninstrumented: a program without the sanitizer loads the library
# The Python module: its tables, statements and events equal those of the commands; errors are exceptions with the command's
# sentence; doc/notebook.ipynb runs and shows tables and a picture.
# needs: python3
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1

names='tables_equal_those_of_the_commands statements_equal_those_of_cdict_query events_equal_those_of_cdict_script
	errors_are_the_command_s_sentence a_batch_is_not_copied the_notebook_shows_tables_and_a_picture without_numpy_and_pandas_tables_work'
. "$TOP/tests/docs/_python.sh"
find_python pandas
if [ -z "$python" ]; then
	for name in $names; do skip "$name" "$why"; done
	exit 0
fi
if nm -C "$BUILD/libcdict.so" 2>/dev/null | grep -q __asan; then
	for name in $names; do skip "$name" "the sanitizers' library needs a sanitizers' program"; done
	exit 0
fi
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o run.cdict || exit 1
for name in $names; do
	verdict "$name" "$("$python" "$TOP/tests/tools/check/pymodule.py" "$name" run.cdict 2>&1)"
done
