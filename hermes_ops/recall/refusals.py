"""What is never kept of a person's words: secrets, personal data, and instructions that would bend later answers.

It looks through what people write around a filter: full-width and spelled-out digits, spaces between letters, other
languages' words. Where it can't tell, it refuses: a note too few costs little. Only words of the person count as a
source; what they quote, fence or paste out of a log is cut away first (`own_words`).
"""

from __future__ import annotations

import re
import unicodedata

from orchestrator.cleaning import clean
from orchestrator.guard.masking import mask

SECRET, PERSONAL, INSTRUCTION = "secret", "personal", "instruction"

_KEY = b"nobody sees the tags made here"
_SECRET_WORDS = re.compile(
    r"密码|密碼|口令|密鑰|金鑰|憑證|權杖|wi-?fi|\bwlan\b|\bvpn\b|\bssh\b|登录名|登入|密钥|秘钥|私钥|公钥|令牌|凭证"
    r"|凭据|验证码|密文|授权码|激活码|助记词|访问码|pass[ _-]?(?:word|wd|phrase|code)|\bpwd\b|\bpw\b"
    r"|secret|token|(?:api|access|private|ssh|license|signing)[ _-]?key|\bak/?sk\b|credential|\bpin(?:s| code)?\b"
    r"|\botp\b|2fa|bearer"
    r"|contraseña|\bclave\b|mot de passe|passwort|kennwort|\bsenha\b|парол|ключ|パスワード|暗証|合言葉|비밀번호|암호"
    r"|wachtwoord|hasło"
    r"|şifre|mật khẩu|รหัสผ่าน|كلمة (?:السر|المرور)|पासवर्ड|סיסמה|lösenord|salasana",
    re.IGNORECASE,
)
_PERSONAL_WORDS = re.compile(
    r"身份证|身分證|證件|手機|帳號|郵箱|護照|生日|护照|驾照|社保|银行卡|信用卡|卡号|账号|手机|电话|座机|住址|地址|家住"
    r"|车牌|血型|病史|诊断书|籍贯|驾驶证|医保|公积金|工号|门禁|我住|住在|邮箱|邮件是|微信|\bqq\b|工资|薪|生日|病历|怀孕"
    r"|passport|social security|\bssn\b|(?:credit|debit|bank|id)[ -]?card|card number|\bcvv\b|account number|\biban\b"
    r"|\b(?:tele)?phone\b|(?:mobile|cell|phone) (?:is|number|no)|whats ?app|(?:home|street|postal|mail(?:ing)?"
    r"|my) address|e-?mail"
    r"|\b(?:i|we|he|she) live|birthday|date of birth|salary"
    r"|(?:licen[cs]e|number) plate|driv(?:er'?s?|ing) licen[cs]e|blood type|my doctor|medical|diagnosis|allerg|pregnan"
    r"|religion|maiden name|teléfono|téléphone|telefonnummer|телефон|電話|住所|전화"
    r"|주소|adresse|dirección"
    r"|indirizzo|endereço|адрес|DNI\b|паспорт|マイナンバー|주민등록",
    re.IGNORECASE,
)
_STREET = re.compile(
    r"(?:路|街|巷|弄|道|村|大厦|小区|花园|公寓)\s?\d+\s?(?:号|弄|栋|幢|单元|室|层)?|\d+\s?(?:号楼|单元|栋|幢|室)"
    r"|[\u3400-\u9fff]{2,}(?:小区|花园|公寓)"
    r"|\b\d{1,5}\s+(?:[A-Z][\w.]*\s+){1,3}(?:street|st|avenue|ave|road|rd|lane|ln|boulevard|blvd|drive|court|square)\b"
    r"|\w+(?:straße|strasse)\s+\d|\brue\s+\w+|\bcalle\s+\w+",
    re.IGNORECASE,
)
_MAIL = re.compile(r"\S@\S|\bat\b.{1,30}\bdot\b|[\[(]\s?at\s?[\])]|艾特|圈a", re.IGNORECASE)
_WHEN = re.compile(r"\b(?:19|20)\d\d-\d\d?-\d\d?\b|\b\d{1,2}[:：]\d\d\b(?![:：]\d\d[:：])")
_NUMBER_WORDS = {
    **dict(zip("零〇一二三四五六七八九", "00123456789", strict=True)),
    **dict(zip("壹贰叁肆伍陆柒捌玖幺两", "12345678912", strict=True)),
}  # fmt: skip
_ENGLISH = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_SPELLED = re.compile(r"\b(?:" + "|".join([*_ENGLISH, "oh"]) + r")\b", re.IGNORECASE)
_DIGITS = re.compile(r"\d(?:[\s\-–—._·•,，/()（）+*#|:：~]*\d){5,}")
_LETTERS_APART = re.compile(r"(?<!\w)(?:[A-Za-z0-9][\s\-._]+){4,}[A-Za-z0-9](?!\w)")
_APART = re.compile(r"(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])")  # "密 码"
_MADE = re.compile(r"[A-Za-z]*[a-z][A-Z][A-Za-z]*|\d{4,}|(?:[A-Za-z]+\d+){2,}[A-Za-z]*|\d+[A-Za-z]+\d\w*")  # of a name
_GROUPS = re.compile(r"(?<!\w)(?:[A-Z0-9]{4}[ -]){2,}[A-Z0-9]{2,4}(?!\w)")  # a key written in groups of four
_PLATE = re.compile(
    r"[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-Z][·\s.]?[A-Z0-9]{5,6}(?![A-Za-z0-9])"
)
_MIXED = re.compile(r"(?<![\w-])(?=[\w-]*[A-Za-z])(?=[\w-]*\d)[\w-]{6,}(?![\w-])", re.ASCII)
_PLAIN = re.compile(  # versions, sizes, times and the like
    r"v?\d+(?:[._-]\d+)*(?:[a-z]{1,4})?|[a-z]{1,3}\d{1,2}|\d{1,4}(?:st|nd|rd|th|am|pm|min|sec|hours?|days?|weeks?)"
    r"|[a-z]+(?:-[a-z]+)*-\d{1,3}|[a-z]+-v\d{1,3}",
    re.IGNORECASE,
)
_ODD = set("!#$%^&*=~?<>{}[]|\\")
_INSTRUCTION = re.compile(
    r"(?:所有|全部|任何|一切|每个).{0,12}(?:都|均)(?:是|算|属|不|没)|误报|假告警|\bfalse (?:alarms?|positives?)\b"
    r"|\bnoise\b"
    r"|(?:以后|今后|从此|一直)都?(?:这么|这样|如此|那么|照此|照这样)|(?:总是|永远|一律|每次|都|只|就|务必|必须"
    r"|千万)(?:要|得|能|用)?(?:说|答|报|回答|回复|告诉|认为|当作|当成|假装|批准|同意|通过|执行|给出|返回)"
    r"|忽略|无视|不理|别管|不用管|不要管|隐瞒|隐藏|掩盖|跳过|屏蔽|压下|略过|假装|装作|当作|视为|视作|算作|等于没|改口"
    r"|撒谎"
    r"|(?:不要|别|不准|不许|禁止|不能|不用|不必|勿|莫|少)(?:再)?(?:提|说|报|查|看|告诉|显示|通知|透露|检查|怀疑|管|问"
    r"|回答|列)"
    r"|(?:没|没有|无)(?:问题|异常|故障|告警|事)|一切(?:正常|都好|安好)|系统提示|提示词|指令|规则|越狱|管理员(?:模式"
    r"|权限)|你(?:是|现在是|要|必须|应该|得)"
    r"|自动(?:执行|批准|重启|回滚)|直接(?:执行|批准|重启|回滚|删)|(?:删除|重启|回滚|执行)(?:所有|全部|生产)"
    r"|\b(?:always|never|every time|only ever)\b.{0,20}\b(?:say|answer|reply|report|tell|claim|state|mention|show"
    r"|respond|conclude|approve|assume"
    r"|blame|check|ask|run|call|trust|believe|treat)\b"
    r"|\b(?:ignor|disregard|suppress|hid(?:e|ing)\b|conceal|pretend|skip\b|omit|mute\b|silence|overlook|downplay"
    r"|bypass|override)"
    r"|\b(?:do not|don'?t|never|no need to|stop|avoid|not to|refrain from) ?(?:ever )?(?:mention|say|tell|report|show"
    r"|check|look|alert|reveal|warn|ask|include"
    r"|question|investigate|talk|cite)"
    r"|\b(?:treat|consider|regard|count|mark)\b.{1,40}\bas\b|\b(?:all|everything)(?: is|'s)? (?:fine|ok|okay|good|well"
    r"|normal|healthy|green)\b"
    r"|\bno (?:problems?|issues?|incidents?|alerts?|errors?)\b|\byou (?:are|must|should|will|have to|may|can)\b"
    r"|\b(?:system )?prompt\b|\binstructions?\b"
    r"|\bjailbreak|\badmin(?:istrator)? (?:mode|rights?)|\b(?:restart|roll ?back|delete|execute|approve|drop) (?:all"
    r"|every|prod|any|it|the)\b",
    re.IGNORECASE,
)

_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|<data\b.*?(?:</data>|\Z)", re.DOTALL | re.IGNORECASE)
_QUOTES = re.compile(r"“[^”]*”?|「[^」]*」?|『[^』]*』?|《[^》]*》|‘[^’]*’|\"[^\"]*\"?|`[^`]*`?|(?<!\w)'[^'\n]*'(?!\w)")
_PASTED = re.compile(
    r"^\s*(?:>|\||[\[{<(]|\d{4}[-/]\d\d|\d\d:\d\d|[A-Z][a-z]{2} +\d+ \d\d:|\d{1,3}(?:\.\d{1,3}){3}|(?:TRACE|DEBUG|INFO"
    r"|WARN|WARNING|ERROR|FATAL"
    r"|CRITICAL|alertname|summary|description|message|msg|level|ts|time|annotations?|labels?|日志|告警|报警|原文|转发"
    r"|引用)\s*[:：=\]|]"
    r"|at [\w.$]+\(|Traceback|Caused by)|\blevel=|\bmsg=|\bts=",
    re.IGNORECASE,
)
_REPORTED = re.compile(  # a clause that tells what something else says
    r"(?:日志|告警|报警|注释|描述|页面|工单|消息|邮件|里|上|中|他|她|文档|别人|有人|对方)(?:里|上|中)?(?:面)?(?:写着?"
    r"|说|提到|显示|提示|打印|报|输出|要求|让)(?:了|到|的是)?[:：,，]?"
    r"|\b(?:logs?|alerts?|message|annotation|description|ticket|comment|page|output|it|he|she|they|someone|tool|readme"
    r"|email) "
    r"(?:says?|said|reads?|tells?|told|states?|contains?|prints?|wants?|asks?|showed|shows)\b",
    re.IGNORECASE,
)
SHORT_QUOTE = 24  # characters: a quoted name is the person's word, a quoted sentence is somebody else's


def own_words(text: str) -> str:
    """What of a message are the person's own words: without fenced blocks, pasted log lines, quoted sentences, and
    whatever follows the telling of what a log, an alert or somebody else says. Short quotes lose only their marks."""
    bare = _FENCE.sub("\n", clean(text).replace("\r", "\n"))
    lines = [line for line in bare.split("\n") if not _PASTED.search(line)]
    unquoted = _QUOTES.sub(_quoted, "\n".join(lines))
    return "\n".join(_REPORTED.split(line)[0] for line in unquoted.split("\n")).strip()


def _quoted(found: re.Match[str]) -> str:
    inner = found[0].strip("“”「」『』《》‘’\"`'")
    return inner if len(inner) <= SHORT_QUOTE and not re.search(r"[\s:：=，,。]", inner.strip()) else " … "


def refuse(text: str, free: bool = True) -> str:
    """Why words can't be kept: SECRET, PERSONAL, INSTRUCTION, or "" where they can. `free`: they are no value from a
    closed list, and could hold an instruction."""
    plain = _APART.sub("", unicodedata.normalize("NFKC", clean(text)))
    if "<secret:" in plain or _SECRET_WORDS.search(plain) or mask(plain, _KEY) != plain or _is_token(plain):
        return SECRET
    if free and any(not _PLAIN.fullmatch(word) for word in _MIXED.findall(plain)):
        return SECRET
    if _has_number(plain) or any(shape.search(plain) for shape in (_PERSONAL_WORDS, _STREET, _MAIL, _PLATE)):
        return PERSONAL
    return INSTRUCTION if free and _INSTRUCTION.search(plain) else ""


def _has_number(text: str) -> bool:
    """Six digits or more in a row, however they are written: a phone, a card, an id, a code. Dates are none."""
    spelled = _SPELLED.sub(lambda m: str(_ENGLISH.index(m[0].lower()) if m[0].lower() in _ENGLISH else 0), text)
    digits = "".join(_NUMBER_WORDS.get(c, _digit(c)) for c in spelled)
    return _DIGITS.search(_WHEN.sub(" ", digits)) is not None


def _digit(c: str) -> str:
    value = unicodedata.digit(c, None)
    return c if value is None else str(value)


def _is_token(text: str) -> bool:
    """A word that looks made at random, or letters written apart."""
    if _LETTERS_APART.search(text) or _GROUPS.search(text):
        return True
    words = re.findall(r"[!-~]{5,}", text)
    if len(words) == 1 and words[0] == text.strip() and re.search(r"\d", text) and not re.search(r"[-_.]", text):
        return True  # nothing but one word with digits in it: "hunter2"
    return any(_is_random(word.strip(".,;:'\"()")) for word in words)


def _is_random(word: str) -> bool:
    if len(word) < 8 and not (_ODD & set(word) and re.search(r"\d", word) and re.search(r"[A-Za-z]", word)):
        return False
    if _ODD & set(word) and re.search(r"[A-Za-z]", word) and re.search(r"\d|[A-Z]", word):
        return True
    if re.search(r"[A-Za-z]", word) and sum(bool(_MADE.fullmatch(part)) for part in re.split(r"[-_.]", word)) >= 2:
        return True
    changes = len(re.findall(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])", word))
    mixed = bool(re.search(r"[a-z]", word) and re.search(r"[A-Z]", word) and re.search(r"\d", word))
    return changes >= 3 or (mixed and not re.search(r"[-_.]", word)) or (len(word) >= 24 and "-" not in word)
