#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The manual pages match the option tables: every option in --help is in the man page, and vice
# versa; every page renders without a warning and has an example with its command.
set -u

commands=$("$CDICT" help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p')
[ -n "$commands" ] || echo "not ok the list of commands is empty"

# "-o --output" a line, of a page those that follow .TP, letters where there are some.
of_help() {
	sed -n 's/^  \(-[A-Za-z]\), \(--[a-z-]*\).*/\1 \2/p;s/^      \(--[a-z-]*\).*/\1/p' | sort
}
of_page() {
	sed -n '/^\.SH OPTIONS/,/^\.SH EX/p' "$1" | sed -n '/^\.T[PQ]/{n;s/^\.BR\{0,1\} \(.*\)/\1/p}' | grep '^\\-' |
		sed -e 's/\\-/-/g' -e 's/", "//' -e 's/ *".*//' -e 's/  */ /g' | sort
}

for command in $commands; do
	page=$TOP/doc/cdict-$command.1
	if [ ! -f "$page" ]; then
		echo "not ok cdict-$command.1 exists"
		continue
	fi
	"$CDICT" help "$command" | of_help >help
	of_page "$page" >page
	[ -s help ] || echo "not ok cdict help $command lists options"
	if diff -u help page >differ; then
		echo "ok cdict-$command.1 has the options of --help"
	else
		cat differ
		echo "not ok cdict-$command.1 has the options of --help"
	fi
	if sed -n '/^\.SH EXAMPLES/,$p' "$page" | grep -q "cdict $command"; then
		echo "ok cdict-$command.1 has an example"
	else
		echo "not ok cdict-$command.1 has an example"
	fi
	if grep -q "cdict\\\\-$command (1)" "$TOP/doc/cdict.1"; then
		echo "ok cdict.1 names cdict-$command"
	else
		echo "not ok cdict.1 names cdict-$command"
	fi
done

if command -v groff >/dev/null; then
	for page in "$TOP"/doc/*.[1357]; do
		name=$(basename "$page")
		if groff -man -Tutf8 -ww "$page" 2>&1 >/dev/null | grep .; then
			echo "not ok $name renders without a warning"
		else
			echo "ok $name renders without a warning"
		fi
	done
else
	echo "skip rendering groff is not installed"
fi

# As lintian and BSD's mandoc read them.
for page in "$TOP"/doc/*.[1357]; do
	name=$(basename "$page")
	if sed -n '2s/^\.TH [^ ]* [1357] 20[0-9][0-9]-[01][0-9]-[0-3][0-9] "cdict" "cdict manual"$/ok/p' "$page" | grep -q ok; then
		echo "ok $name has a date"
	else
		echo "not ok $name has a date"
	fi
	if grep -n -A1 '^\.PP$' "$page" | grep -E '^[0-9]+-\.(SH|PP)' || grep -n ' $' "$page"; then
		echo "not ok $name has no empty paragraph, nor blanks at an end"
	else
		echo "ok $name has no empty paragraph, nor blanks at an end"
	fi
done
if ! command -v mandoc >/dev/null; then
	echo "skip mandoc it is not installed"
elif mandoc -T lint -W warning "$TOP"/doc/*.[1357]; then
	echo "ok mandoc warns of no page"
else
	echo "not ok mandoc warns of no page"
fi
