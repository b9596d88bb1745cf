#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# again: seconds of CPU, which grow on a busy machine
# timeout: 600
# needs: python3
#
# Hostile files of foreign formats: trace.dat, I/O traces and perfwhiz files that are small but inflate to much, claim much or have
# many items of one kind, and valid ones with one byte changed or added: cdict convert ends within 64 MiB plus eight times the
# file, in time proportional to its size, with one line of message if it refuses the file. Of 20 bytes, 5 are tried; EVERY=1: all.
. "$TOP/tests/faults/hostile/_lib.sh"

bombs=$tools/make/importbombs.py
"$MKPERF" -o run.data "$DATA/two-vcpus.trace" || exit 1
python3 "$tools/make/mktracedat.py" --page-size 512 --codec zstd --guest web,255,1001,1002 --trace-id 4660 run.data valid.dat || exit 1
python3 "$tools/make/mktracedat.py" --page-size 512 --version 6 run.data plain.dat || exit 1
python3 "$tools/make/mkperfwhiz.py" "$DATA/perfwhiz.txt" valid.whiz || exit 1
cp "$DATA/job.pfw" valid.pfw
gzip -k valid.pfw
mkdir made
python3 "$bombs" made valid.dat valid.whiz || exit 1

# kallsyms of shortest lines: its table is longer than it
python3 "$tools/make/mkftrace.py" --many-symbols 400000 made/symbols.dat || exit 1

for file in made/*; do
	mib=64
	# two million tasks, of each of which a writer keeps 200 bytes
	[ "$(basename "$file")" != tids.whiz ] || mib=460
	verdict "import_$(basename "$file")" "$(bounded --import $mib 4 "$file")"
done
for file in valid.* plain.dat; do
	seeds=()
	for ((seed = 0; seed < 20; seed++)); do
		if in_sample $seed 4; then seeds+=($seed); fi
	done
	python3 "$bombs" --variants "$file" "${seeds[@]}"
	verdict "import_${file}_with_a_byte_more" "$(bounded --import 64 4 long.*."$file")"
	verdict "import_${file}_with_another_byte" "$(bounded --import 64 4 other.*."$file")"
done
