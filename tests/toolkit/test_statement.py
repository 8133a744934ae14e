"""What a sub-agent may ask a database: statements that only read pass, in the form they are then run in; all others
are refused, whichever way they try."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from orchestrator.contracts import Window
from subagents.toolkit.statement import Dialect, Refused, checked

WINDOW = Window(datetime(2026, 11, 29, 14, tzinfo=UTC), datetime(2026, 11, 29, 15, tzinfo=UTC))

READS_BOTH = [
    "SELECT 1",
    "select status, count(*) from orders group by status order by 2 desc limit 10",
    "SELECT * FROM orders WHERE note = 'DROP TABLE orders; --'",
    "SELECT o.id, p.state FROM orders o LEFT JOIN payments p ON p.order_id = o.id WHERE p.id IS NULL",
    "WITH late AS (SELECT * FROM orders WHERE total > 3) SELECT count(*) FROM late",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT sum(i) FROM n",
    "SELECT id FROM a UNION ALL SELECT id FROM b EXCEPT SELECT id FROM c",
    "SELECT CASE WHEN total > 10 THEN 'big' ELSE 'small' END AS size, avg(total) FROM orders GROUP BY 1",
    "SELECT id, row_number() OVER (PARTITION BY user_id ORDER BY at DESC) AS n FROM orders",
    "SELECT coalesce(max(total), 0), min(total), round(avg(total), 2) FROM orders",
    "SELECT * FROM orders WHERE id IN (SELECT order_id FROM refunds) AND name LIKE '%x%' ESCAPE '!'",
    "SELECT cast(total AS integer), lower(name), substr(name, 1, 3), length(name) FROM orders",
    "SELECT * FROM orders -- the newest\nORDER BY id DESC LIMIT 5;",
    "(SELECT id FROM a) UNION (SELECT id FROM b)",
    "VALUES (1, 'a'), (2, 'b')",
    'SELECT "select" FROM "drop"',
    "SELECT 订单 FROM 订单表 WHERE 状态 = '失败'",
]
READS_POSTGRES = [
    "SELECT date_trunc('hour', at), count(*) FILTER (WHERE status = 'failed') FROM orders GROUP BY 1",
    "SELECT payload->>'code', payload #>> '{a,b}' FROM events WHERE payload @> '{\"a\": 1}'",
    "SELECT percentile_cont(0.95) WITHIN GROUP (ORDER BY ms) FROM requests WHERE at >= now() - interval '1 hour'",
    "SELECT a::date, extract(epoch FROM a), to_char(a, 'YYYY-MM') FROM t WHERE a AT TIME ZONE 'UTC' > '2026-01-01'",
    "SELECT string_agg(DISTINCT name, ', ' ORDER BY name), array_agg(id) FROM t WHERE name ~* '^x' OR a = ANY(b)",
    "SELECT pg_size_pretty(pg_total_relation_size('orders'))",
    "SELECT * FROM generate_series(1, 3) AS n",
    "SELECT datname, state, count(*) FROM pg_stat_activity GROUP BY 1, 2",
    "SELECT DISTINCT ON (user_id) * FROM orders ORDER BY user_id, at DESC",
    "SELECT x.id, l.n FROM t x CROSS JOIN LATERAL (SELECT count(*) AS n FROM u WHERE u.id = x.id) l",
    "SELECT * FROM shop.orders WHERE at >= :start AND at < :end",
]
READS_SQLITE = [
    "SELECT strftime('%H', at) AS hour, count(*) FROM orders WHERE at >= :start AND at < :end GROUP BY hour",
    "SELECT json_extract(body, '$.code'), total(ms), group_concat(id) FROM t WHERE name GLOB 'x*'",
    "SELECT name, sql FROM sqlite_master WHERE type = 'table'",
    "SELECT datetime(at, 'unixepoch'), julianday('now'), iif(a, b, c), printf('%d', 3) FROM t WHERE at > :start_s",
]

WRITES_BOTH = [
    "", "   ", ";", "-- nothing", "DELETE FROM orders", "UPDATE orders SET total = 0", "INSERT INTO orders VALUES (1)",
    "DROP TABLE orders", "CREATE TABLE x (a int)", "CREATE TABLE x AS SELECT 1", "ALTER TABLE orders ADD COLUMN x int",
    "TRUNCATE orders", "SELECT 1; SELECT 2", "SELECT 1; DROP TABLE orders", "SELECT 1;; DELETE FROM orders",
    "BEGIN", "COMMIT", "ROLLBACK", "VACUUM", "ANALYZE", "REINDEX", "EXPLAIN ANALYZE DELETE FROM orders",
    "EXPLAIN SELECT 1", "/* SELECT */ DELETE FROM orders", "SELECT 1 /* ; */ ; DELETE FROM orders",
    "SELECT unheard_of(1)", "SELECT * FROM orders WHERE :other = 1", "SELECT ?", "SELECT * FROM", "SELECT 'open",
    "sElEcT 1 UNION DELETE FROM orders", "SELECT " + "(" * 3000 + "1" + ")" * 3000, "SELECT '" + "x" * 20_000 + "'",
    "SELECT 1\0; DROP TABLE x", "REPLACE INTO orders VALUES (1)",
    "MERGE INTO a USING b ON a.id = b.id WHEN MATCHED THEN DELETE",
    "GRANT ALL ON orders TO public",
]  # fmt: skip
WRITES_POSTGRES = [
    "SELECT pg_sleep(1000)", "SELECT pg_catalog.pg_sleep(1000)", "SELECT \"pg_sleep\"(1000)", "SELECT PG_SLEEP (1000)",
    "SELECT pg_catalog.lower('x')", "SELECT public.count(1)",
    "SELECT pg_read_file('/etc/passwd')", "SELECT * FROM pg_read_file('/etc/passwd')", "SELECT pg_ls_dir('/')",
    "SELECT * FROM ROWS FROM (pg_ls_dir('/')) AS x", "SELECT l FROM t, LATERAL pg_ls_dir(t.name) l",
    "SELECT lo_import('/etc/passwd')", "SELECT lo_export(1, '/x')",
    "SELECT * FROM dblink('host=x', 'DROP TABLE y') AS t(a int)",
    "SELECT setval('s', 1)", "SELECT nextval('s')", "SELECT set_config('role', 'postgres', false)",
    "SELECT pg_terminate_backend(1)", "SELECT pg_advisory_lock(1)", "SELECT pg_notify('a', 'b')",
    "SELECT query_to_xml('DELETE FROM t', true, true, '')", "SELECT pg_reload_conf()", "SELECT pg_export_snapshot()",
    "SELECT * INTO copy FROM orders", "SELECT 1 AS a INTO TEMP x", "SELECT * FROM orders FOR UPDATE",
    "SELECT * FROM orders FOR SHARE", "SELECT * FROM orders FOR NO KEY UPDATE SKIP LOCKED",
    "WITH gone AS (DELETE FROM orders RETURNING *) SELECT * FROM gone",
    "WITH a AS (UPDATE orders SET total = 1 RETURNING id) SELECT 1",
    "WITH a AS (INSERT INTO orders VALUES (1) RETURNING id) SELECT * FROM a",
    "SELECT * FROM (WITH x AS (DELETE FROM t RETURNING 1) SELECT * FROM x) y",
    "WITH a AS (SELECT 1) DELETE FROM orders", "WITH a AS (SELECT 1) INSERT INTO orders SELECT * FROM a",
    "COPY orders TO '/x'", "COPY (SELECT 1) TO PROGRAM 'sh'", "COPY orders FROM PROGRAM 'sh'", "SET ROLE postgres",
    "RESET ALL", "SHOW ALL", "DO $$ BEGIN DELETE FROM t; END $$", "CALL proc()", "LOCK TABLE orders", "LISTEN x",
    "NOTIFY x", "PREPARE x AS DELETE FROM t", "EXECUTE x", "DECLARE c CURSOR FOR SELECT 1",
    "REFRESH MATERIALIZED VIEW v",
    "TABLE orders; DELETE FROM orders", "SELECT 1 OPERATOR(evil.+) 2", "SELECT E'\\'; DELETE FROM t; --'",
    "SELECT E'\\\\' , 1", "SELECT U&'\\0027; DELETE FROM t'", "SELECT '\\'; DELETE FROM orders; --'",
    "SELECT $1", "SELECT current_setting('data_directory')", "SELECT (SELECT pg_sleep(9)) FROM orders",
    "SELECT * FROM orders ORDER BY pg_sleep(9)", "SELECT count(*) FILTER (WHERE pg_sleep(9) IS NULL) FROM t",
    "SELECT 1 LIMIT (SELECT nextval('s'))", "SELECT CASE WHEN nextval('s') > 0 THEN 1 END",
    "SELECT xpath('/x', xml) FROM t", "SELECT database_to_xml(true, true, '')", "SELECT pg_stat_reset()",
    "SELECT pg_file_write('/x', 'y', false)", "SELECT pg_logical_emit_message(true, 'a', 'b')",
]  # fmt: skip
WRITES_SQLITE = [
    "PRAGMA writable_schema = 1", "PRAGMA table_info(orders)", "ATTACH 'x.db' AS x", "DETACH x",
    "SELECT load_extension('x')", "SELECT writefile('/x', 'y')", "SELECT readfile('/etc/passwd')",
    "SELECT zeroblob(1000000000)", "SELECT randomblob(1000000000)", "SELECT fts3_tokenizer('x', 1)",
    "SELECT * FROM pragma_database_list()", "SELECT * FROM pragma_table_info('orders')", "SELECT edit('x')",
    "INSERT OR REPLACE INTO orders VALUES (1)", "CREATE TRIGGER t AFTER INSERT ON o BEGIN SELECT 1; END",
    "SELECT sqlite_compileoption_get(1)", "UPDATE orders SET a = 1 RETURNING *",
]  # fmt: skip


def each(dialect: Dialect, *lists: list[str]) -> list[tuple[Dialect, str]]:
    return [(dialect, sql) for statements in lists for sql in statements]


@pytest.mark.parametrize(
    ("dialect", "sql"), [*each("postgres", READS_BOTH, READS_POSTGRES), *each("sqlite", READS_BOTH, READS_SQLITE)]
)
def test_what_only_reads_passes(dialect: Dialect, sql: str) -> None:
    text = checked(sql, dialect, WINDOW)
    assert checked(text, dialect, WINDOW) == text


@pytest.mark.parametrize(
    ("dialect", "sql"), [*each("postgres", WRITES_BOTH, WRITES_POSTGRES), *each("sqlite", WRITES_BOTH, WRITES_SQLITE)]
)
def test_all_else_is_refused_with_a_reason(dialect: Dialect, sql: str) -> None:
    with pytest.raises(Refused) as refused:
        checked(sql, dialect, WINDOW)
    assert len(str(refused.value)) > 10


def test_comments_dont_reach_the_database_and_times_are_the_windows() -> None:
    text = checked("SELECT /* hint */ a FROM t WHERE at >= :start AND s < :end_s -- x", "postgres", WINDOW)
    assert text == "SELECT a FROM t WHERE at >= CAST('2026-11-29 14:00:00+00:00' AS TIMESTAMPTZ) AND s < 1795964400"
    text = checked("SELECT a FROM t WHERE at >= :start AND s < :end_s", "sqlite", WINDOW)
    assert text == "SELECT a FROM t WHERE at >= '2026-11-29 14:00:00' AND s < 1795964400"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM orders",
        "SELECT * FROM ORDERS o JOIN shop.items i ON i.id = o.id",
        "WITH secrets AS (SELECT * FROM orders) SELECT * FROM secrets",
        "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT * FROM n, orders",
        "SELECT * FROM generate_series(1, 2) AS n, orders",
    ],
)
def test_only_the_tables_that_were_given_are_read(sql: str) -> None:
    assert checked(sql, "postgres", WINDOW, ("orders", "shop.items"))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM secrets",
        "SELECT * FROM public.orders",
        "SELECT * FROM items",
        "SELECT (SELECT max(x) FROM secrets) FROM orders",
        "SELECT * FROM orders WHERE id IN (SELECT id FROM secrets)",
        "SELECT * FROM orders UNION SELECT * FROM secrets",
        "WITH secrets AS (SELECT * FROM secrets) SELECT * FROM secrets",
        "SELECT * FROM secrets, (WITH secrets AS (SELECT 1) SELECT * FROM secrets) x",
        "WITH a AS (SELECT * FROM secrets), secrets AS (SELECT 1) SELECT * FROM a",
        'SELECT * FROM "secrets"',
    ],
)
def test_others_are_not_however_they_are_called(sql: str) -> None:
    with pytest.raises(Refused, match="may not be read"):
        checked(sql, "postgres", WINDOW, ("orders", "shop.items"))
