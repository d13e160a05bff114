package words

// chinesePictures are sentences about pictures and videos.
func chinesePictures() map[string]string {
	return map[string]string{
		"No preview: %s": "无预览：%s",
		"%s holds no request, and there is no recipe beside it": "%s 中没有请求，旁边也没有配方文件",
		"play in your player":    "用播放器播放",
		"This file is no video.": "此文件不是视频。",
		"play":                   "播放",
	}
}
