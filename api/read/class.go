package read

import (
	"regexp"
	"strconv"
	"strings"

	"darkroom/api"
)

// Patterns over lower-cased code and text, words parted by single spaces.
var (
	reCredits = api.Pattern(`(insufficient|not enough|out of|no( more)?|lack(ing)?( of)?|low|exceeded|exhausted|zero|negative)` +
		`[a-z ]{0,16} (credit|balance|fund|quota|point|token balance|coin|money|budget|wallet)` +
		`|(credit|balance|fund|quota|point|resource pack|package|budget|coin)s?` +
		`[a-z ]{0,16} (insufficient|not enough|exhausted|depleted|exceeded|used up` +
		`|too low|low|empty|overdue|limit|ran out|run out|failure|is 0|required)` +
		`|payment required|insufficient (quota|balance|credit)|arrear|overdue|good standing|payment method|used up` +
		`|(insufficient|not enough|out of|exhausted)[a-z ]{0,16} tokens?\b|(daily|monthly)[a-z ]{0,16} limit|(call|usage) (count )?limit` +
		`|top up|recharge|billing (hard )?limit|spending limit|spend limit|hard limit|costbalance|cost balance` +
		`|积分|余额|欠费|额度|配额不足|点数|算力不足|充值|账户余额`)
	reRefund     = api.Pattern(`refund|退回|退还|返还`)
	reModeration = api.Pattern(`moderat|content polic|policy violation|content filter|nsfw|sensitive|safety|violat[a-z]* |prohibited` +
		`|flagged|inappropriate|explicit content|sexual|risk control|content (is )?blocked|copyright|unsafe|risk (control )?not pass` +
		`|audit failed|敏感|违规|审核|违禁|不合规|风控|涉黄|涉政|安全检测|内容安全`)
	reRate = api.Pattern(`rate limit|ratelimit|too many|throttl|concurren|parallel task|reached[a-z ]{0,12} limit` +
		`|queue (is )?(full|maxed)|队列已满|稍后尝试|稍后重试|slow down|requests per|per minute|rpm|qps|frequen|频率|频繁` +
		`|限流|并发|过快|请求过多|稍后再试`)
	reKey = api.Pattern(`api ?key|apikey|unauthori[sz]|unauthenticated|authenticat|authoriz|invalid token` +
		`|token (is )?(invalid|expired)|access token|bearer|not logged in|login required|permission|forbidden|access denied|signature|密钥` +
		`|令牌|未授权|认证|鉴权|未登录|登录|无权|权限|无效的key`)
	reNotFound = api.Pattern(`not found|notfound|does not exist|doesn t exist|no such|unknown (job|task|id)|不存在|未找到|找不到`)
	reConflict = api.Pattern(`conflict|already exists|duplicate|in progress already|idempoten|冲突|重复`)
	reServer   = api.Pattern(`internal|unavailable|overload|timeout|timed out|time out|busy|upstream|bad gateway|maintenance` +
		`|server error|system error|unexpected error|服务器|繁忙|内部错误|系统错误|系统异常|超时|服务异常|维护`)
	reInvalid = api.Pattern(`invalid|required|missing|must |parameter|param |bad param|not supported|unsupported|validation` +
		`|bad request|malformed|not allowed|out of range|too long|too large|too short|illegal|unprocessable` +
		`|unknown (field|model)|cannot be (empty|blank)|参数|无效|必填|缺少|不支持|格式|不合法` +
		`|不能为空|非法|错误的请求|超出范围|过长`)
	// reKeyStrong are words that mean the key whatever the status is.
	reKeyStrong = api.Pattern(`api ?key|unauthori[sz]ed|invalid (access )?token|authentication (failed|error)|密钥|未授权|鉴权`)
)

var classPatterns = map[api.ErrorClass]func() *regexp.Regexp{
	api.ClassCredits: reCredits, api.ClassModeration: reModeration, api.ClassRate: reRate, api.ClassKey: reKey,
	api.ClassNotFound: reNotFound, api.ClassConflict: reConflict, api.ClassServer: reServer, api.ClassInvalid: reInvalid,
}

// statusClasses are the classes by HTTP status, and the classes that words of
// the answer may make of it instead.
var statusClasses = map[int]struct {
	class api.ErrorClass
	words []api.ErrorClass
}{
	401: {api.ClassKey, nil},
	402: {api.ClassCredits, nil},
	403: {api.ClassKey, []api.ErrorClass{api.ClassCredits, api.ClassModeration, api.ClassRate}},
	404: {api.ClassNotFound, []api.ErrorClass{api.ClassCredits, api.ClassModeration}},
	407: {api.ClassKey, nil},
	408: {api.ClassServer, nil},
	409: {api.ClassConflict, nil},
	410: {api.ClassNotFound, []api.ErrorClass{api.ClassCredits, api.ClassModeration}},
	425: {api.ClassConflict, nil},
	429: {api.ClassRate, nil},
	451: {api.ClassModeration, nil},
}

// errorClass says what a person can do, by the status, the codes and the words.
func errorClass(status int, codes, text string) api.ErrorClass {
	if status >= 500 {
		return api.ClassServer
	}
	codeText, all := spaced(codes), spaced(codes+" "+text)
	if status >= 200 && status < 300 {
		return answeredClass(codes, codeText, all)
	}
	if s, ok := statusClasses[status]; ok {
		if c := firstOf(all, api.ClassCredits); status == 429 && c != "" && !reRate().MatchString(all) {
			return c
		}
		if c := firstOf(all, s.words...); c != "" {
			return c
		}
		if s.class == api.ClassNotFound && strings.Contains(strings.ReplaceAll(codeText, " ", ""), "apikey") {
			return api.ClassKey // a code such as InvalidApiKey names the cause
		}
		return s.class
	}
	if status < 400 {
		return api.ClassUnreadable
	}
	if c := firstOf(all, api.ClassCredits, api.ClassModeration); c != "" {
		return c
	}
	if c := firstOf(codeText, api.ClassKey, api.ClassRate, api.ClassNotFound, api.ClassConflict); c != "" &&
		!strings.Contains(codeText, "invalid model") {
		return c
	}
	switch {
	case reKeyStrong().MatchString(all):
		return api.ClassKey
	case reRate().MatchString(all) && !reInvalid().MatchString(all):
		return api.ClassRate
	}
	return api.ClassInvalid
}

// firstOf gives the first of the classes whose words stand in s.
func firstOf(s string, classes ...api.ErrorClass) api.ErrorClass {
	for _, c := range classes {
		if classPatterns[c]().MatchString(s) && (c != api.ClassCredits || !reRefund().MatchString(s)) {
			return c
		}
	}
	return ""
}

// wordOrder is the order of classes in a 2xx. Words for trouble of the service
// go before words that would prove that a request was not taken: "the upstream
// sent an invalid answer" and "busy, try again later" prove nothing.
var wordOrder = []api.ErrorClass{api.ClassServer, api.ClassRate, api.ClassKey, api.ClassNotFound, api.ClassConflict, api.ClassInvalid}

// answeredClass classes a refusal in a 2xx by its words and codes alone.
func answeredClass(codes, codeText, all string) api.ErrorClass {
	if c := firstOf(all, api.ClassCredits, api.ClassModeration); c != "" {
		return c
	}
	if c := numberClass(codes, all); c != "" {
		return c
	}
	for _, s := range [...]string{codeText, all} {
		if c := firstOf(s, wordOrder...); c != "" {
			return c
		}
	}
	return api.ClassServer
}

// numberClass reads codes that look like HTTP statuses, also as the head of a
// longer number: 402, "429", 400017. Numbers that HTTP does not know, and
// longer ones that begin like a 5xx, prove nothing next to words.
func numberClass(codes, all string) api.ErrorClass {
	for _, f := range strings.Fields(codes) {
		f = strings.TrimPrefix(f, "-")
		if _, err := strconv.Atoi(f); err != nil || len(f) != 3 && len(f) != 5 && len(f) != 6 {
			continue
		}
		n, _ := strconv.Atoi(f[:3])
		known := api.ProvesRefusal(n) || n == 406 || n == 408 || n == 409 || n == 410 || n == 425 || n == 429 || n == 451 || n >= 500 && n <= 504
		if known && (len(f) == 3 || n <= 429) {
			return errorClass(n, "", all)
		}
	}
	return ""
}

var (
	reHump  = api.Pattern(`([a-z])([A-Z])`)
	reJoint = api.Pattern(`[^a-z0-9\x{80}-\x{10FFFF}]+`)
)

// spaced lower-cases and parts words: insufficient_quota, InvalidParameter and
// "rate-limit" become words with single spaces. It is cut: classes need no more.
func spaced(s string) string {
	s = reHump().ReplaceAllString(s[:min(len(s), 4000)], "$1 $2")
	return reJoint().ReplaceAllString(strings.ToLower(s), " ")
}
