# SPDX-License-Identifier: GPL-2.0-only
# sub-room include graph of the moved tree: edges, circles
import re, subprocess, collections
files=[f for f in subprocess.check_output(['git','ls-files'],text=True).split('\n') if re.search(r'\.[ch]$',f) and not f.startswith('tests/')]
E=collections.defaultdict(lambda: collections.defaultdict(list))
for f in files:
    d=f.rpartition('/')[0]
    for m in re.finditer(r'(?m)^\s*#\s*include "([^"]+)"',open(f).read()):
        p=m.group(1)
        if p.startswith('cdict/'): continue
        t=p.rpartition('/')[0]
        if t!=d: E[d][t].append((f,p))
rooms=sorted(E)
# tarjan
idx={};low={};st=[];on=set();out=[];n=[0]
def go(v):
    idx[v]=low[v]=n[0];n[0]+=1;st.append(v);on.add(v)
    for w in E[v]:
        if w not in idx: go(w);low[v]=min(low[v],low[w])
        elif w in on: low[v]=min(low[v],idx[w])
    if low[v]==idx[v]:
        c=[]
        while True:
            w=st.pop();on.discard(w);c.append(w)
            if w==v:break
        if len(c)>1: out.append(c)
import sys
sys.setrecursionlimit(10000)
for r in list(E): 
    if r not in idx: go(r)
for c in out:
    print('CIRCLE',c)
    for a in c:
        for b in E[a]:
            if b in c: print('   ',a,'->',b,len(E[a][b]),E[a][b][:4])
for a in rooms: print(a,':',' '.join(sorted(E[a])))
