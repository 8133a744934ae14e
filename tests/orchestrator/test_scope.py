"""What a question is about: names found, inherited, unknown; ordinary words left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.contracts import Scope
from orchestrator.scope import Catalogue, Environment, Service, resolve, say

CATALOGUE = Catalogue(
    (
        Service("checkout", ("结算", "下单")),
        Service("payment", ("支付", "pay")),
        Service("payment-gateway", ("支付网关",)),
        Service("catalog"),
        Service("order"),
    ),
    (Environment("prod-sh", ("上海",)), Environment("staging")),
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("为什么昨天 14:00 之后结算报错变多？", "checkout"),
        ("支付网关怎么了", "payment-gateway"),
        ("支付和结算对比", "payment, checkout"),
        ("why is Checkout slow in prod", "prod-sh · checkout"),
        ("staging 的 Payment_Gateway", "staging · payment-gateway"),
        ("看看paymentGateway的错误", "payment-gateway"),
        ("上海checkout报错", "prod-sh · checkout"),
        ("生产环境有什么告警", "prod-sh"),
        ("any alerts in production?", "prod-sh"),
        ("what changed yesterday?", "all"),
        ("checkout-service errors", "checkout"),
        ("payment-7d9f8c6b5-x2x4z 这个 pod 重启了", "payment"),
        ("all services except payment", "all"),
        ("除了支付还有谁报错", "all"),
        ("不是结算，是支付", "payment"),
        ("not payment, checkout", "checkout"),
        ("是不是支付的问题", "payment"),
    ],
)
def test_names_are_found(text: str, said: str) -> None:
    resolved = resolve(text, CATALOGUE)
    assert say(resolved.scope) == said
    assert resolved.unknown == ()


def test_an_alias_is_explained() -> None:
    scope = resolve("结算报错", CATALOGUE).scope
    assert (scope.said, scope.why) == ("结算", "结算 = checkout")


def test_explicit_then_thread_then_preference() -> None:
    thread, liked = Scope("", ("payment",)), Scope("staging", ("catalog",))
    assert say(resolve("结算呢", CATALOGUE, thread, liked).scope) == "staging · checkout"
    assert say(resolve("现在呢", CATALOGUE, thread, liked).scope) == "staging · payment"
    assert say(resolve("现在呢", CATALOGUE, None, liked).scope) == "staging · catalog"
    assert say(resolve("那 prod 呢", CATALOGUE, thread).scope) == "prod-sh · payment"
    assert say(resolve("所有服务的告警", CATALOGUE, thread).scope) == "all"
    assert "from the thread" in resolve("现在呢", CATALOGUE, thread).scope.why


@pytest.mark.parametrize(
    ("text", "name", "nearest"),
    [
        ("service foo", "foo", None),
        ("billing-service errors", "billing-service", None),
        ("`recommender` 服务慢", "recommender", None),
        ("foo服务挂了", "foo", None),
        ("the billing service is slow", "billing", None),
        ("recommender 的可用率", "recommender", None),
        ("昨天 recommender的成功率是多少", "recommender", None),
        ("what is the availability of recommender?", "recommender", None),
        ("ad-ranker 的错误", "ad-ranker", None),
        ("payment-worker 的告警", "payment-worker", "payment"),
        ("errors of payment-worker since 14:00", "payment-worker", "payment"),
    ],
)
def test_an_unknown_name_gets_the_nearest_and_is_never_guessed(text: str, name: str, nearest: str | None) -> None:
    resolved = resolve(text, CATALOGUE, former=Scope("", ("order",)))
    assert [word for word, _ in resolved.unknown] == [name]
    assert resolved.scope.services == ()
    assert nearest is None or resolved.unknown[0][1][0] == nearest


@pytest.mark.parametrize(
    ("text", "name", "meant"),
    [
        ("pyament 服务为什么慢", "pyament", "payment"),
        ("checkuot errors since 14:00", "checkuot", "checkout"),
        ("is chekout down?", "chekout", "checkout"),
        ("checkkout 报错", "checkkout", "checkout"),
    ],
)
def test_a_name_one_slip_away_is_taken_for_it_and_said(text: str, name: str, meant: str) -> None:
    resolved = resolve(text, CATALOGUE, former=Scope("", ("order",)))
    assert (resolved.unknown, resolved.scope.services) == ((), (meant,))
    assert f"no service '{name}': read as {meant}" in resolved.scope.why


ORDINARY = """the service is down|which service had errors|customer service complaints|payments are late
orders keep failing|check out the dashboards|in order to see what changed|why did the tests fail|单元测试失败了
开发说昨天发布了|哪个服务报错最多|这个服务怎么了|are there any alerts|what does HTTP 502 mean|you can pass it on|谢谢
现在有什么告警|502 是什么意思|prepayments|show me the slow service calls|service level objectives
is the service healthy|今天上午的 error 日志|who ordered this|database connections exhausted|deployment of yesterday
payed the bill|latency went up after the release|API 的可用率|HTTP 的错误|nginx 的日志|HighErrorRate 的告警
out-of-memory 的错误|critical 的告警|v2-1 的错误|5xx 的错误|errors in the last hour|errors for 2026-11-29
availability of all services|availability of the services yesterday|availability for the last hour
availability of each service|uptime of everything|show logs with pattern timeout
whcih service broke first|ohter service errors|whihc service is down"""


@pytest.mark.parametrize("text", ORDINARY.replace("\n", "|").split("|"))
def test_ordinary_words_are_no_services(text: str) -> None:
    resolved = resolve(text, CATALOGUE)
    assert (resolved.scope.services, resolved.scope.environment, resolved.unknown) == ((), "", ())


def test_two_environments_of_one_kind_are_not_guessed() -> None:
    two = Catalogue((), (Environment("prod-sh"), Environment("prod-bj")))
    assert resolve("生产环境的告警", two).unknown == (("生产", ("prod-bj", "prod-sh")),)
    assert say(resolve("prod-bj 的告警", two).scope) == "prod-bj"
    chosen = Catalogue((), (Environment("prod-sh", ("生产",)), Environment("prod-bj")))
    assert say(resolve("生产环境的告警", chosen).scope) == "prod-sh"


def test_a_follow_up_may_add_to_the_services_before() -> None:
    assert say(resolve("加上支付一起看", CATALOGUE, Scope("", ("checkout",))).scope) == "checkout, payment"


def test_names_learnt_from_data_are_found_in_short() -> None:
    names = ["ts-order-service", "ts-route-service", "ts-payment-service", "cartservice", "paymentservice"]
    learnt = Catalogue().learnt(names)
    order = resolve("order 为什么报错", learnt).scope
    assert order.services == ("ts-order-service",)
    assert "only service" in order.why
    assert resolve("cart errors", learnt).scope.services == ("cartservice",)
    assert resolve("cart service errors", learnt).scope.services == ("cartservice",)
    assert resolve("payment 慢", learnt).unknown == (("payment", ("paymentservice", "ts-payment-service")),)
    assert resolve("paymentservice 慢", learnt).scope.services == ("paymentservice",)
    assert CATALOGUE.learnt(["Checkout", "ledger", ""]).services[:-1] == CATALOGUE.services


@given(st.text(), st.lists(st.text(max_size=12), max_size=6))
def test_never_raises(text: str, names: list[str]) -> None:
    resolve(text, CATALOGUE.learnt(names))
    resolve(text, Catalogue().learnt(names))


@pytest.mark.parametrize(
    "text", ["Which services logged errors yesterday?", "the service's errors", "which service’s log"]
)
def test_what_follows_the_word_service_need_not_be_a_name(text: str) -> None:
    assert resolve(text, CATALOGUE).unknown == ()
