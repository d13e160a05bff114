package words

// chineseSettings are sentences about settings and about answers that mostly
// commands show; they come from api and state. They stand before chineseBelow.
var chineseSettings = [][2]string{
	{"there is no home folder: set HOME, or XDG_CONFIG_HOME, XDG_DATA_HOME and XDG_STATE_HOME, to absolute folders", "没有主文件夹：请把 HOME，或 XDG_CONFIG_HOME、XDG_DATA_HOME 和 XDG_STATE_HOME 设为绝对路径的文件夹"},
	{"%s in %s is not a setting: look for a slip in its name", "%[2]s 中的 %[1]s 不是设置项：请检查名称是否有误"},
	{"%s in %s is not true or false", "%[2]s 中的 %[1]s 不是 true 或 false"},
	{"%s in %s is not a text in quotes", "%[2]s 中的 %[1]s 不是带引号的文字"},
	{"%s in %s is none of %s: it is not used", "%[2]s 中的 %[1]s 不是 %[3]s 之一：不使用"},
	{"%s in %s is none of %s: %s is used", "%[2]s 中的 %[1]s 不是 %[3]s 之一：使用 %[4]s"},
	{"%s in %s is not a table: write [profile] on a line of its own, and the keys below it", "%[2]s 中的 %[1]s 不是表：请单独写一行 [profile]，把各项写在其下"},
	{"%s in %s is not the address of a service: %s", "%[2]s 中的 %[1]s 不是服务的地址：%[3]s"},
	{"%s in %s is not used: %s", "%[2]s 中的 %[1]s 不使用：%[3]s"},
	{"%s cannot be read, so its settings are ignored and nothing is sent: %s", "无法读取 %s，因此忽略其中的设置，也不会发送：%s"},
	{"%s in %s is not an absolute path, so the system's program opens results: give the whole path, such as /usr/bin/xdg-open", "%[2]s 中的 %[1]s 不是绝对路径，因此由系统的程序打开结果：请写完整路径，例如 /usr/bin/xdg-open"},
	{"%s in %s is not an amount of credits, so nothing is sent: write a number such as 500, or 0 for no budget", "%[2]s 中的 %[1]s 不是积分数额，因此不会发送：请写数字，例如 500；0 表示没有预算"},
	{"%s in %s is not an absolute folder, so results go to %s: give the whole path", "%[2]s 中的 %[1]s 不是绝对路径的文件夹，因此结果存到 %[3]s：请写完整路径"},
	{"%s in %s is %s: write en or zh", "%[2]s 中的 %[1]s 为 %[3]s：请写 en 或 zh"},
	{"base_url in %s cannot be used: %s", "%s 中的 base_url 无法使用：%s"},
	{"DARKROOM_API_KEY: %s", "DARKROOM_API_KEY：%s"},
	{"%s is not an absolute path, so the system's program opens results: give the whole path, such as /usr/bin/xdg-open", "%s 不是绝对路径，因此由系统的程序打开结果：请写完整路径，例如 /usr/bin/xdg-open"},
	{"%s is not an amount of credits, so nothing is sent: write a number such as 500, or 0 for no budget", "%s 不是积分数额，因此不会发送：请写数字，例如 500；0 表示没有预算"},
	{"%s is not an absolute folder, so results go to %s: give the whole path", "%s 不是绝对路径的文件夹，因此结果存到 %s：请写完整路径"},
	{"DARKROOM_TIME_SCALE is not a number above 0: 1 is used", "DARKROOM_TIME_SCALE 不是大于 0 的数字：使用 1"},
	{"DARKROOM_TIME_SCALE is only obeyed when the service is on this machine: 1 is used", "DARKROOM_TIME_SCALE 只在服务位于本机时有效：使用 1"},
	{"write a path such as data.task_id or data.tasks[0].id", "请写路径，例如 data.task_id 或 data.tasks[0].id"},
	{"%s is %s: write en or zh", "%s 为 %s：请写 en 或 zh"},
	{"it is larger than %s KiB", "超过 %s KiB"},

	{"give a header as Name: value", "请把头写成 Name: value"},
	{"no id, no status and no result were found", "没有找到编号、状态和结果"},
	{"the body is not one JSON object", "内容不是一个 JSON 对象"},

	{"%s: put it back or quit, then start again", "%s：请放回原处，或退出后重新启动"},
	{"the store's file was moved or removed while darkroom was running", "运行期间存储文件被移走或删除"},
	{"the job %s that the tool began could not be kept: %s", "工具启动的任务 %s 没能保存：%s"},
	{"part %s of the answer could not be saved: %s", "应答的第 %s 部分没能保存：%s"},
	{"the keyring library broke down", "密钥环程序库出错"},
}
