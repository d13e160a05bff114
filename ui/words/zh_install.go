package words

// chineseInstall is said by the report for a bug (doctor --report).
func chineseInstall() map[string]string {
	return map[string]string{
		"Report for a bug: without keys, addresses, folders and prompts. Read it before you pass it on.": "错误报告：不含密钥、地址、文件夹和提示词。请先阅读，再转交他人。",
		"version":   "版本",
		"libraries": "库",
		"system":    "系统",
		"also set":  "另设变量",
		"settings":  "设置",
	}
}
