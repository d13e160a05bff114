package words

// problemFormats say each problem of api in both languages. What stands in the
// blanks are the problem's values, in the order of the English format.
var problemFormats = map[string]bilingual{
	// The request as a whole.
	"no_kind": {
		"Choose whether to make an image or a video.",
		"请选择生成图片还是视频。",
	},
	"no_model": {
		"Choose a model.",
		"请选择模型。",
	},
	"needs_image_model": {
		"%s makes videos: choose an image model.",
		"%s 生成视频：请选择图片模型。",
	},
	"needs_video_model": {
		"%s makes images: choose a video model.",
		"%s 生成图片：请选择视频模型。",
	},
	"model_form": {
		"The id of an image model has the form provider/name: choose one from the models list.",
		"图片模型的编号形如 provider/name：请从模型列表中选择。",
	},
	"bad_text": {
		"%s has spaces at its ends or characters that cannot be seen: type it anew.",
		"%s 的首尾有空格，或含有不可见字符：请重新输入。",
	},
	"not_utf8": {
		"%s has bytes that are no text: type those places anew.",
		"%s 含有不是文字的字节：请重新输入这些地方。",
	},
	// The prompt.
	"no_prompt": {
		"Write a prompt.",
		"请写提示词。",
	},
	"too_long": {
		"The prompt has %d characters of at most %d: remove %d.",
		"提示词有 %d 个字符，最多 %d 个：请删去 %d 个。",
	},
	"bad_token": {
		"%s names no material: they are numbered from 1, without leading zeros.",
		"%s 没有对应的素材：编号从 1 开始，不带前导零。",
	},
	"no_material": {
		"%s names a material that is not there: add %s or take the reference out.",
		"%s 引用的素材不存在：请添加%s，或删去引用。",
	},
	"no_such_material": {
		"%s names a material that is not there: you have %d of this kind. Add %s or change the number.",
		"%s 引用的素材不存在：此类素材只有 %d 个。请添加%s，或修改编号。",
	},
	// Fields that do not go with the kind, the model or the mode.
	"videos_only": {
		"%s is for videos only: leave it out.",
		"%s 仅用于视频：请去掉。",
	},
	"images_only": {
		"%s is for images only: leave it out.",
		"%s 仅用于图片：请去掉。",
	},
	"seedance2_only": {
		"%s is for seedance2 only: leave it out or choose seedance2.",
		"%s 仅用于 seedance2：请去掉，或选择 seedance2。",
	},
	"first_last_frame_only": {
		"%s is for first_last_frame only: leave it out or switch functionMode to first_last_frame.",
		"%s 仅用于 first_last_frame：请去掉，或将 functionMode 改为 first_last_frame。",
	},
	"omini_only": {
		"%s is for omini only: leave it out or switch functionMode to omini.",
		"%s 仅用于 omini：请去掉，或将 functionMode 改为 omini。",
	},
	// Materials.
	"required": {
		"This model needs %s: fill it in.",
		"此模型需要 %s：请填写。",
	},
	"first_frame": {
		"first_last_frame needs its first frame: add image_url.",
		"first_last_frame 需要首帧：请添加 image_url。",
	},
	"too_many": {
		"%s takes at most %d addresses: remove %d.",
		"%s 最多 %d 个地址：请去掉 %d 个。",
	},
	"audio_alone": {
		"Audio goes with images or videos: add one, or take the audio out.",
		"音频必须与图片或视频一起使用：请添加，或去掉音频。",
	},
	"empty_address": {
		"This address is empty: fill it in or take it out.",
		"此地址为空：请填写或去掉。",
	},
	// Values.
	"not_a_choice": {
		"%s has to be one of %s.",
		"%s 必须是 %s 之一。",
	},
	"not_listed": {
		"This model lists other values for %s: choose one of %s.",
		"此模型的 %s 列出了其他取值：请从 %s 中选择。",
	},
	"impossible_pair": {
		"%s comes in %s only, not in %s: choose another tier or resolution.",
		"%s 只有 %s，没有 %s：请选择其他档位或分辨率。",
	},
	"fixed_resolution": {
		"%s is fixed at %s: choose another tier or resolution.",
		"%s 固定为 %s：请选择其他档位或分辨率。",
	},
	"not_a_number": {
		"%s has to be a number for this model.",
		"对此模型，%s 必须是数字。",
	},
	"not_positive": {
		"The duration has to be above 0.",
		"时长必须大于 0。",
	},
	"below_min": {
		"This model takes %s from %s up: choose a larger number.",
		"此模型的 %s 最小为 %s：请选择更大的数。",
	},
	"above_max": {
		"This model takes %s up to %s: choose a smaller number.",
		"此模型的 %s 最大为 %s：请选择更小的数。",
	},
	"out_of_range": {
		"The seed has to lie between -%[1]d and %[1]d: choose a smaller number.",
		"种子必须在 -%[1]d 与 %[1]d 之间：请选择更小的数。",
	},
	// Addresses.
	"url_spaces": {
		"An address has no spaces or line ends: take them out or write %%20.",
		"地址不能有空格或换行：请去掉，或写成 %%20。",
	},
	"url_form": {
		"This is not a whole address: copy it again, such as https://example.com/boat.png.",
		"地址不完整：请重新复制，例如 https://example.com/boat.png。",
	},
	"url_scheme": {
		"An address starts with https:// or http://: write all of it.",
		"地址以 https:// 或 http:// 开头：请写完整。",
	},
	"url_local": {
		"The service cannot read files of this machine: upload it and use its public https:// address.",
		"服务无法读取本机文件：请上传后使用其公开的 https:// 地址。",
	},
	"url_host": {
		"This address has no host: write all of it, such as https://example.com/boat.png.",
		"地址缺少主机：请写完整，例如 https://example.com/boat.png。",
	},
	"url_user": {
		"This address holds a user name or password: use one that everybody can open.",
		"地址包含用户名或密码：请使用所有人都能打开的地址。",
	},
	"url_private": {
		"The service cannot reach this host, it is on this machine or network only: use a public address.",
		"服务无法访问此主机，它只在本机或本地网络中：请使用公开地址。",
	},
	// Arguments of a tool.
	"tool_required": {
		"%s is required.",
		"%s 为必填。",
	},
	"tool_not_whole": {
		"%s has to be a whole number.",
		"%s 必须是整数。",
	},
	"tool_not_a_number": {
		"%s has to be a number, such as 2.5.",
		"%s 必须是数字，例如 2.5。",
	},
	"tool_not_numbers": {
		"%s takes one number a line: %s is none.",
		"%s 每行一个数字：%s 不是数字。",
	},
	"tool_not_true_or_false": {
		"%s has to be true or false.",
		"%s 必须是 true 或 false。",
	},
	"tool_below_min": {
		"%s begins at %s: choose a larger number.",
		"%s 最小为 %s：请选择更大的数。",
	},
	"tool_above_max": {
		"%s ends at %s: choose a smaller number.",
		"%s 最大为 %s：请选择更小的数。",
	},
	"tool_too_short": {
		"%s has %d characters and needs %d: write more.",
		"%s 有 %d 个字符，至少需要 %d 个：请多写一些。",
	},
	"tool_too_long": {
		"%s has %d characters of at most %d: remove %d.",
		"%s 有 %d 个字符，最多 %d 个：请删去 %d 个。",
	},
	"tool_too_few": {
		"%s has %d lines and needs %d: add some.",
		"%s 有 %d 行，至少需要 %d 行：请添加。",
	},
	"tool_too_many": {
		"%s has %d lines of at most %d: remove %d.",
		"%s 有 %d 行，最多 %d 行：请删去 %d 行。",
	},
	"tool_not_json": {
		"%s is no JSON: look at its quotes and brackets.",
		"%s 不是 JSON：请检查引号和括号。",
	},
	"tool_not_an_object": {
		"The arguments have to be one JSON object, such as {\"id\": \"…\"}.",
		"参数必须是一个 JSON 对象，例如 {\"id\": \"…\"}。",
	},
	"tool_unknown_argument": {
		"This tool has no argument %s: it takes %s.",
		"此工具没有参数 %s：它接受 %s。",
	},
	"tool_no_arguments": {
		"This tool takes no arguments: leave %s out.",
		"此工具不接受参数：请去掉 %s。",
	},
	"tool_not_a_text": {
		"%s has to be a text in quotes.",
		"%s 必须是带引号的文字。",
	},
	"tool_not_a_list": {
		"%s has to be a list in brackets.",
		"%s 必须是方括号中的列表。",
	},
}
