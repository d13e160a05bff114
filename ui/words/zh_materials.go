package words

// chineseMaterials is said of materials, drafts and the history of Create.
func chineseMaterials() map[string]string {
	return map[string]string{
		"add a material":            "添加素材",
		"single image":              "单张图片",
		"single video":              "单个视频",
		"same as %s":                "与%s相同",
		"link has expired":          "链接已过期",
		"link expires in %s":        "链接 %s 后过期",
		"checking …":                "正在检查……",
		"is a page, not a file":     "是网页，不是文件",
		"is %s, which does not fit": "是 %s，不适用",
		"%d KB":                     "%d KB",
		"%.1f MB":                   "%.1f MB",
		"%s: there can be one. Remove %d, or change the kind of one with ←/→.":         "%s：只能有一个。请移除 %d 个，或用 ←/→ 更改其中一个的类别。",
		"The first frame is missing: add an image.":                                    "缺少首帧：请添加图片。",
		"%s comes in %s only: choose another tier or resolution.":                      "%s 只有 %s：请选择其他档位或分辨率。",
		"%s named a material that was removed: take it out, or choose another with @.": "%s 引用的素材已被移除：请删去，或用 @ 另选一个。",
		"edit": "编辑", "remove": "移除", "move": "移动", "move down": "下移", "kind": "类别",
		"More": "更多", "Async": "异步", "not set": "未设置", "default: %s": "默认：%s",
		"true (recommended)": "true（推荐）", "false: wait for the result": "false：等待结果", "leave it out": "不发送",
		"%s has to be a whole number.":                    "%s 必须是整数。",
		"%s has to be a number.":                          "%s 必须是数字。",
		"%s has to be true or false.":                     "%s 必须是 true 或 false。",
		"%s has to be a JSON list, such as [1, 2].":       "%s 必须是 JSON 列表，例如 [1, 2]。",
		"%s has to be a JSON object, such as {\"a\": 1}.": "%s 必须是 JSON 对象，例如 {\"a\": 1}。",
		"%s has to be at least %s.":                       "%s 至少为 %s。",
		"%s has to be at most %s.":                        "%s 至多为 %s。",
		"true, false or omit":                             "true、false 或 omit",
		"send anyway":                                     "仍然发送",
		"The service may not be able to use %s. Press enter again to send anyway.": "服务可能无法使用：%s。再按一次 enter 仍然发送。",
		"Choose a material first.": "请先选择一个素材。",
	}
}
