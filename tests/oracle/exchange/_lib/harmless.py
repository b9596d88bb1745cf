#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""harmless.py KIND FILE NAME...: reports parts of an output that can harm its readers: invalid UTF-8, control characters and characters
that reorder or hide text (JSON escapes control characters); CSV cells that a spreadsheet would run; foreign markup in a picture. Each
NAME, a part of a hostile one, must be present as it should be shown.

KIND: text, csv, json, lines (of JSON), svg, html, raw (any text; must only be UTF-8, for formats that need all characters)"""
import csv
import io
import json
import re
import sys
import xml.dom.minidom

HIDDEN = re.compile('[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\x00-\x08\x0b-\x1f\x7f-\x9f]')
ESCAPED = re.compile('[\x00-\x1f\x7f]')  # in JSON
NUMBER = re.compile(r'[-+]?[0-9.]+(e[-+]?[0-9]+)?$')


def strings(value):
    if isinstance(value, dict):
        for key, v in value.items():
            yield key
            yield from strings(v)
    elif isinstance(value, list):
        for v in value:
            yield from strings(v)
    elif isinstance(value, str):
        yield value


def nodes(node):
    yield node
    for child in node.childNodes:
        yield from nodes(child)


def shown(kind, text):
    """Every text that a reader sees."""
    if kind == 'csv':
        for row in csv.reader(io.StringIO(text, newline='')):
            for cell in row:
                if cell[:1] in tuple('=+-@') and not NUMBER.match(cell):
                    print(f'a spreadsheet would run {cell!r}')
                yield cell
    elif kind == 'json':
        yield from strings(json.loads(text))
    elif kind == 'lines':
        for line in text.splitlines():
            if line.strip('[]'):
                yield from strings(json.loads(line))
    elif kind == 'svg':
        for node in nodes(xml.dom.minidom.parseString(text)):
            if node.nodeName in ('b', 'img') or node.nodeName.startswith('on'):
                print(f'<{node.nodeName}> in a picture')
            if node.nodeType == node.TEXT_NODE:
                yield node.data
    else:
        yield from text.splitlines()


def main(kind, path, *names):
    with open(path, 'rb') as f:
        text = f.read().decode()  # strict
    texts = list(shown(kind, text))
    for t in texts:
        found = HIDDEN.search(ESCAPED.sub('', t) if kind in ('json', 'lines') else t)
        if found:
            print(f'{found.group()!r} in {t[:80]!r}')
            break
    if kind == 'html':
        scripts = len(re.findall('<script', text))
        if len(re.findall('</script', text)) != scripts or '<img' in text:
            print('markup that is not its own')
    for name in names:
        if not any(name in t for t in texts):
            print(f'{name!r} is not there')


main(*sys.argv[1:])
