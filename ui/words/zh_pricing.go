package words

// chinesePricing is said about prices, plans and spending.
func chinesePricing() map[string]string {
	return map[string]string{
		"the plan cannot be read": "无法读取该计划",

		// Commands.
		"--kind: give image or video":                           "--kind：请给出 image 或 video",
		"--top: give a number above 0":                          "--top：请给出大于 0 的数",
		"--model: the service lists no model %s":                "--model：服务没有列出模型 %s",
		"--budget: give an amount of credits, or today":         "--budget：请给出积分数，或 today",
		"--budget: no budget is set; give an amount of credits": "--budget：没有设置预算；请给出积分数",
		"%s: cheapest with %s, %s":                              "%s：%s 最便宜，%s",
		"%s %s: %s before %s":                                   "%s %s：%[4]s 之前为 %[3]s",
		"%s pay for:":                                           "%s可以用于：",
		"%s each":                                               "每个 %s",
		"any number":                                            "数量不限",
		"%d s (%d × %d s)":                                      "%d 秒（%d × %d 秒）",
		"%d image":                                              "%d 张图片",
		"%d images":                                             "%d 张图片",
		"no price is known; --quote asks the service":           "还不知道任何价格；--quote 会询问服务",
		"%d kept, %s each":                                      "保留 %d 个，每个 %s",
		"%d results kept, %s each":                              "保留 %d 个结果，每个 %s",
		"Chains of jobs that come of each other":                "相互关联的任务链",
		"%s (%s / s)":                                           "%s（%s / 秒）",
		"credits; - is unavailable, ? is not known, ≈ is by the rate table, ~ is the listed price": "积分；- 表示不可用，? 表示未知，≈ 按价目表，~ 为列出的价格",
	}
}
