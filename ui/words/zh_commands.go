package words

// chineseCommands is said by the commands and in linear mode.
func chineseCommands() map[string]string {
	return map[string]string{
		// Words of a fixed set: the phases and kinds of JSON documents, and where
		// something comes from.
		"not_sent": "未发送", "tool": "工具", "second": "秒", "call": "次",
		"service": "服务", "environment": "环境变量", "file": "文件", "flag": "命令行参数", "demo": "演示",
		"session": "本次运行",

		// Columns and labels.
		"job": "任务", "remote id": "服务编号", "phase": "阶段", "status": "状态", "error": "错误", "kind": "类型", "model": "模型",
		"credits": "积分", "created": "创建时间", "ended": "结束时间", "total": "合计",
		"%d job": "%d 个任务", "%d jobs": "%d 个任务",
		"%d job under way": "%d 个任务进行中", "%d jobs under way": "%d 个任务进行中",
		", %d without a price":              "，%d 个没有价格",
		"%d of %d jobs; --limit shows more": "%[2]d 个任务中的 %[1]d 个；用 --limit 显示更多",
		"nothing was spent since %s":        "自 %s 以来没有花费",
		"today %s":                          "今日 %s",

		// How sentences are put together.
		"%s: %s": "%s：%s", "%s; %s": "%s；%s", "%s (%s)": "%s（%s）", "%s or %s": "%s 或 %s",
		"%s for %s": "%[2]s 用 %[1]s", "%s per %s": "%s / %s", "%v to %v": "%v 至 %v", "%g of %g": "%g / %g",
		"%s, %d s": "%s，%d 秒", "(%s, %d bytes)": "（%s，%d 字节）",

		// Arguments and flags.
		"nothing was changed: without a terminal to ask on, --dismiss needs --yes": "没有改动：没有终端可供询问，--dismiss 需要 --yes",
		"unknown command %q for %q":                           "%[2]q 没有命令 %[1]q",
		"unknown command %q for %q; did you mean %s?":         "%[2]q 没有命令 %[1]q；是否想用 %[3]s？",
		"an argument is missing: %s":                          "缺少参数：%s",
		"too many arguments: %s":                              "参数过多：%s",
		"%s exclude each other: give one of them":             "%s 不能同时使用：请只用其中一个",
		"unknown flag: %s":                                    "没有这个选项：%s",
		"the flag %s needs a value":                           "选项 %s 需要一个值",
		"this is not a flag: %s":                              "这不是选项：%s",
		"--%s: %q is not %s":                                  "--%s：%q 不是%s",
		"a duration such as 90s or 10m":                       "时长（例如 90s 或 10m）",
		"a value that it takes":                               "可用的值",
		"an amount of credits":                                "积分数额",
		"%q is no flag: the prompt is a line of its own":      "%q 不是选项：提示词要单独写一行",
		"--ratio and --aspect-ratio differ: give one of them": "--ratio 与 --aspect-ratio 不一致：请只用其中一个",
		"--seed: %q is not a whole number":                    "--seed：%q 不是整数",
		"--duration: give whole seconds from 1 to 3600":       "--duration：请给出 1 到 3600 的整数秒",
		"--since: give a day such as %s":                      "--since：请给出日期，例如 %s",
		"--kind: give image or video":                         "--kind：请写 image 或 video",
		"--status: give a number from 100 to 599":             "--status：请给出 100 到 599 的数字",
		"--header: %s":                                        "--header：%s",
		"--explain: the file is larger than 8 MiB, which is the most that darkroom reads of an answer": "--explain：文件超过 8 MiB，这是 darkroom 读取应答的上限",
		"give one prompt, in quotes; \"-\" reads it from standard input, \"@file\" from a file":        "请给出一个提示词，用引号括起；\"-\" 从标准输入读取，\"@文件\" 从文件读取",
		"the prompt's file: %s":              "提示词文件：%s",
		"the prompt cannot be read: %s":      "无法读取提示词：%s",
		"the prompt is longer than %d bytes": "提示词超过 %d 字节",
		"standard output: %s":                "标准输出：%s",
		"ended by %v":                        "因信号结束：%v",
		"the screens need a terminal; the commands work without one, see 'darkroom help'":                            "界面需要终端；命令不需要，请看 darkroom help",
		"something inside darkroom broke; your jobs are safe in the store":                                           "darkroom 内部出错；任务已安全保存在存储中",
		"something inside darkroom broke; your jobs are safe in the store. A note without prompts and keys is in %s": "darkroom 内部出错；任务已安全保存在存储中。不含提示词和密钥的记录在 %s",

		// Sending and waiting.
		"Send it?":               "发送？",
		"not sent":               "未发送",
		"%s. Send again for %s?": "%s。再次发送，花费 %s？",
		"%s: add --again to send it all the same":                         "%s：如仍要发送，请加 --again",
		"stopped; nothing was sent":                                       "已停止；没有发送",
		"nothing was sent: the request breaks a rule":                     "没有发送：请求不符合规则",
		"nothing was sent: without a terminal to ask on, --yes is needed": "没有发送：没有终端可供询问，需要 --yes",
		"no %s model is known yet, because the service was never asked: name one with --model, or run 'darkroom models'": "还不知道任何%s模型，因为从未询问过服务：请用 --model 指定，或运行 darkroom models",
		"no model is known, and the service did not list any: %s":                                                        "不知道任何模型，服务也没有列出：%s",
		"the service lists no %s model: name one with --model":                                                           "服务没有列出%s模型：请用 --model 指定",
		"the service gave no price that could be read":                                                                   "服务没有给出可读的价格",
		"1 credit":             "1 积分",
		"%s by the rate table": "%s（按价目表）",
		"%s by the rate table (the service gave no figure: %s)": "%s（按价目表；服务没有报价：%s）",
		"price not known: %s":                                                    "价格未知：%s",
		"the last figure, %s, is of %s":                                          "上次的报价 %s 是 %s 的",
		"nothing was sent: the price is %s, and --max-credits is %s":             "没有发送：价格为 %s，而 --max-credits 为 %s",
		"nothing was sent: the price is not known (%s), and --max-credits is %s": "没有发送：价格未知（%s），而 --max-credits 为 %s",
		"nothing was sent: the price is not known, and --max-credits is %s":      "没有发送：价格未知，而 --max-credits 为 %s",
		"job %s: %s":            "任务 %s：%s",
		"job %s · %s":           "任务 %s · %s",
		"not every job is done": "并非所有任务都已完成",
		"stopped waiting; the job goes on. Come back with: darkroom wait %s":                                              "已停止等待；任务会继续。要再次等待，请运行：darkroom wait %s",
		"the service refused the API key; the job goes on. Run 'darkroom login' with a valid one, then: darkroom wait %s": "服务拒绝了 API 密钥；任务会继续。请用有效的密钥运行 darkroom login，然后运行：darkroom wait %s",
		"Count this job as not charged?":                 "确认此任务未扣费？",
		"Send this request again?":                       "再次发送此请求？",
		"It may be charged twice. Send it all the same?": "可能会重复扣费。仍要发送？",
		"nothing was sent: sending again may be charged twice; without a terminal to ask on, --yes --yes is needed": "没有发送：再次发送可能会重复扣费；没有终端可供询问，需要 --yes --yes",

		// Linear mode.
		"darkroom, line by line. Write a prompt, or /help.":         "darkroom 逐行模式。请写提示词，或输入 /help。",
		"No key: %s. /login keeps one.":                             "没有密钥：%s。用 /login 保存密钥。",
		"A quote is not closed, or there is no command; see /help.": "引号没有闭合，或没有命令；请看 /help。",
		"see /help job for what to do":                              "处理方法请看 /help job",
		"the service answers again":                                 "服务已恢复应答",
		`A line is a prompt: its price is shown and asked about, then it is sent.
"@FILE" takes the prompt from a file. A line that begins with a slash is a command:
  /image [FLAGS]   the next prompts make images, with these flags; /image --help
  /video [FLAGS]   the next prompts make videos
  /price           what the next prompt costs
  /jobs  /job ID  /open ID  /fetch ID  /models  /prices  /spend  /doctor
                   these and every other command of darkroom; /login keeps a key
  /quit            leave; jobs go on and are followed again next time
`: `一行就是一个提示词：先显示价格并询问，然后发送。
"@FILE" 从文件读取提示词。以斜杠开头的行是命令：
  /image [FLAGS]   之后的提示词生成图片，使用这些选项；见 /image --help
  /video [FLAGS]   之后的提示词生成视频
  /price           下一个提示词的价格
  /jobs  /job ID  /open ID  /fetch ID  /models  /prices  /spend  /doctor
                   这些和 darkroom 的其他命令；/login 保存密钥
  /quit            退出；任务会继续，下次会接着跟踪
`,

		// The key.
		"API key (not shown): ":                             "API 密钥（不显示）：",
		"the key cannot be read: %s":                        "无法读取密钥：%s",
		"%s is kept in your keyring (%s) for %s":            "%s 已保存在密钥环（%s）中，用于 %s",
		"DARKROOM_API_KEY is set and wins over the keyring": "已设置 DARKROOM_API_KEY，优先于密钥环",
		"the key is removed from your keyring":              "密钥已从密钥环中移除",
		"there was no key in the keyring for this service":  "密钥环中没有此服务的密钥",
		"the key works, but it is not kept: %s":             "密钥有效，但没有保存：%s",
		"the key was not asked for, because it could not be kept: %s. Set DARKROOM_API_KEY for single runs":             "没有询问密钥，因为无法保存：%s。可为单次运行设置 DARKROOM_API_KEY",
		"your keyring has not answered; it may be asking for its password in a window. Waiting up to %v; Ctrl-C stops.": "密钥环没有应答；它可能正在窗口中询问密码。最多等待 %v；按 Ctrl-C 停止。",

		// Models and prices.
		"price not listed": "没有标价", " (default %s)": "（默认 %s）",
		"These are the models as of %s.": "以下是 %s 时的模型。",

		// Tools.
		"whole number": "整数", "number": "数字", "true or false": "true 或 false", "list of texts": "文字列表", "list of numbers": "数字列表",
		"any JSON object": "任意 JSON 对象", ", required": "，必填", ", default %s": "，默认 %s",
		"tools left out, because their names cannot be shown: %d": "因名称无法显示而略去的工具：%d",
		"there is no configuration %q: give one of %s":            "没有配置 %q：请从 %s 中选择",
		"%s may cost credits; how many is not known.":             "%s 可能花费积分，数量未知。",
		"Call it?": "调用？",
		"It began job %[1]s, which is followed like any other: darkroom wait %[1]s":                              "它启动了任务 %[1]s，会照常跟踪：darkroom wait %[1]s",
		"stopped waiting for the tool":                                                                           "已停止等待工具",
		"the arguments are longer than %d bytes":                                                                 "参数超过 %d 字节",
		"the arguments cannot be read: %s":                                                                       "无法读取参数：%s",
		"the service has no tool %s: see 'darkroom tools'":                                                       "服务没有工具 %s：请看 darkroom tools",
		"the tool says that it failed:":                                                                          "工具说它失败了：",
		"the tool was not called, because its arguments break a rule":                                            "没有调用工具，因为参数不符合规则",
		"the tool was not called: a budget is set, and what it costs is not known; remove the budget to call it": "没有调用工具：已设置预算，而其费用未知；取消预算后才能调用",
		"the tool was not called: its arguments hold an API key; take it out":                                    "没有调用工具：参数中含有 API 密钥；请将其删除",
		"the tool was not called: the service no longer declares it read-only; call it again to be asked":        "没有调用工具：服务不再声明它为只读；请再次调用以便询问",
		"the tool was not called: what it costs is not known, and --max-credits is %s":                           "没有调用工具：其费用未知，而 --max-credits 为 %s",
		"the tool was not called: without a terminal to ask on, --yes is needed":                                 "没有调用工具：没有终端可供询问，需要 --yes",
		"%s by the rate table, although the service says %s":                                                     "按价目表为%s，而服务报价%s",
		"%s, although the rate table says %s":                                                                    "%s，而价目表为%s",
		"the model %s is not in the service's list":                                                              "模型 %s 不在服务的列表中",
		"%s (--yes)": "%s（--yes）",
		"not done: without a terminal to ask on, --yes is needed":       "未执行：没有终端可供询问，需要 --yes",
		"this is the request of another kind: use 'darkroom %s' for it": "这是另一种请求：请使用 'darkroom %s'",
	}
}
