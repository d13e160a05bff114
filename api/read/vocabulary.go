package read

import (
	"slices"
	"strings"

	"darkroom/api"
)

// vocabulary holds the words that services of this kind use, folded (see fold),
// best first. What is not in it is read by shape where that is safe; status
// words are the exception, since only a known word may end a job.
type vocabulary struct {
	statuses map[string]api.StatusClass
	lists    map[list][]string
}

// list names one list of keys.
type list uint8

const (
	jobNodes list = iota
	statusKeys
	jobIDKeys
	taskIDKeys
	plainIDKeys
	otherIDKeys
	requestIDKeys
	pollURLKeys
	resultNodes
	mediaKeys
	reasonKeys
	messageKeys
	codeKeys
	modelNodes
	modelIDKeys
	labelKeys
	kindKeys
	priceKeys
	amountKeys
	progressKeys
	expectedKeys
)

// idLists are the lists of id keys, best first. The last holds keys that are a
// trace of the call when another id stands beside them.
var idLists = [...]list{jobIDKeys, taskIDKeys, plainIDKeys, otherIDKeys, requestIDKeys}

// words is the reader's vocabulary.
var words = newVocabulary()

func (l *vocabulary) has(name list, word string) bool { return slices.Contains(l.lists[name], word) }

func newVocabulary() *vocabulary {
	l := &vocabulary{statuses: map[string]api.StatusClass{}, lists: map[list][]string{}}
	for class, text := range statusWords {
		for _, w := range strings.Fields(text) {
			l.statuses[w] = class
		}
	}
	for name, text := range keyWords {
		l.lists[name] = strings.Fields(text)
	}
	return l
}

// statusWords are the words by class. The spec's own are PENDING, PROCESSING,
// COMPLETED and FAILED ("States and transitions").
var statusWords = map[api.StatusClass]string{
	api.StatusWaiting: `pending queued queueing queuing inqueue queue created submitted starting waiting notstart notstarted staged
		scheduled backlogged initializing initialized initialising preparing throttled accepted submitting enqueued new received
		pendingqueue inthequeue onhold paused retrying booting init todo onqueue wait inwaiting waitinginqueue notrunning planned
		assigned warmingup coldstart unstarted 排队中 排队 等待中 等待 待处理 已提交 提交成功 未开始 已创建`,
	api.StatusRunning: `processing running inprogress progress generating dreaming sampling intermediatecomplete completing started
		rendering uploading querying inprocess process working active executing ongoing downloading finalizing postprocessing
		preprocessing encoding upscaling doing busy run fetching saving loading converting composing stitching transcribing
		predicting inferring refining intermediate 进行中 处理中 生成中 运行中 执行中`,
	api.StatusSucceeded: `completed complete succeeded succeed success successful done finished finish ready ok succ generated
		fulfilled completedsuccessfully finishedsuccessfully 成功 已完成 完成 已成功 生成成功 任务完成 生成完成 处理完成 已生成 执行成功`,
	api.StatusFailed: `failed failure fail error errored timeout timedout expired rejected nsfw moderated contentmoderated
		requestmoderated contentfiltered blocked tasknotfound contentblocked moderationfailed contentpolicyviolation crashed
		failedmoderation faulted refused denied banned censored flagged filtered unsuccessful generationfailed generatefailed
		renderfailed processingfailed internalerror systemerror servererror generationerror
		失败 已失败 生成失败 任务失败 超时 已超时 违规 审核失败`,
	api.StatusCancelled: `cancelled canceled cancel aborted deleted revoked terminated stopped 已取消 取消 已删除`,
}

var keyWords = map[list]string{
	jobNodes: `job task data taskinfo result output resp response generation prediction operation record item jobs tasks
		generations predictions items list records body`,
	statusKeys:  `status state taskstatus jobstatus queuestatus phase`,
	jobIDKeys:   `jobid`,
	taskIDKeys:  `taskid taskuuid`,
	plainIDKeys: `id`,
	otherIDKeys: `generationid imagegenerationid videogenerationid predictionid videoid imageid queueid submitid operationid runid
		orderid uuid historyid inferenceid workid recordid messageid assetids promptid ids jobno taskno orderno jobsn tasksn ordersn`,
	requestIDKeys: `requestid`,
	pollURLKeys:   `statusurl pollingurl pollurl fetchresult get getresult resulturl self location href responseurl`,
	resultNodes: `result output outputs results resultjson resultdata data content assets taskresult creations response generated
		generatedimages files urls artifacts media images videos image video`,
	mediaKeys: `url images image imageurls imageurl videos video videourls videourl data output outputs results result urls fileurl
		sample generated downloadurl unsignedurls outputurl creations filepath src uri resulturl resulturls motionmp4url
		resultimage resultvideo mediaurl fileurls files artifacts link content file download img mediadata`,
	reasonKeys: `error errormessage errormsg failmsg failreason failurereason failure failedreason taskstatusmsg statusmsg
		statusdetail statusmessage reason failedinfo errorinfo errordetail errordetails errors baseresp detail message msg
		description errcode failcode errorcode failurecode finishreason`,
	messageKeys: `message msg errormessage errormsg errmsg statusmsg detail description errordescription reason rawmessage details
		title error err errors text defaultmessage info`,
	codeKeys: `code errorcode errcode statuscode type errortype name failcode failurecode reason`,
	modelNodes: `data models results items list custommodels result modellist records rows entries embedded edges nodes
		content`,
	modelIDKeys: `id model modelid modelcode slug endpointid identifier modelkey name key modelname code`,
	labelKeys:   `label displayname title name modelname`,
	kindKeys: `kind type mediatype category modality outputmodalities outputmodality outputtype output supportedscenes scene scenes
		modeltype tasktype task tasks capability capabilities generationtype contenttype endpoint endpoints path tags group
		categories modalities outputs mode modes features media mediakind producttype service`,
	priceKeys: `price pricing defaultprice cost credits creditcost creditscost costcredits creditprice unitprice baseprice
		pricecredits defaultcredits defaultcost basecost points coins`,
	amountKeys: `estimatedcredits totalcredits credits creditcost creditscost costcredits requiredcredits estimatedcost totalcost
		estimatedtotalprice estimatedprice totalprice estimatedgenerationcost cost amount quote price total value estimate
		unitprice estimatedcostmicrocents totalcostmicros costpergeneration sum grandtotal totalamount points totalpoints coins`,
	progressKeys: `progress progresspercent percent percentage progresspercentage completion progressrate`,
	expectedKeys: `eta estimatedtime estimatedwaittime estimatedseconds etaseconds remainingtime timeremaining
		estimatedtimeremaining waittime estimatedduration`,
}
