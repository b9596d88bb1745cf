# SPDX-License-Identifier: GPL-2.0-only
# find_python MODULE... - sets $python to one that has these modules and loads extensions into SQLite, and the environment of
# the module cdict; else $why. Debian's modules belong to its own python, which is not the first of every PATH.
find_python() {
	local candidate imports=sqlite3
	python=
	for candidate in "$@"; do imports+=", $candidate"; done
	for candidate in python3 /usr/bin/python3; do
		[ -n "$python" ] || ! "$candidate" -c "import $imports; sqlite3.connect(':memory:').enable_load_extension" 2>/dev/null || python=$candidate
	done
	why="no Python has $imports with extensions"
	export PYTHONPATH=$TOP/query/python CDICT_LIBRARY=$BUILD/libcdict.so.0 PYTHONDONTWRITEBYTECODE=1 CDICT
	[ -n "$python" ]
}
