package words

// chineseDoctor is said by the commands that look at the program itself and at
// saved answers: doctor, export and simulate.
func chineseDoctor() map[string]string {
	return map[string]string{
		"service address": "服务地址", "API key": "API 密钥", "keyring": "密钥环", "store": "存储", "terminal": "终端", "tool protocol": "工具协议",
		"settings": "设置", "own colours": "自定颜色", "hard to read: %s": "难以看清：%s", "correct %s": "请更正 %s", "correct %s: %d more are said above": "请更正 %s：上面还有 %d 项",
		"choose colours with a contrast of 4.5 or more, under [theme] in %s": "请在 %s 的 [theme] 下选用对比度不低于 4.5 的颜色",
		"none is set": "未设置", "not asked": "未询问", "not seen yet": "尚未见到",
		"%s (from %s)":                             "%s（来自%s）",
		"%s (from the %s)":                         "%s（来自%s）",
		"%s (set in the settings file)":            "%s（在设置文件中设定）",
		"%s, locked":                               "%s，已锁定",
		"%s, colours off (NO_COLOR)":               "%s，颜色已关闭（NO_COLOR）",
		"answers, %d models":                       "有应答，%d 个模型",
		"%s, %d tools":                             "%s，%d 个工具",
		"%s for %d models":                         "%[2]d 个模型用 %[1]s",
		"set DARKROOM_BASE_URL, or base_url in %s": "请设置 DARKROOM_BASE_URL，或 %s 中的 base_url",
		"run 'darkroom login', or set DARKROOM_API_KEY for single runs":                                      "请运行 darkroom login，或为单次运行设置 DARKROOM_API_KEY",
		"use DARKROOM_API_KEY, or type the key for one session":                                              "请使用 DARKROOM_API_KEY，或为本次运行输入密钥",
		"unlock it, for example by logging in to the desktop; it asks for its password when a key is wanted": "请解锁，例如登录桌面；需要密钥时它会询问密码",
		"make %s writable, with room on its disk; nothing is sent until then":                                "请让 %s 可写，且磁盘有空间；在此之前不会发送",
		"'darkroom doctor --new-store' goes on without it, the file is kept; nothing is sent until then":     "可用 darkroom doctor --new-store 改用新的存储，旧文件会保留；在此之前不会发送",
		"a new store is in use; the old file is kept beside it in %s":                                        "已改用新的存储；旧文件保留在同一文件夹 %s",
		"a new store would meet the same trouble: %s":                                                        "新的存储会遇到同样的问题：%s",
		"the store is well: there is no need for a new one":                                                  "存储正常：不需要新的存储",
		"standard input or output is not a terminal":                                                         "标准输入或输出不是终端",
		"the screens need one; the commands do not":                                                          "界面需要终端，命令不需要",
		"check the address, the network and the key":                                                         "请检查地址、网络和密钥",
		"it needs an address and a key first":                                                                "需要先有地址和密钥",
		"What %s showed":                                                                                     "%s 的已知情况", "What %s showed, last %s": "%s 的已知情况，最近 %s",
		"tool entry": "工具入口", "estimates by": "估价方式", "job id at": "任务编号位置",
		"async true answers": "async true 的应答", "async false answers": "async false 的应答", "name of the ratio": "比例的字段名",
		"with a job": "返回任务", "with the result at once": "直接返回结果",
		"no model lists one; aspect_ratio is sent":                                                             "没有模型列出；发送 aspect_ratio",
		"Set them by hand under [profile] in the settings file: tools_path, estimate, job_id, answers, ratio.": "可在设置文件的 [profile] 下手动设定：tools_path、estimate、job_id、answers、ratio。",
		"if the service has tools, set tools_path under [profile] in the settings file":                        "如果服务有工具，请在设置文件的 [profile] 下设置 tools_path",

		"As a refusal": "作为拒绝", "As an estimate": "作为估价", "As the answer about a job": "作为任务的应答",
		"As the answer to a generation call": "作为生成请求的应答", "As the listing of models": "作为模型列表",
		"nothing: %s": "无：%s", "the whole": "整体",

		"Contact sheet": "图片总览",
		"%s is not there any more: 'darkroom fetch' gets it again while its link lasts": "%s 已不在：在链接失效之前可用 darkroom fetch 重新取回",
		"--html: %s": "--html：%s",
		"--html: name the folder for the contact sheet": "--html：请指定图片总览的文件夹",
		"the contact sheet was not finished: %s":        "图片总览没有完成：%s",

		"--addr %q: the simulator listens on this machine alone; write a loopback address such as 127.0.0.1:0": "--addr %q：模拟服务只在本机监听；请写回环地址，例如 127.0.0.1:0",
		"--addr %q: write a loopback address and a port, such as 127.0.0.1:0":                                  "--addr %q：请写回环地址和端口，例如 127.0.0.1:0",
		"--fault %q: %s":                         "--fault %q：%s",
		"serving until interrupted (ctrl+c)":     "服务运行中，按 ctrl+c 结束",
		"the embedded service did not start: %s": "内置服务没有启动：%s",
	}
}
