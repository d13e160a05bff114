package words

// chineseCreate is said on the Create screen and its form.
func chineseCreate() map[string]string {
	return map[string]string{
		"add an address, or paste one a line": "添加地址，或每行粘贴一个",
	}
}
