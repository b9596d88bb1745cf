#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: perl
# No message prints "1 events": in a format, a number stands before "event%s", and no expected output has "1 events".
set -u
cd "$(dirname "$0")/../.." || exit 1

# What follows a number in messages. Bytes are left out: "needs 24 bytes, 1 bytes are left" is about one field of a damaged file.
nouns='window|event|run|row|label|stack|capture|sample|dump|host|file|frame|server|key|task|thread|CPU|vCPU|VM|guest|line|block|record|exit|slice|gap|column|value|process|group|unit|type|wake-up|trace'
# Always more than one where they are printed.
many='found %(zu|s) windows|in %(zu|s) windows|%zu more of %zu hosts|skipped %(zu|s) bad lines|[0-9]+ dumps begin|%zu dumps begin|The VM.s %zu vCPUs|of %zu samples|of the .*guest.s|%s%(llu|s) files|kernel counted|are too few|%zu of %zu runs|are too many|the guest has %zu events|exceed the file|events on each CPU: raise|events or more|million events|raw_syscalls:%s|kvm_%s|%s or %s events|the capture has %u CPUs; a|values of several types|^%s events (lost while|out of)|waiting of the VM|^ .%s tasks.$|^%s with events|CPU%s no events|record%s of tasks'
found=$(git ls-files 'analyze/*.c' 'annotate/*.c' 'base/*.c' 'capture/*.c' 'cmd/*.c' 'convert/*.c' 'format/*.c' 'plugin/*.c' 'query/*.c' 'render/*.c' 'tables/*.c' |
	xargs perl -0777 -ne '
		s/"\s*PRI[ud](?:32|64)\s*"/u/g; s/"\s*\n\s*"//g;
		while (/"((?:[^"\\\n]|\\.)*)"/g) {
			my $text = $1;
			print "$ARGV: $text\n" if $text =~ /(?<!most )(?<!than )(?<!least )(?<!of )(?<!no )%[0-9]*(?:zu|u|lu|llu|d|s) (?:[a-z]+ )?(?:'"$nouns"')(?:s|es)\b/ && $text !~ /'"$many"'/;
		}')
[ -z "$found" ] && echo "ok formats_have_a_form_for_one" || { echo "not ok formats_have_a_form_for_one"; sed 's/^/    # /' <<<"$found"; }

printed=$(git ls-files 'tests/cli/*.out' 'tests/cli/*.err' | xargs grep -nE "(^|[^0-9.,:+-])1 ($nouns)(s|es)\b" | grep -v '/vcpu-states.out:' | head)
[ -z "$printed" ] && echo "ok no_command_prints_1_events" || { echo "not ok no_command_prints_1_events"; sed 's/^/    # /' <<<"$printed"; }
[ -z "$found$printed" ]
