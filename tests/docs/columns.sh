#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: jq python3
# The OUTPUT section of a manual page has every CSV column and every JSON key of its command, and no others.
set -u
. "$TOP/tests/oracle/_lib.sh"

cd "$(mktemp -d)" || exit 1
export CDICT_STORE=jobs
"$CDICT" convert -q -i "$DATA/kvm-small.data" -o run.cdict && cp run.cdict new.cdict
for trace in syscalls siblings halts; do
	"$MKPERF" -o $trace.data "$DATA/$trace.trace" && "$CDICT" convert -q -e '*:*' -i $trace.data -o $trace.cdict
done
echo 'main;work 3' >a.folded
echo 'main;work 3 4' >c.folded
mkdir logs && echo '+,main,work,1,100,20,10' >logs/system-test-1-stdout.log
mkdir -p proc/700/task/700 && printf 'qemu-system-x86_64\0-name\0guest=instance-0000002a\0' >proc/700/cmdline && echo CPU >proc/700/task/700/comm
"$CDICT" job create 2001 && "$CDICT" push -q --job 2001 run.cdict

python3 "$TOP/tests/tools/make/mkguests.py" --seconds 0.02 . && for name in host web; do
	"$MKPERF" --formats "$DATA/formats" -o $name.data $name.trace && "$CDICT" convert -q -i $name.data -o $name.cdict
done && "$CDICT" join -q host.cdict 1000=web.cdict --clock "$(sed -n 's/^web //p' clocks)" -o both.cdict
"$CDICT" join -q "$DATA/guest-pair/host.cdict" "=$DATA/guest-pair/instance-0000001b.cdict" -o pair.cdict

# The words of the section that can be keys: in bold, or with an underscore. A list is two words or more within quotes.
of_page() {
	awk '/^\.S[HS]/ { on = /OUTPUT/ } /^\.TP/ { by = 0 } /^\.BR \\-\\-by / { by = 1 } on || by' "$BUILD/man/cdict-$1.1"
}
words() { grep -oE '[a-z][a-z0-9_]*' | sort -u; }
named() { { grep -E '^\.(B|BR|RB|BI) '; of_page "$1" | grep -oE '\\fB[^\\]*|[a-z0-9]+_[a-z0-9_]+'; } < <(of_page "$1") | sed 's/^\.[BRI]*//' | words; }
listed() {
	{
		of_page "$1" | sed '/^\.BR \\-\\-by/,/^\.TP/d' | grep -oE '"[a-z0-9_]+( [a-z0-9_]+)+"'
		of_page "$1" | grep -oE '\b[a-z0-9]+_[a-z0-9_]+' | grep -vE '^(sched|sys|rt|kvm)_|_$'
	} | words
}

# A line per use of a command: its keys, and the names of its tables.
of_command() {
	"$CDICT" "$@" --json -q >json 2>err || [ $? = 2 ] || cat err >&2 # 2: events are lost
	jq -r 'to_entries[] | select(.key != "not_recorded" and .key != "captures" and (.value | type) == "array") | .key as $table | .value[] | objects | keys[] | "key \(.)", "table \($table)"' json
	"$CDICT" "$@" --format csv -q 2>/dev/null | head -n 1 | tr -d '"\r' | tr , '\n' | sed 's/^/key /'
}

have_perf && perf script --dlfilter "$BUILD/cdict-dlfilter.so" --dlarg out=stacks.cdict --dlarg quiet=1 -i "$DATA/kvm-callchain.data" >/dev/null 2>&1
declare -A uses
while read -r command rest; do
	uses[$command]+="$command $rest"$'\n'
done <<'END'
tasks run.cdict
tasks --by group run.cdict
tasks --per-cpu run.cdict
tasks --guest both.cdict
exits run.cdict
exits --by port run.cdict
exits --by address run.cdict
exits --by msr run.cdict
exits --by vector run.cdict
vcpu run.cdict
vcpu --by reason run.cdict
vcpu --by antagonist run.cdict
vcpu --by vm run.cdict
vcpu --by sibling siblings.cdict
vcpu --by halt halts.cdict
vm run.cdict
vm 1044 run.cdict
vm --chain 1044 run.cdict
vm --critical 1122 run.cdict
latency run.cdict
vm --inside pair.cdict
latency --guest both.cdict
latency --by cpu run.cdict
latency --perf run.cdict
coremap run.cdict
switches run.cdict
count --by event,task,cpu --bucket 10 run.cdict
count --by syscall,task syscalls.cdict
successors -t . run.cdict
diff --max-exits 10 --skip-unjudged run.cdict new.cdict
flame a.folded
flame c.folded
flame stacks.cdict
flame --log-dir logs
identify --proc-root proc --libvirt off
job list
job show 2001
END
for command in "${!uses[@]}"; do
	while read -r line; do
		# shellcheck disable=SC2086 # words of a command
		[[ -z $line || ($line == *stacks.cdict && ! -e stacks.cdict) ]] || of_command $line
	done <<<"${uses[$command]}" >all 2>wrong
	sed -n 's/^key //p' all | grep -v - | sort -u >keys # the mapping file of identify is an example
	[ "$command" != diff ] || sed -i -E 's/_(base|new|change)$//' keys
	{ cat keys; sed 's/.* //' all; } | sort -u >known
	named "$command" >named
	[ "$(wc -l <keys)" -gt 3 ] || echo "only $(wc -l <keys) keys" >>wrong
	sort -u keys | comm -23 - named | sed 's/^/not in the page: /' >>wrong
	# a capture with stacks is made by perf; a host that waits has further keys
	[ "$command" = job ] || { [ "$command" = flame ] && [ ! -e stacks.cdict ]; } || listed "$command" | comm -23 - known | sed 's/^/not in the output: /' >>wrong
	verdict "cdict-$command.1_has_the_keys_of_its_output" "$(cat wrong)"
done
