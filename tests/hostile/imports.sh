#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 600
# takes: 60
# needs: python3
#
# What other recorders did not make: trace.dat, I/O traces and files of perfwhiz that are small and inflate to much, claim much or hold
# much of one kind, and valid ones with another byte and with one more: cdict convert ends within 64 MiB and eight times the
# file, in time that goes with its size, with one line where it is no input.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
export CDICT

case $BUILD in
*san-*) echo "the sanitizers' memory is not the program's" >&2; exit 77 ;;
esac

bombs=$TOP/tests/tools/importbombs.py
"$MKPERF" -o run.data "$DATA/two-vcpus.trace" || exit 1
python3 "$TOP/tests/tools/mktracedat.py" --page-size 512 --codec zstd --guest web,255,1001,1002 --trace-id 4660 run.data valid.dat || exit 1
python3 "$TOP/tests/tools/mktracedat.py" --page-size 512 --version 6 run.data plain.dat || exit 1
python3 "$TOP/tests/tools/mkperfwhiz.py" "$DATA/perfwhiz.txt" valid.whiz || exit 1
cp "$DATA/job.pfw" valid.pfw
gzip -k valid.pfw
mkdir made
python3 "$bombs" made valid.dat valid.whiz || exit 1
bounded() { python3 "$TOP/tests/tools/bounded.py" --import "$@" 2>&1; }

for file in made/*; do
	mib=64
	# two million tasks, of each of which a writer keeps 200 bytes
	[ "$(basename "$file")" != tids.whiz ] || mib=460
	verdict "import_$(basename "$file")" "$(bounded $mib 4 "$file")"
done
for file in valid.* plain.dat; do
	for ((seed = 0; seed < 20; seed++)); do
		python3 "$bombs" --longer "$file" "long.$seed.$file" $seed
		python3 "$bombs" --change "$file" "other.$seed.$file" $seed
	done
	verdict "import_${file}_with_a_byte_more" "$(bounded 64 4 long.*."$file")"
	verdict "import_${file}_with_another_byte" "$(bounded 64 4 other.*."$file")"
done
