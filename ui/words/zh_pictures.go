package words

// chinesePictures are sentences about pictures and videos.
func chinesePictures() map[string]string {
	return map[string]string{
		"No preview: %s":         "无预览：%s",
		"play in your player":    "用播放器播放",
		"This file is no video.": "此文件不是视频。",
		"play":                   "播放",
	}
}

// chinesePicturesBelow are those that come from api, state and ui/picture.
var chinesePicturesBelow = [][2]string{
	{"%s is not an absolute path, so videos are opened like images: give the whole path, such as /usr/bin/mpv", "%s 不是绝对路径，因此视频按图片的方式打开：请写完整路径，例如 /usr/bin/mpv"},
	{"%s does not end in %s, which tells files apart, so the usual names are used", "%s 没有以 %s 结尾（用于区分文件），因此使用默认文件名"},
	{"%s has %s twice, so the usual names are used", "%s 中 %s 出现两次，因此使用默认文件名"},
	{"%s is no pattern of names, so the usual names are used: write letters, digits, - _ . and the words {date} {time} {title} {kind} {model} {seed}, and %s at the end", "%s 不是文件名模式，因此使用默认文件名：可用字母、数字、- _ . 以及 {date} {time} {title} {kind} {model} {seed}，并以 %s 结尾"},
}
