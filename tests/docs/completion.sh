#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The completions of `cdict --completion` for bash, zsh and fish have every option of every command, and each installed
# shell completes commands, options and values with them.
set -u
. "$TOP/tests/oracle/_lib.sh"

cd "$(mktemp -d)" || exit 1
mkdir zsh fish
"$CDICT" --completion bash >cdict.bash
"$CDICT" --completion zsh >zsh/_cdict
"$CDICT" --completion fish >cdict.fish
# "cdict", as the completions call it; captures to find values in
mkdir bin
ln -s "$(realpath "$CDICT")" bin/cdict
export PATH=$PWD/bin:$PATH CDICT_STORE=$PWD/store
cdict job create 2001 >/dev/null && cdict job create night >/dev/null
"$CDICT" convert -q "$DATA/kvm-libvirt-cgroups.data" -o run.cdict
cp run.cdict record.cdict
cp "$DATA/kvm-small.data" other.data
commands=$("$CDICT" help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p')

# part SHELL COMMAND - prints the completion of one command
part() {
	case $1 in
	bash) sed -n "s/^\t*$2) words='\(.*\)' ;;/\1/p" cdict.bash | tr ' ' '\n' ;;
	zsh) sed -n "/^\t$2)$/,/;;$/p" zsh/_cdict ;;
	fish) grep "__fish_seen_subcommand_from $2'" cdict.fish | sed 's/ -l / --/' ;;
	esac
}
declare -A options
for command in $commands; do
	options[$command]=$("$CDICT" help "$command" | sed -n 's/^  \(-[A-Za-z], \|    \)--\([a-z-]*\).*/\2/p' | grep -vx help)
done
for shell in bash zsh fish; do
	wrong=
	for command in $commands; do
		part=$(part $shell "$command")
		[ -n "${options[$command]}" ] || wrong+="$command has no options "
		for option in ${options[$command]}; do
			[[ $part =~ (^|[^a-z-])--$option([^a-z-]|$) ]] || wrong+="$command lacks --$option "
		done
	done
	verdict "every_option_is_in_the_completion_for_$shell" "$wrong"
done
# a choice, a list of values, events
verdict values_are_in_it "$(for file in cdict.bash zsh/_cdict cdict.fish; do
	for words in 'mono raw real boot tai' 'switches exits vcpu coremap' available_events 'latency> delay> exit> steal>'; do
		grep -q "$words" "$file" || echo "$file lacks $words"
	done
done)"
verdict the_clocks_are_those_that_record_takes "$(for clock in mono raw real boot tai; do
	"$CDICT" record -k $clock -s nonsense 2>&1 | grep -i "clockid"
done)"

bash_completes() { # WORDS...; the last one is being typed
	bash -c 'source ./cdict.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cdict
		printf "%s\n" "${COMPREPLY[@]}"' _ "$@" 2>/dev/null
}
fish_completes() { # WORDS...
	HOME=$PWD/fish fish --private -c 'source cdict.fish; complete -C "$argv"' "$@" 2>&1 | cut -f1
}
# zsh completes in a terminal only: Tab is typed into one.
cat >type.zsh <<'END'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1= ; fpath=($PWD/zsh \$fpath); autoload -U compinit; compinit -u -D; echo REA''DY"
zpty -r z out "*READY*"
zpty -n -w z "$1"$'\t\t'
out= more=
for i in {1..150}; do # until Tab has given it
	zpty -r -t z more && out+=$more
	[[ $out == *$2* ]] && break
	sleep 0.1
done
print -r -- "$out"
zpty -d z
END
zsh_completes() { # WORDS...
	terminals zsh -f type.zsh "$*" "$want" 2>&1 | tr -d '\a\b' | tr ' ' '\n'
}
for shell in bash fish zsh; do
	if ! command -v $shell >/dev/null; then
		skip "${shell}_completes" "$shell is not installed"
		continue
	fi
	if [ $shell = zsh ] && ! terminals zsh -f -c 'zmodload zsh/zpty && zpty z true' 2>why; then
		skip zsh_completes "no terminal for it: $(head -n 1 why)"
		continue
	fi
	wrong=
	while read -r want words; do
		# shellcheck disable=SC2086
		${shell}_completes $words | grep -qe "$want" || wrong+="'$words' does not give $want "
	done <<-END
		info cdict inf
		--verify cdict info --veri
		json cdict info --format js
		vcpu cdict heatmap --view vc
		boot cdict record --clockid bo
		latency_max_ns cdict tasks -s latency_m
		kind cdict tasks --by group --sort ki
		reason_code cdict exits run.cdict -s reason_c
		created cdict job list -s cre
		instance-0000001d cdict vcpu run.cdict --vm instance-0000001d
		1044 cdict tasks other.data --vm 104
		instance-0000001c.vcpu1 cdict tasks run.cdict -t instance-0000001c.v
		kvm:kvm_exit cdict tasks other.data --window-start kvm:kvm_exi
		instance-0000001b cdict vm instance-0000001b
		remove cdict job rem
		night cdict job show nig
		2001 cdict tasks --job 20
		group cdict tasks --by gro
	END
	verdict "${shell}_completes_commands_options_and_values" "$wrong"
done
