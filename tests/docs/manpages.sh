#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The manual pages match the option tables: every option in --help is in the man page, and vice
# versa; every page renders without a warning and has an example with its command. An option that
# no table has, or a page without OPTIONS, ends the build.
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
	page=$BUILD/man/cdict-$command.1
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

# refused FILE SED LINE - a change of a file ends the build with this line
refused() {
	local message status
	rm -rf changed && mkdir -p changed/man && cp "$TOP"/doc/options.man "$TOP"/doc/cdict*.1 changed && rm changed/cdict-host.1
	sed -i "$2" "changed/$1"
	message=$(cd changed && awk -v out=man -f "$TOP/doc/packaging/manpages.awk" "$BUILD/man/help" options.man cdict*.1 2>&1)
	status=$?
	if [ $status = 1 ] && [ "$message" = "$3" ]; then
		echo "ok refused: $3"
	else
		echo "status $status: $message"
		echo "not ok refused: $3"
	fi
}
refused cdict-tasks.1 's/^\.B \\-\\-by/.B \\-\\-whom/' 'cdict-tasks.1: cdict tasks has no option --whom'
refused options.man 's/^\.B \\-\\-cap/.B \\-\\-cup/' 'options.man: no page uses the paragraph of --cup'
refused cdict-tasks.1 's/^\.SH OPTIONS/.SH OPTION/' 'cdict-tasks.1: no .SH OPTIONS'

pages=("$BUILD"/man/*.1 "$TOP"/doc/cdict-host.1 "$TOP"/doc/*.[357])
if command -v groff >/dev/null; then
	for page in "${pages[@]}"; do
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
for page in "${pages[@]}"; do
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
elif mandoc -T lint -W warning "${pages[@]}"; then
	echo "ok mandoc warns of no page"
else
	echo "not ok mandoc warns of no page"
fi
