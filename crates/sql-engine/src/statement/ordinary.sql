SELECT name, COUNT(*) AS n, SUM(dur) / 1e6 AS ms FROM kernels GROUP BY name ORDER BY ms DESC LIMIT 10
SELECT trace, rank, SUM(dur) AS busy FROM kernels GROUP BY trace, rank ORDER BY busy;
SELECT * FROM events WHERE name LIKE 'aten::%' ESCAPE '\' AND dur > 1000 LIMIT 20 OFFSET 5
SELECT name, AVG(dur) AS mean, MEDIAN(dur) AS median FROM kernels GROUP BY name HAVING COUNT(*) > 2
SELECT DISTINCT cat FROM events ORDER BY cat NULLS LAST
SELECT kernel_type, SUM(dur) AS dur FROM kernels WHERE trace = 'job' GROUP BY kernel_type
SELECT k.name, e.name AS launch FROM kernels k JOIN events AS e ON k.trace = e.trace AND k.launch_id = e.id
SELECT name, dur, ROW_NUMBER() OVER (PARTITION BY trace, rank ORDER BY dur DESC) AS place FROM kernels
SELECT ts, dur, ts - LAG(end_ts) OVER (PARTITION BY trace, rank, stream ORDER BY ts) AS idle FROM kernels
WITH totals AS (SELECT name, SUM(dur) AS dur FROM kernels GROUP BY name) SELECT * FROM totals WHERE dur > (SELECT AVG(dur) FROM totals)
WITH RECURSIVE up(id, n) AS (SELECT id, 0 FROM events UNION ALL SELECT id + 1, n + 1 FROM up WHERE n < 3) SELECT * FROM up
SELECT CASE WHEN name LIKE 'nccl%' THEN 'communication' ELSE 'computation' END AS kind, SUM(dur) AS dur FROM kernels GROUP BY kind
SELECT a.name, a.dur, b.dur FROM (SELECT name, SUM(dur) AS dur FROM kernels GROUP BY name) AS a FULL JOIN events AS b ON a.name = b.name
SELECT name FROM kernels WHERE trace = 'job' EXCEPT SELECT name FROM kernels WHERE trace = 'control'
SELECT name FROM events INTERSECT SELECT name FROM kernels ORDER BY 1
SELECT 'kernels' AS what, COUNT(*) AS n FROM kernels UNION ALL SELECT 'events', COUNT(*) FROM events
SELECT name FROM events e WHERE NOT EXISTS (SELECT 1 FROM kernels k WHERE k.launch_id = e.id)
SELECT * FROM events WHERE name REGEXP '(?i)gemm|linear' AND name NOT REGEXP 'backward' AND name GLOB 'aten::*'
SELECT name, SUM(dur) FILTER (WHERE rank = 0) AS "first", SUM(dur) FILTER (WHERE rank = 1) AS [second one] FROM kernels GROUP BY name
SELECT AVG(dur) OVER (ORDER BY ts RANGE BETWEEN 1000 PRECEDING AND CURRENT ROW) AS mean FROM kernels -- :x ?
SELECT SUM(dur) OVER w, RANK() OVER w FROM kernels WINDOW w AS (PARTITION BY rank ORDER BY ts ROWS BETWEEN 9 PRECEDING AND 1 FOLLOWING EXCLUDE TIES)
SELECT name, 100.0 * SUM(dur) / SUM(SUM(dur)) OVER () AS percent FROM kernels GROUP BY name
SELECT name FROM kernels k WHERE dur > (SELECT 2 * AVG(dur) FROM kernels j WHERE j.name = k.name)
SELECT name, MAX(dur), ts FROM kernels
SELECT name, stream, SUM(dur) FROM kernels GROUP BY name, stream ORDER BY SUM(dur) DESC
SELECT dur & ~1, dur | 2, -dur << 2, dur % 7, dur <> 3, dur != 3, dur == 3, NOT dur FROM events
SELECT CAST(dur AS REAL) / 1000 AS us, ROUND(dur / 1000.0, 1) AS rounded, 2 * REPLACE(name, 'a', 'b') FROM kernels LIMIT 3
SELECT 'a::b', "name", `cat`, x'ab12', 1.5e-3, 0x1F, date('now'), time('12:00'), DATE(ts, 'unixepoch') FROM events
SELECT e.name, k.* FROM events e LEFT JOIN kernels k USING (trace, rank, id), events f WHERE e.ts BETWEEN k.ts AND k.end_ts
VALUES (1, 'a'), (2, 'b')
SELECT json_extract('{"a": [1, 2]}', '$.a[0]') AS first, '{}' -> '$.a', '{"b": 1}' ->> 'b' FROM events
SELECT name IS NULL, stream IS NOT DISTINCT FROM rank, COALESCE(stream, -1) AS stream FROM events ORDER BY name COLLATE NOCASE
SELECT string_agg(name, ', ' ORDER BY ts) AS names, COUNT(DISTINCT name), TOTAL(dur), MIN(rank, 5) + COUNT(*) * 0 FROM kernels GROUP BY rank
EXPLAIN QUERY PLAN SELECT 1
SELECT * FROM (SELECT rank AS top, cat AS cube FROM events) t, (SELECT 1 AS "all") WHERE t.top > 1 /* QUALIFY */
