"""What the bot itself says in a chat, in Chinese and English. No answer's words are made here."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

WORDS = {
    "understanding": ("正在理解问题…", "Reading the question…"),
    "queued": ("排队中，前面还有 {n} 个问题。", "Queued: {n} before it."),
    "asking": ("正在询问：{names}", "Asking: {names}"),
    "looking": ("{who}：正在查询…", "{who}: looking…"),
    "found": ("{who} · {tool}：{text}", "{who} · {tool}: {text}"),
    "ended": ("{who}：完成，{seconds:.1f} s", "{who}: done after {seconds:.1f} s"),
    "no_model": ("语言模型不可用，改用规则回答。", "No language model: answering by rules."),
    "seconds": ("{seconds:.1f} s", "{seconds:.1f} s"),
    "resting": ("服务正在重启，稍后自动继续。", "The service restarts; this goes on by itself."),
    "stop": ("停止", "Stop"),
    "retry": ("重试", "Retry"),
    "trace": ("查看过程", "Show steps"),
    "more": ("完整回答", "The whole answer"),
    "evidence": ("证据（{n}）", "Evidence ({n})"),
    "route": ("过程：问了谁、为什么、用时", "Route: who was asked, why, how long"),
    "unverified": ("⚠ 未被证据支持：{what}", "⚠ Not borne out by the evidence: {what}"),
    "part": ("（接上条，{n}/{of}）", "(continued, {n}/{of})"),
    "summary_busy": ("正在查询…", "Looking…"),
    "cancelled": ("已停止。", "Stopped."),
    "failed": ("这个问题没有答成：{reason}", "This question could not be answered: {reason}"),
    "busy": ("系统繁忙，请在 {at} 之后再问一次。", "Too many questions are waiting. Ask again after {at}."),
    "unsupported": (
        "暂不支持该消息类型，请用文字、图片或文件提问。",
        "This kind of message can't be read yet: ask in words, or with a picture or a file.",
    ),
    "stale": (
        "这条消息是服务中断期间收到的（{at}），已不再处理；如仍需要，请再问一次。",
        "This message came while the service was away ({at}) and isn't answered. Ask again if you still need it.",
    ),
    "refused": (
        "我还不能回答你。请管理员把你的 open_id {user} 加入 [feishu] users{chat}。",
        "I may not answer you yet. Ask the administrator to put your open_id {user} into [feishu] users{chat}.",
    ),
    "refused_chat": ("，或把本群 {chat} 加入 [feishu] chats", ", or this group, {chat}, into [feishu] chats"),
    "nothing_runs": ("没有正在处理的问题。", "Nothing is running."),
    "stopping": ("正在停止，已查到的内容随后给出。", "Stopping; what was found so far follows."),
    "nothing_asked": ("这里还没有问过问题。", "Nothing was asked here yet."),
    "nothing_kept": ("没有记住关于你的任何内容。", "Nothing is kept of you."),
    "retrying": ("好的，重新查询。", "Asking again."),
    "retried": ("已经在重新查询了。", "It is being asked again already."),
    "thanks": ("谢谢反馈！", "Thank you!"),
    "which": ("哪里不对？", "What is wrong?"),
    "cause": ("原因", "The cause"),
    "figures": ("数字", "Figures"),
    "scope": ("时间或范围", "Time or scope"),
    "other": ("其他", "Something else"),
    "say_more": ("可以补充说明（选填）", "Say more, if you like"),
    "send": ("提交", "Send"),
    "not_yours": ("你没有权限操作。", "You may not do that."),
    "gone": ("这张卡片的问题已经找不到了。", "The question of this card is gone."),
    "later": ("稍后再试。", "Try again later."),
    "done_already": ("已经结束了。", "It has ended already."),
    "unread_file": ("（附件 {name} 未读取：{why}）", "(attachment {name} wasn't read: {why})"),
    "unseen_image": ("（图片暂不能识别，只按文字回答）", "(pictures can't be seen yet; answered by the words alone)"),
}
HELP = (
    """我回答告警、日志、变更的问题，给出数字、时间窗口和证据。例如：
- 昨天下午结账服务为什么报错？
- 过去一小时有哪些告警？
- 支付上线了什么？

命令：`/stop` 停止正在处理的问题 · `/memory` 我记住了什么 · `/trace` 上一个回答的过程 · `/help` 本说明
群里请 @我；在话题里追问会接着上文。""",
    """I answer questions about alerts, logs and changes, with figures, a time window and evidence. Such as:
- why did checkout fail yesterday afternoon?
- which alerts fired in the last hour?
- what was deployed to payment?

Commands: `/stop` ends the question that runs · `/memory` what is kept of you · `/trace` the last answer's steps · \
`/help` this text
In a group, mention me; a question inside a topic goes on from the one before.""",
)


def say(key: str, lang: str, **given: object) -> str:
    zh, en = WORDS[key]
    return (zh if lang == "zh" else en).format(**given)


def help_text(lang: str) -> str:
    return HELP[0] if lang == "zh" else HELP[1]


def clock(at: datetime, zone: str) -> str:
    return f"{at.astimezone(ZoneInfo(zone)):%H:%M}"
