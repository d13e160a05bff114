package words

// chineseQueue is said of variations and of requests that are held.
func chineseQueue() map[string]string {
	return map[string]string{
		"held": "待发送", "paused": "已暂停",
		"pattern": "原提示词", "variation": "变体", "variations": "变体", "Variations": "变体",
		"%d request": "%d 个请求", "%d requests": "%d 个请求", " (%d equal left out)": "（去掉 %d 个相同的）",
		"%d requests · %s": "%d 个请求 · %s", "in this order": "按此顺序",

		// Commands.
		"%d equal ones were left out": "已去掉 %d 个相同的请求",
		"Send them all?":              "全部发送？",
		"nothing was sent: %s":        "没有发送任何请求：%s",
		"nothing was sent: the prompt has alternatives and stands for %d requests: add --expand to send them all, and with it write \\{ for a brace that is meant as one": "没有发送任何请求：提示词含有可选项，代表 %d 个请求：加 --expand 可全部发送，此时用 \\{ 表示普通的花括号",
		"nothing was sent: the variation %q breaks a rule":            "没有发送任何请求：变体 %q 不符合规则",
		"there is no list %s: its name is sent as it is":              "没有列表 %s：其名称将原样发送",
		"--output and --curl are for one request: leave --expand out": "--output 和 --curl 只用于单个请求：请去掉 --expand",
		"%d removed; nothing was spent":                               "已移除 %d 个；没有花费",
		"what is held was not sent. Send it with: darkroom job %s --send --all, or delete it with: darkroom job %s --remove --all": "待发送的请求没有发送。发送：darkroom job %s --send --all；删除：darkroom job %s --remove --all",
		"--all belongs to --send and --remove":         "--all 只能与 --send 和 --remove 一起使用",
		"--max-credits belongs to --resend and --send": "--max-credits 只能与 --resend 和 --send 一起使用",

		// The review and the editor of variations.
		"%d equal ones are left out.":                                                            "已去掉 %d 个相同的请求。",
		"There is no list %s: its name is sent as it is.":                                        "没有列表 %s：其名称将原样发送。",
		"At most %d requests are sent at once.":                                                  "一次最多发送 %d 个请求。",
		"The variations are chosen in the form.":                                                 "变体在表单中选择。",
		"Each chosen value is a request of its own. In the prompt: {a|b}, {2$$a|b|c}, __list__.": "每个选中的值都是一个单独的请求。提示词中可写：{a|b}、{2$$a|b|c}、__列表__。",
		"Type the values, with commas between them.":                                             "请输入各个值，用逗号分隔。",
		"at most %s": "最多 %s",
		"field":      "字段", "value": "值", "previous value": "上一个值", "such as %s": "如 %s",

		"%d request waits in the queue.": "队列中还有 %d 个请求待发送。", "%d requests wait in the queue.": "队列中还有 %d 个请求待发送。",
		"What is not sent stays there, and waits for you when darkroom starts again.": "未发送的请求会保留在队列中，下次启动 darkroom 后等待你处理。",
		"This request was not sent yet: there is no result.":                          "这个请求尚未发送，还没有结果。",

		// Jobs.
		"pause or send": "暂停或发送", "remove": "移除", "send earlier": "提前发送", "send later": "推后发送",
		"%d request is sent": "将发送 %d 个请求", "%d requests are sent one by one": "将逐个发送 %d 个请求",
		"Only for requests that are held.":      "仅用于待发送的请求。",
		"Paused. Nothing more of this is sent.": "已暂停，不再发送其余请求。",
		"Removed. Nothing was spent.":           "已移除，没有花费。",
		"Send what is held?":                    "发送待发送的请求？",
	}
}
