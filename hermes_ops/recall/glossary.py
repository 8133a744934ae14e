"""Chinese words for what services are commonly named after, so that "库存" finds `inventory` where no alias was set.

A dictionary of common words, used only where a text names no service otherwise; settings' aliases need none of it.
Words that people use in other senses as often ("用户", "通知") are left out.
"""

from __future__ import annotations

import re
from dataclasses import replace

from orchestrator.scope import Catalogue

WORDS = {
    "库存": "inventory stock", "仓库": "warehouse", "订单": "order orders", "下单": "order orders",
    "支付": "payment payments pay", "付款": "payment payments pay", "结算": "checkout settlement", "结账": "checkout",
    "购物车": "cart basket", "商品": "catalog catalogue product products item items", "网关": "gateway",
    "物流": "shipping delivery logistics", "配送": "shipping delivery", "发货": "shipping shipment",
    "推荐": "recommendation recommendations recommend recommender", "搜索": "search", "登录": "login auth signin",
    "认证": "auth authentication", "鉴权": "auth authorization", "优惠券": "coupon coupons",
    "促销": "promotion promo", "价格": "price pricing", "定价": "pricing", "报价": "quote",
    "邮件": "email mail mailer", "短信": "sms", "广告": "ad ads", "货币": "currency", "汇率": "currency exchange",
    "评论": "review reviews comment comments", "评价": "review reviews rating ratings", "缓存": "cache",
    "前端": "frontend web", "风控": "fraud risk", "退款": "refund refunds", "发票": "invoice invoices",
    "账单": "billing bill", "计费": "billing", "账户": "account accounts", "会员": "member membership",
    "积分": "points loyalty", "地图": "map maps", "座位": "seat", "车站": "station", "行程": "trip travel",
    "路线": "route", "消息队列": "queue mq kafka", "调度": "scheduler dispatch dispatcher", "聊天": "chat",
    "骑手": "rider courier", "司机": "driver", "派单": "dispatch dispatcher", "匹配": "match matching matcher",
    "瓦片": "tile tiles", "推送": "push notify notification notifications", "直播": "live streaming",
    "预订": "booking reservation", "预约": "booking appointment", "酒店": "hotel", "航班": "flight",
    "上传": "upload uploads", "图片": "image images", "视频": "video", "文件": "file files storage",
}  # fmt: skip
MOST = 4  # words of a name that is given after one of them; a file's long name isn't
GENERIC = {"service", "svc", "server", "api", "app", "ms", "backend"}


def with_chinese(catalogue: Catalogue) -> Catalogue:
    """The catalogue with such a word as a weak form of each service that is named after it.

    A service whose whole name it is comes before those that only have it among others.
    """
    named = [(s.name, parts) for s in catalogue.services if len(parts := _parts(s.name)) <= MOST]
    added: dict[str, list[str]] = {}
    for chinese, english in WORDS.items():
        words = set(english.split())
        whole = [name for name, parts in named if len(parts) == 1 and parts[0] in words]
        for name in whole or [name for name, parts in named if words & set(parts)]:
            added.setdefault(name, []).append(chinese)
    services = (replace(s, short=(*s.short, *added.get(s.name, ()))) for s in catalogue.services)
    return replace(catalogue, services=tuple(services))


def _parts(name: str) -> list[str]:
    broken = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name)
    parts = [part.lower() for part in re.split(r"[-_. ]+", broken) if part]
    return [part for part in parts if part not in GENERIC] or parts
