"""How a diff is read: whose a hunk is, and that what it only moves or renames is no change; what it moves between
settings files, or orders anew, is one."""

from __future__ import annotations

import pytest

from subagents.cause.edits import edits
from subagents.cause.effects import effects, only_observes
from subagents.cause.renamed import unmoved


@pytest.mark.parametrize(
    ("diff", "stays"),
    [
        (  # a header built in a function
            '-    headers = [{"authorization", token()}]\n-    get(url, headers)\n'
            '+    get(url, headers())\n+  defp headers do\n+    [{"authorization", token()}]',
            False,
        ),
        ('-  def pk(p), do: "#{p.token}##{p.day}"\n+  def partition_key(p), do: "#{p.token}##{p.day}"', False),
        ("@@ src/a.py @@\n-    check_token(request)\n@@ src/b.py @@\n+    check_token(request)", False),
        ("@@ src/a.py @@\n-    check_token(request)\n@@ src/b.py @@\n+    check_token(other)", True),
        ("@@ prod.yaml @@\n-  token_ttl_seconds: 300\n@@ dev.yaml @@\n+  token_ttl_seconds: 300", True),
        (
            "-  await unlock_token(x)\n-  store_token(x)\n+  store_token(x)\n+  await unlock_token(x)",
            True,
        ),
        ('-  "token_of_order": order.token,\n+  "token_order": order.token,', True),
    ],
)
def test_what_stands_elsewhere_or_under_another_name_as_it_was_is_no_change(diff: str, stays: bool):
    left = [x for e in unmoved(edits(diff, ("src/a.ex",))) for x in (*e.removed, *e.added)]
    assert any("token" in x for x in left) == stays


def test_what_is_taken_out_here_and_put_in_there_is_neither():
    moved = "@@ src/a.go @@\n-\tmu.Lock()\n@@ src/b.go @@\n+\tb.mu.Lock()\n+\tb.n++"
    assert [e for e in effects(edits(moved)) if "lock" in e.text] == []
    assert [e for e in effects(edits(moved.replace("b.mu.Lock", "b.do"))) if "takes out the lock" in e.text]


def test_a_hunk_belongs_to_the_file_before_it_not_to_the_one_behind():
    diff = "--- a/src/url.ts\n+++ b/src/url.ts\n@@ -9 +9 @@\n+a()\n--- a/test/x.ts\n+++ b/test/x.ts\n@@\n+b()"
    assert [(e.file, e.added) for e in edits(diff)] == [("src/url.ts", ("a()",)), ("test/x.ts", ("b()",))]


def test_a_lock_files_version_is_that_of_the_module_above_it_and_of_a_tool_none():
    lock = ' name = "boto3"\n-version = "1.35.81"\n+version = "1.36.3"'
    assert effects(edits(lock, ("poetry.lock",)))[0].about == "boto3"
    assert (
        effects(edits('-id "com.x.spotless" version "6.25.0"\n+id "com.x.spotless" version "7.0.2"', ("build.gradle",)))
        == []
    )


def test_logs_and_metrics_only_observe():
    assert only_observes(edits('+logger.info("done", n)\n+counter.Inc()', ("src/a.go",)))
    assert not only_observes(edits("+return a / b", ("src/a.go",)))
