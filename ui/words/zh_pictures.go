package words

// chinesePictures are sentences about pictures and videos.
func chinesePictures() map[string]string {
	return map[string]string{
		"No preview: %s": "无预览：%s",
	}
}
