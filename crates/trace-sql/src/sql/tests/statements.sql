Statements of the kind that trace people write.

-- rows
SELECT name, COUNT(*) AS n, SUM(dur) / 1e6 AS ms FROM kernels GROUP BY name ORDER BY ms DESC LIMIT 10
-- rows
SELECT trace, rank, SUM(dur) AS busy FROM kernels GROUP BY trace, rank ORDER BY busy
-- rows
SELECT * FROM events WHERE name LIKE 'aten::%' AND dur > 1000 LIMIT 20
-- rows
SELECT name, AVG(dur) AS mean, MEDIAN(dur) AS median, STDDEV(dur) AS spread FROM kernels GROUP BY name HAVING COUNT(*) > 2
-- rows
SELECT DISTINCT cat FROM events ORDER BY cat
-- rows
SELECT trace, rank, iteration, dur FROM iterations ORDER BY dur DESC
-- rows
SELECT * FROM ranks
-- rows
SELECT kernel_type, SUM(dur) AS dur FROM kernels WHERE trace = 'job' GROUP BY kernel_type
-- rows
SELECT l.name, l.kernel, l.kernel_delay FROM launches l WHERE l.kernel_delay > 0 ORDER BY l.kernel_delay DESC LIMIT 5
-- rows
SELECT k.name, l.name AS launch FROM kernels k JOIN launches l ON k.trace = l.trace AND k.rank = l.rank AND k.launch_id = l.id
-- rows
SELECT name, dur, ROW_NUMBER() OVER (PARTITION BY trace, rank ORDER BY dur DESC) AS place FROM kernels
-- rows
SELECT name, dur, RANK() OVER (ORDER BY dur DESC) AS place FROM kernels WHERE trace = 'control'
-- rows
SELECT name, DENSE_RANK() OVER (PARTITION BY rank ORDER BY dur DESC) AS place FROM kernels WHERE trace = 'job'
-- rows
SELECT ts, dur, ts - LAG(end_ts) OVER (PARTITION BY trace, rank, stream ORDER BY ts) AS idle FROM kernels
-- rows
WITH totals AS (SELECT name, SUM(dur) AS dur FROM kernels GROUP BY name) SELECT * FROM totals WHERE dur > (SELECT AVG(dur) FROM totals)
-- rows
SELECT CASE WHEN name LIKE 'nccl%' THEN 'communication' WHEN name LIKE 'Mem%' THEN 'memory' ELSE 'computation' END AS kind, SUM(dur) AS dur FROM kernels GROUP BY kind
-- rows
SELECT a.name, a.dur AS control, b.dur AS job FROM (SELECT name, SUM(dur) AS dur FROM kernels WHERE trace = 'control' GROUP BY name) AS a FULL JOIN (SELECT name, SUM(dur) AS dur FROM kernels WHERE trace = 'job' GROUP BY name) AS b ON a.name = b.name
-- rows
SELECT name FROM kernels WHERE trace = 'job' EXCEPT SELECT name FROM kernels WHERE trace = 'control'
-- rows
SELECT name FROM events WHERE trace = 'job' INTERSECT SELECT name FROM events WHERE trace = 'control'
-- rows
SELECT 'kernels' AS what, COUNT(*) AS n FROM kernels UNION ALL SELECT 'launches', COUNT(*) FROM launches
-- rows
SELECT e.name, SUM(e.dur * w.weight) AS weighted FROM events e JOIN wanted w ON e.name = w.name GROUP BY e.name
-- rows
SELECT * FROM events WHERE name IN (SELECT name FROM wanted)
-- rows
SELECT name FROM events e WHERE EXISTS (SELECT 1 FROM wanted w WHERE w.name = e.name)
-- refused: ANTI JOIN is not supported
SELECT COUNT(*) AS n FROM events e LEFT ANTI JOIN wanted w ON e.name = w.name
-- rows
SELECT * FROM copies LIMIT 3
-- rows
SELECT SPLIT_PART(name, '::', 1) AS namespace, COUNT(*) AS n FROM events WHERE name LIKE '%::%' GROUP BY namespace
-- rows
SELECT UPPER(cat) AS cat, COUNT(*) AS n FROM events GROUP BY UPPER(cat)
-- rows
SELECT name, quantile_cont(dur, 0.95) AS p95 FROM kernels GROUP BY name
-- rows
SELECT * FROM gaps(7) WHERE trace = 'job' ORDER BY dur DESC LIMIT 5
-- rows
SELECT trace, rank, SUM(dur) AS idle FROM gaps GROUP BY trace, rank
-- rows
SELECT name, SUM(self_dur) AS self FROM self_time WHERE cat = 'cpu_op' GROUP BY name ORDER BY self DESC LIMIT 10
-- rows
SELECT s.name, p.name AS caller FROM self_time s JOIN self_time p ON s.parent = p.id AND s.trace = p.trace AND s.rank = p.rank WHERE s.trace = 'control'
-- rows
SELECT trace, rank, SUM(dur) AS exposed FROM intersect((SELECT * FROM kernels WHERE kernel_type = 'COMMUNICATION'), (SELECT * FROM kernels WHERE kernel_type = 'COMPUTATION')) GROUP BY trace, rank
-- rows
SELECT open, SUM(dur) AS dur FROM overlap(kernels) GROUP BY open ORDER BY open
-- rows
SELECT name, relation FROM descendants(17) WHERE trace = 'control'
-- rows
SELECT FLOOR((ts - (SELECT MIN(ts) FROM events)) / 1000000) AS ms, COUNT(*) AS n FROM events GROUP BY ms ORDER BY ms
-- rows
SELECT SUM(bytes) / SUM(dur) AS gbps FROM kernels WHERE name LIKE 'Memcpy%'
-- rows
SELECT correlation, COUNT(*) AS n FROM events WHERE correlation IS NOT NULL GROUP BY correlation HAVING COUNT(*) > 1
-- rows
SELECT name, COUNT(*) FILTER (WHERE rank = 0) AS first, COUNT(*) FILTER (WHERE rank = 1) AS second FROM kernels GROUP BY name
-- refused: QUALIFY is not supported
SELECT name, dur FROM kernels QUALIFY ROW_NUMBER() OVER (PARTITION BY name ORDER BY dur DESC) = 1
-- refused: DISTINCT ON is not supported
SELECT DISTINCT ON (name) name, dur FROM kernels ORDER BY name, dur DESC
-- rows
SELECT name, SUM(dur) OVER (PARTITION BY rank ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS so_far FROM kernels
-- rows
SELECT name, 100.0 * SUM(dur) / (SELECT SUM(dur) FROM kernels) AS percent FROM kernels GROUP BY name ORDER BY percent DESC
-- refused: EXCLUDE is not supported
SELECT * EXCLUDE (cat, pid) FROM events LIMIT 5
-- refused: ~* is not supported; write name REGEXP
SELECT name FROM events WHERE name ~* 'GEMM|linear' AND name NOT LIKE '%backward%'
-- rows
SELECT a.name, b.name AS inner_name FROM events a JOIN events b ON a.ts < b.ts AND b.end_ts < a.end_ts WHERE a.trace = 'control' AND b.trace = 'control' AND a.cat = 'cpu_op' AND b.cat = 'cuda_runtime'
-- rows
SELECT COALESCE(stream, -1) AS stream, COUNT(*) AS n FROM events GROUP BY stream ORDER BY n
-- rows
SELECT CAST(dur AS DOUBLE) / 1000 AS us, ROUND(dur / 1000.0, 1) AS rounded FROM kernels LIMIT 3
-- rows
SELECT group_size, collective_name, COUNT(*) AS n FROM kernels WHERE collective_name IS NOT NULL GROUP BY group_size, collective_name
-- none
SELECT * FROM events WHERE dur < 0
-- rows
WITH RECURSIVE up AS (SELECT id, parent FROM self_time WHERE id = 30 AND trace = 'control' UNION ALL SELECT s.id, s.parent FROM self_time s JOIN up ON s.id = up.parent WHERE s.trace = 'control') SELECT * FROM up
-- refused: ROLLUP is not supported
SELECT rank, name, SUM(dur) FROM kernels GROUP BY ROLLUP (rank, name)
-- refused: CUBE is not supported
SELECT rank, name, SUM(dur) FROM kernels GROUP BY CUBE (rank, name)
-- rows
SELECT AVG(dur) OVER (ORDER BY ts ROWS BETWEEN 9 PRECEDING AND CURRENT ROW) FROM kernels
-- rows
SELECT SUM(dur) OVER (ORDER BY ts RANGE BETWEEN 1000 PRECEDING AND CURRENT ROW) FROM kernels
-- refused: ASOF JOIN is not supported
SELECT * FROM kernels k ASOF JOIN launches l ON k.ts >= l.ts
-- refused: LATERAL is not supported
SELECT * FROM kernels k, LATERAL (SELECT * FROM launches l WHERE l.kernel_id = k.id) x
-- refused: quantile_cont(dur, 0.95)
SELECT PERCENTILE_CONT(0.95) WITHIN GROUP (ORDER BY dur) FROM kernels
-- refused: SUM(dur) FILTER
SELECT * FROM kernels PIVOT (SUM(dur) FOR rank IN (0, 1))
-- refused: statements have no parameters
SELECT * FROM kernels WHERE rank = :rank
-- rows
SELECT rank, ARG_MAX(name, dur) FROM kernels GROUP BY rank
-- refused: ts / 1000000
SELECT TIME_BUCKET(1000000, ts), COUNT(*) FROM kernels GROUP BY 1
-- refused: stands beside an aggregate without GROUP BY
SELECT name, SUM(dur) FROM kernels
-- rows
SELECT name, 100.0 * SUM(dur) / SUM(SUM(dur)) OVER () AS percent FROM kernels GROUP BY name
-- refused: WHERE has an aggregate
SELECT name FROM kernels WHERE dur > AVG(dur)
-- rows
SELECT name FROM kernels k WHERE dur > (SELECT AVG(dur) FROM kernels j WHERE j.name = k.name)
-- rows
SELECT name FROM kernels GROUP BY name ORDER BY SUM(dur) DESC
-- rows
SELECT name, SUM(dur) FROM kernels GROUP BY name ORDER BY SUM(dur) DESC LIMIT 5
-- rows
SELECT k.name, k.dur, m.mean FROM kernels k JOIN (SELECT name, AVG(dur) AS mean FROM kernels GROUP BY name) AS m ON m.name = k.name WHERE k.dur > 2 * m.mean OR k.dur <= m.mean
-- refused: is neither in GROUP BY nor in an aggregate
SELECT name, stream, SUM(dur) FROM kernels GROUP BY name
-- refused: bind the rows to a name
CREATE TABLE long AS SELECT * FROM kernels WHERE dur > 1000000
-- refused: it has a second statement
SELECT 1; SELECT 2
-- refused: did you mean kernels
SELECT * FROM kernel
-- rows
SELECT COUNT(*), SUM(dur), AVG(dur) FROM events
-- rows
SELECT c.name, c.n - t.n AS more FROM (SELECT name, COUNT(*) AS n FROM events WHERE trace = 'control' GROUP BY name) c JOIN (SELECT name, COUNT(*) AS n FROM events WHERE trace = 'job' GROUP BY name) t ON t.name = c.name
-- rows
SELECT name FROM events WHERE name LIKE 'aten::%!_%' ESCAPE '!'
-- rows
SELECT COUNT(*) AS n FROM kernels HAVING COUNT(*) > 3
-- rows
SELECT a.id, b.id FROM kernels a JOIN launches b ON b.ts BETWEEN a.ts - 1000000 AND a.ts AND a.trace = b.trace AND a.rank = b.rank
-- rows
WITH w AS (SELECT name, SUM(dur) AS dur FROM kernels GROUP BY name) SELECT a.name, COUNT(b.name) AS slower FROM w a LEFT JOIN w b ON b.dur > a.dur GROUP BY a.name
-- rows
SELECT k.id, a.name FROM kernels k, ancestors(k.id) a WHERE k.trace = 'control' AND a.trace = k.trace AND a.rank = k.rank
-- rows
SELECT g.stream, SUM(g.dur) AS idle FROM (SELECT DISTINCT stream FROM kernels WHERE trace = 'job') s JOIN gaps(s.stream) g WHERE g.trace = 'job' GROUP BY g.stream
-- refused: expected the id of an event
SELECT * FROM ancestors
-- refused: expected an id, a number
SELECT * FROM ancestors('twelve')
-- refused: expected intersect(a, b)
SELECT * FROM intersect(kernels)
