#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The static program, alone in an empty root folder, gives the same output as the ordinary one, and reports features that it lacks.
# The ordinary program is not linked with the libraries that it loads on demand.
set -u
. "$TOP/tests/oracle/_lib.sh"

wrong=
for library in cairo curl jansson sqlite3 libvirt png X11; do
	readelf -d "$CDICT" | grep -i "NEEDED.*$library" && wrong+="the program is linked with $library "
done
verdict rarely_used_libraries_are_loaded_on_demand "$wrong"

"$CDICT" convert -q -i "$DATA/kvm-small.data" -o x.cdict
mkdir nolib && echo none >nolib/libcairo.so.2
LD_LIBRARY_PATH=$PWD/nolib "$CDICT" heatmap x.cdict --view switches -o x.pdf 2>err
verdict without_cairo_the_message_names_the_library_and_its_package "$([ $? = 1 ] || echo "not status 1"
	grep -q 'PNG and PDF are drawn by cairo, which is not installed (Debian: libcairo2): ' err || cat err
	LD_LIBRARY_PATH=$PWD/nolib "$CDICT" heatmap x.cdict --view switches -o x.svg || echo "nor does it draw an SVG"
	[ ! -e x.pdf ] || echo "it left a file")"

host=$BUILD/cdict-host
if [ ! -x "$host" ]; then
	skip the_static_program "it was not built: a static library is missing, see 'make static'"
	exit 0
fi
wrong=$(readelf -d "$host" | grep NEEDED)
readelf -l "$host" | grep -q INTERP && wrong+=" it asks for a loader"
readelf -S "$host" | grep -q '\.debug_' && wrong+=" it has its debug information"
[ "$(stat -c %s "$host")" -lt 6600000 ] || wrong+=" it has $(stat -c %s "$host") bytes"
verdict the_static_program_needs_no_library_and_is_small "$wrong"

verdict the_static_program_lists_its_missing_features \
	"$("$host" --version | tail -n 1 | diff - <(echo "one static file, without PNG, PDF, SQL, Redis, OpenStack's services, libvirt's daemon, function names of programs")
	[ "$("$host" --version | head -n 1)" = "$("$CDICT" --version)" ] || echo "the versions differ")"

# alone COMMAND... - the static program, which sees the folder root/ and nothing else
if [ "$(id -u)" = 0 ]; then
	alone() { chroot root /cdict-host "$@"; }
else
	alone() { unshare -r chroot root /cdict-host "$@"; }
fi
mkdir root
cp "$host" root/cdict-host
if ! alone --version >/dev/null 2>why; then
	skip the_static_program_alone "chroot: $(head -n 1 why)"
	exit 0
fi
capture=$DATA/kvm-small.data
cp "$capture" root/run.data

# same NAME ARGUMENTS... - prints, warns and ends as the ordinary program does
same() {
	local name=$1 status
	shift
	(cd root && "$CDICT" "$@") >want 2>want.err
	status=$?
	alone "$@" >got 2>got.err
	verdict "alone_$name" "$([ $? = $status ] || echo "another status than $status"
		diff want got | head; diff want.err got.err | head)"
}
(cd root && "$CDICT" convert -q -i run.data -o want.cdict)
alone convert -q -i run.data -o run.cdict 2>err
verdict alone_it_converts_to_the_same_bytes "$(cat err; cmp root/want.cdict root/run.cdict 2>&1)"
for table in info script tasks exits vcpu vm latency coremap switches successors stats; do
	same "$table" $table run.cdict
done
same json vcpu --format json run.cdict
same diff diff run.cdict run.cdict
printf 'tid,libvirt-instance,role,uuid,group-type,group-id,task-name\n%s,instance-00000001,vcpu0,,,,Name.01\n' \
	"$("$CDICT" tasks --format csv root/run.cdict | sed -n 2p | cut -d, -f1)" >root/map.csv
same annotate annotate run.cdict --map map.csv -o -
same picture heatmap run.cdict --view switches -o -
alone report -q -o run.html run.cdict 2>err
(cd root && "$CDICT" report -q -o want.html run.cdict)
verdict alone_it_writes_the_same_page "$(cat err; cmp root/run.html root/want.html 2>&1)"

alone heatmap run.cdict --view switches -o x.png 2>err
verdict alone_it_refuses_what_it_cannot_draw "$([ $? = 1 ] || echo "not status 1"
	grep -q 'drawn by cairo, but a static program cannot load libraries$' err || cat err
	[ ! -e root/x.png ] || echo "it left a file")"

# the VMs of a saved /proc
mkdir -p root/saved/700/task/700 root/saved/700/task/701
printf 'qemu-system-x86_64\0-name\0guest=instance-0000002a,debug-threads=on\0' >root/saved/700/cmdline
echo qemu-system-x86 | tee root/saved/700/comm >root/saved/700/task/700/comm
echo 'CPU 0/KVM' >root/saved/700/task/701/comm
same identify identify --proc-root saved --libvirt off
