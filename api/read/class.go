package read

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"darkroom/api"
)

const callsUsedUp = `\bcalls?( count| quota| limit| times)?( ha(s|ve)( been)?| is| are)? (exhausted|used up|exceeded|depleted|reached)` +
	`|\b(reached|exceeded|exhausted|used( up)?)( [a-z]+){0,3} calls?\b|\b(no|out of|0|zero)( more| remaining)? calls\b` +
	`|\bcalls?( count)?( left| remaining)?( is| are)? (0|zero)\b|call (count )?(limit|quota)` +
	`|调用次数|次数已?(用完|用尽|耗尽|不足|不够|达到?上限|超限|为 ?0)`

// classPatterns tell a class by lower-cased words parted by single spaces.
var classPatterns = map[api.ErrorClass]func() *regexp.Regexp{
	api.ClassCredits: api.Pattern(`(insufficient|not enough|out of|no( more)?|lack(ing)?( of)?|low|exceeded|exhausted|zero|negative)` +
		`[a-z ]{0,16} (credit|balance|fund|quota|point|coin|money|budget|wallet)` +
		`|(credit|balance|fund|quota|point|resource pack|package|budget|coin)s?` +
		`[a-z ]{0,16} (insufficient|not enough|exhausted|depleted|exceeded|too low|low|empty|limit|ran out|run out|failure|is 0|required)` +
		`|payment required|insufficient (quota|balance|credit)|arrear|overdue|good standing|payment method|used up` +
		`|(insufficient|not enough|out of|exhausted)[a-z ]{0,16} tokens?\b|(daily|monthly)[a-z ]{0,16} limit|usage (count )?limit` +
		`|top up|recharge|billing limit|(spending|spend|hard) limit|costbalance|cost balance` +
		`|积分|余额|欠费|额度|配额不足|点数|算力不足|充值|` + callsUsedUp),
	api.ClassModeration: api.Pattern(`moderat|content polic|policy violation|content filter|nsfw|sensitive|safety|violat[a-z]* |prohibited` +
		`|flagged|inappropriate|explicit content|sexual|risk control|content (is )?blocked|copyright|unsafe|risk (control )?not pass` +
		`|audit failed|敏感|违规|审核|违禁|不合规|风控|涉黄|涉政|安全检测|内容安全`),
	api.ClassRate: api.Pattern(`rate ?limit|too many|throttl|concurren|parallel task|reached[a-z ]{0,12} limit` +
		`|queue (is )?(full|maxed)|队列已满|稍后尝试|稍后重试|slow down|requests per|per minute|rpm|qps|frequen|频率|频繁` +
		`|限流|并发|过快|请求过多|稍后再试`),
	api.ClassKey: api.Pattern(`api ?key|unauthori[sz]|unauthenticated|authenticat|authoriz|invalid token` +
		`|token (is )?(invalid|expired)|access token|bearer|not logged in|login required|permission|forbidden|access denied|signature|密钥` +
		`|令牌|未授权|认证|鉴权|未登录|登录|无权|权限|无效的key`),
	api.ClassNotFound: api.Pattern(`not ?found|does not exist|doesn t exist|no such|unknown (job|task|id)|不存在|未找到|找不到`),
	api.ClassConflict: api.Pattern(`conflict|already exists|duplicate|in progress already|idempoten|冲突|重复`),
	api.ClassServer: api.Pattern(`internal|unavailable|overload|timeout|timed out|time out|busy|upstream|bad gateway|maintenance` +
		`|(server|system|unexpected) error|服务器|繁忙|内部错误|系统错误|系统异常|超时|服务异常|维护`),
	api.ClassInvalid: api.Pattern(`invalid|required|missing|must |parameter|param |not supported|unsupported|validation` +
		`|bad request|malformed|not allowed|out of range|too long|too large|too short|illegal|unprocessable` +
		`|unknown (field|model)|cannot be (empty|blank)|参数|无效|必填|缺少|不支持|格式|不合法` +
		`|不能为空|非法|错误的请求|超出范围|过长`),
}

// reRest is for calls that are too many now; reUnit and reMoney for limits.
var (
	reCalls = api.Pattern(callsUsedUp)
	reRest  = api.Pattern(`per (second|minute|hour)|again|retry|later|slow down|too many|concurren|rpm|qps|frequen` +
		`|频率|频繁|并发|稍后|过快`)
	reUnit  = api.Pattern(`\b(calls|requests|(call|request) ?(quota|limit|count|times)[a-z]*)\b|调用|请求数|次数`)
	reMoney = api.Pattern(`credit|balance|funds|payment|billing|积分|余额|点数`)

	reKeyStrong = api.Pattern(`api ?key|unauthori[sz]ed|invalid (access )?token|authentication (failed|error)|密钥|未授权|鉴权`)
)

// statusClasses are the classes of statuses that have one whatever the words are.
var statusClasses = map[int]api.ErrorClass{
	401: api.ClassKey, 402: api.ClassCredits, 403: api.ClassKey, 404: api.ClassNotFound, 407: api.ClassKey, 408: api.ClassServer,
	409: api.ClassConflict, 410: api.ClassNotFound, 425: api.ClassConflict, 429: api.ClassRate, 451: api.ClassModeration,
}

// errorClass says what a person can do, by the status, the codes and the words.
func errorClass(status int, codes, text string) api.ErrorClass {
	all := spaced(codes + " " + text)
	class := classOf(status, codes, all)
	if class == api.ClassCredits && reUnit().MatchString(all) && !reMoney().MatchString(all) {
		return api.ClassCalls
	}
	return class
}

func classOf(status int, codes, all string) (class api.ErrorClass) {
	known := statusClasses[status]
	switch {
	case status >= 500:
		return api.ClassServer
	case status < 300: // words for trouble of the service go first: "the upstream sent an invalid answer" proves nothing
		return cmp.Or(firstOf(all, api.ClassCredits, api.ClassModeration), numberClass(codes, all),
			firstOf(all, api.ClassServer, api.ClassRate, api.ClassKey, api.ClassNotFound, api.ClassConflict, api.ClassInvalid),
			api.ClassServer)
	case status == 403:
		class = firstOf(all, api.ClassCredits, api.ClassModeration, api.ClassRate)
	case status == 429 && (firstOf(all, api.ClassRate) == "" || reCalls().MatchString(all) && !reRest().MatchString(all)):
		class = firstOf(all, api.ClassCredits)
	case known == api.ClassNotFound && reKeyStrong().MatchString(spaced(codes)): // a code such as InvalidApiKey names the cause
		class = api.ClassKey
	case known == "":
		class = firstOf(all, api.ClassCredits, api.ClassModeration)
		if class == "" && reKeyStrong().MatchString(all) {
			class = api.ClassKey
		}
		class = cmp.Or(class, firstOf(spaced(codes), api.ClassRate))
	}
	return cmp.Or(class, known, api.ClassInvalid)
}

func firstOf(s string, classes ...api.ErrorClass) api.ErrorClass {
	for _, c := range classes {
		if classPatterns[c]().MatchString(s) {
			return c
		}
	}
	return ""
}

// numberClass reads codes that are HTTP statuses.
func numberClass(codes, all string) api.ErrorClass {
	for code := range strings.FieldsSeq(codes) {
		n, _ := strconv.Atoi(code)
		if api.ProvesRefusal(n) || statusClasses[n] != "" || n >= 500 && n <= 504 {
			return classOf(n, "", all)
		}
	}
	return ""
}

var (
	reHump  = api.Pattern(`([a-z])([A-Z])`)
	reJoint = api.Pattern(`[^a-z0-9\x{80}-\x{10FFFF}]+`)
)

// spaced parts insufficient_quota, InvalidParameter and "rate-limit" into words.
func spaced(s string) string {
	s = reHump().ReplaceAllString(s[:min(len(s), 4000)], "$1 $2")
	return reJoint().ReplaceAllString(strings.ToLower(s), " ")
}
