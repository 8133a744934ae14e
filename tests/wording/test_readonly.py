"""Orders to change something are told that we only read; questions about what was done are not."""

from __future__ import annotations

import pytest

from hermes_ops.readonly import asks_for_a_change

ORDERS = [
    "restart payment please", "please restart payment", "Can you roll back checkout?", "rollback payment to 2.4.0",
    "silence PaymentHighErrorRate for 2h", "scale checkout to 5", "could you please ack this alert",
    "let's revert 19bd9f4c", "just kill the pod payment-7f", "ok hermes, drain node-3", "fix it",
    "重启 payment",
    "帮我重启一下支付服务", "把 checkout 回滚到 2.4.0", "请静默 CatalogSlow 两小时",
    "麻烦扩容 payment 到 5 个副本",
    "马上把流量切走，下线 node-3", "回滚 payment 吧", "能不能重启一下 payment？",
]  # fmt: skip
QUESTIONS = [
    "who restarted payment?", "why did payment restart?", "how often did payment restart yesterday?",
    "which deploy was rolled back?", "restart count of payment", "rollback of payment 2.4.1: when?",
    "what was silenced?", "when was payment deployed?", "deploy history of checkout", "revert happened when?",
    "any errors since the restart?", "is payment up?", "deployments yesterday", "stop times of payment",
    "谁回滚了 payment？",
    "昨天重启了几次", "有没有人重启过 checkout", "回滚后恢复了吗", "发布记录", "部署之后为什么报错",
    "昨天有哪些发布",
    "请查一下重启记录",
    "帮我看看谁部署了 checkout", "可以看看回滚情况吗", "payment 恢复了吗",
    "checkout 为什么报错？", "发布前后对比", "请问最近有哪些部署？",
]  # fmt: skip


@pytest.mark.parametrize("text", ORDERS)
def test_an_order_is_seen(text: str) -> None:
    assert asks_for_a_change(text)


@pytest.mark.parametrize("text", QUESTIONS)
def test_a_question_is_none(text: str) -> None:
    assert not asks_for_a_change(text)
