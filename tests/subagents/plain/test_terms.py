"""Which log lines a question wants, by the words that stand in them."""

from __future__ import annotations

import pytest

from subagents import near
from subagents.plain.aims import aim
from subagents.plain.terms import wanted

SERVICES = ("order-service", "cart")


def holds(question: str, line: str) -> bool:
    found = wanted(question, SERVICES)
    assert found, question
    return near.holds(tuple(w.ways for w in found), line.lower())


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("how many No space left errors between 03:00 and 04:00", "write: no space left on device"),
        ("number of could not write errors today", "could not write block 7"),
        ("how often did we see connection refused since 03:00", "dial tcp: connection refused"),
        ("how many OutOfMemoryError since yesterday 20:00", "java.lang.OutOfMemoryError: heap"),
        ("count deadlocks of order-service today", "Deadlock found when trying to get lock"),
        ("how many inventory conflict errors today", "inventory conflict for sku 7"),
        ("how many charge failed errors 13:00-14:00", "charge of 7 failed"),
        ("how many ECONNRESET yesterday", "read ECONNRESET"),
        ("when did OutOfMemoryError begin", "OutOfMemoryError"),
        ("total number of GC pauses last night", "GC pause 900ms"),
        ("how many times was the quota out of range", "quota value out of range"),
        ("其中死锁多少", "Deadlock found"),
        ("OutOfMemoryError 出现了多少次", "OutOfMemoryError"),
        ("死锁是从几点开始的", "检测到死锁"),
        ("今天超时多少次", "request timed out"),
        ("order-service 锁等待有多少条", "Lock wait timeout exceeded"),
        ("昨晚内存溢出几次", "out of memory: killed"),
        ("3点到4点磁盘满的报错有多少", "no space left on device"),
        ("昨晚 GC 停顿多少次", "GC pause"),
        ("连接被拒绝了多少次", "connection refused"),
        ("Find login failures", "Auth event: login_failed - User: 7"),
        ("how many login failures were there?", "Failed to log in user 7"),
        ("show failed logins", "LoginFailure for 7"),
        ("find sign-in failures yesterday", "Failed password for root from 10.0.0.1"),
        ("有多少次登录失败？", "login-failed uid=7"),
        ("用户登录失败多少次", "用户登录失败, userId=7"),
        ("昨晚登录失败从几点开始的", "login failed"),
        ("find login_failed", "loginFailed"),
        ("show me the lines with payment_failed", "payment-failed order=7"),
        ("支付失败的日志有哪些", "payment for order 7 was declined"),
        ("搜一下下单失败", "createOrder fail, sku=7"),
        ("列出扣款失败的日志", "unable to deduct balance"),
        ("有没有回调超时的日志", "webhook to merchant 7 timed out"),
        ("查找权限不足的行", "Access denied: /admin"),
        ("参数校验失败的有哪些行", "参数校验失败: field=amount"),
        ("any coupon validation errors?", "Coupon validation failed: code X"),
        ("which lines mention a rejected reservation?", "inventory reservation rejected"),
        ("Search the logs for abandoned carts", "cart_abandoned user=7"),
        ("were there any failed email deliveries?", "email delivery failed to smtp-3"),
        ("有没有短信发送失败的日志？", "SMS not sent: carrier rejected"),
        ("find cache misses", "cache_miss key=7"),
        ("验签失败的日志", "signature verification failed"),
        ("开户失败的日志有哪些", "开户失败 uid=7"),
        ("账号锁定的登录失败有几次", "login of 7 refused: account locked"),
        ("which lines say the backup did not complete?", "backup of vol-3 did not complete"),
    ],
)
def test_the_lines_that_a_question_wants(question: str, line: str) -> None:
    assert holds(question, line)
    assert aim(question) in ("plain", "state", "cause")  # never small talk


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("find login failures", "login ok user=7"),
        ("find login failures", f"login ok {'x' * 100} refresh failed"),
        ("支付失败多少次", "退款失败 7"),
        ("how many pay failures", "payload is bad: failed"),
        ("find cache misses", "permission granted"),
        ("how many failed jobs", "jobless recovery failed"),
    ],
)
def test_lines_of_other_matters_are_left(question: str, line: str) -> None:
    assert not holds(question, line)


@pytest.mark.parametrize(
    "text",
    [
        "今天上午order-service有多少报错", "how many errors last night", "how many alerts fired yesterday",
        "昨天有多少个告警", "how many deploys today", "昨天多少次发布", "how many users are affected",
        "cart 每小时多少错误",
        "how many errors and warnings per hour between 10:00 and 12:00", "how many requests failed",
        "why did cart fail", "登录失败是什么原因", "what caused the login failures", "was it the login timeout?",
        "when did order-service break", "今天有多少条日志",
        "p95 延迟最高多少", "cart 的耗时多少毫秒", "how many rps did cart get",
        "what number of ms is the median response time", "注册失败的用户有多少",
        "cart 内存使用率多少", "show me the errors", "list the services", "show me the error logs of cart",
        "查一下昨晚的报错", "有没有告警", "find the deploy that broke login", "which alerts are firing",
        "is the login still failing?", "登录好了吗", "any login alerts?", "show login latency", "get the top errors",
        "支付是不是还在失败", "看下 cart 的日志",
    ],
)  # fmt: skip
def test_what_wants_no_lines_of_certain_words(text: str) -> None:
    assert wanted(text, SERVICES) == ()


def test_a_services_name_is_no_word_that_is_sought() -> None:
    assert [w.said for w in wanted("find failed refunds of payment", ("payment",))] == ["failed", "refunds"]
    assert wanted("how many errors did payment have", ("payment",)) == ()
    assert [w.said for w in wanted("支付失败的日志", ("payment", "支付"))] == ["支付", "失败"]


def test_a_search_is_bounded_however_much_a_question_says() -> None:
    found = wanted("find lines about coupon refund inventory email upload job failures")
    assert len(found) == 3
    assert found[-1].sort == "fails"
    assert len(near.pattern(tuple(w.ways for w in found))) < 3000


def test_a_line_without_one_of_the_words_is_left_at_once() -> None:
    words = tuple(w.ways for w in wanted("短信发送失败的日志"))
    assert not near.holds(words, "sms send " * 200_000)
    assert near.holds(words, "sms send failed")
