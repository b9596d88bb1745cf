# SPDX-License-Identifier: GPL-2.0-only
import re, subprocess, os, sys
HERE = os.path.dirname(os.path.abspath(__file__))
def edit(path, *pairs):
    s = o = open(path).read()
    for a, b in pairs:
        if a not in s: print(f'{path}: not found: {a[:70]!r}'); continue
        s = s.replace(a, b)
    if s != o: open(path, 'w').write(s)
up = ('cd "$(dirname "$0")/.."', 'cd "$(dirname "$0")/../../.."')
for f in ('analyzer', 'cppcheck', 'syntax', 'tidy'): edit(f'tests/tools/source/{f}.sh', ('cd "$(dirname "$0")/.."', 'cd "$(dirname "$0")/../../.."'))
edit('doc/packaging/setup.sh', ('cd "$(dirname "$0")/.."', 'cd "$(dirname "$0")/../.."'))
for f in ('fleet', 'fleet_load'): edit(f'tests/bench/measure/{f}.sh', ('$(dirname "$0")/..', '$(dirname "$0")/../../..'))
edit('tests/bench/measure/run.sh', up)
edit('doc/packaging/deb.sh', ('mv packaging/debian debian', 'mv doc/packaging/debian debian'))
edit('tests/tools/source/test-deb.sh', ('packaging/debian debian', 'doc/packaging/debian debian'))
edit('Makefile',
 ('$(wildcard $(room)/*.c)))', '$(filter-out render/wasm/%,$(wildcard $(room)/*.c $(room)/*/*.c $(room)/*/*/*.c))))'),
 ('ROOMS ?= base format ingest cmd convert analyze tables render annotate capture plugin query exchange fleet sweep', 'ROOMS ?= base format convert capture plugin annotate analyze tables render query cmd'),
 ('$(call sources,cmd ingest convert render annotate capture query exchange fleet sweep))', '$(call sources,convert capture annotate render query cmd))'),
 ('extension_objs := $(call objects,$(filter-out query/sql/database.c query/sql/export.c,$(call sources,query)))',
  'extension_objs := $(call objects,$(filter-out query/sql/database.c query/sql/export.c,$(filter query/sql/%,$(call sources,query))))'),
 ('bench_srcs := $(sort $(wildcard bench/*.c))', 'bench_srcs := $(sort $(wildcard tests/bench/measure/*.c))'),
 ('$(sort $(wildcard base/*.c format/*.c analyze/*.c tables/*.c)) \\', '$(call sources,base format analyze tables)) \\'),
 ('$(wildcard $(WEB)/*.js $(WEB)/*/*.js)', '$(wildcard $(WEB)/*.js $(WEB)/*/*.js $(WEB)/*/*/*.js)'),
)
s = open('Makefile').read()
s = re.sub(r'\$\(wildcard render/wasm/\*\.c\) \$\(addprefix render/,bins\.c.*?page_tracks\.c\)\)', '$(sort $(wildcard render/wasm/*.c render/bins/*.c render/engine/*.c))', s, flags=re.S)
s = s.replace('engine_srcs := $(filter-out $(engine_leaves),$(call sources,base format analyze tables)) \\\n\t$(wildcard', 'engine_srcs := $(filter-out $(engine_leaves),$(call sources,base format analyze tables)) \\\n\t$(wildcard')
open('Makefile', 'w').write(s)
for f in subprocess.check_output(['git','ls-files'], text=True).split('\n'):
    if not f or f.startswith(('tests/data/','tests/fuzz/corpus/','CHANGES','build-aux/rooms/')) or not os.path.isfile(f): continue
    try: s = open(f, encoding='utf-8', newline='').read()
    except UnicodeDecodeError: continue
    t = re.sub(r'(\$\{?BUILD\}?)/bench/', r'\1/tests/bench/measure/', s)
    t = t.replace('in `LICENSES/`', 'in `COPYING` and `COPYING.LIB`').replace('are in LICENSES/', 'are in COPYING and COPYING.LIB')
    if t != s: open(f, 'w', encoding='utf-8', newline='').write(t)
edit('tests/lint/licences.sh', ('for licence in GPL-2.0-only LGPL-2.1-only; do', 'for licence in COPYING COPYING.LIB; do'),
  ('[ -s "LICENSES/$licence.txt" ] || wrong+="LICENSES/$licence.txt is missing"', '[ -s "$licence" ] || wrong+="$licence is missing"'))
edit('doc/packaging/cdict.spec.in', ('%license LICENSES/*', '%license COPYING COPYING.LIB'))
import shutil
shutil.copy(HERE + '/layers.sh', 'tests/lint/layers.sh')
os.chmod('tests/lint/layers.sh', 0o755)
s = open('doc/HACKING.md').read()
a = s.index('## Rooms'); b = s.index('A function of libcdict is public')
s = s[:a] + open(HERE + '/rooms.md').read() + '\n' + s[b:]
open('doc/HACKING.md', 'w').write(s)
# circles
edit('capture/host/rings.h', ('	uint32_t stack_bytes; /* of the program\'s part this much of its stack, and registers; 0: its chain */\n', '	uint32_t stack_bytes; /* of the program\'s part this much of its stack, and registers; 0: its chain */\n	uint64_t user_regs;   /* with stack_bytes: bits of PERF_REG_* */\n'))
edit('capture/host/rings.c', ('o->stack_bytes ? unwind_regs : 0', 'o->stack_bytes ? o->user_regs : 0'), ('#include "capture/stacks/unwind.h"\n', ''))
edit('capture/record/open.c', ('				   .stack_bytes = o->no_user_stacks ? 0 : o->stack_bytes,\n', '				   .stack_bytes = o->no_user_stacks ? 0 : o->stack_bytes,\n				   .user_regs = unwind_regs,\n'))
s = open('capture/record/open.c').read()
i = s.index('#include "capture/host/tracefs.h"')
s = s[:i] + s[i:].replace('#include "capture/host/tracefs.h"\n', '#include "capture/host/tracefs.h"\n#include "capture/stacks/unwind.h"\n', 1)
open('capture/record/open.c', 'w').write(s)
for f in ('page', 'flame', 'fleet'):
    for p in ['Makefile'] + subprocess.check_output(['git','ls-files','render/page/*'], text=True).split():
        s = open(p).read(); t = s.replace(f'render/{f}_policy.h', f'render/page/{f}_policy.h')
        if t != s: open(p, 'w').write(t)
edit('Makefile',
 ('$(wildcard tests/unit/test_*.c)', '$(wildcard tests/unit/test_*.c tests/unit/*/test_*.c)'),
 ('$(wildcard tests/tools/*.c)', '$(wildcard tests/tools/*/*.c)'),
)
edit('tests/run', ('for path in tests/unit/test_*.c; do\n', 'for path in tests/unit/*/test_*.c tests/unit/test_*.c; do\n'))
edit('tests/tools/source/test-deb.sh', ('$here/../tests/data', '$here/../../data'))
for f in ('base/text/json_text.c', 'base/text/json_text.h', 'base/text/utf8.h'): edit(f, ('SPDX-License-Identifier: GPL-2.0-only', 'SPDX-License-Identifier: LGPL-2.1-only'))
s = open('doc/HACKING.md').read()
s = s.replace('A function of libcdict is public', open(HERE + '/look.md').read() + '## The library\n\nA function of libcdict is public', 1)
for a, b in (
 ('perf.data (`convert/`), the kernel\'s rings (`capture/`), what other recorders made (`exchange/`)', 'perf.data (`convert/`), the kernel\'s rings (`capture/`), files of other recorders (`convert/tracedat`, `convert/pfw`, `convert/perfwhiz`)'),
 ('is `ingest/`\'s, for all of them', 'is the duty of `convert/ingest`, for all of them'),
 ('`exchange/tracedat*.c` has', '`convert/tracedat` has'),
 ('as `exchange/` does', 'as `convert/pfw` does'),
 ('A new `.c` file in a room is found by itself; a new dependency', 'New `.c` files are picked up automatically; a new dependency'),
 ('Each `tests/tools/<name>.c` becomes `build/tests/tools/<name>`; `$MKPERF` is `mkperf` there.', 'Each `tests/tools/<folder>/<name>.c` becomes `build/tests/tools/<folder>/<name>`; `$MKPERF` is `make/mkperf` there.'),
 ('`tests/unit/test_<module>.c` or `test_<module>_<theme>.c`', '`tests/unit/<room>/test_<module>.c` or `test_<module>_<theme>.c`'),
 ('`tables/<what>.c`: a line', '`tables/rows/<table>.c`: a line'),
 ('`analyze/<what>.c`, `.h`: an analysis', '`analyze/sched/<figure>.c` (or `analyze/kvm`), `.h`: an analysis'),
 ('`render/web/ui/view_<where>.js`', '`render/web/ui/views/<view>.js`'),
):
    if a not in s: print('HACKING: not found', a[:60])
    s = s.replace(a, b)
open('doc/HACKING.md', 'w').write(s)
edit('doc/page.md', ('render/page*.c          writes', 'render/page/            writes'), (': page_figures.c, page_lists.c, ...', ': figures.c, lists.c, ...'),
 ('and `render/page_*.c`, compiled', 'and `render/engine/`, compiled'), ('by `render/view_*.c`, and stay', 'by `render/views/`, and stay'), ('`page_engine.h` is its interface', '`render/engine/engine.h` is its interface'))
