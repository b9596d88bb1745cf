# SPDX-License-Identifier: GPL-2.0-only
"""_prometheus.py DASHBOARD CDICT CAPTURE... - evaluates the dashboard's queries with Prometheus' own engine.

Each CAPTURE is a scrape of one host, a minute after the one before: the exposition of `cdict vcpu --by vm`, `exits --by reason` and `coremap`.
promtool computes each query at each scrape; the result must be what the JSON of the same commands gives.
"""
import json
import math
import os
import re
import subprocess
import sys

from prometheus_client.parser import text_string_to_metric_families

COMMANDS = (["vcpu", "--by", "vm"], ["exits", "--by", "reason"], ["coremap"])


def run(*args):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def series_of(cdict, captures):
    """By series, a value for each capture, or None."""
    series = {}
    for i, capture in enumerate(captures):
        for command in COMMANDS:
            for family in text_string_to_metric_families(run(cdict, *command, "-q", "--format", "openmetrics", capture)):
                for sample in family.samples:
                    labels = {**sample.labels, "instance": "host-1"}
                    name = sample.name + "{" + ",".join(f"{k}={quoted(v)}" for k, v in sorted(labels.items())) + "}"
                    values = series.setdefault(name, [None] * len(captures))
                    assert values[i] is None, f"{name} twice"
                    values[i] = sample.value
    return series


def points(values):
    """As Prometheus stores them: a series that a scrape lacks is stale."""
    for i, v in enumerate(values):
        yield repr(v) if v is not None else "stale" if i and values[i - 1] is not None else "_"


def results(expressions, series, n):
    """What promtool computes: by expression, for each scrape, {labels: value}."""
    tests = []
    for expression in expressions:
        for i in range(n):
            # no sample is expected: promtool prints all that it gets
            tests.append({"expr": expression, "eval_time": f"{i}m", "exp_samples": [{"labels": "no_such_metric", "value": 0}]})
    doc = {"rule_files": [], "evaluation_interval": "1m", "tests": [{"interval": "1m", "input_series": [
        {"series": name, "values": " ".join(points(values))} for name, values in series.items()],
        "promql_expr_test": tests}]}
    with open("test.yml", "w", encoding="utf-8") as f:
        json.dump(doc, f) # JSON is YAML
    out = subprocess.run([os.environ["PROMTOOL"], "test", "rules", "test.yml"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    found = {}
    for expression, time, got in re.findall(r'expr: (".*?"), time: (\w+),\s*\n\s*exp:.*\n\s*got:(.*)', out):
        values = {}
        for labels, value in re.findall(r'(\{[^{}]*\}) ([-+\w.]+)(?:,|$)', got):
            values[labels] = float(value)
        found[json.loads(expression), round(float(time[:-1]))] = values
    return found, out


def table(cdict, capture, *command):
    return json.loads(run(cdict, *command, "-q", "--json", capture))


def wanted(cdict, capture):
    """What the panels show of a capture, by their titles, from the tables' JSON."""
    vcpu, exits, core = (table(cdict, capture, *c) for c in COMMANDS)
    window = vcpu["window_ns"]["length"] if isinstance(vcpu["window_ns"], dict) else vcpu["window_ns"]
    host, vms, worst, count, cpu = {}, {}, {}, {}, {}
    for row in vcpu["vcpu"]:
        vm = f'{{instance="host-1", vm="{row["vm"]}"}}'
        host['{instance="host-1"}'] = host.get('{instance="host-1"}', 0) + row["delayed_ns"] / window
        vms[vm] = vms.get(vm, 0) + row["delayed_ns"] / window
        worst[vm] = max(worst.get(vm, 0), (row["worst_ns"] or 0) / 1e9)
    for row in exits["exits"]:
        reason = f'{{reason="{row["reason"]}"}}'
        count[reason] = count.get(reason, 0) + row["count"] / window * 1e9
        if not row["idle"] and row["cpu_ns"] is not None:
            cpu[reason] = cpu.get(reason, 0) + row["cpu_ns"] / window
    one = '{instance="host-1"}'
    busy = [row["busy_percent"] / 100 for row in core["cpus"]]
    capacity = vcpu["capacity"][0] if isinstance(vcpu["capacity"], list) else vcpu["capacity"]
    return {"Waiting of vCPUs, host by time": host, "VMs by time waited for a CPU": vms, "Longest wait of a vCPU": {k: v for k, v in worst.items()},
            "Exits by reason": count, "CPU time of exits by reason": cpu, "Host CPUs busy": {one: sum(busy) / len(busy)},
            "vCPUs per CPU": {one: capacity["vcpus"] / capacity["cpus"]},
            "Lost events": {one: 0}}


def main():
    dashboard, cdict, *captures = sys.argv[1:]
    panels = [(p["title"], t["expr"].replace("$host", ".*")) for p in json.load(open(dashboard))["panels"] for t in p["targets"]]
    found, out = results([e for _, e in panels], series_of(cdict, captures), len(captures))
    bad, compared = [], 0
    for i, capture in enumerate(captures):
        want = wanted(cdict, capture)
        for title, expression in panels:
            if title not in want:
                bad.append(f"{title}: not in this test")
                continue
            got = found.get((expression, i))
            if not got or set(got) != set(want[title]):
                bad.append(f"{title}, {capture}: got {got}, not {want[title]}")
                continue
            for labels, value in want[title].items():
                compared += 1
                if not math.isclose(got[labels], value, rel_tol=1e-9, abs_tol=1e-12):
                    bad.append(f"{title}, {capture}, {labels}: got {got[labels]}, not {value}")
    if bad:
        print("\n".join(bad[:10]))
        print(out[:600])
    print(f"compared {compared}")


main()
