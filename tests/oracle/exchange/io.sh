#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Imported I/O traces are exported unchanged, and importing the export gives the same result.
# needs: python3 jq
set -u
. "$TOP/tests/oracle/_lib.sh"
cd "$(mktemp -d)" || exit 1
check=$TOP/tests/oracle/exchange/_lib/perfetto_check.py
rows() { python3 "$TOP/tests/oracle/exchange/_lib/rows.py" "$@"; }
export_to() { "$CDICT" export -q --max-loss 100 "$@"; }
import() { "$CDICT" convert -q --max-loss 100 -e '*' -i "$1" -o "$2"; [ -s "$2" ]; }

# whole FILE - its events, in every format and back
whole() {
	import "$1" a.cdict || { echo "is not read"; return; }
	export_to a.cdict -o a.pfw.gz && export_to a.cdict -o a.json && export_to a.cdict -o a.csv && export_to a.cdict -o a.pftrace || return
	rows io "$1" >want
	rows io a.pfw.gz | diff want - | head -n 5
	rows io a.json | diff want - | head -n 5
	# without events that are not slices, which only CSV has
	rows io-csv a.csv | comm -23 want - | head -n 5
	import a.pfw.gz b.cdict && export_to b.cdict -o b.pfw
	rows io b.pfw | diff want - | head -n 5
	# all arguments, whatever order they are in
	diff <(zcat a.pfw.gz | tail -n +2 | jq -cS . | sort) <(tail -n +2 b.pfw | jq -cS . | sort) | head -n 4
	python3 "$check" a.pftrace | grep -v '^ok$'
	diff <(awk 'NF { print $2, $3, $5, $7 }' want | sort) \
		<(python3 "$check" --slices a.pftrace | sed -n "s/^exit //p" | sort) | head -n 5
}

cat >made.pfw <<'R'
[
{"id":0,"name":"FH","cat":"dftracer","pid":7,"tid":7,"ph":"M","args":{"name":"/data/a \"b\".dat","value":"deadbeef"}}
{"id":1,"name":"open64","cat":"POSIX","pid":7,"tid":7,"ts":1000,"dur":10,"ph":"X","args":{"fhash":"deadbeef","ret":3,"flags":66}}
{"id":2,"name":"read","cat":"POSIX","pid":7,"tid":7,"ts":1020,"dur":100,"ph":"X","args":{"fhash":"deadbeef","size":4096,"more":{"deep":[1,2.5,null,"x"]}}}
{"id":3,"name":"read","cat":"POSIX","pid":7,"tid":7,"ts":1070,"dur":100,"ph":"X","args":{"fhash":"deadbeef","size":10}}
{"id":4,"name":"step","cat":"app","pid":7,"tid":8,"ts":1000,"dur":500,"ph":"X","args":{"epoch":3}}
{"id":5,"name":"inner","cat":"app","pid":7,"tid":8,"ts":1000,"dur":500,"ph":"X","args":{}}
{"id":6,"name":"zero","cat":"app","pid":7,"tid":8,"ts":1500,"dur":0,"ph":"X","args":{"text":"</script>\u001b[31m"}}
R
if ! import made.pfw made.cdict 2>err; then
	# the importer is another's: without it there is nothing to export
	skip io_traces "$(head -n 1 err)"
	exit 0
fi
verdict io_made_up "$(whole made.pfw 2>&1; [ "$(grep -c ^io want)" = 6 ] || echo "there are not six events")"
n=0
while read -r file; do
	n=$((n + 1))
	verdict "io_$(basename "$file")" "$(whole "$file" 2>&1)"
done < <([ -z "${SHARED-}" ] || find "$SHARED/captures/public" \( -name '*.pfw' -o -name '*.pfw.gz*' \) -size +1k -print | sort)
[ $n -gt 0 ] || skip io_public "there are no public I/O traces here"

verdict io_tasks "$(
	[ "$(export_to made.cdict --to csv --tid 8 | tail -n +2 | wc -l)" = 3 ] || echo "not three events of 8"
	[ "$(export_to made.cdict --to csv --time ,0.0012 | tail -n +2 | wc -l)" = 3 ] || echo "not three events up to there"
	export_to made.cdict --to folded 2>&1 | grep -q 'was converted from I/O traces' || echo "folded stacks of I/O"
)"
