package words

// chinesePrompts is said of prompts that were sent or are kept: the history, its
// versions and saved prompts.
func chinesePrompts() map[string]string {
	return map[string]string{
		"new words of this version": "此版本新增的词", "words that the form does not have": "表单中没有的词", "versions": "版本",

		"saved prompts": "已存提示词", "Saved prompts": "已存提示词", "insert": "插入", "save this prompt": "保存当前提示词", "replace": "替换",
		"find one, or type a name and press %s to save the prompt of the form": "查找，或输入名称并按 %s 保存表单中的提示词",
		"No saved prompt matches.": "没有匹配的已存提示词。",
		"No prompt is saved yet. {{subject}} in one is a placeholder: once it is inserted, tab goes from one to the next.": "还没有保存任何提示词。其中的 {{subject}} 是占位符：插入后按 tab 逐个填写。",
		"Write a prompt first.": "请先写提示词。", "Type a name for the prompt.": "请输入提示词的名称。", "A file cannot have this name.": "文件不能使用这个名称。",
		"Replace the saved prompt %s?": "替换已存提示词 %s？", "Remove the saved prompt %s?": "移除已存提示词 %s？",
		"Saved as %s.": "已保存为 %s。", "Removed.": "已移除。", "%s is not filled in: it is sent as it is.": "%s 尚未填写：将原样发送。",

		"values as last sent": "与上次发送相同", "job %s": "任务 %s",
	}
}
