package words

// chineseLines is said by flags of the commands and by their lists.
func chineseLines() map[string]string {
	return map[string]string{
		"a jq expression": "jq 表达式",
		"id":              "编号", "title": "标题",
		"--curl belongs to --dry-run":                    "--curl 须与 --dry-run 一起使用",
		"--output needs the result: leave --no-wait out": "--output 需要结果：请去掉 --no-wait",
		"copied to %s": "已复制到 %s",
		"the result is saved, but not copied: %s":                      "结果已保存，但没有复制：%s",
		"unknown flag: %s; did you mean %s?":                           "未知参数：%s；是否想输入 %s？",
		"--limit: give a whole number above 0":                         "--limit：请给出大于 0 的整数",
		"no job matches %q":                                            "没有符合 %q 的任务",
		"the contact sheet is empty: no job that matches has a result": "缩略图页是空的：符合的任务都没有结果",
		"no jobs yet": "还没有任务",
		"--jq: %s":    "--jq：%s",
		"--json: there is no field %q; there are %s": "--json：没有字段 %q；有 %s",
	}
}
