#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3 cc
#
# Stacks that cdict convert makes of a perf.data are those of perf script and perf report on the same file: call chains
# of a program with frame pointers, its children and what they execute, addresses alone, a pipe. Symbols come from where
# perf takes them: its cache by build id, a folder that replaces "/", the path only if the build id is the recorded one.
set -u
. "$TOP/tests/oracle/_lib.sh"
have_perf || { echo "perf is not installed" >&2; exit 77; }
cd "$(mktemp -d)" || exit 1
dumpstacks=$BUILD/tests/tools/check/dumpstacks

cat >work.c <<'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned long sum;
__attribute__((noinline)) void innermost(unsigned n) { while (n--) sum += n; }
__attribute__((noinline)) static void middle(unsigned n) { innermost(n); sum++; }
__attribute__((noinline)) void kernel_part(void) { for (int i = 0; i < 3000; i++) { getppid(); close(-1); } sum++; }
__attribute__((noinline)) void outermost(unsigned n) { middle(n); kernel_part(); sum++; }
int main(int argc, char **argv)
{
	for (int i = 0; i < 6; i++) {
		outermost(4000000);
		if (argc == 1 && i == 3 && !fork()) {
			innermost(6000000);
			execl(argv[0], argv[0], "again", (char *)NULL);
		}
	}
	wait(NULL);
	return 0;
}
END
build() { cc -O1 -g0 -fno-plt -fno-omit-frame-pointer -fno-optimize-sibling-calls -Wl,--build-id="$1" -o "$2" work.c; }
mkdir there && build 0x1111111111111111111111111111111111111111 there/work || exit 1
perf record -q -N -e cpu-clock -F 2500 -g -o p.data -- "$PWD/there/work" >record.err 2>&1 ||
	{ echo "perf cannot sample cpu-clock here: $(tail -n 1 record.err)" >&2; exit 77; }
perf record -q -N -e cpu-clock -F 1500 -o alone.data -- "$PWD/there/work" >>record.err 2>&1
perf record -q -N -e cpu-clock -F 1500 -g -o - -- "$PWD/there/work" 2>>record.err >pipe.data
export PERF_BUILDID_DIR=$PWD/nothing

# folded FILE - perf script's chains in one line each, like flamegraph.pl's stackcollapse: COMM;OUTER;INNER PERIOD.
folded() {
	perf script --no-inline -F comm,period,ip,sym,dso -i "$1" 2>/dev/null >perf.script
	python3 - <<'END'
import collections, re
sums = collections.Counter()
text = open("perf.script", errors="surrogateescape").read()
for block in text.strip("\n").split("\n\n" if "\n\n" in text else "\n"):
    head, *frames = block.strip("\n").split("\n")
    m = re.match(r"\s*(\S.*?)\s+(\d+)(?::\s*|\s+)(.*)$", head)
    if not m:
        continue
    names = []
    for frame in frames or [m[3]]:
        f = re.match(r"\s*[0-9a-f]+ (.*) \((.*)\)$", frame)
        if not f:
            continue # perf prints nothing for an invalid chain
        base = f[2].rsplit("/", 1)[-1]
        names.append(f[1] if f[1] != "[unknown]" else base if base.startswith("[") else f"[{base}]")
    sums[";".join([m[1]] + names[::-1])] += int(m[2])
for stack in sorted(sums):
    print(stack, sums[stack])
END
}
# without the entries of functions that are chosen when a program starts: perf 6.1 gives them no name
ours() { timeout 60 "$CDICT" flame --by samples --format folded "$@" 2>flame.err | sed 's/\*ABS\*+0x[0-9a-f]*@plt/@plt/g' | LC_ALL=C sort; }
same_folded() { # FILE [CDICT [FEWEST]]: perf's stacks are ours, as many as FEWEST or more, one of them of innermost
	folded "$1" | LC_ALL=C sort >want
	ours "${2:-$1}" >got
	[ "$(wc -l <want)" -ge "${3:-10}" ] || echo "perf has $(wc -l <want) stacks"
	diff want got | head -n 6
	grep -q innermost got || echo "no innermost in any stack"
}
verdict folded_stacks_are_those_of_perf_script "$(same_folded p.data; grep -q '^work;.*main;outermost;' got || head -n 5 got)"
verdict without_call_chains_a_stack_is_the_address "$(same_folded alone.data alone.data 4; grep -c ';.*;' got | grep -v '^0$')"
"$CDICT" convert -q -i - -o pipe.cdict <pipe.data
verdict stacks_of_a_pipe_are_those_of_perf_script "$(same_folded pipe.data pipe.cdict 4)"

functions() {
	perf report -i p.data --stdio --children -g none --sort sym 2>/dev/null >children.txt
	"$CDICT" flame --functions --json p.data 2>/dev/null >functions.json
	python3 - <<'END'
import json, re
perf = {}
for line in open("children.txt"):
    m = re.match(r"\s*([\d.]+)%\s+([\d.]+)%\s+\[(.)\] (\S.*?)\s*$", line)
    if m and not re.match(r"(0x)?[0-9a-f]{16}$|@plt", m[4]):
        perf.setdefault((m[4], "kernel" if m[3] == "k" else "user"), []).append((float(m[1]), float(m[2])))
rows = {(r["function"], r["in"]): r for r in json.load(open("functions.json"))["functions"]}
n = 0
for key, all in perf.items():
    if len(all) > 1:
        continue # of several files
    r, (total, own) = rows.get(key), all[0]
    n += 1
    if not r or abs(r["total_percent"] - total) > 0.0051 or abs(r["self_percent"] - own) > 0.0051:
        print(key, "perf", total, own, "cdict", r)
if n < 8 or ("innermost", "user") not in perf:
    print("perf names", n, "functions")
END
}
verdict functions_have_the_shares_of_perf_report "$(functions | head -n 5)"

same_bytes() {
	"$CDICT" convert -q -j1 -i p.data -o one.cdict && "$CDICT" convert -q -j4 -i p.data -o four.cdict
	cmp one.cdict four.cdict
	"$CDICT" convert -q --no-stacks -i p.data -o none.cdict
	[ -z "$("$dumpstacks" none.cdict)" ] || echo "--no-stacks stores stacks"
	"$CDICT" info --verify one.cdict >info.out 2>&1 || cat info.out
}
verdict bytes_do_not_depend_on_the_number_of_threads "$(same_bytes)"

# --- where symbols come from
ours p.data >right
grep -q 'outermost' right || exit 1
# no_names WHY COMMAND... - the program's own functions have no names then, those of libc have
no_names() {
	local why=$1
	shift
	"$@" >got
	! grep -q outermost got || echo "$why: has the program's functions"
	grep -q '^work;.*;\[work\]' got || echo "$why: frames do not have the program's name"
}
converted() { timeout 60 "$CDICT" convert -q "$@" -i p.data -o x.cdict 2>convert.err || cat convert.err; ours x.cdict; }
elsewhere() {
	mv there away
	no_names 'no file' ours p.data
	perf --buildid-dir "$PWD/cache" buildid-cache -a away/work 2>&1
	PERF_BUILDID_DIR=$PWD/cache ours p.data >got
	cmp -s right got || diff right got | head -n 4
	converted --buildid-dir "$PWD/cache" >got
	cmp -s right got || echo "--buildid-dir: other stacks than PERF_BUILDID_DIR"
	mkdir -p root/"$PWD" && cp -r away root/"$PWD"/there
	converted --symfs "$PWD/root" >got
	grep -q 'main;outermost;' got || echo "--symfs is not used"
}
verdict a_program_that_was_removed_is_found_by_its_build_id "$(elsewhere)"
replaced() {
	mkdir there && build 0x2222222222222222222222222222222222222222 there/work
	no_names 'another build id' ours p.data
	rm there/work && mkfifo there/work
	no_names 'a fifo' ours p.data
	rm there/work && ln -s /dev/zero there/work
	no_names 'a device' ours p.data
	rm there/work && head -c 700 away/work >there/work
	no_names 'truncated' ours p.data
	rm there/work && ln -s /proc/kcore there/work
	no_names 'a file of the kernel' ours p.data
	rm -r there
	cp cache/.build-id/11/*/elf kept 2>/dev/null || echo "the cache has another layout"
	build 0x2222222222222222222222222222222222222222 other
	cat other >"$(readlink -f cache/.build-id/11/*/elf)"
	no_names 'another build id in the cache' converted --buildid-dir "$PWD/cache"
}
verdict a_program_that_was_replaced_is_not_used "$(replaced)"
mv away there

# --- copied stacks
gcc_o2() { cc -O2 -g0 -fno-plt -fomit-frame-pointer -fno-optimize-sibling-calls -o nofp work.c; }
unwound() {
	perf record -q -N -e cpu-clock -F 1000 --call-graph dwarf -o d.data -- ./nofp alone >record.err 2>&1 || cat record.err
	ours d.data >got
	grep -q '^nofp;.*main;outermost;middle;innermost [0-9]' got || head -n 6 got
	grep -q '^nofp;.*main;outermost;kernel_part;.*entry_SYSCALL_64' got || [ "$(uname -m)" != x86_64 ] || head -n 6 got
}
if ldconfig -p | grep -q 'libdw\.so\.1' && gcc_o2; then
	verdict copied_stacks_are_unwound "$(unwound)"
else
	skip copied_stacks_are_unwound "no libdw"
fi
