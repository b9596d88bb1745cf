-- Queries as one writes them for Perfetto's trace processor: its tables, its columns, its idioms. None of them
-- knows that it asks a cdict.

-- 1. scheduling slices with their threads and processes
SELECT ts, dur, cpu, end_state, priority, process.name, thread.name
FROM sched_slice LEFT JOIN thread USING (utid) LEFT JOIN process USING (upid)
WHERE utid != 0 ORDER BY ts LIMIT 4;

-- 2. CPU time by process
SELECT process.name AS process_name, process.pid, SUM(sched.dur) / 1e6 AS cpu_ms
FROM sched JOIN thread USING (utid) JOIN process USING (upid)
GROUP BY upid ORDER BY cpu_ms DESC LIMIT 4;

-- 3. the states of a thread
SELECT state, io_wait, COUNT(*) AS n, SUM(dur) AS total_dur
FROM thread_state JOIN thread USING (utid)
WHERE thread.name GLOB 'perf*' GROUP BY state, io_wait ORDER BY total_dur DESC;

-- 4. tasks that waited longest for a CPU
SELECT thread.name, thread.tid, ts, dur FROM thread_state JOIN thread USING (utid)
WHERE state IN ('R', 'R+') AND dur > 15000000 ORDER BY dur DESC;

-- 5. wakers and the tasks that they wake
SELECT waker.name AS waker, wakee.name AS wakee, COUNT(*) AS n
FROM thread_state
JOIN thread AS waker ON waker.utid = thread_state.waker_utid
JOIN thread AS wakee ON wakee.utid = thread_state.utid
GROUP BY 1, 2 ORDER BY n DESC, 1, 2 LIMIT 4;

-- 6. how busy each CPU was
SELECT cpu, SUM(IIF(utid != 0, dur, 0)) * 100.0 / trace_dur() AS busy_percent
FROM sched_slice GROUP BY cpu ORDER BY cpu;

-- 7. slices of a CPU follow each other
WITH following AS (
  SELECT cpu, ts + dur AS ts_ends, LEAD(ts) OVER (PARTITION BY cpu ORDER BY ts) AS next_ts FROM sched_slice)
SELECT COUNT(*) AS n, SUM(ts_ends != next_ts) AS gaps FROM following WHERE next_ts IS NOT NULL;

-- 8. a view, and its use
DROP VIEW IF EXISTS running_by_thread;
CREATE VIEW running_by_thread AS
SELECT utid, SUM(dur) AS total_dur, COUNT(*) AS slices, MAX(dur) AS longest FROM sched_slice GROUP BY utid;
SELECT thread.name, total_dur, slices, longest FROM running_by_thread JOIN thread USING (utid)
WHERE is_idle = 0 AND is_main_thread = 0 ORDER BY total_dur DESC LIMIT 3;

-- 9. slices of user space by the track of their thread
SELECT slice.name, thread.name AS thread_name, slice.dur FROM slice
JOIN thread_track ON slice.track_id = thread_track.id JOIN thread USING (utid);

-- 10. raw events in the first millisecond with data
SELECT ts - trace_start() AS since_start, ftrace_event.name, cpu, thread.tid FROM ftrace_event JOIN thread USING (utid)
WHERE ts < (SELECT start_ts FROM trace_bounds) + 1000000 AND ftrace_event.name GLOB 'sched_*' ORDER BY ts LIMIT 4;

-- 11. share of each state in the time of all threads
SELECT state, ROUND(100.0 * SUM(dur) / SUM(SUM(dur)) OVER (), 1) AS percent
FROM thread_state GROUP BY state ORDER BY percent DESC;

-- 12. the description of the recording
SELECT name, str_value FROM metadata WHERE name IN ('host.name', 'host.kernel') ORDER BY name;
