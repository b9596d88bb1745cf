#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# I/O traces, read by cdict and by Python: the activity while files were active, and every event's columns, are equal;
# the division into files, members and threads makes no difference. Synthetic traces are here, foreign ones in ../shared.
# needs: python3 sqlite3
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
PFW=$TOP/tests/oracle/exchange/_pfw/pfw.py

convert() { "$CDICT" convert -q "$@" 2>convert.err || [ $? -eq 2 ] || { cat convert.err; return 1; }; }

# asked CDICT PATTERN - active_sums() and the same by slice and intervals, as category, name, count, ns
asked() {
	"$CDICT" query --format csv "SELECT category, name, count, dur FROM active_sums('$2') ORDER BY 1, 2" "$1" |
		tail -n +2 | tr -d '\r"'
}
slices() {
	"$CDICT" query --format csv "WITH active AS MATERIALIZED (SELECT interval_union(ts, dur) AS set_ FROM slice
		WHERE instr(fname, '$2'))
		SELECT category, name, count(*), sum(dur) FROM slice, active
		WHERE dur > 0 AND interval_overlaps(set_, ts, dur) GROUP BY 1, 2 ORDER BY 1, 2" "$1" |
		tail -n +2 | tr -d '\r"'
}

# holds NAME PATTERN CDICT TRACE... - both queries give the same as Python
holds() {
	local name=$1 pattern=$2 cdict=$3
	shift 3
	python3 "$PFW" active "$pattern" "$@" >want || { fail "pfw_active_$name" <<<"python3 failed"; return; }
	asked "$cdict" "$pattern" >got
	verdict "pfw_active_$name" "$(diff want got)"
	slices "$cdict" "$pattern" >got
	verdict "pfw_slices_$name" "$(diff want got)"
	[ -s want ] || [ "$pattern" = nothing ] || fail "pfw_answer_$name" <<<"nothing overlaps $pattern"
}

# columns NAME CDICT TRACE... - every event with its time, duration, task, file, size and host
columns() {
	local name=$1 cdict=$2
	shift 2
	python3 "$PFW" events "$@" >want || { fail "pfw_columns_$name" <<<"python3 failed"; return; }
	"$CDICT" query --format csv "SELECT ts, dur, coalesce(tid, 0), category, s.name, coalesce(fname, ''), coalesce(size, ''), coalesce(s.host, '')
		FROM slice s LEFT JOIN thread USING (utid)" "$cdict" | tail -n +2 | tr -d '\r"' | sort >got
	verdict "pfw_columns_$name" "$(diff want got | head -n 20)"
}

# ---- synthetic ----

python3 "$PFW" make 30000 1 >one.pfw && python3 "$PFW" make 20000 2 >two.pfw || exit 1
gzip -nk one.pfw
split -l 3000 --filter='gzip -n' one.pfw >members.pfw.gz
for f in one.pfw one.pfw.gz members.pfw.gz; do
	wrong=
	for j in 1 2 5; do
		convert -j $j -o "$f.$j.cdict" $f || wrong="status 1"
		cmp "$f.1.cdict" "$f.$j.cdict" >differ || wrong+=$(cat differ)
	done
	verdict "pfw_threads_${f//./_}" "$wrong"
	"$CDICT" query --format csv 'SELECT * FROM slice' "$f.1.cdict" | grep -v '^run' | sed 's/[^,]*$//' | sort >"$f.rows"
done
verdict pfw_members_are_one_text "$(cmp one.pfw.rows one.pfw.gz.rows; cmp one.pfw.rows members.pfw.gz.rows)"
for pattern in file_0 file_1 nothing; do
	holds "made_$pattern" $pattern one.pfw.1.cdict one.pfw
done
columns made one.pfw.1.cdict one.pfw
convert -o both.cdict '*[eo].pfw'
holds several file_0 both.cdict one.pfw two.pfw
columns several both.cdict one.pfw two.pfw

# ---- other people's ----

n=0
for file in ${SHARED:+$(find "$SHARED/captures/public" "$SHARED/captures/reports" -name '*.pfw' -o -name '*.pfw.gz*' | sort)}; do
	n=$((n + 1))
	convert -o public.cdict "$file" || fail "pfw_public_$n" <<<"$file: status 1"
	pattern=file_0
	zcat -f "$file" | grep -q file_0 || pattern=/
	zcat -f "$file" | grep -q 'fname\|fhash' || pattern=nothing
	zcat -f "$file" | grep -q '"dur"' || pattern=nothing # a profile: nothing lasts
	holds "public_$n" $pattern public.cdict "$file"
	columns "public_$n" public.cdict "$file"
done
[ $n -gt 0 ] || skip pfw_public 'no ../shared/captures/public'
