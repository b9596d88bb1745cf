#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# fuzz.sh BUILD SECONDS [NAME]: runs each libFuzzer target, or tests/fuzz/fuzz_NAME.c only: three quarters of SECONDS
# without sanitizers, by BUILD-quick, then under the sanitizers, by BUILD, which first runs all inputs that the quick one kept.
# Starts from tests/fuzz/corpus/TARGET and tests/data/bad; new inputs stay in BUILD/corpus, failing inputs in BUILD/found.
# tests/fuzz/TARGET.options has libFuzzer's options of a target, as OSS-Fuzz has: max_len, where longer texts have nothing new.
# Adds executions and CPU time to tests/fuzz/state.tsv ($FUZZ_STATE).  Status 1 if an input fails.
#   UNTIL=18:00    round after round until then; a target whose last round found nothing new gets a third of the time
set -euo pipefail

build=$1
seconds=$2
state=${FUZZ_STATE:-tests/fuzz/state.tsv}
status=0
TIMEFORMAT='%U %S'
mkdir -p "$build/found"
TMPDIR=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)" cdict-fuzz.XXXXXX) # a target may write a file: in memory
export TMPDIR ASAN_OPTIONS=malloc_context_size=6:quarantine_size_mb=16
trap 'rm -rf "$TMPDIR"' EXIT

# run BUILD SECONDS TARGET - sets executions, cpu, added, and edges, features, inputs of the last line of its log
run() {
	local target=$3 log=$1/$3.log seeds=$TMPDIR/seeds longest
	longest=$(sed -n 's/^max_len = //p' "tests/fuzz/$target.options" 2>/dev/null || :)
	rm -rf "$seeds"
	mkdir -p "$build/corpus/$target" "$seeds"
	# those named many- take a second each: tests/run replays them
	find "tests/fuzz/corpus/$target" tests/data/bad -type f ! -name 'many-*' ! -name '*.md' -exec cp -t "$seeds" {} +
	# a timeout of wall time, on a machine that may be busy
	# 0 s would be without end
	if ! { time "$1/tests/fuzz/$target" -max_total_time="$(($2 > 0 ? $2 : 1))" ${longest:+-max_len="$longest"} -timeout=100 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$build/found/$target-" "$build/corpus/$target" "$seeds" >"$log" 2>&1; } 2>"$TMPDIR/time"; then
		status=1
		echo "$target: FOUND, see $log"
		tail -n 30 "$log"
	fi
	executions=$(awk '/^stat::number_of_executed_units:/ { n = $2 } END { print n + 0 }' "$log")
	added=$(awk '/^stat::new_units_added:/ { n = $2 } END { print n + 0 }' "$log")
	cpu=$(tail -n 1 "$TMPDIR/time" | awk '{ print $1 + $2 }')
	read -r edges features inputs < <(awk '/ cov: / { for (i = 1; i < NF; i++) v[$i] = $(i + 1) }
		END { sub("/.*", "", v["corp:"]); print v["cov:"] + 0, v["ft:"] + 0, v["corp:"] + 0 }' "$log")
}

# count TARGET EXECUTIONS SANITIZED CPU EDGES FEATURES INPUTS - adds the first three, replaces the others
count() {
	(
		flock 9
		{
			echo "# Sums over all runs of make fuzz: executions, of them under the sanitizers, seconds of CPU.  As of the last run, of the corpus"
			echo "# under the sanitizers: edges and features that libFuzzer counts, inputs."
			printf 'target\texecutions\tsanitized\tcpu_s\tedges\tfeatures\tinputs\tlast\n'
			{
				grep -v -e '^#' -e '^target' "$state" 2>/dev/null || :
				printf '%s\t' "$@"
				date +%F
			} | awk -F '\t' -v OFS='\t' '{
				n[$1] += $2; s[$1] += $3; c[$1] += $4; rest[$1] = $5 OFS $6 OFS $7 OFS $8
			} END { for (t in n) printf "%s\t%.0f\t%.0f\t%.1f\t%s\n", t, n[t], s[t], c[t], rest[t] }' | sort
		} >"$state.new"
		mv "$state.new" "$state"
	) 9>"$build/state.lock"
}

# Both builds, one after the other.
round() { # TARGET SECONDS
	local quick=0 found=0 spent=0
	if [ -x "$build-quick/tests/fuzz/$1" ]; then
		run "$build-quick" $(($2 * 3 / 4)) "$1"
		quick=$executions found=$added spent=$cpu
	fi
	run "$build" $(($2 - (quick > 0 ? $2 * 3 / 4 : 0))) "$1"
	found=$((found + added))
	count "$1" $((quick + executions)) "$executions" "$(echo "$spent $cpu" | awk '{ print $1 + $2 }')" "$edges" "$features" "$inputs"
	echo "$1: $((quick + executions)) executions, $found new inputs; $edges edges, $features features"
	new[$1]=$found
}

declare -A new
while :; do
	for source in tests/fuzz/fuzz_${3:-*}.c; do
		[ -e "$source" ] || { echo "no fuzz target $source" >&2; exit 1; }
		target=$(basename "$source" .c)
		[ -z "${UNTIL-}" ] || [ "$(date +%s)" -lt "$(date -d "$UNTIL" +%s)" ] || break 2
		round "$target" $((${new[$target]-1} ? seconds : seconds / 3))
	done
	[ -n "${UNTIL-}" ] || break
done
sum=$(awk -F '\t' 'function group(n,  s) { s = sprintf("%.0f", n); while (match(s, /^[0-9][0-9][0-9][0-9]+/)) s = substr(s, 1, RLENGTH - 3) "," substr(s, RLENGTH - 2); return s }
	!/^#/ && $2 + 0 { n += $2; s += $3; c += $4; t++ }
	END { printf "%s executions of %d targets, %s of them under the sanitizers, %.1f h of CPU", group(n), t, group(s), c / 3600 }' "$state")
echo "in all: $sum"
tests/tools/source/standing.sh put fuzzing "$sum, $(find "$build/found" -type f ! -name '*-slow-unit-*' | wc -l) failing inputs"
exit $status
