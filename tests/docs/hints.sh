#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: perl
# timeout: 120
#
# Every command that a hint names for a habit of perf, trace-cmd, hyperfine or bpftrace is accepted as it is printed: run on a
# capture, with a value for each word in capitals, none ends with wrong usage (129) or a crash.
set -u
cd "$(mktemp -d)" || exit 1
export CDICT_STORE=$PWD/store CDICT_CONFIG=

"$CDICT" convert -q -e '*' -i "$DATA/kvm-callchain.data" -o record.cdict || exit 1
"$CDICT" export -q record.cdict -o host.dat || exit 1
cp record.cdict run.cdict
"$CDICT" job create 2001 >/dev/null || exit 1
mkdir bin && ln -s "$CDICT" bin/cdict
PATH=$PWD/bin:$PATH

# The hints: strings of the sources, joined, with their escapes undone; each 'cdict ...' of them.
hints() {
	perl -0777 -ne '
		s/"\s*\n\s*"//g;
		while (/"((?:[^"\\\n]|\\.)*)"/g) {
			my $text = $1;
			$text =~ s/\\(.)/$1/g;
			print "$1\n" while $text =~ /\x27(cdict [^\x27]+)\x27/g;
		}' "$TOP/cmd/core/foreign.c" "$TOP/cmd/core/foreign_options.c" "$TOP/cmd/record/perf_options.c" | sort -u
}
# filled COMMAND - with values for the words in capitals, and an end for those that record
filled() {
	local c=$1
	case $c in
	'cdict help COMMAND') c='cdict help tasks' ;;
	'cdict record --seconds'* | 'cdict top --seconds'*) ;;
	'cdict record'*) c="cdict record --seconds 0.05 -o x.cdict${c#cdict record}" ;;
	'cdict top'*) c="cdict top --seconds 1${c#cdict top}" ;;
	esac
	c=${c//HOST.dat/host.dat} c=${c//FILE/record.cdict} c=${c//OLD/record.cdict} c=${c//NEW/run.cdict} c=${c//COMMAND/true}
	c=${c//--job ID/--job 2001} c=${c//create ID/create 2002} c=${c// SQL/ \'SELECT 1\'} c=${c//EVENT/sched:sched_switch}
	c=${c//LIST/page-faults} c=${c//PID/$$} c=${c//COMM/perf} c=${c//SYMBOL/.} c=${c//GROUP/x} c=${c//A,B/10%-20%}
	echo "$c"
}

ran=0 wrong=
while IFS= read -r hint; do
	# The name of a command that needs operands, as in "scripts are SQL, 'cdict query'", is in its help.
	if [[ $hint =~ ^cdict\ (query|export|sweep|flame|job|convert)$ ]]; then
		command="cdict help ${BASH_REMATCH[1]}"
	elif [ "$hint" = 'cdict sched latency' ]; then
		continue # perf's own words, which a hint is for
	else
		command=$(filled "$hint")
	fi
	ran=$((ran + 1))
	timeout 20 bash -o pipefail -c "$command" >out 2>err </dev/null
	status=$?
	rm -rf x.cdict
	[ $status -le 2 ] || wrong+="$hint: status $status: $(head -n 1 err)"$'\n'
done < <(hints)

[ $ran -ge 40 ] && echo "ok the_hints_are_found" || echo "not ok the_hints_are_found: $ran"
if [ -z "$wrong" ]; then
	echo "ok every_hinted_command_is_accepted"
else
	echo "not ok every_hinted_command_is_accepted"
	sed 's/^/    # /' <<<"${wrong%$'\n'}"
fi
