#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: jq perl
# timeout: 600
#
# Names in every capture: they change no event, are the same from convert and from annotate,
# and a file is the complete old or new one if the program is killed while naming it.
set -u
. "$TOP/tests/oracle/_lib.sh"

# names_for CDICT - a mapping CSV that names each thread the recorder or an event knows.
names_for() {
	"$CDICT" tasks --format csv --max-loss 100 -q "$1" 2>/dev/null </dev/null |
		awk -F, 'NR > 1 && $2 > 0 { print $2 ",instance-" $2 % 7 ",vcpu" NR ",,FULL," NR % 5 ",Task" NR }'
}

# only_names - lines with everything out that --anonymize may change: texts of fields.
only_names() {
	perl -pe 's/comm=.*?( (?:prev_pid|next_pid|pid|prio|child_pid)=)/comm=$1/g;
		s/filename=.*?( pid=)/filename=$1/;
		s/(oldcomm=|newcomm=|name=|comm=)\S+/$1/g'
}

check_capture() { # CAPTURE
	local n own status
	rm -f plain.cdict other.cdict in.cdict out.cdict
	rm -f plain.cdict
	"$CDICT" convert -q -i "$1" -o plain.cdict 2>/dev/null </dev/null
	[ -e plain.cdict ] || { echo "convert makes nothing of $1"; return; }
	names_for plain.cdict >map.csv
	n=$(wc -l <map.csv)
	cdict_lines plain.cdict >plain.lines
	[ "$n" -gt 0 ] || return # a capture without tasks
	rm -f other.cdict
	"$CDICT" convert -q -i "$1" --map map.csv -o other.cdict 2>/dev/null </dev/null
	cp plain.cdict in.cdict
	"$CDICT" annotate --map map.csv --max-loss 100 in.cdict 2>annotate.err </dev/null
	status=$?
	[ $status -eq 0 ] || [ $status -eq 2 ] || { echo "annotate ends with $status"; cat annotate.err; }
	cmp other.cdict in.cdict || echo "convert --map and annotate --map give different files"
	"$CDICT" info --verify --max-loss 100 in.cdict >/dev/null 2>info.err || {
		"$CDICT" info --verify --max-loss 100 plain.cdict >/dev/null 2>&1 &&
			{ echo "annotate made it worse:"; cat info.err; }
	}
	# beside those of control groups that the recording has itself
	own=$("$CDICT" info --labels --format json -q plain.cdict | jq '.labels | length')
	[ "$("$CDICT" info --labels --format json -q in.cdict | jq '.labels | length')" = $((n + own)) ] ||
		echo "not $n labels and $own of control groups"
	cdict_lines in.cdict | cmp - plain.lines || echo "names changed events"
	"$CDICT" annotate -q --map map.csv --max-loss 100 in.cdict </dev/null
	cmp other.cdict in.cdict || echo "the same names again change the file"
	# every one of the tasks is called by its name now
	"$CDICT" tasks --format csv -q --max-loss 100 in.cdict 2>/dev/null |
		awk -F, 'NR > 1 && $2 > 0 && $1 !~ /^Task[0-9]+\.0[0-4]\.vcpu[0-9]+$/ { print "not named: " $0 }' | head -n 3
	"$CDICT" annotate -q --clear --max-loss 100 in.cdict </dev/null
	[ "$own" = 0 ] || "$CDICT" annotate -q --clear --max-loss 100 plain.cdict </dev/null
	cmp plain.cdict in.cdict || echo "without names it is another file"
	"$CDICT" annotate -q --anonymize --max-loss 100 other.cdict -o out.cdict </dev/null
	cdict_lines out.cdict | only_names >out.lines
	only_names <plain.lines | cmp - out.lines || echo "--anonymize changes more than names"
}

while IFS= read -r capture; do
	name=${capture##*/}
	wrong=$(check_capture "$capture" 2>&1)
	verdict "names_change_no_event_of_${name%.data}" "$wrong"
done < <(real_captures; [ -z "$SHARED" ] || find "$SHARED/captures/public" -name '*.data' | sort)

# ---- killed ---------------------------------------------------------------------------------
# At every eighth system call until there is a temporary file or the new one, and at every one from the
# eighth before that to the end.
killed() {
	local n=0 step=8 killat=$BUILD/tests/tools/run/killat old=0 new=0 status between=0
	"$CDICT" convert -q -i "$DATA/kvm-callchain.data" -o old.cdict
	names_for old.cdict >map.csv
	cp old.cdict new.cdict
	"$CDICT" annotate -q --map map.csv new.cdict || return
	mkdir -p place
	while :; do
		n=$((n + step))
		cp old.cdict place/x.cdict
		"$killat" $n "$CDICT" annotate -q --map map.csv place/x.cdict >/dev/null 2>kill.err
		status=$?
		if [ $status -eq 77 ]; then
			skipped=$(tail -n 1 kill.err)
			return
		fi
		if cmp -s place/x.cdict old.cdict; then
			old=$((old + 1))
		elif cmp -s place/x.cdict new.cdict; then
			new=$((new + 1))
		else
			echo "killed at system call $n the file is neither the old nor the new one"
		fi
		compgen -G 'place/.x.cdict.*' >/dev/null && between=1
		if [ $step -gt 1 ] && [ $((between + new)) -gt 0 ]; then
			n=$((n - step)) step=1
		elif [ $status -ne 0 ] || [ $n -ge 5000 ]; then
			break
		fi
		rm -rf place/.x.cdict.*
	done
	[ $between -eq 1 ] || echo "no temporary file was seen"
	echo "# killed at $((n - 1)) system calls: $old times the old file, $new times the new" >&2
	[ $n -gt 50 ] && [ $old -gt 20 ] && [ $new -gt 1 ] || echo "$n calls, $old old, $new new"
}
skipped=
wrong=$(killed; [ -z "$skipped" ] || echo "skip: $skipped")
case $wrong in
'skip: '*) skip killed_at_any_system_call_the_file_is_the_old_or_the_new_one "${wrong#skip: }" ;;
*) verdict killed_at_any_system_call_the_file_is_the_old_or_the_new_one "$wrong" ;;
esac
