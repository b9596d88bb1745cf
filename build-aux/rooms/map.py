# SPDX-License-Identifier: GPL-2.0-only
import re, subprocess, sys
# room -> list of (regex on basename, destination folder, strip prefix regex or None)
R = {
'analyze': [
 (r'(expr|symbols|marker_filter|print)(_\w+)?\.[ch]', 'analyze/printing', r'print_'),
 (r'(digest_\w+|digest|resume\w*)\.c|digest_internal\.h|resume\.h', 'analyze/windows', None),
 (r'(exits|vcpu)(_\w+)?\.[ch]|(halts|reasons|siblings|waiters)\.[ch]', 'analyze/kvm', None),
 (r'(coremap|counts|latency|slices|stacks|successors|switches|tasks|unknown|runtime)(_\w+)?\.[ch]', 'analyze/sched', None),
 (r'.*', 'analyze/walk', None),
],
'tables': [
 (r'table_(text|openmetrics|page)\.c', 'tables/text', r'table_'),
 (r'info(_\w+)?\.[ch]', 'tables/info', None),
 (r'(names|names_vms|culprits|syscalls|syscalls_names)\.[ch]', 'tables/names', None),
 (r'(findings|vcpu_findings|fold)\.[ch]', 'tables/findings', None),
 (r'(changes|changes_list|compare|merged|rules|rules_judge)\.[ch]', 'tables/compare', None),
 (r'(calllog|flame|folded)\.[ch]', 'tables/stacks', None),
 (r'(table|cells|decl|number|quartiles|table_fit|loss|walk|tables|table_\w+)\.[ch]', 'tables/columns', None),
 (r'.*', 'tables/rows', None),
],
'render': [
 (r'page_(arrays|bins|bins_internal|bins_write|capture|checksum|detail|engine|engine_internal|events|figures|flame|intervals|lists|tables|tasks|tracks)\.[ch]', 'render/engine', r'page_'),
 (r'(page|page_\w+|fleet_page|sweep_page|flame_svg)\.[ch]', 'render/page', r'page_'),
 (r'(view_\w+|flame)\.[ch]', 'render/views', r'view_'),
 (r'(bins|columns|lanes)\.[ch]', 'render/bins', None),
 (r'.*', 'render/draw', None),
],
'format': [
 (r'(digest_\w+)\.[ch]', 'format/digest', None),
 (r'(labels|label_index|label_text|mapping)\.[ch]', 'format/labels', None),
 (r'(codec|huffman|columns|state|encode\w*|decode\w*)\.[ch]', 'format/coding', None),
 (r'(reader\w*|container|writer|get|batches|events|ahead|stacks|stacks_read)\.[ch]', 'format/file', None),
],
'convert': [
 (r'perfdata(_\w+)?\.[ch]', 'convert/perfdata', r'perfdata_'),
],
'ingest': [(r'.*', 'convert/ingest', None)],
'exchange': [
 (r'(import)\.[ch]', 'convert', None),
 (r'tracedat\w*\.[ch]', 'convert/tracedat', r'tracedat_'),
 (r'(pfw_export)\.[ch]', 'query/export', None),
 (r'(perfwhiz_export)\.[ch]', 'query/export', None),
 (r'pfw_\w+\.[ch]|gunzip\.[ch]', 'convert/pfw', r'pfw_'),
 (r'perfwhiz_\w+\.[ch]|msgpack_read\.[ch]', 'convert/perfwhiz', r'perfwhiz_'),
 (r'(json_text|utf8)\.[ch]', 'base/text', None),
 (r'.*', 'query/export', None),
],
'capture': [
 (r'counting\w*\.[ch]', 'capture/count', None),
 (r'(trigger\w*|task_pattern)\.[ch]', 'capture/trigger', None),
 (r'(stacks|unwind|elfsyms|demangle|dwfl|spaces|kallsyms)\.[ch]', 'capture/stacks', None),
 (r'(rings|choose|permit|tracefs|clock|host|proc|same_kernel)\.[ch]', 'capture/host', None),
 (r'.*', 'capture/record', r'record_'),
],
'annotate': [
 (r'(clouds|http|http_url|keystone\w*|nova\w*|openrc|openstack\w*|namepattern)\.[ch]', 'annotate/openstack', r'openstack_'),
 (r'(cgroup|host|libvirt\w*|proc\w*)\.[ch]', 'annotate/host', None),
],
'cmd': [
 (r'(cmd|help|completion|options|output|message|pager|parse|config|program)\.[ch]|main\.c', 'cmd/core', None),
 (r'(input|source_kinds|maps|lending)\.[ch]', 'cmd/input', None),
 (r'(convert|info|script|script_fields)\.[ch]', 'cmd/files', None),
 (r'(annotate|annotate_report|identify|openstack)\.[ch]', 'cmd/names', None),
 (r'(figures|fleet|tasks|exits|vcpu|latency|coremap|successors|switches|stats|count)\.[ch]', 'cmd/tables', None),
 (r'(job|job_start|pull|push|push_\w+)\.[ch]', 'cmd/fleet', None),
 (r'record(_\w+)?\.[ch]', 'cmd/record', r'record_'),
 (r'heatmap(_\w+)?\.[ch]', 'cmd/heatmap', r'heatmap_'),
 (r'report(_\w+)?\.[ch]', 'cmd/report', r'report_'),
 (r'diff(_\w+)?\.[ch]', 'cmd/diff', r'diff_'),
 (r'top(_\w+)?\.[ch]', 'cmd/top', r'top_'),
 (r'sweep(_\w+)?\.[ch]', 'cmd/sweep', r'sweep_'),
 (r'(query|query_print|export|export_sqlite|flame|flame_input)\.[ch]', 'cmd/query', None),
],
'sweep': [(r'.*', 'cmd/sweep/run', None)],
'fleet': [
 (r'(store\w*|redis\w*|job|spool)\.[ch]', 'query/fleet/store', None),
 (r'.*', 'query/fleet/figures', None),
],
'query': [
 (r'(active|active_table|capture|events|kvm|sched|slice|tasks|threads)\.[ch]', 'query/sql/rows', None),
 (r'.*', 'query/sql', None),
],
'base': [
 (r'(array|map|stringset|places|pool|buf|texts)\.[ch]', 'base/memory', None),
 (r'(scope|escape|json|wrap|sink|suggest|cpulist|timespec|decimal)\.[ch]', 'base/text', None),
 (r'(outfile|place|procfs|shared_object|monotonic|ending)\.[ch]', 'base/system', None),
],
}
UI = {
 'views': r'(view|view_\w+|views|subsecond|vcpu_detail|who_delayed|wait)\.js',
 'input': r'(gestures|keys|selection|state)\.js',
 'marks': r'(axis|heat|lanes|legend|marks|overview|pieces|plot|surface|cells|pins)\.js',
}
def target(path):
    d, _, b = path.rpartition('/')
    if d in R:
        if not re.search(r'\.(c|h|map)$', b): return path
        if b.endswith('.map'):
            return {'query':'query/sql/'}.get(d, d+'/')+b
        for rx, dest, strip in R[d]:
            if re.fullmatch(rx, b):
                nb = b
                if strip: nb = re.sub('^'+strip, '', b)
                return dest+'/'+nb
        return path
    if d == 'render/web/ui' and b.endswith('.js'):
        for sub, rx in UI.items():
            if re.fullmatch(rx, b): return f'render/web/ui/{sub}/'+re.sub(r'^view_', '', b)
        return path
    if d == 'render/wasm': return path
    return path
if __name__ == '__main__':
    files = subprocess.check_output(['git','ls-files'], text=True).split('\n')
    m = {f: target(f) for f in files if f and target(f) != f}
    inv = {}
    for k, v in m.items(): inv.setdefault(v, []).append(k)
    for v, k in inv.items():
        if len(k) > 1: print('COLLISION', v, k)
    after = [m.get(f, f) for f in files if f]
    from collections import Counter
    c = Counter(f.rpartition('/')[0] for f in after if re.search(r'\.(c|h|js|css|py|sh|mjs|awk)$', f))
    for k, v in sorted(c.items()): print(v, k, '<<<<' if v > 25 else '')
    byd={}
    for f in after: byd.setdefault(f.rpartition('/')[0],[]).append(f.rpartition('/')[2])
    if len(sys.argv)>1:
        for d in sorted(byd):
            if d.split('/')[0] in ('analyze','tables','render','format','convert','capture','annotate','cmd','query','base','plugin'): print(d+': '+' '.join(sorted(byd[d])))
