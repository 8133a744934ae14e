from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from subagents.cause.edits import edits, is_plain_text
from subagents.cause.effects import effects
from subagents.cause.links import links, vanished
from subagents.cause.telling import Telling


def strongest(diff: str, file: str = "src/a.go") -> tuple[str, frozenset[str], float]:
    [first, *_] = effects(edits(diff, (file,)))
    return first.text, first.families, first.strength


@pytest.mark.parametrize(
    ("diff", "family", "says"),
    [
        ("-pool_max = 20\n+pool_max = 2", "pool", "less, 10-fold"),
        ("-  ttl: 10m\n+  ttl: 10s", "cache", "less, 60-fold"),
        ("-Timeout: 2 * time.Second,\n+Timeout: 80 * time.Millisecond,", "timeout", "less, 25-fold"),
        ("-requests_per_minute = 6000\n+requests_per_minute = 60", "quota", "100-fold"),
        ('-resolver = "10.0.0.2"\n+resolver = "10.9.0.2"', "dns", "points"),
        ("-\tl.mu.Lock()\n \tl.n++", "race", "lock"),
        ("-\tif resp.Extra == nil {\n-\t\treturn 0\n-\t}\n+\treturn resp.Extra.N", "crash", "guard"),
        ("-const leeway = 120 * time.Second", "auth", "tolerance"),
        ("+for _, x := range items {\n+\trow := db.QueryRow(x.ID)\n+}", "sql", "in a loop"),
        ("+var seen []Record\n+\tseen = append(seen, r)", "memory", "without bound"),
        ("+ALTER TABLE orders DROP COLUMN status;", "sql", "table that others use"),
        ("-cache = LruCache(max_entries=100)\n+cache = {}", "memory", "bound"),
        ("-.readTimeout(Duration.ofSeconds(3))\n+.readTimeout(Duration.ofMillis(250))", "timeout", "less, 12-fold"),
        ("--Xmx6g\n+-Xmx768m", "memory", "less, 8-fold"),
        ("-retry.Attempts(2), retry.Backoff(),\n+retry.Attempts(15), retry.Backoff(),", "retry", "more, 7.5-fold"),
        ("+let d = parcel.promised.unwrap();", "crash", "assumes"),
        ("+bus.on('presence', send)", "memory", "listens"),
        ("+resp, err := client.Get(src)", "dependency", "calls another system"),
        ("+DROP INDEX IF EXISTS ix_a;", "sql", "drops an index"),
        ("+add_foreign_key :subscriptions, :plans", "race", "locks a table"),
        ("-rows = q.limit(50)\n+rows = q", "memory", "how much it reads"),
        ("-    back_off(2.0)", "retry", "between tries"),
        ('-  "extra": "ignore"\n+  "extra": "forbid"', "data", "stricter"),
        ("+const bad = /^(\\w+\\s?)+x$/", "cpu", "pattern"),
        (
            "-try (Conn c = ds.get()) {\n-  load(c);\n-}\n+Conn c = ds.get();\n+load(c);\n+c.close();",
            "pool",
            "in any case",
        ),
        ("-    return await stored(user)\n+    return stored(user)", "latency", "lets others run"),
        ("-  orders  http://orders.prod:80;\n+  orders  http://orders.prd:80;", "dns", "points"),
        ("-pool = newFixedThreadPool(48)\n+pool = newSingleThreadExecutor()", "queue", "side by side"),
        ("-price_ttl_minutes = 45\n+price_ttl_seconds = 45", "cache", "2700 → 45 (less, 60-fold)"),
        ("-readTimeoutSeconds: 3\n+readTimeoutMs: 250", "timeout", "3 → 0.25 (less, 12-fold)"),
        ("-d = datetime.now(timezone.utc).date()\n+d = datetime.now(BERLIN).date()", "data", "dates"),
        ("-  rewrite-target: /$2\n+  rewrite-target: /", "route", "points"),
        ("-  x = f'{v:.2f}'\n+  x = format_decimal(v, locale=who.locale)", "data", "as a country's people do"),
        ("+SELECT sku FROM stock_level FOR UPDATE;", "race", "locks all rows"),
        ("-  key = order.idempotencyKey\n+  key = newId()", "data", "doubles"),
        ("-  with db.transaction():\n+  if True:", "race", "belongs together"),
        ("-  send(topic, v)\n+  send(topic, v, partition_key=v.country)", "queue", "spreads"),
        ("-  long total = read();\n+  total = (int) read();", "data", "less room"),
        ("-  forward . 10.20.0.2 10.20.0.3\n+  forward . 10.64.3.10", "dns", "points"),
        ("-  xff_num_trusted_hops: 1\n+  xff_num_trusted_hops: 0", "quota", "counts as the caller"),
        ("+ip = req.headers['x-real-ip'] or req.peer", "quota", "for the caller"),
        ("-const B = /^[a-z]+(\\.[a-z0-9-]+)+$/i;\n+const B = /^(([a-z0-9_-]+\\.?)+)+$/i;", "cpu", "very long"),
        ("-\treturn raw.EncodeToString(b)\n+\treturn base64.StdEncoding.EncodeToString(b)", "data", "another form"),
        ("-  load(inner.lock());\n+  let mut inner = self.inner.lock();\n+  load(inner);", "queue", "for longer"),
        (
            " for r in rows: repo.find_for_update(r)\n-rows.sort(key=by_id)\n+rows.sort(key=by_free)",
            "race",
            "another order",
        ),
        (" livenessProbe:\n-  path: /livez\n+  path: /readyz", "crash", "counts as well"),
        ('-      "kms:Decrypt",', "auth", "right"),
        ("-  keepalive_timeout 15s;\n+  keepalive_timeout 120s;", "network", "idle connections"),
        ("-  max.poll.records: 200\n+  max.poll.records: 4000", "queue", "batch size"),
        ("-redis.set(k, v, ex=self.ttl)\n+redis.set(k, v, px=self.ttl)", "cache", "1 → 0.001"),
        ("-ttl: from_secs(c.lease_secs)\n+ttl: from_millis(c.lease)", "race", "less, 1e+03-fold"),
    ],
)
def test_an_edit_tells_what_it_can_bring(diff: str, family: str, says: str):
    text, families, strength = strongest(diff)
    assert family in families
    assert says in text
    assert strength >= 0.9


@pytest.mark.parametrize(
    "diff",
    [
        "+CREATE INDEX CONCURRENTLY ix_a ON a (b);",
        "+bus.on('x', f)\n+bus.off('x', f)",
        "-sum := 0\n+total := 0",
        "-timeout: 3s\n+timeout: 3000ms",
        "-timeout_seconds: 3\n+timeout_ms: 3000",
        "-ttl: from_secs(c.lease)\n+ttl: from_secs(conf.lease)",
    ],
)
def test_what_is_given_back_or_stays_the_same_brings_nothing(diff: str):
    assert [e.text for e in effects(edits(diff, ("src/a.go",))) if e.strength >= 0.6] == []


@pytest.mark.parametrize(
    ("diff", "file", "said", "tie"),
    [
        ("-  amount_cents: x", "src/pay.ts", "KeyError: 'amount_cents'", "takes out `amount_cents`"),
        ("+  HOST: kafka-0.hedless", "env/values.yaml", "lookup kafka-0.hedless: no such host", "puts in `kafka"),
        ('-    "s3:PutObject",', "infra/role.tf", "not authorized to perform: s3:PutObject", "takes out `s3"),
        ("+let x = 1;", "src/render.rs", "panicked at src/render.rs:57", "edits render.rs"),
        ("+new Store({ bytes: 4096 })", "src/s.ts", "cookie exceeds 4096 bytes", "puts in 4096"),
        ("+new Store({ bytes: 512 })", "src/s.ts", "cookie exceeds 4096 bytes", ""),
        ("+  HOST: ledger", "env/values.yaml", "ledger is down", ""),
        (
            "+SELECT x FROM ledger_level;",
            "j.sql",
            "lock wait UPDATE ledger_level SET x",
            "works on the table `ledger_level`",
        ),
        ("+  forward . 10.64.3.10", "Corefile", "read udp 10.20.0.7:4->10.64.3.10:53: timeout", "puts in `10.64.3.10`"),
        ("+  forward . 10.64.3.1", "Corefile", "read udp 10.20.0.7:4->10.64.3.10:53: timeout", ""),
        ("+SELECT x FROM ledger_moves;", "j.sql", "lock wait UPDATE ledger_level SET x", ""),
    ],
)
def test_what_a_change_touches_and_the_failing_lines_name_ties_them(diff: str, file: str, said: str, tie: str):
    told = Telling({}, {}, {}, frozenset(re.findall(r"\d+", said)), said.lower(), said.lower())
    found = links(edits(diff, (file,)), told, {}, frozenset(("ledger",)))
    assert [e.text[: len(tie)] for e in found[:1]] == ([tie] if tie else [])


@pytest.mark.parametrize(
    ("diff", "file", "afar"),
    [
        ("-  public decimal Total { get; }\n+  public Money Total { get; }", "src/Events/OrderPlaced.cs", True),
        ('-  "total": { "type": "number" }\n+  "total": { "type": "object" }', "contracts/order.json", True),
        ("+  optional string note = 7;", "api/order.proto", False),
        ("-  string a = 1;\n-  string b = 2;\n+  string b = 2;\n+  string a = 1;", "api/order.proto", False),
        ("-  decimal total;\n+  Money total;", "src/cart/View.cs", False),
    ],
)
def test_a_field_of_a_message_taken_out_or_retyped_shows_in_those_that_read_it(diff: str, file: str, afar: bool):
    assert any(e.afar and "data" in e.families for e in effects(edits(diff, (file,)))) == afar


def test_a_major_version_may_bring_other_defaults_whatever_the_failing_lines_speak_of():
    diff = '-    id("org.springframework.boot") version "2.7.18"\n+    id("org.springframework.boot") version "{}"'
    major, minor = (effects(edits(diff.format(v), ("build.gradle.kts",)))[0] for v in ("3.1.5", "2.8.0"))
    assert "org.springframework.boot" in major.text
    assert (major.about, minor.about) == ("", "org.springframework.boot")
    assert major.families - minor.families == {"route", "auth", "data"}


def test_a_larger_read_buffer_weighs_less_than_a_larger_batch():
    buffer, batch = (
        strongest(f"-{key} = 8\n+{key} = 64", "src/r.scala")[2] for key in ("read_buffer_size", "batch_size")
    )
    assert buffer <= batch / 2


@pytest.mark.parametrize(
    ("line", "tied"),
    [
        ("message handed to carrier, order <*>", True),
        ("7 message handed to carrier", True),
        ("message from carrier", False),
        ("handed to the carrier", False),
        ("done", False),
    ],
)
def test_a_hunk_that_says_the_vanished_line_is_tied_to_it(line: str, tied: bool):
    code = "-if sent:\n+if sent is not None:\n   return\n log.info('message handed to carrier')"
    assert bool(vanished(edits(code, ("notify/send.py",)), [line])) == tied


def test_a_version_in_a_manifest_is_no_plain_text():
    [only] = edits("-boto3==1.34.10\n+boto3==2.0.0", ("api/requirements.txt",))
    assert not is_plain_text(only)
    assert "boto3 1.34.10 → 2.0.0" in effects([only])[0].text


def test_a_patch_version_weighs_less_than_a_minor_one_and_is_about_its_module():
    patch = effects(edits("-lib/pgx v5.5.4\n+lib/pgx v5.5.5", ("go.mod",)))[0]
    minor = effects(edits("-lib/pgx v5.5.4\n+lib/pgx v5.6.0", ("go.mod",)))[0]
    assert patch.strength < 0.5 < minor.strength
    assert minor.about == "lib/pgx"


@pytest.mark.parametrize(
    "diff",
    [
        "-\tclaims := jwt.Claims{}\n+\tclaims := newClaims()\n+func newClaims() jwt.Claims { return jwt.Claims{} }",
        '-TITLE = "Your cart"\n+TITLE = "The cart"',
        "-// old words\n+// new words",
    ],
)
def test_what_only_moves_or_rewords_brings_nothing(diff: str):
    assert [e for e in effects(edits(diff, ("src/a.py",))) if e.strength >= 0.6] == []


def test_style_and_wording_are_plain_text_a_query_is_not():
    assert is_plain_text(edits("-.a { color: red }\n+.a { color: blue }", ("web/a.css",))[0])
    assert is_plain_text(edits('-T = "Your order"\n+T = "The order"', ("src/t.py",))[0])
    assert not is_plain_text(edits('-Q = "SELECT a FROM t"\n+Q = "SELECT b FROM t"', ("src/q.py",))[0])


def values_of(diff: str, file: str = "deploy/values.yaml") -> list[str]:
    return [e.text for e in effects(edits(diff, (file,)))]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("cpu: 500m", "cpu: 1", "0.5 → 1 (more, 2-fold)"),
        ("cpu: 2", "cpu: 250m", "2 → 0.25 (less, 8-fold)"),
        ("requests.cpu: 100m", "requests.cpu: 200m", "0.1 → 0.2 (more, 2-fold)"),
        ("size: 1G", "size: 512M", "(less, 2-fold)"),
        ("disk: 10Gi", "disk: 5G", "(less, 2-fold)"),
        ("volume_size: 2Ti", "volume_size: 512Gi", "(less, 4-fold)"),
        ("memory: 512m", "memory: 2g", "(more, 4-fold)"),
        ("heap: 4096MB", "heap: 1GB", "(less, 4-fold)"),
        ("timeout: 1m", "timeout: 30s", "60 → 30 (less, 2-fold)"),
        ("timeout: 15 * time.Minute", "timeout: 30s", "900 → 30 (less, 30-fold)"),
        ("wait: Duration.ofMillis(250)", "wait: Duration.ofSeconds(3)", "0.25 → 3 (more, 12-fold)"),
    ],
)
def test_units_are_those_of_what_the_key_is_of(old: str, new: str, said: str):
    assert any(said in text for text in values_of(f"-  {old}\n+  {new}"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("timeout: 3s", "timeout: 3000ms"),
        ("cpu: 1000m", "cpu: 1"),
        ("memory: 1Gi", "memory: 1024Mi"),
        ("threshold: 5m", "threshold: 300"),
        ("timeout: 3000", "timeout: 3s"),
    ],
)
def test_the_same_or_what_cannot_be_compared_has_no_effect(old: str, new: str):
    assert values_of(f"-  {old}\n+  {new}") == []


@pytest.mark.parametrize(
    ("key", "other"),
    [
        ("generate", "rate limit"), ("migrate_to", "rate limit"), ("ticket_id", "pace"), ("members", "memory limit"),
        ("escape_len", "limit"), ("reportCount", "elsewhere"), ("monkeys", "replaces"), ("spool_no", "pool size"),
        ("everyone", "pace"), ("throttled", "lifetime"),
    ],
)  # fmt: skip
def test_a_word_within_a_word_is_none(key: str, other: str):
    assert not any(other in text for text in values_of(f"-{key} = 20\n+{key} = 2", "src/a.go"))
    assert not any(other in text for text in values_of(f'-{key} = "x"\n+{key} = "y"', "src/a.go"))


@pytest.mark.parametrize(
    ("key", "what"),
    [
        ("sample_rate", "rate limit"), ("maxRate", "rate limit"), ("poll-interval", "pace"),
        ("maxmemory", "memory limit"),
        ("readTimeout", "time limit"), ("connecttimeout", "time limit"), ("MaxOpenConns", "pool size"),
        ("cacheTTL", "lifetime of cached entries"), ("max.retries", "retries"), ("GOMAXPROCS", "capacity"),
        ("batchSize", "batch size"), ("requestsPerMinute", "rate limit"), ("minReplicas", "capacity"),
        ("max_len", "limit"),
    ],
)  # fmt: skip
def test_a_key_is_known_however_its_words_are_joined(key: str, what: str):
    assert values_of(f"-{key} = 20\n+{key} = 2", "src/a.go")[0].startswith(f"{what} `{key}` 20 → 2 (less, 10-fold)")


@pytest.mark.parametrize("line", ["throttle(20)", "swallow(e)", "Object.freeze(a)", "e.closest(x)"])
def test_a_word_within_a_word_of_code_is_no_mechanism(line: str):
    assert effects(edits(f"-  {line}", ("src/a.ts",))) == []


def test_the_order_of_effects_is_the_same_in_every_process():
    """Sets of texts have another order in each; a replay must say the same."""
    program = (
        "from subagents.cause.edits import edits; from subagents.cause.effects import effects\n"
        "keys = [f'max_{n}' for n in range(8)]\n"
        "line = lambda v: ', '.join(f'{k}={v}' for k in keys)\n"
        "print([e.text for e in effects(edits(f'-{line(1)}\\n+{line(2)}'))])\n"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1
