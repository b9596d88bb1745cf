#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: perl
# Counts in sentences have commas: no format prints a plain number before a word that may follow a thousand, and no expected output has
# "12004 events". JSON and CSV have plain numbers.
set -u
cd "$(dirname "$0")/../.." || exit 1

nouns='(?:event|sample|bucket|row|task|thread|frame|stack|host|file|line|record|label|run|value|function|program|block|process|exit|slice|switch|window|VM|more|other|time|vCPU|lost)(?!s? [0-9])'
# Never as many: what one message, line or event has; limits of formats; events of a guest's fit.
few='file.s limit|labels in a file|more column%s: -v|of the .*guest.s|relate the clocks|too many open files|for each of|than %u event types|than %u files|%zu of %zu CPUs|found %s; %zu vCPU|CPUs? no events|buckets of this length|no server|VM.s %zu vCPUs|^the page shows|dump|unfinished file|samples a second|million events|: %zu vCPU|%zu vCPU%s, each|%u? vCPU%s$|--max-values|--restart|files, not %zu|line %zu'
found=$(git ls-files 'annotate/*.c' 'capture/*.c' 'cmd/*.c' 'convert/*.c' 'format/*.c' 'plugin/*.c' 'query/*.c' 'render/*.c' 'tables/*.c' |
	xargs perl -0777 -ne '
		s/"\s*PRI[ud](?:32|64)\s*"/u/g; s/"\s*\n\s*"//g;
		while (/"((?:[^"\\\n]|\\.)*)"/g) {
			my $text = $1;
			print "$ARGV: $text\n" if $text =~ /(?<!CPU )(?<!line )(?<!byte )%(?:zu|u|lu|llu) (?:[a-z]+ )?(?:'"$nouns"')/ && $text !~ /'"$few"'/;
		}')
[ -z "$found" ] && echo "ok counts_in_sentences_have_commas" || { echo "not ok counts_in_sentences_have_commas"; sed 's/^/    # /' <<<"$found"; }

printed=$(git ls-files 'tests/cli/*.out' 'tests/cli/*.err' | xargs grep -nE "(^|[^0-9.,:+=-])[0-9]{4,} (event|sample|bucket|row|task|frame|stack|host|file|record|label|run|block|exit|lost)" |
	grep -vE ':[0-9]+: *([a-z_.:-]+ )?(\{|"|[0-9]+,)|not stored: ' | head)
[ -z "$printed" ] && echo "ok no_command_prints_12004_events" || { echo "not ok no_command_prints_12004_events"; sed 's/^/    # /' <<<"$printed"; }
[ -z "$found$printed" ]
