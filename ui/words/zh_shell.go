package words

func chineseShell() map[string]string {
	return map[string]string{
		"Create": "创作",
		"Jobs":   "任务",
		"Prices": "价格",
		"Tools":  "工具",
	}
}
