# the file of the Python tool that first used the name: every row an event, names with a role are labels
# needs: python3
python3 "$TOP/tests/tools/make/mkperfwhiz.py" "$DATA/perfwhiz.txt" old.whiz
"$CDICT" convert -e '*' -i old.whiz -o old.cdict
"$CDICT" script old.cdict
"$CDICT" info old.cdict
"$CDICT" vcpu old.whiz
cat old.whiz | "$CDICT" exits
cp old.whiz perf.data
"$CDICT" convert
rm perf.data
# codes of AMD identify their vendor
sed 's/12$/120/; s/30$/1024/; s/NO_SUCH_EXIT/a "quote" { , }/' "$DATA/perfwhiz.txt" >amd.txt
python3 "$TOP/tests/tools/make/mkperfwhiz.py" amd.txt amd.whiz
"$CDICT" convert -q -e 'kvm:*' -i amd.whiz -o - | "$CDICT" script - | grep reason
# before a first exit no entry is made up where the guest did not run, or ran longer than since the clock's zero
sed 's/^kvm_exit	0	150	4242	Firewall.05.vcpu0	100/kvm_exit	0	150	4242	Firewall.05.vcpu0	0/
	s/^kvm_exit	1	750	4243	CSR.vcpu1	60/kvm_exit	1	750	4243	CSR.vcpu1	751/' "$DATA/perfwhiz.txt" >first.txt
python3 "$TOP/tests/tools/make/mkperfwhiz.py" first.txt first.whiz
"$CDICT" convert -q -e 'kvm:*' -i first.whiz -o - | "$CDICT" script -
# impossible values
head -c 300 old.whiz >cut.whiz
"$CDICT" convert -e '*' -i cut.whiz -o cut.cdict
echo "status $?"
python3 -c '
import sys, zlib
d = bytearray(zlib.decompress(sys.stdin.buffer.read())); at = d.rindex(0xdd) + 1 # the last column loses its last entry
assert d.endswith(b"\xadEPT_VIOLATION"); del d[-14:]; d[at:at + 4] = (int.from_bytes(d[at:at + 4], "big") - 1).to_bytes(4, "big")
sys.stdout.buffer.write(zlib.compress(d))' <old.whiz | "$CDICT" convert -e '*' -i - -o - | "$CDICT" info - | grep -a differ
sed 's/^kvm_exit	0/kvm_exit	-1/; s/4242	Firewall/nil	Firewall/' "$DATA/perfwhiz.txt" >bad.txt
python3 "$TOP/tests/tools/make/mkperfwhiz.py" bad.txt bad.whiz
"$CDICT" convert -e '*' -i bad.whiz -o bad.cdict
echo "status $?"
python3 -c 'import zlib, sys; sys.stdout.buffer.write(zlib.compress(b"no map"))' | "$CDICT" convert -i - -o x.cdict
echo "status $?"
python3 -c 'import zlib, sys; sys.stdout.buffer.write(zlib.compress(b"\x81\xa3cpu\x90"))' | "$CDICT" convert -i - -o x.cdict
echo "status $?"
printf 'x\x9c' | "$CDICT" convert -i - -o x.cdict
echo "status $?"
ls
