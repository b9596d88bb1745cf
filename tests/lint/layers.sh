#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Which folder may include which: DESIGN section 2.  A folder always sees itself and include/cdict.
set -euo pipefail
cd "$(dirname "$0")/../.."

declare -A may=(
	[include]=""
	[base]=""
	[format]="base"
	[ingest]="base format"
	[convert]="base format ingest"
	[plugin]="base format ingest convert annotate"
	[capture]="base format ingest convert"
	[annotate]="base format"
	[analyze]="base"
	[tables]="base format analyze"
	[render]="base analyze tables"
	[cmd]="base format ingest convert plugin capture annotate analyze tables render query exchange fleet sweep"
	[query]="tables analyze format base"
	[exchange]="base format ingest convert analyze tables"
	[fleet]="base format analyze tables"
	[sweep]="base annotate tables render"
)
# The libraries that read perf's records and tracepoints.
kernel_libraries='^<(traceevent|perf)/|^<(event-parse|trace-seq|kbuffer)\.h>'
may_see_kernel_libraries="convert plugin capture"

failed=0
for room in $(printf '%s\n' "${!may[@]}" | sort); do
	[ -d "$room" ] || continue
	files=$(find "$room" -name '*.[ch]' | sort)
	[ -n "$files" ] || continue
	wrong=
	while IFS=: read -r file line text; do
		[[ $text =~ ^[[:space:]]*#[[:space:]]*include[[:space:]]*([\<\"][^\>\"]*[\>\"]) ]] &&
			name=${BASH_REMATCH[1]} || name=$text
		case $name in
		'"cdict/'* | '<cdict/'*) continue ;;
		'"'*/*)
			of=${name%%/*}
			of=${of#\"}
			[ "$of" != "$room" ] || continue
			[[ " ${may[$room]} " != *" $of "* ]] || continue
			;;
		'"'*) ;; # without its folder: cannot be judged, so not allowed
		*)
			[[ $name =~ $kernel_libraries ]] || continue
			[[ " $may_see_kernel_libraries " != *" $room "* ]] || continue
			;;
		esac
		wrong+="  $file:$line: $room/ may not include $name"$'\n'
	done < <(grep -nHE '^[[:space:]]*#[[:space:]]*include' $files)
	if [ -z "$wrong" ]; then
		echo "ok ${room}_includes_only_what_it_may"
	else
		echo "not ok ${room}_includes_only_what_it_may"
		printf '%s' "$wrong"
		failed=1
	fi
done
exit $failed
