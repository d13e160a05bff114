package words

// chinesePrices is said about models and what they cost.
func chinesePrices() map[string]string {
	return map[string]string{
		"create with this":                                "用它创作",
		"models or figures":                               "模型或价格",
		"longer or shorter":                               "增减时长",
		"shorter":                                         "缩短",
		"ask the service again":                           "重新询问服务",
		"to the figures, next figure":                     "到价格，下一个",
		"previous figure, to the models":                  "上一个，到模型",
		"There is no model to choose.":                    "没有可选的模型。",
		"Only videos have a duration.":                    "只有视频有时长。",
		"Models":                                          "模型",
		"No model matches. Press esc to see all of them.": "没有匹配的模型。按 esc 查看全部。",
		"Asking the service for its models.":              "正在向服务询问模型。",
		"The service lists no models.":                    "服务没有列出模型。",
		"asking":                                          "询问中",
		"offline, known since %s":                         "离线，数据来自 %s",
		"the service, %s":                                 "服务，%s",
		"no price":                                        "无价格",
		"%s cr / s":                                       "%s 积分 / 秒",
		"%s cr / image":                                   "%s 积分 / 张",
		"%s cr / call":                                    "%s 积分 / 次",
		"− %d s +":                                        "− %d 秒 +",
		"Credits for one image":                           "每张图片的积分",
		"Credits for %d s, and per second":                "%d 秒的积分与每秒积分",
		"no figure yet":                                   "还没有数据",
		"the service":                                     "服务",
		"the published table":                             "公布的价目表",
		"the service does not answer":                     "服务没有应答",
		"The service says %s, the published table %s credits; the service decides.": "服务报价 %s，公布的价目表为 %s 积分；以服务为准。",
		"cheapest": "最便宜",
		"Same price for more: at %s, %s costs what %s does.": "同价更好：在 %s 下，%s 与 %s 价格相同。",
		"Parameters": "参数",
		"default %s": "默认 %s",
	}
}
