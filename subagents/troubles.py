"""What stopped a source from being asked, in the asker's language: the sentences of the HTTP client and of the servers'
own sources. One that isn't in the table stays as it is. Knows no source: it reads their words.
"""

from __future__ import annotations

import re

from subagents.phrasebook import Phrases, phrase

LATE = re.compile(r"(.*?)\.? \(found (\d+) s ago, and not asked again yet\)\.?", re.DOTALL)
URL = "请检查该数据源的 url"
CHINESE: Phrases = (
    (r"no answer within (\S+) s", r"\1 秒内没有应答"),
    (r"its egress doesn't allow the model (.+), so it was not asked",
     r"其 egress 设置不允许模型 \1 看到它的内容，没有查询"),
    (r"its certificate or TLS isn't accepted \((.+)\)\. Check this source's url: the certificate is for another name",
     rf"证书或 TLS 未被接受（\1）。{URL}：证书属于另一个名称"),
    (r"its certificate or TLS isn't accepted \((.+)\)\. It has to be renewed there, or the clock here set",
     r"证书或 TLS 未被接受（\1）。需要在对方更新证书，或校准本机时钟"),
    (r"its certificate or TLS isn't accepted \((.+)\)\. Check whether this source's url is http or https",
     r"证书或 TLS 未被接受（\1）。请检查该数据源的 url 应为 http 还是 https"),
    (r"its certificate or TLS isn't accepted \((.+)\)\. Check this source's (.+)",
     r"证书或 TLS 未被接受（\1）。请检查该数据源的 \2"),
    (r"its key doesn't belong to its cert", "key 与 cert 不匹配"),
    (r"its key is encrypted: give one without a pass phrase", "key 有口令加密：请使用没有口令的 key"),
    (r"its (.+) holds none in PEM form", r"\1 不是 PEM 格式"),
    (r"its (ca|cert or key) can't be used: (.+)", r"\1 无法使用：\2"),
    (r"its host isn't known \((.+)\)\. Check this source's url", rf"主机名无法解析（\1）。{URL}"),
    (r"its proxy can't be used \((.+)\)\. Check this source's proxy", r"代理无法使用（\1）。请检查该数据源的 proxy"),
    (r"it can't be reached \((.+)\)\. Check that it runs, and this source's url",
     rf"无法连接（\1）。请确认它在运行，并{URL[1:]}"),
    (r"its answer broke off half way", "应答中途断开"),
    (r"the connection was cut \((.+)\)\. If it asks for a client's certificate, give this source's cert and key",
     r"连接中断（\1）。如果对方要求客户端证书，请设置该数据源的 cert 和 key"),
    (r"the connection was cut \((.+)\)\. If it speaks TLS, write https in this source's url",
     r"连接中断（\1）。如果对方使用 TLS，请在该数据源的 url 中写 https"),
    (r"the connection was cut \((.+)\)", r"连接中断（\1）"),
    (r"(?:it|the proxy) refuses us \((\d+)\)(?:: (.+?))?\. Check this source's token, user and rights",
     r"拒绝访问（\1）：\2。请检查该数据源的 token、user 和权限"),
    (r"it has nothing at (\S+) \(404\)(?:: (.+?))?\. Check this source's url", rf"\1 不存在（404）：\2。{URL}"),
    (r"it gets too many requests \(429\)(?:; it asks to wait (\d+) s)?(?:: (.+?))?", r"请求过多（429）：\2"),
    (r"it failed itself \((\d+)\) at (\S+?)(?:: (.+?))?", r"服务端在 \2 出错（\1）：\3"),
    (r"it redirects \((\d+)\) again and again, or to nowhere, at (\S+)", r"在 \2 反复重定向（\1）或没有目标"),
    (r"it redirects to (.+), which isn't allowed\. Check this source's url", rf"重定向到 \1，未被允许。{URL}"),
    (r"it doesn't accept the request \((\d+)\) at (\S+?)(?:: (.+?))?", r"不接受该请求（\1，\2）：\3"),
    (r"(\S+) answered with a web page instead of JSON\. Check this source's url, or what stands before it",
     rf"\1 返回的是网页而不是 JSON。{URL}，或它前面的代理"),
    (r"(\S+) answered with JSON that is broken or only half there", r"\1 返回的 JSON 损坏或不完整"),
    (r"(\S+) answered with something that is no JSON \((.+)\)", r"\1 返回的不是 JSON（\2）"),
    (r"(\S+) answered nothing", r"\1 没有返回内容"),
    (r"the answer of (\S+) is larger than (\d+) MiB\. Narrow the window or the scope",
     r"\1 的应答超过 \2 MiB。请缩小时段或范围"),
    (r"the query took longer than (\S+)\. Narrow the window or the scope", r"查询超过 \1。请缩小时段或范围"),
    (r"it refuses the query: (.+)", r"拒绝该查询：\1"),
    (r"it answers (?:without data|series of an unknown form)\. Check this source's url",
     rf"返回的不是预期的内容。{URL}"),
    (r"it answers JSON, but .+", rf"返回的 JSON 不是预期的内容。{URL}"),
    (r"no file is named like (.+): check its paths", r"没有文件符合 \1：请检查 paths"),
    (r"it may not look into (.+)\. Check its rights", r"无权查看 \1。请检查权限"),
)  # fmt: skip


def worded(trouble: str, lang: str) -> str:
    """Of "prod: no answer within 3 s."; several follow each other with "; "."""
    if lang != "zh":
        return trouble
    source, colon, said = trouble.partition(": ")
    if late := LATE.fullmatch(said):
        return f"{worded(f'{source}{colon}{late[1]}', lang)}（{late[2]} 秒前发现，还没有再试）"
    chinese = phrase(said.rstrip("."), CHINESE)
    return f"{source}：{chinese.replace('：。', '。').removesuffix('：')}" if chinese else trouble
