package words

// chineseKeys is said of setting the keys and the colours.
func chineseKeys() map[string]string {
	return map[string]string{
		"theme": "主题", "Theme": "主题", "use this theme": "使用此主题", "Theme kept in the settings file.": "主题已保存到设置文件。",
		"amber: warm, the usual one": "琥珀：暖色，默认", "slate: cool": "石板：冷色", "mono: greys, with quiet signs": "单色：灰阶，标记柔和", "contrast: strong, for bright rooms": "高对比：适合明亮环境",
		"read the settings file again": "重新读取设置文件", "The settings file was read again.": "已重新读取设置文件。", "The settings file has not changed.": "设置文件没有变化。",
		"Settings unchanged.": "设置未更改。", "There is no settings file.": "没有设置文件。", "(%d more: darkroom doctor)": "（另有 %d 项：运行 darkroom doctor）",
		"Own colours that are hard to read here: %s. They need a contrast of %s.": "自定颜色在此难以看清：%s。对比度需要达到 %s。",
		"stop your commands": "停止你的命令", "output of your last command": "上一个命令的输出", "run": "运行",
		"Run this command on the first file of each?": "对每个结果的第一个文件运行此命令？",
		"%s is running on it already.":                "%s 已在处理它。", "%d commands are running already.": "已有 %d 个命令在运行。",
		"%s is running. %s stops it.": "%s 正在运行。按 %s 停止。", "%s: %d done": "%s：完成 %d 个", "%d of %d are done.": "已完成 %d / %d。",
		"No command is running.": "没有命令在运行。", "No command has ended yet.": "还没有命令结束。", "It wrote nothing.": "它没有输出任何内容。",
		"The actions of the screens by their names, with their usual keys. Other keys are set in the settings file:": "各界面的操作名称及其默认按键。可在设置文件中改用其他按键：",
	}
}
