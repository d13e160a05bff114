package words

// chineseGallery is said about results: what is done with them, wherever they are
// shown.
func chineseGallery() map[string]string {
	return map[string]string{
		"full screen": "全屏", "settle": "处理", "video from this": "用它生成视频", "again": "再来一次",
		"favourite": "收藏", "reject": "淘汰", "final of this draft": "生成此草稿的成片",
		"mark": "标记", "copy path": "复制路径", "copy prompt": "复制提示词", "save as": "另存为",
		"show in the file manager": "在文件管理器中显示", "zoom": "缩放", "facts and raw answer": "详情与原始应答",
		"lineage": "来龙去脉", "note": "备注", "remove from the list": "从列表移除", "undo rating": "撤销评分",
		"stars": "星级", "2 stars": "2 星", "3 stars": "3 星", "4 stars": "4 星", "5 stars": "5 星", "no stars": "不评星",
		"open all": "全部打开",

		"next result": "下一个结果", "previous result": "上一个结果", "zoom in": "放大", "zoom out": "缩小", "marked": "已标记",
		"gallery": "图库", "Gallery": "图库", "list": "列表", "larger": "更大", "smaller": "更小", "sort": "排序",
		"by credits": "按积分", "by duration": "按用时", "by rating": "按评分", "by title": "按标题", "oldest first": "最早的在前",
		"next check in %s": "%s 后查询", "Only in the gallery: press g.": "仅在图库中：按 g。",
		"%d result": "%d 个结果", "%d results": "%d 个结果", "usual %s": "通常 %s", "%d marked": "已标记 %d 个",
		"today": "今天", "yesterday": "昨天",

		"Only an image can be the first frame of a video.":             "只有图片可以作视频的首帧。",
		"Only for results of the tiers fast and fast_vip.":             "仅适用于 fast 和 fast_vip 档位的结果。",
		"The outcome of this job is unknown, so it stays in the list.": "此任务结果未知，因此留在列表中。",
		"This job is active, so it stays in the list.":                 "此任务仍在进行，因此留在列表中。",
		"%d marked result":  "%d 个已标记的结果",
		"%d marked results": "%d 个已标记的结果",
		"A folder, or the copy's path. Nothing is overwritten.":               "文件夹，或副本的路径。不会覆盖任何文件。",
		"The folder for copies of their first files. Nothing is overwritten.": "存放各任务首个文件副本的文件夹。不会覆盖任何文件。",
		"Save as": "另存为", "Saved.": "已保存。", "Note": "备注", "Note saved.": "备注已保存。",
		"Your own words, found by the filter. A single - takes the note away.": "你自己的文字，可用筛选找到。只填 - 即删除备注。",
		"Back in the list.":                                           "已放回列表。",
		"Fetch their files again?":                                    "重新取回它们的文件？",
		"Open the first file of each?":                                "打开每个任务的首个文件？",
		"Path copied, if the terminal allows it.":                     "路径已复制（如果终端允许）。",
		"Prompt copied, if the terminal allows it.":                   "提示词已复制（如果终端允许）。",
		"Remove from the list?":                                       "从列表移除？",
		"Removed from the list. The filter is:hidden shows it again.": "已从列表移除。用筛选 is:hidden 可再次显示。",
		"Files, credits and the budget stay as they are. Jobs that are active or whose outcome is unknown stay in the list.": "文件、积分和预算都不变。仍在进行或结果未知的任务会留在列表中。",
		"Facts and raw answer": "详情与原始应答",
		"Lineage":              "来龙去脉",
		"Nothing was made from this result, and it was made from no other.": "没有由此结果生成的内容，它也不是由其他结果生成的。",
		"this one":                    "当前",
		"together %s cr":              "合计 %s 积分",
		"Rating undone.":              "评分已撤销。",
		"There is no rating to undo.": "没有可撤销的评分。",
		"Not accepted":                "未被接受",
		"Outcome unknown":             "结果未知",
		"settle it":                   "处理",
		"Its links have expired. Press R to ask for new ones.": "链接已过期。按 R 请求新的链接。",
	}
}

// chineseGalleryBelow is what the rooms below say about copies of results.
var chineseGalleryBelow = [][2]string{
	{"name a folder or a file by its whole path", "请写出文件夹或文件的完整路径"},
	{"%s could not be written: %s", "无法写入 %s：%s"},
	{"there is a file of that name already", "已有同名文件"},
	{"its folder does not exist", "它的文件夹不存在"},
	{"no permission", "没有权限"},
}
