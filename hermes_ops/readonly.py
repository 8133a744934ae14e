"""That we only read, said to whoever asks for a change; what there is to see is told all the same. It knows no agent.

Without a model an order is a sentence that begins with what is to be done; questions about what was done are none.
"""

from __future__ import annotations

import re

_ENGLISH = re.compile(
    r"^\W*(?:(?:hey|ok|hermes|please|pls|now|just|quickly|immediately|go ahead and"
    r"|(?:can|could|would|will) (?:you|we)(?: please)?|i (?:want|need) you to|let'?s|you should)\b[\s,:]*)*"
    r"(?:restart|reboot|roll ?back|revert|redeploy|deploy|scale|delete|drop|kill|drain|cordon|silence|mute"
    r"|ack(?:nowledge)?|resolve|fix|re-?run|enable|disable|turn (?:on|off)|switch (?:on|off)|flush|purge|evict"
    r"|fail ?over|upgrade|downgrade|undo|stop|bounce|shut ?down)\s+"
    r"(?!(?:of|at|in|on|by|counts?|rates?|times?|history|happened|was|were|is|did)\b)[\w@{]",
    re.IGNORECASE,
)
_VERBS = (
    "重启|重新启动|回滚|回退|扩容|缩容|下线|摘流|切流|切走|切换|删除|删掉|静默|屏蔽|关闭|关掉|打开|开启|停掉"
    "|停止|停一下|杀掉|杀死|重新部署|部署|发布|限流|降级|熔断|修复|修一下|修好|清理|清空|重跑|恢复|升级|撤回|确认告警"
)
_CHINESE = re.compile(
    r"(?:请|帮我|帮忙|麻烦|给我|赶紧|赶快|立即|立刻|马上|现在就|能不能|可以)\s*(?:你|您)?\s*(?:把|将|给)?"
    rf"[^，。？?！!]{{0,24}}?(?:{_VERBS})"
    rf"|^\W*(?:把|将)[^，。？?！!]{{1,24}}?(?:{_VERBS})|^\W*(?:{_VERBS})(?:一下)?\s*(?!了|的|过|记录|次数|历史|情况|后|前|之)\S"
)
_ASKED = re.compile(
    rf"(?:{_VERBS})(?:过|了(?!吧))|查|看看|看一下|告诉|列出|统计|谁|什么|哪|几|多少|为何|原因|是否|有没有|怎么|如何|记录|情况|吗.*吗|有用|管用|有效|见效|起作用"
)


def asks_for_a_change(text: str) -> bool:
    if _ENGLISH.search(text):
        return True
    return bool(_CHINESE.search(text)) and not _ASKED.search(text)


def said(lang: str) -> str:
    if lang == "zh":
        return "我只能查询，不能执行任何操作（重启、回滚、静默等）。下面是目前能看到的情况："
    return "I only read: I can't restart, roll back, silence or change anything. What there is to see:"
