"""What the bot itself says in a chat, in Chinese and English. No answer's words are made here."""

from __future__ import annotations

from datetime import datetime, timedelta
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
    "no_command": ("没有 /{name} 这个命令。", "There is no command /{name}."),
    "inspect": ("在检查台中打开", "Open in the inspector"),
    "more": ("完整回答", "The whole answer"),
    "evidence": ("证据（{n}）", "Evidence ({n})"),
    "route": ("过程：问了谁、为什么、用时", "Route: who was asked, why, how long"),
    "unverified": ("⚠ 未被证据支持：{what}", "⚠ Not borne out by the evidence: {what}"),
    "part": ("（接上条，{n}/{of}）", "(continued, {n}/{of})"),
    "summary_busy": ("正在查询…", "Looking…"),
    "cancelled": ("已停止。", "Stopped."),
    "failed": ("这个问题没有答成：{reason}", "This question could not be answered: {reason}"),
    "busy": ("系统繁忙，请在 {at} 之后再问一次。", "Too many questions are waiting. Ask again after {at}."),
    "budget": (
        "系统繁忙：今天的用量已到上限，请在 {at} 之后再问一次。",
        "The system is busy: the day's budget is used up. Ask again after {at}.",
    ),
    "unsupported": (
        "暂不支持该消息类型，请用文字提问，也可以附上日志文件。",
        "This kind of message can't be read yet: ask in words; a log file may come along.",
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
    "note": ("{name}：{value}（{day} 说：“{said}”）", "{name}: {value}   (said “{said}” on {day})"),
    "forget_what": (
        "记着：{keys}。`/forget 名称` 忘掉一项，`/forget all` 全部忘掉。",
        "Kept: {keys}. `/forget NAME` lets go of one, `/forget all` of everything.",
    ),
    "no_such_note": ("没有记着“{which}”。记着：{keys}。", "Nothing is kept as “{which}”. Kept: {keys}."),
    "forgotten": ("已忘掉：{keys}", "Forgotten: {keys}"),
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
    "unreached": (
        "发到 {chat}（{channel}）的回答没有送达：{reason}\n同一个会话今天只提醒这一次；详情：`hermes-ops runs list`。",
        "An answer did not reach {chat} ({channel}): {reason}\nThis is said once a day for a chat; "
        "`hermes-ops runs list` has them.",
    ),
    "unread_file": ("（附件 {name} 未读取：{why}）", "(attachment {name} wasn't read: {why})"),
    "no_text": ("不是文本文件", "it is no text"),
    "torn": ("压缩文件不完整，请重新发送", "the archive is cut off: send it again"),
    "too_large": ("超过 {mb} MB", "it is larger than {mb} MB"),
    "unread_quote": (
        "（引用的消息没有读到，以上没有考虑它：{why}）",
        "(the message this refers to wasn't read, and isn't considered: {why})",
    ),
    "recalled": ("已被撤回", "it was recalled"),
    "kind": ("暂不支持该消息类型", "its kind can't be read yet"),
    "cut": ("（消息太长，只看了前 {n} 个字）", "(the message is too long: its first {n} characters were read)"),
    "bundle_cut": ("（转发的消息太多，只看了前 {n} 条）", "(of the messages forwarded, the first {n} were read)"),
    "below": ("回答见下一条消息。", "The answer is in the next message."),
    "censored": (
        "平台拒绝了这条消息的内容（{code}），没有发出；请联系飞书管理员。",
        "The platform refused what this message says ({code}), and it was not sent; ask the administrator.",
    ),
    "unseen_image": (
        "（图片没有看：{why}。需要的话，请把图里的文字粘贴给我。）",
        "(The picture wasn't looked at: {why}. Paste the text that is on it, if it matters.)",
    ),
    "no_sight": ("所配模型不看图", "the configured model doesn't see"),
    "by_rules": ("这次是按规则回答的，没有用模型", "this was answered by rules, without a model"),
    "no_picture": ("不是 PNG、JPEG、WebP 或 GIF 图片", "it is no PNG, JPEG, WebP or GIF picture"),
    "many_pictures": ("（图片太多，只看了前 {n} 张）", "(of the pictures, the first {n} were looked at)"),
    "picture": ("图片", "picture"),
    "received": (
        "收到 {what}。想问什么？{minutes} 分钟内你在这里的下一个问题会用上。",
        "I have {what}. What do you want to know? Your next question here within {minutes} minutes uses it.",
    ),
    "received_one": ("{name}（{about}）", "{name} ({about})"),
    "lines": ("{n:,} 行", "{n:,} lines"),
    "kind_log": ("日志", "log"),
    "kind_metrics": ("指标", "metrics"),
    "kind_changes": ("变更", "changes"),
    "kind_alerts": ("告警", "alerts"),
    "kind_traces": ("链路", "traces"),
    "kind_none": ("认不出格式", "of no known format"),
    "used": ("（用了你 {at} 发的：{names}）", "(this uses what you sent at {at}: {names})"),
    "forwarded": ("转发的这条消息是怎么回事？", "What happened, as to the message I forward?"),
}
HELP = (
    """我回答告警、日志、变更的问题，给出数字、时间窗口和证据。例如：
- 昨天下午结账服务为什么报错？
- 过去一小时有哪些告警？
- 支付上线了什么？

命令：`/stop` 停止正在处理的问题 · `/memory` 我记住了什么 · `/forget 名称|all` 忘掉它
`/trace` 上一个回答的过程 · `/help` 本说明
报告：`/report [昨天|2026-11-29|周报]` 运维日报 · `/handover [昨晚21:00到今早9:00]` 交接班
确认：`/cause 服务 原因` 确认事故的原因
定时：说“每天18点发我 checkout 错误数” · `/schedules` 我的定时 · “取消定时 2”
群里和话题里都请 @我；在话题里追问会接着上文。""",
    """I answer questions about alerts, logs and changes, with figures, a time window and evidence. Such as:
- why did checkout fail yesterday afternoon?
- which alerts fired in the last hour?
- what was deployed to payment?

Commands: `/stop` ends the question that runs · `/memory` what is kept of you · `/forget NAME|all` lets go of it \
· `/trace` the last answer's steps · `/help` this text
Reports: `/report [yesterday|2026-11-29|weekly]` · `/handover [21:00 to 9:00]` of a shift · `/cause SERVICE the cause` \
confirms a cause
Schedules: say "send me checkout errors every day at 18:00" · `/schedules` lists yours · "cancel schedule 2"
In a group and in its topics, mention me; a question inside a topic goes on from the one before.""",
)


def say(key: str, lang: str, **given: object) -> str:
    zh, en = WORDS[key]
    return (zh if lang == "zh" else en).format(**given)


def help_text(lang: str) -> str:
    return HELP[0] if lang == "zh" else HELP[1]


def day(at: datetime, zone: str) -> str:
    return f"{at.astimezone(ZoneInfo(zone)):%Y-%m-%d}"


def clock_after(at: datetime, zone: str) -> str:
    """The first full minute that isn't before it: what is told to come back "after 08:03" finds that it's true."""
    return clock(at + timedelta(seconds=59, microseconds=999_999), zone)


def clock(at: datetime, zone: str) -> str:
    return f"{at.astimezone(ZoneInfo(zone)):%H:%M}"
