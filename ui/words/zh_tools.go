package words

// chineseTools is said about the service's tools.
func chineseTools() map[string]string {
	return map[string]string{
		"This tool needs %s: fill it in.":                                    "此工具需要 %s：请填写。",
		"%s has to be a whole number.":                                       "%s 必须是整数。",
		"%s has to be a number, such as 2.5.":                                "%s 必须是数字，例如 2.5。",
		"%s takes one number a line: %s is none.":                            "%s 每行一个数字：%s 不是数字。",
		"%s has to be true or false.":                                        "%s 必须是 true 或 false。",
		"%s begins at %s: choose a larger number.":                           "%s 最小为 %s：请选择更大的数。",
		"%s ends at %s: choose a smaller number.":                            "%s 最大为 %s：请选择更小的数。",
		"%s has %d characters and needs %d: write more.":                     "%s 有 %d 个字符，至少需要 %d 个：请多写一些。",
		"%s has %d characters of at most %d: take out %d.":                   "%s 有 %d 个字符，最多 %d 个：请删去 %d 个。",
		"%s has %d lines and needs %d: add some.":                            "%s 有 %d 行，至少需要 %d 行：请添加。",
		"%s has %d lines of at most %d: take out %d.":                        "%s 有 %d 行，最多 %d 行：请删去 %d 行。",
		"%s is no JSON: look at its quotes and brackets.":                    "%s 不是 JSON：请检查引号和括号。",
		"The arguments have to be one JSON object, such as {\"id\": \"…\"}.": "参数必须是一个 JSON 对象，例如 {\"id\": \"…\"}。",
		"This tool has no argument %s: it takes %s.":                         "此工具没有参数 %s：它接受 %s。",
		"This tool takes no arguments: leave %s out.":                        "此工具不接受参数：请去掉 %s。",
		"%s has to be a text in quotes.":                                     "%s 必须是带引号的文字。",
		"%s has to be a list in brackets.":                                   "%s 必须是方括号中的列表。",
	}
}
