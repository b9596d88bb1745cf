#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# cdict query over joined guests: the tables' sums are those of cdict tasks --guest, whole and in windows; the states do not overlap, and
# what a task waited behind is a task of the host's tables. cdict stats has the sentences of cdict vm --inside.
# needs: jq
set -u
. "$TOP/tests/oracle/_lib.sh"

# check NAME FUNCTION [ARG...]
check() {
	local text
	if text=$("${@:2}" 2>&1); then pass "$1"; else fail "$1" <<<"$text"; fi
}

cd "$TMPDIR" || exit
pair=$DATA/guest-pair
guests=("=$pair/instance-0000001b.cdict" "=$pair/instance-0000001c.cdict")
"$CDICT" join -q "$pair/host.cdict" "${guests[@]}" -o both.cdict || exit

states='sum(dur * (state = "running")), sum(dur * (state = "stolen")), sum(dur * (state = "busy")), sum(dur * (state = "away")), sum(dur * (state = "asleep")), sum(dur * (state = "blocked"))'
# sums WINDOW_OPTION... - "vm tid comm run stolen busy away sleep block" of each task, by the command, by guest_thread, by guest_thread_state
sums() {
	"$CDICT" tasks both.cdict --guest --json -q --max-loss 100 "$@" | jq -r '.guest_tasks[] | [.vm, .tid, .comm, .run_ns, .stolen_ns, .busy_ns, .away_ns, .sleep_ns, .block_ns, .unknown_ns, .absent_ns] | @tsv' | sort >command
	"$CDICT" query 'SELECT vm, tid, comm, run_ns, stolen_ns, busy_ns, away_ns, sleep_ns, block_ns, unknown_ns, absent_ns FROM guest_thread' both.cdict --json -q --max-loss 100 "$@" |
		jq -r '.query[0].rows[] | [.[]] | @tsv' | sort >threads
	"$CDICT" query "SELECT vm, tid, comm, ${states//\"/\'}, unknown_ns, absent_ns FROM guest_thread_state JOIN guest_thread USING (vm, task, tid) GROUP BY vm, task" both.cdict --json -q --max-loss 100 "$@" |
		jq -r '.query[0].rows[] | [.[]] | @tsv' | sort >states
	[ -s command ] && diff command threads && diff <(awk -F'\t' '$4 + $5 + $6 + $7 + $8 + $9' command) states
}
check guest_thread_and_its_states_are_those_of_tasks_guest sums
check guest_thread_and_its_states_are_those_of_tasks_guest_in_a_window sums --time 40%-55%
beside() {
	"$CDICT" query 'SELECT vm, task, ts, dur, state, behind FROM guest_thread_state' both.cdict --json -q --max-loss 100 | jq -c .query[0].rows >joined
	"$CDICT" query 'SELECT vm, task, ts, dur, state, behind FROM guest_thread_state' "$pair/host.cdict" "${guests[@]}" --json -q --max-loss 100 | jq -c .query[0].rows >given
	cmp joined given && [ -s given ]
}
check guests_given_to_query_are_those_of_a_joined_file beside
overlap() {
	[ "$("$CDICT" query 'SELECT count(*) AS n FROM (SELECT ts, lag(ts + dur) OVER (PARTITION BY vm, task ORDER BY ts) AS before FROM guest_thread_state) WHERE ts < before' both.cdict --json -q --max-loss 100 | jq -c '.query[0].rows[0]')" = '{"n":0}' ]
}
check a_guest_task_is_in_one_state_at_a_time overlap
# hosthog was planted on the CPU of web's vCPU: the host's own table has it there while web was kept off
planted() {
	"$CDICT" query "SELECT s.name AS name, sum(min(g.ts + g.dur, r.ts + r.dur) - max(g.ts, r.ts)) AS both, (SELECT sum(dur) FROM guest_thread_state WHERE name = 'web' AND behind = 'hosthog-5310') AS ns
		FROM guest_thread_state g JOIN sched_slice r ON r.utid = g.behind_utid AND r.ts < g.ts + g.dur AND r.ts + r.dur > g.ts JOIN thread s ON s.utid = r.utid
		WHERE g.name = 'web' AND g.behind = 'hosthog-5310'" both.cdict --json -q --max-loss 100 | jq -e '.query[0].rows[0] | .name == "hosthog" and .both == .ns and .ns > 200000000'
}
check a_guest_waits_while_the_hosts_table_has_the_neighbour_on_the_cpu planted
said() {
	"$CDICT" stats both.cdict -q --max-loss 100 >stats.txt
	"$CDICT" stats "$pair/host.cdict" "${guests[@]}" -q --max-loss 100 | grep -F ' for its vCPU' >given.txt
	grep -F ' for its vCPU' stats.txt | diff - given.txt && tr '\n' ' ' <stats.txt | grep -qE 'web-190 in instance-0000001b waited 1\.27 s for its vCPU, 329 ms of it behind hosthog-5310'
}
check stats_has_the_sentences_on_guests said
# the same where findings stand; of a VM, those about it
beside_findings() {
	"$CDICT" vcpu both.cdict -q --max-loss 100 | grep -F ' for its vCPU' | diff given.txt -
	"$CDICT" vm instance-0000001b both.cdict --inside -q --max-loss 100 | grep -F ' for its vCPU' >inside.txt
	"$CDICT" vm instance-0000001b both.cdict -q --max-loss 100 | grep -F ' for its vCPU' | diff inside.txt -
	[ "$(grep -c 'in instance-0000001b waited' inside.txt)" = 5 ]
}
check vcpu_and_vm_have_the_sentences_on_guests beside_findings
# the extension of the sqlite3 shell has the same rows
extension() {
	sqlite3 -batch -init /dev/null :memory: ".load $BUILD/cdict_sqlite.so" "SELECT cdict_open('both.cdict') > 0" '.mode csv' \
		'SELECT vm, tid, run_ns, stolen_ns, away_ns FROM guest_thread ORDER BY 1, 2' 'SELECT vm, state, behind, count(*), sum(dur) FROM guest_thread_state GROUP BY 1, 2, 3 ORDER BY 1, 2, 3' | tail -n +2 | tr -d '\r"' >shell
	{
		"$CDICT" query 'SELECT vm, tid, run_ns, stolen_ns, away_ns FROM guest_thread ORDER BY 1, 2' both.cdict --format csv -q --max-loss 100 | tail -n +2
		"$CDICT" query 'SELECT vm, state, behind, count(*), sum(dur) FROM guest_thread_state GROUP BY 1, 2, 3 ORDER BY 1, 2, 3' both.cdict --format csv -q --max-loss 100 | tail -n +2
	} | tr -d '\r"' >command
	[ "$(wc -l <shell)" -gt 60 ] && diff command shell
}
case $BUILD in
*san-*) skip the_extension_has_the_tables_of_guests "the sanitizers are not in the shell" ;;
*) if command -v sqlite3 >/dev/null; then check the_extension_has_the_tables_of_guests extension; else skip the_extension_has_the_tables_of_guests "sqlite3 is not installed"; fi ;;
esac
