package words

// chineseRecent is said of the results beside the prompt, and of what they cost.
func chineseRecent() map[string]string {
	return map[string]string{
		"Recent": "最近", "%d more": "还有 %d 个",
		"Results develop here, beside the prompt. %s reviews and sends.": "结果会在提示词旁显影。%s 检查并发送。",
		"Results appear here.": "结果显示在这里。", "There are no results yet.": "还没有结果。",
		"may have cost": "可能已计费", "moderation": "内容审核", "no credits": "积分不足", "key refused": "密钥被拒",
		"invalid request": "请求无效", "too many": "过于频繁", "no connection": "无法连接", "service error": "服务出错",
		"seed %s": "种子 %s", "took %s (usual %s)": "用时 %s（通常 %s）", "took %s": "用时 %s",
		"full screen": "全屏", "back to the prompt": "回到提示词", "choose": "选择", "next result": "下一个结果",
		"previous result": "上一个结果", "first result": "第一个结果", "last result": "最后一个结果", "results": "结果",
		"%d of %d": "%d / %d",
		"service %s, table %s: the higher counts":         "服务 %s，价目表 %s：以较高者为准",
		"✕ %s does not answer. Retrying in %d s · %s now": "✕ %s 没有应答。%d 秒后重试 · %s 立即重试",
		"the service": "服务", "demo": "演示", "change": "更改", "all choices": "所有选项",
		"Sending…": "发送中…", "Sending %d…": "正在发送 %d 个…",
		"Accepted. You can write the next one.": "已接受。可以写下一个了。", "Fetching the result.": "正在取回结果。",
		"The outcome of %s is unknown: it may have been charged. See Jobs.": "%s 的结果未知：可能已计费。请查看任务。",
		"%s is done": "%s 已完成", "%d done": "%d 个已完成", "%d done, %d failed": "%d 个已完成，%d 个失败",
		"today %s cr, budget unreadable": "今日 %s 积分，预算无法读取", "budget unreadable": "预算无法读取", ", budget unreadable": "，预算无法读取",
		"The budget in the settings cannot be read: nothing is sent.": "设置中的预算无法读取：不会发送任何请求。",
	}
}
