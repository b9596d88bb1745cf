#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3
#
# cdict flame --log-dir gives the figures of a CI script with pandas, to the last digit and in its order, from logs with interleaved threads,
# skipped depths, names with commas and quotes, CRLF, missing figures and many decimals. Bytes that are not UTF-8 spoil no output.
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
calls=$TOP/tests/oracle/figures/_calls.py

# by whichever Python has pandas: Debian's is not the first of every PATH
pandas=
for python in python3 /usr/bin/python3; do
	[ -n "$pandas" ] || ! "$python" -c 'import pandas' 2>/dev/null || pandas=$python
done

# same WANT GOT - compares tables row by row, figures as numbers
same() {
	python3 - "$@" <<'END'
import csv, sys
def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [[row[0]] + [float(v) if v else None for v in row[1:]] for row in list(csv.reader(file))[1:]]
want, got = rows(sys.argv[1]), rows(sys.argv[2])
wrong = [(w, g) for w, g in zip(want, got) if w != g]
if len(want) != len(got) or len(want) < 10:
    print(f"{len(want)} rows, not {len(got)}")
if wrong:
    print(f"{len(wrong)} of {len(want)} rows: {wrong[0][0]}, not {wrong[0][1]}")
END
}

name=means_and_their_rounding_are_those_of_pandas
if [ -n "$pandas" ]; then
	wrong=
	for seed in 1 2 3 4 5 6; do
		rm -rf logs
		python3 "$calls" write $seed logs
		"$pandas" "$calls" report logs >want.csv
		"$CDICT" flame --log-dir logs --format csv >got.csv 2>err || wrong+="seed $seed: status $?: $(cat err)"$'\n'
		differs=$(same want.csv got.csv; cat err)
		[ -z "$differs" ] || wrong+="seed $seed: $differs"$'\n'
	done
	verdict $name "$wrong"
else
	skip $name "no Python has pandas"
fi

# what pandas 1.5 and 2.2 print, without it: the mean of the decimals, half to even, would be 0.58, 0.10, 1.14, 1.20
printf '+,t,a,1,0.57,0.10,1.13\n+,t,a,2,0.58,0.11,1.14\n+,t,b,1,1.19,0.125,2.005\n+,t,b,1,1.20,0.125,2.005\n' >system-test.stdout
verdict ties_round_as_in_double_precision "$("$CDICT" flame --format csv system-test.stdout | tr -d '\r' | diff - <(
	printf 'stack,calls,percent,cycles,ns\na,1.5,0.57,0.11,1.13\nb,1,1.19,0.12,2\n'
))"

# a byte of Latin-1, one of half a character, an escape sequence; two names that differ only in such bytes stay apart
mkdir bytes && cd bytes || exit 1
bytes=$PWD
printf '+,t,caf\xe9,1,50,2,3\n++,t,\xc3,1,10,2,3\n++,t,\xff,2,10,2,3\r\n+,t,a\x1b[31mb,1,30,2,3\n' >system-test.stdout
wrong=
for format in text csv json md folded svg html; do
	"$CDICT" flame --log-dir . --format $format >out.$format 2>err || wrong+="$format: status $?: $(cat err)"$'\n'
	python3 - $format out.$format <<'END' || wrong+="$format"$'\n'
import json, sys, xml.dom.minidom
format, path = sys.argv[1:]
data = open(path, "rb").read()
text = data.decode("utf-8") if format != "folded" else data.decode("latin-1")
if format == "json":
    rows = json.loads(text)["stacks"]
    assert [row["percent"] for row in rows] == [10, 50, 30, 10], "other rows"
if format == "svg":
    xml.dom.minidom.parseString(data)
assert "\x1b" not in text, "an escape sequence"
END
done
verdict bytes_that_are_no_characters_spoil_no_output "$wrong"

name=branch_prints_the_commit_that_git_has_for_it
if ! command -v git >/dev/null; then
	skip $name "git is not installed"
	exit
fi
mkdir ../repository && cd ../repository || exit 1
commit() { git -c user.name=x -c user.email=x@y -c commit.gpgsign=false commit -q --allow-empty -m "$1"; }
git init -q . && git symbolic-ref HEAD refs/heads/main && commit one && git branch feature/x && commit two
wrong=
for branch in main feature/x; do
	wrong+=$("$CDICT" flame --log-dir "$bytes" --label libos --branch $branch --format md 2>&1 | grep -Fxq "libos, commit $(git rev-parse $branch)" || echo "another commit of $branch")
done
"$CDICT" flame --log-dir "$bytes" --title 'libos = <catnap>' --subtitle 'commit id = &"x"' -o x.svg -o x.md 2>&1
grep -q '^<text class="dim sub" [^>]*>commit id = &amp;"x"</text>' x.svg && grep -Fxq 'commit id = &amp;"x"' x.md || wrong+="another subtitle"
"$CDICT" flame --log-dir "$bytes" --subtitle 'nightly' --branch main -o x.svg 2>&1
grep -q ">nightly, commit $(git rev-parse main)</text>" x.svg || wrong+="no commit after the subtitle"
# refused STATUS ERROR ARGUMENT...
refused() {
	local want=$1 text=$2 status
	shift 2
	PATH=${FOUND-$PATH} "$CDICT" flame --log-dir "$bytes" "$@" >out 2>err
	status=$?
	{ [ $status = "$want" ] && head -n 1 err | grep -Fq -- "$text" && [ ! -s out ]; } || echo "status $status, $(cat err): $*"
}
wrong+=$(refused 1 "git has no commit of 'missing': fatal: bad revision" --branch missing)
wrong+=$(refused 129 "'--all' is not the name of a branch" --branch=--all)
wrong+=$(refused 129 "'main..' is not the name of a branch" --branch main..)
wrong+=$(refused 129 "--commit already names one" --branch main --commit 1a2b)
wrong+=$(FOUND=/nowhere refused 1 "cannot run git" --branch main)
rm -rf .git
wrong+=$(GIT_CEILING_DIRECTORIES=$(dirname "$PWD") refused 1 "not a git repository" --branch main)
verdict $name "$wrong"
