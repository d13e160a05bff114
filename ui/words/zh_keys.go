package words

// chineseKeys is said of setting the keys and the colours.
func chineseKeys() map[string]string {
	return map[string]string{
		"The actions of the screens by their names, with their usual keys. Other keys are set in the settings file:": "各界面的操作名称及其默认按键。可在设置文件中改用其他按键：",
	}
}
