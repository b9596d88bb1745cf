#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# needs: python3
#
# analyze/printing/print.h prints the same as libtraceevent, for every format here and of this kernel, and
# for random expressions; it supports all formats of sched and kvm except two.
set -u
. "$TOP/tests/oracle/_lib.sh"
PRINTDIFF=$BUILD/tests/tools/check/printdiff

# check NAME FILE... - nothing differs; the output stays in NAME.out
check() {
	local name=$1 status
	shift
	printf '%s\0' "$@" | xargs -0 -n 200 "$PRINTDIFF" >"$name.out" 2>&1
	status=$?
	[ $status -eq 0 ] || echo "printdiff ends with $status"
	[ $status -eq 0 ] || grep -v '^not taken' "$name.out" | head -n 12
}
taken() { sed -n 's/^[0-9]* formats, \([0-9]*\) taken.*/\1/p' "$1.out" | awk '{ n += $1 } END { print n + 0 }'; }

cd "$(mktemp -d)" || exit 1
# kvm_inj_exception cannot be read by libtraceevent, which groups kvm_nested_vmenter otherwise than C.
# Elements of arrays (sys_enter's args) are left to libtraceevent.
wrong=$(check data "$DATA"/formats/*.format)
wrong+=$(grep '^not taken' data.out | grep -v 'kvm_inj_exception\|kvm_nested_vmenter\|test.everything\|raw_syscalls.sys_enter')
[ "$(taken data)" -ge 127 ] || wrong+="only $(taken data) formats are taken"
verdict formats-of-the-tests "$wrong"

formats=(/sys/kernel/tracing/events/*/*/format)
if [ -r "${formats[0]}" ]; then
	# libtraceevent 1.7 crashes on events of some.
	mapfile -t formats < <(printf '%s\n' "${formats[@]}" | grep -v '/events/\(ftrace\|ras\)/')
	verdict formats-of-this-kernel "$(check kernel "${formats[@]}")"
else
	skip formats-of-this-kernel "/sys/kernel/tracing cannot be read"
fi

mkdir made && python3 - <<'PYTHON'
import random
random.seed(20261122)
OPERATORS = '|| && | & == != < > <= >= << >> + - * ^'.split()

def operand(deep):
    r = random.random()
    if r < .6:
        return 'REC->' + random.choice('abcd')
    if r < .7:
        return random.choice(['1', '0x10', '3', '0777u', '2UL'])
    if deep and r < .82:
        return '(' + expression(deep - 1) + ')'
    if r < .9:
        return random.choice('-~!+') + operand(deep)
    casts = ['(u8)', '(unsigned int)', '(s16)', '(unsigned long long)', '(long)', '(char *)']
    return random.choice(casts) + 'REC->d' if not deep else random.choice(casts) + operand(deep)

def expression(deep):
    text = operand(deep)
    for _ in range(random.choice([0, 0, 1, 1, 2, 3])):
        text += ' ' + random.choice(OPERATORS) + ' ' + operand(deep)
    if random.random() < .15:
        text += ' ? ' + operand(deep) + ' : ' + operand(deep)
    return text

def text(deep):
    r = random.random()
    if r < .2:
        return '"w%d"' % random.randrange(9)
    if r < .45:
        return ('__print_symbolic(%s, { %s, "one" }, { 1 << 2 | 1, "five" }, { -1, "neg" }, { -2, "two" })'
                % (expression(1), random.choice(['0', '1', '2 + 1', 'WORD'])))
    if r < .7:
        return '__print_flags(%s, "|", { 1, "A" }, { 0x6, "BC" }, { 2, "B" }, { 0x80000000UL, "H" })' % expression(1)
    if deep and r < .9:
        return '(' + expression(1) + ') ? ' + text(deep - 1) + ' : ' + text(0)
    return 'REC->s'

FIELDS = [('int', 'a', 8, 4, 1), ('u8', 'b', 12, 1, 0), ('short', 'c', 14, 2, 1), ('u64', 'd', 16, 8, 0), ('char', 's[12]', 24, 12, 0)]
COMMON = [('unsigned short', 'common_type', 0, 2, 0), ('unsigned char', 'common_flags', 2, 1, 0),
          ('unsigned char', 'common_preempt_count', 3, 1, 0), ('int', 'common_pid', 4, 4, 1)]

def lines(fields):
    return ''.join('\tfield:%s %s;\toffset:%d;\tsize:%d;\tsigned:%d;\n' % f for f in fields)

for i in range(1000):
    if i % 3:
        how = random.choice(['%d', '%u', '%llx', '%#lx', '%08x', '%-6d|', '%.3d', '%hd', '%hhu', '%5llu'])
        fmt = '"v=%s", %s' % (how, expression(2))
    else:
        fmt = '"t=%s %%d", %s, %s' % (random.choice(['%s', '%10s', '%-10s|', '%.2s']), text(2), expression(1))
    with open('made/%04d.format' % i, 'w') as out:
        out.write('name: x\nID: 77\nformat:\n' + lines(COMMON) + '\n' + lines(FIELDS) + '\nprint fmt: ' + fmt + '\n')
PYTHON
wrong=$(check made made/*.format)
[ "$(taken made)" -ge 300 ] || wrong+="only $(taken made) of 1000 made-up formats are taken"
verdict expressions-made-up "$wrong"
