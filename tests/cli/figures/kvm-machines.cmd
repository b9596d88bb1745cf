# entries and exits are paired, named and marked as idle by the names in the machine's own kernel
# needs: jq
mkdir formats
cp "$DATA"/formats/arm64.kvm_entry.format formats
# format NAME FIELD... : its print format is on standard input
format() {
	local at=8 name=$1 type size

	printf 'name: %s\nID: %d\nformat:\n' "$name" "$((id++))"
	printf '\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n'
	printf '\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n'
	printf '\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n'
	printf '\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n'
	for field in "${@:2}"; do
		case $field in
		u8:*) type='u8' size=1 ;;
		int:*) type='int' size=4 ;;
		uint:*) type='unsigned int' size=4 ;;
		long:*) type='unsigned long' size=8 ;;
		esac
		at=$(((at + size - 1) / size * size))
		printf '\tfield:%s %s;\toffset:%d;\tsize:%d;\tsigned:%d;\n' "$type" "${field#*:}" "$at" "$size" "$((${#type} == 3))"
		at=$((at + size))
	done
	printf '\nprint fmt: %s\n' "$(cat)"
}
id=5000
exits() {
	$MKPERF --formats formats -o x.data "$1" && "$CDICT" convert -q -i x.data -o x.cdict || return
	"$CDICT" exits x.cdict --format json |
		jq -c '(.exits[] | [.vcpu, .reason, .reason_code, .idle, .count, .time_ns, .unpaired]), (.guest[] | [.entries, .guest_ns])'
	# the same by a window, by SQL and of a sum
	"$CDICT" exits x.cdict --time 50.0001005, --format csv -q | cut -d, -f6-9
	"$CDICT" query "SELECT reason, count(*), sum(dur) FROM kvm_exit GROUP BY reason" x.cdict
	"$CDICT" vcpu -q x.cdict --format json 2>/dev/null | jq -c '.reasons[] | [.reason, .reason_code, .idle]'
}

echo '== arm64, Linux 4.19: virt/kvm/arm/trace.h; a trap is named by its class'
format kvm_exit int:idx uint:exit_reason long:vcpu_pc >formats/old-arm64.format <<'F'
"%s: HSR_EC: 0x%04x (%s), PC: 0x%08lx", __print_symbolic(REC->idx, {0, "IRQ" }, {1, "SERROR" }, {2, "TRAP" }), REC->exit_reason, __print_symbolic(REC->exit_reason, {0x00, "UNKNOWN" }, {0x01, "WFx" }, {0x24, "DABT_LOW" }, {0x2F, "SERROR" }), REC->vcpu_pc
F
cat >arm64.trace <<'T'
cpus 1
arch aarch64
osrelease 4.19.0
format kvm:kvm_entry arm64.kvm_entry.format
format kvm:kvm_exit old-arm64.format
proc 700/701 CPU 0/KVM
701 [000] 50.000000: kvm:kvm_entry: vcpu_pc=1
701 [000] 50.000100: kvm:kvm_exit: idx=TRAP exit_reason=DABT_LOW vcpu_pc=1
701 [000] 50.000120: kvm:kvm_entry: vcpu_pc=1
701 [000] 50.000200: kvm:kvm_exit: idx=TRAP exit_reason=WFx vcpu_pc=1
701 [000] 50.000260: kvm:kvm_entry: vcpu_pc=1
701 [000] 50.000400: kvm:kvm_exit: idx=IRQ exit_reason=0 vcpu_pc=1
701 [000] 50.000405: kvm:kvm_entry: vcpu_pc=1
701 [000] 50.000500: kvm:kvm_exit: idx=SERROR exit_reason=0 vcpu_pc=1
701 [000] 50.000507: kvm:kvm_entry: vcpu_pc=1
T
exits arm64.trace

echo '== arm, Linux 4.19: its traps are HVC, its halts WFI'
format kvm_exit int:idx uint:exit_reason long:vcpu_pc >formats/old-arm.format <<'F'
"%s: HSR_EC: 0x%04x (%s), PC: 0x%08lx", __print_symbolic(REC->idx, {0, "RESET" }, {5, "IRQ" }, {7, "HVC" }), REC->exit_reason, __print_symbolic(REC->exit_reason, {0x00, "UNKNOWN" }, {0x01, "WFI" }, {0x24, "DABT" }), REC->vcpu_pc
F
sed 's/old-arm64/old-arm/; s/aarch64/armv7l/; s/TRAP/HVC/; s/WFx/WFI/; s/DABT_LOW/DABT/; s/SERROR/IRQ/' arm64.trace >arm.trace
exits arm.trace

echo '== arm, Linux 3.9: the event has no reason'
format kvm_exit long:vcpu_pc >formats/bare-arm.format <<'F'
"PC: 0x%08lx", REC->vcpu_pc
F
sed 's/old-arm64/bare-arm/; s/idx=[A-Z]* exit_reason=[^ ]*//' arm64.trace >bare.trace
exits bare.trace

echo '== RISC-V: causes are unsigned, the highest bit says interrupt; Linux 6.x has no names, a table that has is taken'
format kvm_entry long:pc >formats/riscv.kvm_entry.format <<'F'
"PC: 0x%016lx", REC->pc
F
format kvm_exit long:sepc long:scause >formats/riscv.kvm_exit.format <<'F'
"SEPC:0x%lx, SCAUSE:0x%lx", REC->sepc, REC->scause
F
format kvm_exit long:sepc long:scause >formats/riscv-named.format <<'F'
"SEPC:0x%lx, SCAUSE:%s", REC->sepc, __print_symbolic(REC->scause, {0x8000000000000005, "S_TIMER"}, {22, "WFI"}, {23, "STORE_GUEST_PAGE_FAULT"})
F
cat >riscv.trace <<'T'
cpus 1
arch riscv64
format kvm:kvm_entry riscv.kvm_entry.format
format kvm:kvm_exit riscv.kvm_exit.format
proc 700/701 CPU 0/KVM
701 [000] 50.000000: kvm:kvm_entry: pc=1
701 [000] 50.000100: kvm:kvm_exit: scause=0x8000000000000005
701 [000] 50.000120: kvm:kvm_entry: pc=1
701 [000] 50.000200: kvm:kvm_exit: scause=23
701 [000] 50.000260: kvm:kvm_entry: pc=1
701 [000] 50.000400: kvm:kvm_exit: scause=22
701 [000] 50.000405: kvm:kvm_entry: pc=1
T
exits riscv.trace
"$CDICT" exits x.cdict --format json | grep -oE '"reason_code": [0-9]+' # jq rounds
"$CDICT" exits x.cdict -q --sort reason_code --format csv | cut -d, -f6,7
sed 's/riscv.kvm_exit/riscv-named/' riscv.trace >named.trace
exits named.trace

echo '== s390, Linux 6.1: arch/s390/kvm/trace.h'
format kvm_s390_sie_enter int:id long:pswmask long:pswaddr int:cpuflags >formats/sie_enter.format <<'F'
"%02d[%016lx-%016lx]: entering sie flags %x", REC->id, REC->pswmask, REC->pswaddr, REC->cpuflags
F
format kvm_s390_sie_exit int:id long:pswmask long:pswaddr u8:icptcode >formats/sie_exit.format <<'F'
"%02d[%016lx-%016lx]: exit sie icptcode %d (%s)", REC->id, REC->pswmask, REC->pswaddr, REC->icptcode, __print_symbolic(REC->icptcode, {0x04, "Instruction"}, {0x08, "Program interruption"}, {0x1C, "Wait state"})
F
cat >s390.trace <<'T'
cpus 1
arch s390x
format kvm:kvm_s390_sie_enter sie_enter.format
format kvm:kvm_s390_sie_exit sie_exit.format
proc 700/701 CPU 0/KVM
701 [000] 50.000000: kvm:kvm_s390_sie_enter: id=3
701 [000] 50.000100: kvm:kvm_s390_sie_exit: id=3 icptcode=4
701 [000] 50.000120: kvm:kvm_s390_sie_enter: id=3
701 [000] 50.000200: kvm:kvm_s390_sie_exit: id=3 icptcode=0x1c
701 [000] 50.000260: kvm:kvm_s390_sie_enter: id=3
701 [000] 50.000400: kvm:kvm_s390_sie_exit: id=3 icptcode=0
701 [000] 50.000405: kvm:kvm_s390_sie_enter: id=3
T
exits s390.trace

echo '== LoongArch, Linux 6.8: arch/loongarch/kvm/trace.h; kvm_exit_idle tells what the exit before it was for'
format kvm_enter uint:vcpu_id long:pc >formats/enter.format <<'F'
"vcpu %u PC: 0x%08lx", REC->vcpu_id, REC->pc
F
sed 's/kvm_enter/kvm_reenter/; s/^ID: .*/ID: 6000/' formats/enter.format >formats/reenter.format
format kvm_exit uint:vcpu_id long:pc uint:reason >formats/loongarch.kvm_exit.format <<'F'
"vcpu %u [%s] PC: 0x%08lx", REC->vcpu_id, __print_symbolic(REC->reason, { 64, "IDLE" }, { 65, "CACHE" }, { 66, "CPUCFG" }, { 67, "CSR" }), REC->pc
F
sed 's/kvm_exit/kvm_exit_idle/; s/^ID: .*/ID: 6001/' formats/loongarch.kvm_exit.format >formats/idle.format
cat >loongarch.trace <<'T'
cpus 1
arch loongarch64
format kvm:kvm_enter enter.format
format kvm:kvm_reenter reenter.format
format kvm:kvm_exit loongarch.kvm_exit.format
format kvm:kvm_exit_idle idle.format
proc 700/701 CPU 0/KVM
701 [000] 50.000000: kvm:kvm_enter: vcpu_id=2
701 [000] 50.000100: kvm:kvm_exit: vcpu_id=2 reason=0
701 [000] 50.000120: kvm:kvm_reenter: vcpu_id=2
701 [000] 50.000200: kvm:kvm_exit: vcpu_id=2 reason=22
701 [000] 50.000201: kvm:kvm_exit_idle: vcpu_id=2 reason=64
701 [000] 50.000260: kvm:kvm_reenter: vcpu_id=2
701 [000] 50.000400: kvm:kvm_exit: vcpu_id=2 reason=22
701 [000] 50.000405: kvm:kvm_enter: vcpu_id=2
T
exits loongarch.trace

echo '== which events are missing'
for machine in arm64 s390 loongarch; do
	sed '/kvm:kvm_.*exit/d; /^format.*exit/d' $machine.trace >lacks.trace
	$MKPERF --formats formats -o x.data lacks.trace && "$CDICT" convert -q -i x.data -o x.cdict
	"$CDICT" exits x.cdict 2>&1 >/dev/null
	"$CDICT" vcpu x.cdict 2>&1 >/dev/null | head -1
done
