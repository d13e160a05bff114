package read

import "darkroom/api"

// lexicon holds the words that services of this kind use, folded (see fold),
// best first. What is not in it is read by shape where that is safe; status
// words are the exception, since only a known word may end a job.
type lexicon struct {
	statuses map[string]api.StatusClass
	lists    map[list][]string
}

// list names one list of keys.
type list string

const (
	listJobs     list = "job nodes"
	listStatus   list = "status keys"
	listID1      list = "job id keys"
	listID2      list = "task id keys"
	listID4      list = "generation id keys"
	listPollURL  list = "poll address keys"
	listResults  list = "result nodes"
	listMedia    list = "media keys"
	listReason   list = "reason keys"
	listMessage  list = "error message keys"
	listCode     list = "error code keys"
	listModels   list = "models nodes"
	listModelID  list = "model id keys"
	listLabel    list = "label keys"
	listKind     list = "kind keys"
	listPrice    list = "price keys"
	listAmount   list = "amount keys"
	listProgress list = "progress keys"
	listExpected list = "expected time keys"
)

// words is the reader's vocabulary.
var words = newLexicon()

func (l *lexicon) list(name list) []string { return l.lists[name] }

func (l *lexicon) has(name list, word string) bool {
	for _, w := range l.lists[name] {
		if w == word {
			return true
		}
	}
	return false
}

func newLexicon() *lexicon {
	l := &lexicon{statuses: map[string]api.StatusClass{}, lists: keyLists()}
	for class, list := range statusWords() {
		for _, w := range list {
			l.statuses[w] = class
		}
	}
	return l
}

// statusWords are the words by class. The spec's own are PENDING, PROCESSING,
// COMPLETED and FAILED ("States and transitions").
func statusWords() map[api.StatusClass][]string {
	return map[api.StatusClass][]string{
		api.StatusWaiting: {"pending", "queued", "queueing", "queuing", "inqueue", "queue", "created", "submitted",
			"starting", "waiting", "notstart", "notstarted", "staged", "scheduled", "backlogged", "initializing",
			"initialized", "initialising", "preparing", "throttled", "accepted", "submitting", "enqueued", "new",
			"received", "pendingqueue", "inthequeue", "onhold", "paused", "retrying", "booting", "init", "todo", "onqueue",
			"wait", "inwaiting", "waitinginqueue", "notrunning", "planned", "assigned", "warmingup", "coldstart", "unstarted",
			"排队中", "排队", "等待中", "等待", "待处理", "已提交", "提交成功", "未开始", "已创建"},
		api.StatusRunning: {"processing", "running", "inprogress", "progress", "generating", "dreaming", "sampling",
			"intermediatecomplete", "completing", "started", "rendering", "uploading", "querying", "inprocess",
			"process", "working", "active", "executing", "ongoing", "downloading", "finalizing", "postprocessing",
			"preprocessing", "encoding", "upscaling", "doing", "busy", "run", "fetching", "saving", "loading", "converting",
			"composing", "stitching", "transcribing", "predicting", "inferring", "refining", "intermediate", "进行中", "处理中", "生成中", "运行中", "执行中"},
		api.StatusSucceeded: {"completed", "complete", "succeeded", "succeed", "success", "successful", "done", "finished",
			"finish", "ready", "ok", "succ", "generated", "fulfilled", "completedsuccessfully", "finishedsuccessfully", "成功", "已完成", "完成", "已成功", "生成成功", "任务完成", "生成完成", "处理完成", "已生成", "执行成功"},
		api.StatusFailed: {"failed", "failure", "fail", "error", "errored", "timeout", "timedout", "expired", "rejected",
			"nsfw", "moderated", "contentmoderated", "requestmoderated", "contentfiltered", "blocked", "tasknotfound",
			"contentblocked", "moderationfailed", "contentpolicyviolation", "crashed", "failedmoderation", "faulted", "refused",
			"denied", "banned", "censored", "flagged", "filtered", "unsuccessful", "generationfailed", "generatefailed",
			"renderfailed", "processingfailed", "internalerror", "systemerror", "servererror", "generationerror",
			"失败", "已失败", "生成失败", "任务失败", "超时", "已超时", "违规", "审核失败"},
		api.StatusCancelled: {"cancelled", "canceled", "cancel", "aborted", "deleted", "revoked", "terminated", "stopped",
			"已取消", "取消", "已删除"},
	}
}

func keyLists() map[list][]string {
	return map[list][]string{
		listJobs: {"job", "task", "data", "taskinfo", "result", "output", "resp", "response", "generation", "prediction",
			"operation", "record", "item", "jobs", "tasks", "generations", "predictions", "items", "list", "records", "body"},
		listStatus: {"status", "state", "taskstatus", "jobstatus", "queuestatus", "phase"},
		listID1:    {"jobid"},
		listID2:    {"taskid", "taskuuid"},
		listID4: {"generationid", "imagegenerationid", "videogenerationid", "predictionid", "videoid", "imageid",
			"queueid", "submitid", "operationid", "runid", "orderid", "uuid", "historyid", "inferenceid", "workid",
			"recordid", "messageid", "assetids", "promptid", "ids", "jobno", "taskno", "orderno", "jobsn", "tasksn", "ordersn"},
		listPollURL: {"statusurl", "pollingurl", "pollurl", "fetchresult", "get", "getresult", "resulturl", "self",
			"location", "href", "responseurl"},
		listResults: {"result", "output", "outputs", "results", "resultjson", "resultdata", "data", "content", "assets",
			"taskresult", "creations", "response", "generated", "generatedimages", "files", "urls", "artifacts", "media",
			"images", "videos", "image", "video"},
		listMedia: {"url", "images", "image", "imageurls", "imageurl", "videos", "video", "videourls", "videourl",
			"data", "output", "outputs", "results", "result", "urls", "fileurl", "sample", "generated", "downloadurl",
			"unsignedurls", "outputurl", "creations", "filepath", "src", "uri", "resulturl", "resulturls", "motionmp4url",
			"resultimage", "resultvideo", "mediaurl", "fileurls", "files", "artifacts", "link", "content", "file", "download",
			"img", "mediadata"},
		listReason: {"error", "errormessage", "errormsg", "failmsg", "failreason", "failurereason", "failure", "failedreason",
			"taskstatusmsg", "statusmsg", "statusdetail", "statusmessage", "reason", "failedinfo", "errorinfo", "errordetail",
			"errordetails", "errors", "baseresp", "detail", "message", "msg", "description", "errcode", "failcode", "errorcode",
			"failurecode", "finishreason"},
		listMessage: {"message", "msg", "errormessage", "errormsg", "errmsg", "statusmsg", "detail", "description",
			"errordescription", "reason", "rawmessage", "details", "title", "error", "err", "errors", "text", "defaultmessage", "info"},
		listCode: {"code", "errorcode", "errcode", "statuscode", "type", "errortype", "name", "failcode", "failurecode", "reason"},
		listModels: {"data", "models", "results", "items", "list", "custommodels", "result", "modellist", "records", "rows", "entries",
			"embedded", "edges", "nodes", "content"},
		listModelID: {"id", "model", "modelid", "modelcode", "slug", "endpointid", "identifier", "modelkey", "name", "key",
			"modelname", "code"},
		listLabel: {"label", "displayname", "title", "name", "modelname"},
		listKind: {"kind", "type", "mediatype", "category", "modality", "outputmodalities", "outputmodality", "outputtype",
			"output", "supportedscenes", "scene", "scenes", "modeltype", "tasktype", "task", "tasks", "capability",
			"capabilities", "generationtype", "contenttype", "endpoint", "endpoints", "path", "tags", "group", "categories",
			"modalities", "outputs", "mode", "modes", "features", "media", "mediakind", "producttype", "service"},
		listPrice: {"price", "pricing", "defaultprice", "cost", "credits", "creditcost", "creditscost", "costcredits",
			"creditprice", "unitprice", "baseprice", "pricecredits", "defaultcredits", "defaultcost", "basecost", "points", "coins"},
		listAmount: {"estimatedcredits", "totalcredits", "credits", "creditcost", "creditscost", "costcredits",
			"requiredcredits", "estimatedcost", "totalcost", "estimatedtotalprice", "estimatedprice", "totalprice",
			"estimatedgenerationcost", "cost", "amount", "quote", "price", "total", "value", "estimate", "unitprice",
			"estimatedcostmicrocents", "totalcostmicros", "costpergeneration", "sum", "grandtotal", "totalamount", "points",
			"totalpoints", "coins"},
		listProgress: {"progress", "progresspercent", "percent", "percentage", "progresspercentage", "completion", "progressrate"},
		listExpected: {"eta", "estimatedtime", "estimatedwaittime", "estimatedseconds", "etaseconds", "remainingtime",
			"timeremaining", "estimatedtimeremaining", "waittime", "estimatedduration"},
	}
}

// skipped holds containers that never hold ids, status or outputs: echoes of
// the request, bookkeeping, descriptions.
var skipped = nameSet("input", "inputs", "request", "params", "param", "parameters", "options", "config", "meta",
	"metadata", "logs", "log", "usage", "billing", "arguments", "args", "settings", "prompt", "user", "model",
	"timings", "timing", "metrics", "headers", "pricing", "credits", "docs", "extra", "original", "source",
	"originalrequest", "requestbody", "requestparams", "inputparams", "history", "links", "webhook", "callback",
	"account", "owner", "template", "references", "materials", "breakdown", "steps", "events", "queue", "worker",
	"timeline", "composition", "modifications", "edit")

func nameSet(list ...string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, w := range list {
		set[w] = true
	}
	return set
}
