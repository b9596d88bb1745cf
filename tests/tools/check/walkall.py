#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
walkall.py FILE...: runs every command that reads captures on each FILE, with every choice of every option, every extension of an
output, every table of SQL, and each other option once, and reports commands that do not exit with one of cdict's statuses, or fail
without a reason. The commands, their options and the choices come from `cdict --completion bash`: new ones are included automatically.

Every command runs on each FILE; every output and every choice of displayed data runs on one of them, in turn, and a third of the other options;
with EVERY=1 in the environment, all run on all. The caller must look for reports of the sanitizers.
"""
import os
import re
import subprocess
import sys
import zlib

CDICT = os.environ['CDICT']
# These read no capture, or change files outside of the folder.
NOT = {'record', 'top', 'identify', 'job', 'pull', 'help', 'sweep'}
# What an option without choices takes; others get "1".
VALUES = {'time': '10%-20%', 'tid': '1', 'cpu': '0', 'task': '.', 'vm': 'x', 'map': 'map.csv', 'fields': 'comm,pid,time,trace',
          'window-start': 'sched:sched_switch', 'window-end': 'sched:sched_switch', 'event': '*', 'sort': 'name', 'label': 'a',
          'max-loss': '100', 'width': '800', 'height': '400', 'sql': 'queries.sql', 'fail-if': 'vcpu.delayed_ns+1%'}
# Options that do not apply to files, or contact a service; outputs are tested by extension.
NO_OPTION = {'help', 'input', 'output', 'job', 'store', 'store-password', 'no-host-pages', 'open', 'openstack', 'openrc', 'os-cloud',
             'os-host', 'name-pattern', 'name-key', 'group-key', 'insecure', 'os-timeout', 'host', 'bench', 'seconds', 'spool',
             'log-dir', 'glob', 'verbose', 'no-pager', 'with-file', 'anonymize-key'}
ENDINGS = {'annotate': ['cdict'], 'convert': ['cdict'], 'stats': ['txt'], 'report': ['html'], 'diff': ['html', 'txt'],
           'heatmap': ['svg', 'png', 'pdf', 'html'], 'flame': ['svg', 'html', 'folded', 'json'],
           'export': ['pftrace', 'json', 'pfw', 'csv', 'folded', 'sqlite'], 'query': ['csv', 'json', 'sqlite']}
# Arguments that a command requires.
NEEDS = {'successors': ['-t', '.'], 'annotate': ['--map', 'map.csv', '-o', 'out.cdict'], 'convert': ['-o', 'out.cdict'],
         'query': ['--sql', 'queries.sql'], 'push': ['--job', '1', '--store', 'store'], 'export': ['-o', '-'],
         'report': ['-o', 'out.html'], 'flame': ['-o', 'out.svg']}


def text_of(*words):
    return subprocess.run([CDICT, *words], capture_output=True, text=True, check=False).stdout


def declared():
    """By command: its options, each with its choices: none, 'free' for any value, None for a flag."""
    lines = text_of('--completion', 'bash').splitlines()
    commands, taking = {}, {}
    for line in lines:
        if m := re.search(r"compgen -W '(record [^']*)'", line):
            commands = {word: {} for word in m[1].split() if not word.startswith('--')}
        elif m := re.match(r'\s*(\S+)\) (?:words=(\S.*?)|files=1|return) ;;$', line):
            for one in m[1].split('|'):
                command, _, option = one.partition(',')
                words = re.match(r"'([^']*)'$", m[2] or '')
                if option.startswith('--'):
                    taking[command, option[2:]] = words[1].split() if words else []
        if m := re.match(r"\s*(\S+)\) words='(-[^']*)' ;;$", line):
            for option in m[2].split():
                if option.startswith('--'):
                    commands.setdefault(m[1], {})[option[2:]] = taking.get((m[1], option[2:]))
    return commands


def runs(command, options):
    """The argument lists of one command, each with the number of files that it is tried on, or (below 1) the share of such runs."""
    base = NEEDS.get(command, [])
    chosen = [(o, c) for o, c in options.items() if c and o not in NO_OPTION]
    yield base, 99
    yield base + ['-v'], 1
    for ending in ENDINGS.get(command, ['txt'] if 'output' in options else []):
        yield [w for w in base if w not in ('-o', '-') and not w.startswith('out.')] + ['-o', 'out.' + ending], 1
    for i, (option, choices) in enumerate(chosen):
        shows = option in ('by', 'view', 'what', 'to')
        for choice in choices:
            yield base + [f'--{option}={choice}'], 1 if shows else 1 / 3
            # content and form: every pair with a later option's choices
            for other, others in chosen[1:] if i == 0 and shows else []:
                for word in others:
                    yield base + [f'--{option}={choice}', f'--{other}={word}'], 1 / 3
    for option, choices in options.items():
        if option not in NO_OPTION and not choices:
            yield base + [f'--{option}' if choices is None else f'--{option}={VALUES.get(option, "1")}'], 1 / 3


def wrong(words):
    p = subprocess.run([CDICT, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                       errors='replace', text=True, timeout=240)
    if p.returncode not in (0, 1, 2, 3, 129):
        return f'status {p.returncode}: {p.stderr.strip()[-300:]}'
    if p.returncode in (1, 129) and not p.stderr.strip():
        return f'status {p.returncode}, and no reason'
    return None


def main():
    files = sys.argv[1:]
    with open('map.csv', 'w', encoding='utf-8') as f:
        f.write('1,,vcpu0,,,1,web\n')
    commands = declared()
    if len(commands) < 20 or not commands.get('heatmap', {}).get('view'):
        print(f"'cdict --completion bash' has changed: {sorted(commands)}")
    n, tables = 0, text_of('query', '--format', 'csv', "SELECT name FROM pragma_module_list WHERE name NOT LIKE 'pragma%'", files[0]).split()[1:]
    tables = [t for t in tables if t.isidentifier() and subprocess.run([CDICT, 'query', '-q', f'SELECT * FROM {t} LIMIT 0', files[0]],
                                                                       capture_output=True, check=False).returncode in (0, 2)]
    if len(tables) < 10:
        print(f'few tables of SQL: {tables}')
    with open('queries.sql', 'w', encoding='utf-8') as f:
        f.write(''.join(f'SELECT * FROM {t}; SELECT count(*) FROM {t};\n' for t in tables))
    for command, options in commands.items():
        if command in NOT:
            continue
        for at, file in enumerate(files):
            operands = [file, file] if command == 'diff' else [file]
            for words, on in runs(command, options):
                place = zlib.crc32(' '.join([command, *words]).encode())
                if ((place + at) % len(files) >= on or place // 16 % 3 >= 3 * on) and not os.environ.get('EVERY'):
                    continue
                n += 1
                if why := wrong([command, *operands, *words]):
                    print(f'{command} {" ".join(operands + words)}: {why}')
    sys.stderr.write(f'{n} runs\n')
    if n < 300:
        print(f'only {n} runs')


main()
