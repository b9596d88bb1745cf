# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Sourced: functions shared by the tests of the page.  Environment: see doc/HACKING.md.
. "$TOP/tests/oracle/_lib.sh" # pass, fail, skip, verdict, and the captures
LIB=$TOP/tests/page/_lib

# need PROGRAM... - ends the job as skipped when one is not there
need() {
	local program
	for program; do
		command -v "$program" >/dev/null 2>&1 && continue
		echo "$program is not installed" >&2
		exit 77
	done
}

# chromium_once OPTION... FILE - one run of Chromium without a driver
chromium_once() {
	local profile status
	profile=$(mktemp -d)
	"${CHROMIUM:-chromium}" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --user-data-dir="$profile" --window-size=1280,800 "${@:1:$#-1}" "file://$PWD/${*: -1}"
	status=$?
	rm -rf "$profile"
	return $status
}
# chromium_dump FILE - the document, after its scripts have run
chromium_dump() { chromium_once --dump-dom "$1" 2>chromium.err; }

# look_at [--firefox] PAGE... - uses each page, view by view, in one browser
look_at() {
	node "$LIB/quiet.mjs" "$@" >actions 2>node.err || fail the_browser_ends_well <node.err
}
# actions_of PAGE - prints forbidden actions of the page, or "PAGE: quiet"
actions_of() { grep "^$1: " actions; }
# quiet NAME PAGE - of a page that was looked at
quiet() {
	local text
	text=$(actions_of "$2")
	if [ "$text" = "$2: quiet" ]; then pass "$1"; else fail "$1" <<<"${text:-nothing is known of $2}"; fi
}

# report FILE [OPTION...] - writes a page; a status of 2 (lossy input) still does
report() {
	"$CDICT" report -q "$@" >report.out 2>&1
	case $? in
	0 | 2) ;;
	*) return 1 ;;
	esac
}

# captures - the real ones of our own hosts, a line "NAME FILE.cdict" each, made in the current
# directory.
captures() {
	local file name
	while IFS= read -r file; do
		[[ $file != "$SHARED"/captures/vmx/* ]] || continue
		name=$(basename "$file" .data)
		"$CDICT" convert -q -i "$file" -o "$name.cdict" >/dev/null 2>&1
		[ -s "$name.cdict" ] && echo "$name $name.cdict"
	done < <(real_captures)
}
# made_up [OF] - the made-up ones as well, of the converted ones one of OF
made_up() {
	local file name n=0
	ln -sfn "$DATA/formats" formats
	for file in "$DATA"/*.trace; do
		in_sample $((n += 1)) "${1-1}" || continue
		name=$(basename "$file" .trace)
		cp "$file" "$name.trace"
		"$MKPERF" -o "$name.data" "$name.trace" 2>/dev/null || continue
		"$CDICT" convert -q -i "$name.data" -o "$name.cdict" >/dev/null 2>&1
		[ -s "$name.cdict" ] && echo "$name $name.cdict"
	done
	for file in "$TOP"/tests/oracle/format/*.cdict; do
		echo "$(basename "$file" .cdict) $file"
	done
}

# hostile FILE.cdict - a capture whose names and host try to be something else
hostile() {
	ln -sfn "$DATA/formats" formats
	cat >hostile.trace <<'END'
cpus 2
host </script><img>
osrelease 6.1.0"><svg/onload=alert(1)>
version 6.1'><script>alert(1)</script>
cpudesc <iframe srcdoc=x>
cmdline perf record </title><script>alert(2)</script>
default kvm:kvm_exit isa=1
proc 301 "</script><img>"
proc 302 "<img onerror=a"
proc 303 "\x1b[2J\xff\n"
proc 304 "\xe2\x80\xae\xe2\x80\xa8drowssap"
proc 305 "'`${x}&amp;"
proc 306 "__proto__"
proc 307 "<!--<script>"
proc 308 "javascript:x"
301 [000] 10.000000: kvm:kvm_entry: vcpu_id=0
301 [000] 10.000100: kvm:kvm_exit: vcpu_id=0 exit_reason=CPUID
301 [000] 10.000110: sched:sched_switch: prev_pid=301 prev_state=R next_pid=302
302 [000] 10.000310: sched:sched_switch: prev_pid=302 prev_state=S next_pid=303
303 [000] 10.000410: sched:sched_switch: prev_pid=303 prev_state=S next_pid=304
304 [000] 10.000510: sched:sched_switch: prev_pid=304 prev_state=S next_pid=305
305 [000] 10.000610: sched:sched_switch: prev_pid=305 prev_state=S next_pid=306
306 [000] 10.000710: sched:sched_switch: prev_pid=306 prev_state=S next_pid=307
307 [000] 10.000810: sched:sched_switch: prev_pid=307 prev_state=S next_pid=308
308 [000] 10.000910: sched:sched_switch: prev_pid=308 prev_state=S next_pid=301
301 [000] 10.001000: kvm:kvm_entry: vcpu_id=0
306 [001] 10.000000: kvm:kvm_entry: vcpu_id=0
306 [001] 10.000900: kvm:kvm_exit: vcpu_id=0 exit_reason=CPUID
306 [001] 10.000910: sched:sched_switch: prev_pid=306 prev_state=R next_pid=308
308 [001] 10.000990: sched:sched_switch: prev_pid=308 prev_state=S next_pid=306
306 [001] 10.001000: kvm:kvm_entry: vcpu_id=0
301 [000] 10.001100: kvm:kvm_exit: vcpu_id=0 exit_reason=HLT
301 [000] 10.001110: sched:sched_switch: prev_pid=301 prev_state=S next_pid=0
END
	"$MKPERF" -o hostile.data hostile.trace && "$CDICT" convert -q -i hostile.data -o "$1"
}
# hostile_labels FILE.cdict - the same in everything that a label can say: one VM, whose parts fold, and others
hostile_labels() {
	cat >hostile.csv <<'END'
tid,libvirt-instance,role,uuid,group-type,group-id,task-name,start-ns,project
301,"</script><img src=x onerror=alert(1)>",vcpu0,"<iframe src=x>","'""><b>",7,"<svg/onload=alert(1)>",,"</title><script>alert(5)</script>"
302,"</script><img src=x onerror=alert(1)>","<script>alert(3)</script>","<iframe src=x>","'""><b>",7,"<svg/onload=alert(1)>",,"</title><script>alert(5)</script>"
303,"</script><img src=x onerror=alert(1)>","<script>alert(3)</script>1","<iframe src=x>","'""><b>",7,"<svg/onload=alert(1)>",,"</title><script>alert(5)</script>"
304,"javascript:alert(1)","=cmd|'/c calc'!A0","javascript:alert(6)","constructor",8,"__proto__",,"=1+1"
305,"javascript:alert(1)","onclick=alert(1)",,"constructor",8,"__proto__",,
306,"<img src=x onerror=alert(9)>",vcpu0,,,,,,
END
	"$CDICT" annotate -q --map hostile.csv "$1"
}
# hostile_formats FILE.cdict - the same in the contents of the kernel's formats: reasons of exits, an event's name and its text. (Of an
# event's name libtraceevent takes letters, digits and _ only.)
hostile_formats() {
	rm -rf evil && mkdir -p evil/formats && cp "$DATA"/formats/{kvm.kvm_exit,kvm.kvm_entry,sched.sched_switch}.format evil/formats/
	chmod u+w evil/formats/*
	sed -i -e 's|"CPUID"|"</script><img src=x onerror=alert(1)>"|; s|"HLT"|"__proto__"|; s|"CR_ACCESS"|"javascript:alert(1)"|' evil/formats/kvm.kvm_exit.format
	sed -e 's/^name: .*/name: __proto__/; s/^ID: .*/ID: 9319/' -e 's|^print fmt:.*|print fmt: "</script><img src=x onerror=alert(2)> %s", REC->prev_comm|' \
		evil/formats/sched.sched_switch.format >evil/formats/sched.__proto__.format
	cat >evil/x.trace <<'END'
cpus 1
default kvm:kvm_exit isa=1
proc 301 "CPU 0/KVM"
proc 302 "other"
301 [000] 10.000000: kvm:kvm_entry: vcpu_id=0
301 [000] 10.000100: kvm:kvm_exit: vcpu_id=0 exit_reason=10
301 [000] 10.000110: kvm:kvm_entry: vcpu_id=0
301 [000] 10.000120: kvm:kvm_exit: vcpu_id=0 exit_reason=28
301 [000] 10.000130: kvm:kvm_entry: vcpu_id=0
301 [000] 10.000140: kvm:kvm_exit: vcpu_id=0 exit_reason=12
301 [000] 10.000150: sched:__proto__: prev_comm="</script><b>" prev_pid=301 next_pid=302
301 [000] 10.000160: sched:sched_switch: prev_pid=301 prev_state=S next_pid=302
302 [000] 10.000260: sched:sched_switch: prev_pid=302 prev_state=S next_pid=301
301 [000] 10.000270: kvm:kvm_entry: vcpu_id=0
END
	"$MKPERF" -o evil/x.data evil/x.trace && "$CDICT" convert -q -e '*:*' -i evil/x.data -o "$1"
}
