#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Compares the table of rooms in doc/HACKING.md with the sources: includes between folders, no cycles between folders,
# at most 25 source files per folder, at most 14 visible folders at the top.
# TABLE=file uses another table, ROOT=dir another tree (for this script's own test).
set -euo pipefail
cd "${ROOT:-$(dirname "$0")/../..}"
table=${TABLE:-doc/HACKING.md}
most_files=25 most_folders=14

# Every include of a source file: FOLDER FILE:LINE NAME.
includes() {
	find base format convert capture plugin annotate analyze tables render query cmd include -name '*.[ch]' -print0 |
		xargs -0 grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]' |
		sed -E 's,^(([^:]*)/[^/:]*:[0-9]+):[[:space:]]*#[[:space:]]*include[[:space:]]*([<"][^>"]*[>"]).*,\2 \1 \3,'
}

# Rows of the table: FOLDER|LIST, a list as "base format/file".
rows() {
	sed -nE 's/^\| `([a-z][a-z/]*)` \| [^|]* \| ([^|]*) \|$/\1|\2/p' "$table" | sed 's/[,–]/ /g'
}

# Prints `ok NAME` or `not ok NAME` with the faults, for each room and for the whole.
awk -v most_files=$most_files '
function verdict(name, wrong) {
	print (wrong == "" ? "ok " : "not ok ") name
	if (wrong == "")
		return
	printf "%s", wrong
	failed = 1
}
# Whether @list names @folder or one above it.
function lists(list, folder,    n, part, i) {
	n = split(list, part, " ")
	for (i = 1; i <= n; i++)
		if (part[i] == folder || index(folder, part[i] "/") == 1)
			return 1
	return 0
}
# Depth first over the folders that @from includes; the way back to @start, or "".
function way_back(start, from,    to) {
	for (to in includes_of) {
		if (!((from, to) in edge))
			continue
		if (to == start)
			return from
		if (seen[to]++)
			continue
		if ((way = way_back(start, to)) != "")
			return from " -> " way
	}
	return ""
}
FILENAME == ARGV[1] {
	split($0, column, "|")
	may[column[1]] = column[2]
	n_rows++
	next
}
FILENAME == ARGV[2] {
	files[$1] = $2
	next
}
{
	folder = $1
	at = $2
	name = $3
	if (name ~ /^<(traceevent|perf)\/|^<(event-parse|trace-seq|kbuffer)\.h>/ && folder !~ /^(convert|plugin|capture)(\/|$)/)
		wrong[folder] = wrong[folder] "  " at ": " folder " may not include " name "\n"
	if (name !~ /^"/ || name ~ /^"cdict\//)
		next
	gsub(/"/, "", name)
	if (name !~ /\//) {
		wrong[folder] = wrong[folder] "  " at ": \"" name "\" is without its folder\n"
		next
	}
	to = name
	sub(/\/[^\/]*$/, "", to)
	if (to == folder)
		next
	if (!lists(may[folder], to))
		wrong[folder] = wrong[folder] "  " at ": " folder " may not include " name "\n"
	includes_of[folder]
	includes_of[to]
	edge[folder, to] = at
}
END {
	for (folder in may) {
		of_room = folder
		gsub(/\//, "_", of_room)
		verdict(of_room "_includes_only_what_its_row_lists", wrong[folder])
		delete wrong[folder]
	}
	none = ""
	for (folder in wrong)
		none = none wrong[folder]
	for (folder in files)
		if (folder !~ /^(doc|tests)(\/|$)/ && !(folder in may) && !lists("render/web", folder))
			none = none "  " folder " has no row in the table of rooms\n"
	for (folder in may)
		if (folder != "include/cdict" && !(folder in files))
			none = none "  " folder " has a row, and no source file\n"
	verdict("every_folder_has_a_row", n_rows < 20 ? "  only " n_rows + 0 " rows were read\n" : none)
	circles = ""
	for (folder in includes_of) {
		split("", seen)
		if ((way = way_back(folder, folder)) != "")
			circles = circles "  " way " -> " folder "\n"
	}
	verdict("no_folders_include_each_other", circles)
	many = ""
	for (folder in files)
		if (files[folder] > most_files)
			many = many "  " folder " has " files[folder] " source files\n"
	verdict("no_folder_has_more_than_" most_files "_source_files", many)
	exit failed
}' <(rows) <(find . \( -name build -o -name .git \) -prune -o \( -name '*.[ch]' -o -name '*.js' -o -name '*.css' -o -name '*.py' \
	-o -name '*.sh' -o -name '*.mjs' -o -name '*.awk' \) -printf '%P\n' | sed -E 's,(.*)/[^/]*$,\1,;t;s,.*,.,' | sort | uniq -c |
	awk '$2 != "." { print $2, $1 }') <(includes) && failed=0 || failed=1

folders=$(find . -mindepth 1 -maxdepth 1 -type d ! -name '.*' ! -name build | wc -l)
if [ "$folders" -le $most_folders ]; then
	echo "ok the_top_level_has_at_most_${most_folders}_folders"
else
	echo "not ok the_top_level_has_at_most_${most_folders}_folders"
	echo "  there are $folders"
	failed=1
fi
exit $failed
