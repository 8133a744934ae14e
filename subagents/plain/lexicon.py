"""What people on call call things, and how programs write them: things, ways of failing, and names of whole troubles.

A question's words compose: 登录 + 失败 is what `login` near `fail` says. Stems only, since programs write
`login_failed`, "failed to log in" and "LoginFailure" alike; a space stands for any joint.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

Sort = Literal["trouble", "thing", "fails"]


class Word(NamedTuple):
    """`trouble`: says by itself what lines are meant; `thing`: with what fails of it, or with a wish for lines."""

    sort: Sort
    said: re.Pattern[str]
    ways: tuple[str, ...]


def _words(sort: Sort, rows: Iterable[tuple[str, tuple[str, ...]]]) -> tuple[Word, ...]:
    return tuple(Word(sort, re.compile(said, re.IGNORECASE), ways) for said, ways in rows)


TROUBLES = _words("trouble", (
    (r"死锁|\bdeadlocks?\b", ("deadlock", "死锁")),
    (r"锁等待|等锁", ("lock wait", "锁等待")),
    (r"超时|\btim(?:e-?outs?|ed out|ing out)\b", ("timeout", "timed out", "deadline exceeded", "超时")),
    (r"内存(?:溢出|不足|不够)|\bOOM(?:s|Killed)?\b|\bout of memory\b", ("OutOfMemory", "out of memory", "oom")),
    (r"(?:磁盘|空间)(?:已?写?满|不足|不够)", ("no space left", "disk full", "磁盘")),
    (r"空指针", ("NullPointer", "nil pointer", "空指针")),
    (r"(?:连接)?拒绝连接|连接被?拒绝?", ("connection refused", "拒绝连接")),
    (r"连接(?:被)?(?:重置|断开)", ("connection reset", "broken pipe", "重置")),
    (r"连接池", ("pool", "连接池")),
    (r"限流", ("rate limit", "too many requests", "throttl", "限流")),
    (r"主键冲突|唯一键", ("duplicate key", "Duplicate entry", "冲突")),
    (r"重试|\bretr(?:y|ies|ied|ying)\b", ("retry", "retries", "retried", "重试")),
    (r"崩溃", ("panic", "crash", "崩溃")),
    (r"无权限?|(?<!有)没有?权限|权限(?:不足|不够|被拒)|拒绝访问|\b(?:permission|access) denied\b",
     ("permission denied", "access denied", "forbidden", "unauthorized", "权限", "拒绝访问")),
    (r"域名解析|解析失败", ("no such host", "name resolution", "解析")),
))  # fmt: skip

FAILS = _words("fails", (
    (r"过期|\bexpir\w+", ("expir", "过期")),
    (r"(?:被|遭)?拒绝?|\b(?:reject|declin|den(?:y|ied)|refus)\w*", ("reject", "declin", "denied", "refus", "拒绝")),
    (r"不匹配|不一致|\bmismatch\w*", ("mismatch", "not match", "不匹配", "不一致")),
    (r"重复|\bduplicate\w*", ("duplicat", "already exists", "重复")),
    (r"未命中|\bmiss(?:es|ed)?\b", ("miss", "未命中")),
    (r"锁定|被锁|\block(?:ed)? ?outs?\b|\blocked\b", ("lock", "锁定", "被锁")),
    (r"丢失|丢了|\b(?:lost|missing)\b", ("lost", "missing", "dropped", "丢失")),
    (r"\b(?:did|does|was|were|is) ?(?:not|n't)\b|\b(?:did|does|was|were|is)n't\b", ("not", "n't", "fail", "unable")),
    (r"失败|不成功|没成功|未成功|不[了上]|[收发]不[到出]|\bunsuccessful\w*|\bfail(?:s|ed|ing|ures?)?\b"
     r"|\b(?:could|can) ?n[o']t\b|\bunable\b",
     ("fail", "unsuccess", "unable", "could not", "cannot", "did not", "not sent", "失败", "未成功",
      "denied", "declin", "reject", "refus")),
    (r"报错|出错|错误|异常|有误|\berrors?\b|\bexceptions?\b|\binvalid\b",
     ("fail", "error", "exception", "invalid", "unable", "could not", "失败", "错误", "异常", "有误")),
))  # fmt: skip

THINGS = _words("thing", (
    (r"登[录陆入]|\b(?:log|sign)[ -]?(?:in|on)s?\b|\b(?:log|sign)ging in\b|\blogged in\b",
     ("login", "log in", "logon", "signin", "sign in", "authenticat", "password for", "登录", "登陆")),
    (r"注册|\bsign[ -]?ups?\b|\bregistrations?\b", ("regist", "signup", "sign up", "注册")),
    (r"验证码|\bcaptchas?\b", ("captcha", "verification code", "verify code", "验证码")),
    (r"鉴权|认证|身份验证|\bauth(?:n|z|entications?|orizations?)?\b", ("auth", "token", "鉴权", "认证")),
    (r"账[号户]|帐号|\baccounts?\b", ("account", "账号", "账户", "帐号")),
    (r"密码|口令|\bpasswords?\b", ("password", "密码", "口令")),
    (r"下单|(?:创建|提交|生成)订单|订单(?:创建|提交)|\border (?:creation|placement)s?\b"
     r"|\b(?:creat|plac)\w+ (?:an )?orders?\b",
     ("create order", "place order", "order creat", "submit order", "下单", "创建订单", "订单创建")),
    (r"订单|\borders\b", ("order", "订单")),
    (r"支付|付款|\bpayments?\b|\bpaying\b", ("payment", "pay", "charge", "支付", "付款")),
    (r"扣款|扣费|\b(?:debit|deduct|charg)\w*", ("deduct", "debit", "charge", "扣款", "扣费")),
    (r"退款|\brefund\w*", ("refund", "退款")),
    (r"转账|\btransfers?\b", ("transfer", "转账")),
    (r"提现|\bwithdraw\w*", ("withdraw", "提现")),
    (r"充值|\btop[ -]?ups?\b", ("recharge", "top up", "充值")),
    (r"对账|\breconcil\w+", ("reconcil", "对账")),
    (r"库存|\b(?:inventory|stock)\b", ("inventory", "stock", "库存")),
    (r"优惠券|\b(?:coupon|voucher)s?\b", ("coupon", "voucher", "优惠券")),
    (r"回调|通知商户|\b(?:callback|webhook)s?\b", ("callback", "webhook", "notify", "回调")),
    (r"短信|\bsms\b|\btext messages?\b", ("sms", "短信")),
    (r"邮件|\be?-?mails?\b", ("email", "mail", "smtp", "邮件")),
    (r"推送|\bpush notifications?\b", ("push", "推送")),
    (r"发送|投递|\b(?:send|sent|sending|deliver\w*)\b", ("send", "sent", "deliver", "发送", "投递")),
    (r"签名|验签|\bsignatures?\b", ("signature", "sign", "签名", "验签")),
    (r"校验|\bvalidat\w+", ("validat", "verif", "校验")),
    (r"验证|\bverif\w+", ("verif", "validat", "验证")),
    (r"权限|\bpermissions?\b", ("permission", "权限")),
    (r"会话|\bsessions?\b", ("session", "会话")),
    (r"令牌|\btokens?\b", ("token", "令牌")),
    (r"证书|\b(?:certificate|cert)s?\b", ("certificate", "x509", "cert", "证书")),
    (r"上传|\buploads?\b|\buploading\b", ("upload", "上传")),
    (r"下载|\bdownload\w*", ("download", "下载")),
    (r"导出|\bexports?\b", ("export", "导出")),
    (r"导入|\bimports?\b", ("import", "导入")),
    (r"备份|\bbackups?\b", ("backup", "back up", "备份")),
    (r"同步|\bsync\w*", ("sync", "同步")),
    (r"定时任务|\bcron(?:jobs?)?\b", ("cron", "schedul", "定时任务")),
    (r"任务|\bjobs?\b", ("job", "task", "任务")),
    (r"消费(?!者?组)|\bconsum\w+", ("consum", "消费")),
    (r"数据库|\b(?:database|db|sql)\b", ("database", "sql", "db", "数据库")),
    (r"缓存|\bcaches?\b", ("cache", "缓存")),
    (r"连接|\bconnections?\b|\bconnect\w*", ("connect", "连接")),
    (r"心跳|\bheartbeats?\b", ("heartbeat", "心跳")),
    (r"健康检查|\bhealth ?checks?\b", ("health check", "probe", "健康检查")),
    (r"拉取镜像|镜像拉取|\bimage pulls?\b", ("pull image", "image pull", "拉取镜像")),
))  # fmt: skip

WORDS = (*TROUBLES, *THINGS, *FAILS)
