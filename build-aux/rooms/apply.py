# SPDX-License-Identifier: GPL-2.0-only
import re, subprocess, os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from map import target
git = lambda *a: subprocess.check_output(['git', *a], text=True)
files = [f for f in git('ls-files').split('\n') if f]
EXTRA = {
 'build-aux/bundle.awk': 'render/web/build/bundle.awk', 'build-aux/policy.sh': 'render/web/build/policy.sh',
 'build-aux/libperf.sh': 'doc/packaging/libperf.sh',
 'build-aux/demo.sh': 'doc/packaging/demo.sh', 'build-aux/setup.sh': 'doc/packaging/setup.sh',
 'build-aux/deb.sh': 'doc/packaging/deb.sh', 'build-aux/dist.sh': 'doc/packaging/dist.sh', 'build-aux/rpm.sh': 'doc/packaging/rpm.sh',
 'cdict.pc.in': 'doc/packaging/cdict.pc.in',
 'LICENSES/GPL-2.0-only.txt': 'COPYING', 'LICENSES/LGPL-2.1-only.txt': 'COPYING.LIB',
}
UNIT = {
 'base': 'array buf cpulist cursor escape json_text map outfile places scope statistics timespec wrap',
 'format': 'ahead batches blocks_large huffman labels reader reader_damage roundtrip roundtrip_blocks roundtrip_random writer stacks hostile',
 'convert': 'chains formats gunzip ingest perfdata perfdata_damage perfdata_killed pfw_parse msgpack_read print_fallback snapshot tracedat_ring',
 'capture': 'cpus demangle live_stacks target trigger trigger_kinds unwind',
 'annotate': 'clouds csv domxml host host_mutilated labels_apply labels_shown namepattern openrc proc',
 'analyze': 'digest exits histogram markers priorities print reasons runqueue sparse stack_rows tasks tasks_gaps tasks_views vcpu waits',
 'tables': 'folded loss rules table table_library table_sums',
 'render': 'bins columns marks page_details page_engine palette scale',
 'query': 'active fleet_start query',
 'cmd': 'parse program sweep top',
 'plugin': 'handed perf_args',
}
UNIT = {f'tests/unit/test_{n}.c': f'tests/unit/{d}/test_{n}.c' for d, l in UNIT.items() for n in l.split()}
TOOLS = {
 'make': 'bigperf.py fakeqemu.c fleetload.c importbombs.py mkbomb.py mkhost.c mkjob.c mkperf.c mkperfwhiz.py mkswitches.c mktracedat.py thinperf.py proctree.c perfpipe.c made.h',
 'check': 'addup.c bounded.py dumpevents.c dumpline.h dumpstacks.c guide.py nomem.py nowrite.py pagesum.c pairthreads.py perfnumbers.c printdiff.c querywindows.py replay.c replay.h samepicture.py secondread.py sumcpus.py twoparts.c',
 'run': 'killat.c rusage.c terminal.py terminals.sh touchpages.c dlhost.c pictures.sh',
}
TOOLS = {'tests/tools/' + n: f'tests/tools/{d}/{n}' for d, l in TOOLS.items() for n in l.split()}
DOCS = {f'tests/oracle/{n}.sh': f'tests/docs/{n}.sh' for n in 'completion examples guide install library manpages pictures static'.split()}
def tgt(f):
    if f.startswith('build-aux/rooms/'): return f
    if f in EXTRA: return EXTRA[f]
    for t in (UNIT, TOOLS, DOCS):
        if f in t: return t[f]
    if f.startswith('tests/tools/mkperf/'): return 'tests/tools/make/' + f[12:]
    if f.startswith('tests/tools/evaluate/'): return 'tests/tools/check/' + f[12:]
    if f.startswith('tests/tools/preload/'): return 'tests/tools/run/' + f[12:]
    if f == 'tests/oracle/openmetrics.py': return 'tests/oracle/_lib/openmetrics.py'
    if re.fullmatch(r'tests/fuzz/[a-eg-z]\w*\.[ch]', f): return 'tests/fuzz/lib/' + f[11:]
    if f.startswith('build-aux/'): return 'tests/tools/source/' + f[10:]
    if f.startswith('packaging/'): return 'doc/' + f
    if f.startswith('bench/'): return 'tests/bench/measure/' + f[6:]
    return target(f)
m = {f: tgt(f) for f in files if tgt(f) != f}
newset = set()
for o, n in m.items():
    assert n not in newset, n
    newset.add(n)
for o, n in sorted(m.items()):
    os.makedirs(os.path.dirname(n) or '.', exist_ok=True)
    subprocess.check_call(['git', 'mv', o, n])
inv = {n: o for o, n in m.items()}
rep = dict(m)
for o, n in m.items():
    if o.endswith('.c'):
        rep[o[:-2] + '.o'] = n[:-2] + '.o'
oldfiles = set(files)
for o, n in m.items():
    if o.startswith('tests/tools/') and o.endswith('.c') and not o.startswith('tests/tools/mkperf/'): rep[o[:-2]] = n[:-2]
    if o.startswith(('tests/unit/', 'tests/fuzz/')) and o.endswith('.c'): rep[o[:-2]] = n[:-2]
for d, e in (('mkperf', 'make/'), ('evaluate', 'check/'), ('preload', 'run/')): rep['tests/tools/' + d] = 'tests/tools/' + e + d
oldfiles = set(files)
pat = re.compile(r'(?<![\w.-])((?:\.\./)*)((?:[\w.$(){}@-]*/)*?)(' + '|'.join(re.escape(o) for o in sorted(rep, key=len, reverse=True)) + r')(?![\w-])(?!\.[a-z])')
def sub(x):
    pre, o = x.group(2), x.group(3)
    if pre and (pre + o) in oldfiles: return x.group(0)
    return x.group(1) + pre + rep[o]
skip = re.compile(r'^(build-aux/rooms/|tests/data/|tests/fuzz/corpus/|doc/pictures/|CHANGES$|tests/golden/.*\.cdict)')
for f in git('ls-files').split('\n'):
    if not f or skip.match(f): continue
    try: s = open(f, encoding='utf-8', newline='').read()
    except (UnicodeDecodeError, IsADirectoryError): continue
    old = inv.get(f, f)
    t = pat.sub(sub, s)
    if f.endswith('.js') and f.startswith('render/web/'):
        od, nd = os.path.dirname(old), os.path.dirname(f)
        def imp(x):
            p = os.path.normpath(os.path.join(od, x.group(2)))
            q = m.get(p, p)
            r = os.path.relpath(q, nd)
            return x.group(1) + (r if r.startswith('.') else './' + r) + "'"
        t = re.sub(r"((?:from|import) ')(\.[^']*\.js)'", imp, t)
    if f.endswith(('.c', '.h')):
        rx = re.compile(r'(?:#include "[^"]+"\n){2,}')
        blocks = rx.findall(s)
        it = iter(blocks)
        def order(x):
            was = next(it).splitlines(True)
            now = x.group(0).splitlines(True)
            if was == sorted(was): now = sorted(now)
            elif was[1:] == sorted(was[1:]): now = now[:1] + sorted(now[1:])
            return ''.join(now)
        t = rx.sub(order, t)
    ob, nb = os.path.basename(old), os.path.basename(f)
    if ob != nb and f.endswith(('.c', '.h')):
        head, rest = t[:400], t[400:]
        head = re.sub(r'(?m)^((?: \*|/\*) )' + re.escape(ob) + r'(?= - )', r'\g<1>' + nb, head)
        t = head + rest
    if t != s:
        open(f, 'w', encoding='utf-8', newline='').write(t)
print(len(m), 'moved')
