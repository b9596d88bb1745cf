#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Checks a Perfetto trace against the published rules, and prints its contents.

Independent of the writer: parses the wire format itself, with the field numbers of
protos/perfetto/trace, and the rules in its comments and in trace_processor's importers:

  packets    trace_packet.proto: each whole; a sequence id that is not 0; incremental state cleared before
             anything needs it; interned names known on their sequence before they are used
  ftrace     ftrace_tokenizer.cc: a bundle has a CPU below 1024, an event its time, pid and one payload;
             ftrace_sched_event_tracker.cc: on each CPU the prev of a switch is the next of the one before, or the slice
             has no end; IDLE is pid 0; task_state.cc: prev_state holds only bits that the kernel's release has
  states     thread_state_tracker.cc: a thread runs on one CPU at a time
  tracks     track_descriptor.proto: a track is described before its first event, a thread's with pid and tid, one
             track a thread; slices on a track nest and all of them end
  processes  process_tree.proto: a thread's tgid is a process of the tree
  text       strings are UTF-8

perfetto_check.py TRACE            ok, or the faults, and status 1
perfetto_check.py --slices TRACE   run CPU TS DUR TID END_STATE PRIO, exit TS DUR TID REASON, wake TS CPU TID WAKER
perfetto_check.py --names TRACE    tid TID NAME, pid PID NAME: by priority
perfetto_check.py --lost TRACE     lost CPU N: bundles before which events are missing
"""
import gzip
import sys

VARINT, I64, LEN, I32 = 0, 1, 2, 5
STRINGS = "utf-8"


class Wrong(Exception):
    pass


def varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data):
            raise Wrong("a number is cut")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & (1 << 64) - 1, at
        shift += 7
        if shift > 63:
            raise Wrong("a number has more than ten bytes")


def fields(data):
    """(number, wire type, value) of a message."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if not number:
            raise Wrong("a field has number 0")
        if wire == VARINT:
            value, at = varint(data, at)
        elif wire == LEN:
            size, at = varint(data, at)
            if size > len(data) - at:
                raise Wrong(f"field {number} is longer than its message")
            value, at = data[at:at + size], at + size
        elif wire in (I64, I32):
            size = 8 if wire == I64 else 4
            if size > len(data) - at:
                raise Wrong(f"field {number} is cut")
            value, at = int.from_bytes(data[at:at + size], "little"), at + size
        else:
            raise Wrong(f"field {number} has wire type {wire}")
        yield number, wire, value


SCHEMA = {
    # message: {field: (name, kind)}, a kind in capitals is a message, a * before it: repeated
    "PACKET": {1: ("ftrace_events", "BUNDLE"), 2: ("process_tree", "TREE"), 6: ("clock_snapshot", "CLOCKS"),
               8: ("timestamp", "u64"), 10: ("sequence_id", "u64"), 11: ("track_event", "TRACK_EVENT"),
               12: ("interned_data", "INTERNED"), 13: ("sequence_flags", "u64"), 45: ("system_info", "SYSTEM"),
               60: ("track_descriptor", "TRACK"), 87: ("first_packet_on_sequence", "u64")},
    "BUNDLE": {1: ("cpu", "u64"), 2: ("event", "*EVENT"), 3: ("lost_events", "u64")},
    "EVENT": {1: ("timestamp", "u64"), 2: ("pid", "u64"), 4: ("sched_switch", "SWITCH"),
              20: ("sched_waking", "WAKING")},
    "SWITCH": {1: ("prev_comm", "string"), 2: ("prev_pid", "i32"), 3: ("prev_prio", "i32"), 4: ("prev_state", "i64"),
               5: ("next_comm", "string"), 6: ("next_pid", "i32"), 7: ("next_prio", "i32")},
    "WAKING": {1: ("comm", "string"), 2: ("pid", "i32"), 3: ("prio", "i32"), 4: ("success", "i32"),
               5: ("target_cpu", "i32")},
    "TREE": {1: ("processes", "*PROCESS"), 2: ("threads", "*THREAD")},
    "PROCESS": {1: ("pid", "i32"), 2: ("ppid", "i32"), 3: ("cmdline", "*string")},
    "THREAD": {1: ("tid", "i32"), 2: ("name", "string"), 3: ("tgid", "i32")},
    "CLOCKS": {1: ("clocks", "*CLOCK"), 2: ("primary", "u64")},
    "CLOCK": {1: ("clock_id", "u64"), 2: ("timestamp", "u64")},
    "SYSTEM": {1: ("utsname", "UTSNAME")},
    "UTSNAME": {1: ("sysname", "string"), 2: ("version", "string"), 3: ("release", "string"), 4: ("machine", "string")},
    "TRACK": {1: ("uuid", "u64"), 2: ("name", "string"), 3: ("process", "TRACK_PROCESS"), 4: ("thread", "TRACK_THREAD"),
              5: ("parent_uuid", "u64")},
    "TRACK_PROCESS": {1: ("pid", "i32"), 6: ("process_name", "string")},
    "TRACK_THREAD": {1: ("pid", "i32"), 2: ("tid", "i32"), 5: ("thread_name", "string")},
    "TRACK_EVENT": {3: ("category_iids", "*u64"), 4: ("debug_annotations", "*ANNOTATION"), 9: ("type", "u64"),
                    10: ("name_iid", "u64"), 11: ("track_uuid", "u64"), 22: ("categories", "*string"),
                    23: ("name", "string")},
    "ANNOTATION": {10: ("name", "string"), 2: ("bool_value", "u64"), 3: ("uint_value", "u64"), 4: ("int_value", "i64"),
                   6: ("string_value", "string"), 9: ("json_value", "string")},
    "INTERNED": {1: ("categories", "*NAME"), 2: ("event_names", "*NAME")},
    "NAME": {1: ("iid", "u64"), 2: ("name", "string")},
}


def message(kind, data):
    known = SCHEMA[kind]
    out = {name: [] for name, of in known.values() if of[0] == "*"}
    for number, wire, value in fields(data):
        if number not in known:
            raise Wrong(f"{kind} has no field {number}")
        name, of = known[number]
        many, of = of[0] == "*", of.lstrip("*")
        if (wire == LEN) != (of == "string" or of in SCHEMA):
            raise Wrong(f"{kind}.{name} has wire type {wire}")
        if of in SCHEMA:
            value = message(of, value)
        elif of == "string":
            value = value.decode(STRINGS)
        elif of in ("i32", "i64") and value >> 63:
            value -= 1 << 64
        if of == "i32" and not -1 << 31 <= value < 1 << 31:
            raise Wrong(f"{kind}.{name} is {value}")
        if many:
            out[name].append(value)
        elif name in out:
            raise Wrong(f"{kind}.{name} is there twice")
        else:
            out[name] = value
    return out


def release_of(text):
    parts = text.split(".")
    try:
        return int(parts[0]), int("".join(c for c in parts[1] if c.isdigit()))
    except (IndexError, ValueError):
        return 4, 4


def state_text(raw, release):
    """As trace_processor's TaskState shows it; None: no state of that kernel."""
    if release >= (4, 14):
        if raw & ~0x1FF:
            return None
        flags = [(1, "S"), (2, "D"), (4, "T"), (8, "t"), (0x10, "X"), (0x20, "Z"), (0x40, "P"), (0x80, "I")]
        preempted = raw & 0x100
    else:
        flags = [(1, "S"), (2, "D"), (4, "T"), (8, "t"), (0x10, "X"), (0x20, "Z"), (0x40, "x"), (0x80, "K"),
                 (0x100, "W"), (0x200, "P"), (0x400, "N")]
        bit = 0x1000 if release >= (4, 8) else 0x800
        if raw & ~(bit | 0x7FF):
            return None
        preempted = raw & bit
    text = "".join(letter for bit, letter in flags if raw & bit)
    return text or ("R+" if preempted else "R")


class Trace:
    def __init__(self, data):
        self.wrong = []
        self.release = (4, 4)
        self.has_release = False
        self.switches, self.wakes, self.events = [], [], []
        self.lost = {}
        self.threads, self.processes, self.tracks = {}, {}, {}
        self.thread_names, self.process_names = {}, {}
        self.sequences = {}
        first = True
        for number, wire, packet in fields(data):
            if number != 1 or wire != LEN:
                raise Wrong(f"a trace is packets, and not field {number}")
            self.packet(message("PACKET", packet), first)
            first = False

    def fault(self, text):
        self.wrong.append(text)

    def packet(self, p, first):
        seq = p.get("sequence_id", 0)
        if not seq:
            self.fault("a packet has no sequence")
        flags = p.get("sequence_flags", 0)
        state = self.sequences.get(seq)
        if state is None:
            if not p.get("first_packet_on_sequence"):
                self.fault("a sequence does not say that it begins")
            self.sequences[seq] = state = {"valid": False, "names": {}, "categories": {}}
        if flags & 1:
            state.update(valid=True, names={}, categories={})
        if flags & 2 and not state["valid"]:
            self.fault("a packet needs state that is not there")
        interned = p.get("interned_data")
        if interned:
            if not flags & 3:
                self.fault("interned names in a packet that needs no state")
            for what, key in (("event_names", "names"), ("categories", "categories")):
                for n in interned[what]:
                    if not n.get("iid") or n["iid"] in state[key]:
                        self.fault(f"{what}: number {n.get('iid')} is given twice, or 0")
                    state[key][n["iid"]] = n["name"]
        if "system_info" in p:
            uts = p["system_info"].get("utsname", {})
            if self.switches:
                self.fault("the kernel's release comes after the packet that needs it")
            if "release" in uts:
                self.release, self.has_release = release_of(uts["release"]), True
        if "clock_snapshot" in p:
            ids = [c["clock_id"] for c in p["clock_snapshot"]["clocks"]]
            if len(set(ids)) != len(ids) or p["clock_snapshot"].get("primary") not in ids:
                self.fault("clocks: one twice, or the primary one is missing")
        if "process_tree" in p:
            self.tree(p["process_tree"])
        if "track_descriptor" in p:
            self.track(p["track_descriptor"])
        if "ftrace_events" in p:
            self.bundle(p["ftrace_events"])
        if "track_event" in p:
            self.track_event(p, p["track_event"], state, flags)

    def tree(self, tree):
        for pr in tree["processes"]:
            if pr["pid"] in self.processes:
                self.fault(f"process {pr['pid']} is described twice")
            self.processes[pr["pid"]] = pr
            if pr["cmdline"]:
                self.process_names.setdefault(pr["pid"], pr["cmdline"][0])
        for th in tree["threads"]:
            self.threads[th["tid"]] = th
            if "name" in th:
                self.thread_names[th["tid"]] = (2, th["name"])

    def track(self, t):
        if not t.get("uuid"):
            self.fault("a track has no number")
        if t.get("uuid") in self.tracks:
            self.fault(f"track {t['uuid']} is described twice")
        self.tracks[t.get("uuid")] = t
        if "thread" in t:
            if "pid" not in t["thread"] or "tid" not in t["thread"]:
                self.fault("a thread's track lacks pid or tid")
            elif "thread_name" in t["thread"]:
                self.thread_names[t["thread"]["tid"]] = (4, t["thread"]["thread_name"])
        elif "process" in t and "process_name" in t["process"]:
            self.process_names[t["process"]["pid"]] = t["process"]["process_name"]

    def bundle(self, b):
        if "cpu" not in b or b["cpu"] >= 1024:
            self.fault(f"a bundle of CPU {b.get('cpu')}: trace_processor refuses the trace")
            return
        if b.get("lost_events"):
            self.lost[b["cpu"]] = self.lost.get(b["cpu"], 0) + 1
        for e in b["event"]:
            if "timestamp" not in e or "pid" not in e or len(e) != 3:
                self.fault(f"an event of CPU {b['cpu']} lacks time, pid or payload: {e}")
            elif "sched_switch" in e:
                self.switches.append((e["timestamp"], b["cpu"], e["sched_switch"], e["pid"]))
            else:
                self.wakes.append((e["timestamp"], b["cpu"], e["sched_waking"], e["pid"]))

    def track_event(self, p, e, state, flags):
        if "timestamp" not in p:
            self.fault("a track event has no time")
            return
        if e.get("track_uuid") not in self.tracks:
            self.fault(f"track {e.get('track_uuid')} is not described")
        kind, name = e.get("type"), e.get("name")
        if "name_iid" in e:
            if not flags & 2 or e["name_iid"] not in state["names"]:
                self.fault(f"name {e['name_iid']} is not known")
            name = state["names"].get(e["name_iid"])
        for iid in e["category_iids"]:
            if iid not in state["categories"]:
                self.fault(f"category {iid} is not known")
        if kind not in (1, 2, 3):
            self.fault(f"a track event of type {kind}")
        self.events.append((p["timestamp"], e.get("track_uuid"), kind, name))

    # ---- what follows from it ----

    def runs(self):
        """(cpu, ts, dur, tid, end state, prio), as trace_processor makes them."""
        last, out, running = {}, [], {}
        for ts, cpu, sw, pid in sorted(self.switches, key=lambda s: s[0]):
            if pid != sw["prev_pid"]:
                self.fault(f"CPU {cpu} at {ts}: the switch is of {pid}, its prev is {sw['prev_pid']}")
            state = state_text(sw["prev_state"], self.release)
            if state is None:
                self.fault(f"prev_state {sw['prev_state']:#x} is not a state of Linux {self.release}")
            if cpu in last:
                since, tid, prio = last[cpu]
                if tid != sw["prev_pid"]:
                    self.fault(f"CPU {cpu} at {ts}: {tid} was switched in, {sw['prev_pid']} is switched out")
                out.append((cpu, since, ts - since, tid, state, prio))
            for which in ("prev", "next"):
                comm, tid = sw[f"{which}_comm"], sw[f"{which}_pid"]
                if (tid == 0) != comm.startswith("swapper/"):
                    self.fault(f"CPU {cpu} at {ts}: pid {tid} is called {comm!r}")
                if tid and self.thread_names.get(tid, (0,))[0] <= 1:
                    self.thread_names[tid] = (1, comm)
            if running.get(sw["prev_pid"]) == cpu:
                del running[sw["prev_pid"]]
            if sw["next_pid"]:
                if sw["next_pid"] in running:
                    self.fault(f"{sw['next_pid']} runs on CPU {running[sw['next_pid']]} and {cpu} at {ts}")
                running[sw["next_pid"]] = cpu
            last[cpu] = ts, sw["next_pid"], sw["next_prio"]
        for tid, cpu in running.items():
            self.fault(f"the slice of {tid} on CPU {cpu} has no end")
        return out

    def slices(self):
        """(ts, dur, tid, name) of the tracks' slices."""
        open_, out = {}, []
        for ts, track, kind, name in sorted(self.events, key=lambda e: e[0]):
            stack = open_.setdefault(track, [])
            tid = self.tid_of(track)
            if kind == 1:
                stack.append((ts, name))
            elif kind == 2 and not stack:
                self.fault(f"track of {tid}: an end at {ts} without a beginning")
            elif kind == 2:
                begin, what = stack.pop()
                out.append((begin, ts - begin, tid, what))
        for track, stack in open_.items():
            if stack:
                self.fault(f"track {track}: {len(stack)} slices have no end")
        return sorted(out, key=lambda s: (s[0], str(s[2])))

    def tid_of(self, track):
        """A track's own thread, or that of the one above it."""
        for _ in range(8):
            t = self.tracks.get(track, {})
            if "thread" in t:
                return t["thread"].get("tid")
            track = t.get("parent_uuid")
        return None

    def check(self):
        for t in self.tracks.values():
            if t.get("parent_uuid", t.get("uuid")) not in self.tracks:
                self.fault(f"track {t.get('uuid')} is under one that is not described")
        for tid, th in self.threads.items():
            if th.get("tgid") not in self.processes:
                self.fault(f"thread {tid} is of process {th.get('tgid')}, which is not in the tree")
        of = {}
        for uuid, t in self.tracks.items():
            if "thread" in t:
                tid = t["thread"].get("tid")
                if tid not in self.threads:
                    self.fault(f"the track of {tid} is of no thread of the tree")
                of.setdefault(tid, []).append(uuid)
        for ts, cpu, sw, _ in self.switches:
            for tid in (sw["prev_pid"], sw["next_pid"]):
                if tid and tid not in self.threads:
                    self.fault(f"{tid} runs and is in no process tree")
        self.runs()
        self.slices()
        return sorted(set(self.wrong))


def main():
    args = sys.argv[1:]
    what = args.pop(0)[2:] if args[0].startswith("--") else "check"
    with open(args[0], "rb") as f:
        data = f.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    try:
        trace = Trace(data)
    except (Wrong, UnicodeDecodeError, KeyError) as e:
        print(f"not a trace: {e!r}")
        return 1
    if what == "check":
        wrong = trace.check()
        print("\n".join(wrong[:20]) if wrong else "ok")
        return 1 if wrong else 0
    if what == "slices":
        for r in sorted(trace.runs(), key=lambda r: (r[0], r[1])):
            print("run", *r)
        for s in trace.slices():
            print("exit", *s)
        for ts, cpu, wake, pid in sorted(trace.wakes, key=lambda w: (w[0], w[1])):
            print("wake", ts, cpu, wake["pid"], pid)
    elif what == "names":
        trace.runs()
        for tid, (_, name) in sorted(trace.thread_names.items()):
            print("tid", tid, name)
        for pid, name in sorted(trace.process_names.items()):
            print("pid", pid, name)
    elif what == "lost":
        for cpu, n in sorted(trace.lost.items()):
            print("lost", cpu, n)
    return 0


sys.exit(main())
