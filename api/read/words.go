package read

import (
	"strings"
	"unicode"

	"darkroom/api"
)

// terms is one entry of the table below: the words by which a concept is known, folded.
// The first counts most. word* is the beginning of a name, *word its end, and
// *word* a part of it.
type terms []string

// words reads terms.
func words(text string) terms { return strings.Fields(text) }

// has reports whether a folded name is among the terms.
func (r terms) has(name string) bool { return r.match(name) != "" }

// match gives the term that is in a folded name.
func (r terms) match(name string) string {
	for _, word := range r {
		stem, fits := word, word == name
		switch first, last := word[0] == '*', word[len(word)-1] == '*'; {
		case first && last:
			stem = word[1 : len(word)-1]
			fits = strings.Contains(name, stem)
		case first:
			fits = strings.HasSuffix(name, word[1:])
		case last:
			fits = strings.HasPrefix(name, word[:len(word)-1])
		}
		if fits {
			return stem
		}
	}
	return ""
}

// fold makes task_id, taskId and Task-ID equal: lower case, letters and digits
// only.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// maxWord is how long a text may be that is one of a few known words, with all
// that folding takes off it.
const maxWord = 200

// foldWord is fold for values: a long text is not a word, and is not folded.
func foldWord(s string) string {
	if len(s) > maxWord {
		return ""
	}
	return fold(s)
}

// statusWords are the words that have a class of their own. Only an exact word of
// these ends a job.
var statusWords = map[api.StatusClass]terms{
	api.StatusWaiting: words(`pending queued queueing queuing inqueue queue created submitted starting waiting notstart notstarted
		staged scheduled backlogged initializing initialized initialising preparing throttled accepted submitting enqueued new received
		pendingqueue inthequeue onhold paused retrying booting init todo onqueue wait inwaiting waitinginqueue notrunning planned assigned
		warmingup coldstart unstarted 排队中 排队 等待中 等待 待处理 已提交 提交成功 未开始 已创建`),
	api.StatusRunning: words(`processing running inprogress progress generating dreaming sampling intermediatecomplete completing
		started rendering uploading querying inprocess process working active executing ongoing downloading finalizing postprocessing
		preprocessing encoding upscaling doing busy run fetching saving loading converting composing stitching transcribing predicting
		inferring refining intermediate 进行中 处理中 生成中 运行中 执行中`),
	api.StatusSucceeded: words(`completed complete succeeded succeed success successful done finished finish ready ok succ generated
		fulfilled completedsuccessfully finishedsuccessfully 成功 已完成 完成 已成功 生成成功 任务完成 生成完成 处理完成
		已生成 执行成功`),
	api.StatusFailed: words(`failed failure fail error errored timeout timedout expired rejected nsfw moderated contentmoderated
		requestmoderated contentfiltered blocked tasknotfound contentblocked moderationfailed contentpolicyviolation crashed
		failedmoderation faulted refused denied banned censored flagged filtered unsuccessful generationfailed generatefailed renderfailed
		processingfailed internalerror systemerror servererror generationerror 失败 已失败 生成失败 任务失败
		超时 已超时 违规 审核失败`),
	api.StatusCancelled: words(`cancelled canceled cancel aborted deleted revoked terminated stopped 已取消 取消 已删除`),
}

// idKeys are the keys of a job's id by class, best first. A trace of the call may
// stand under requestIDKeys.
var (
	idKeys = [...]terms{words(`jobid`), words(`taskid taskuuid`), words(`id`), words(`generationid imagegenerationid videogenerationid
		predictionid inferenceid videoid queueid submitid operationid runid uuid assetids promptid ids jobno taskno orderno jobsn tasksn
		ordersn jobnumber tasknumber jobarn invocationarn`)}
	requestIDKeys = words(`requestid`)
)

// The table of names: for each concept the keys of its values, or of the objects in
// which they stand, in the order in which they are tried.
var (
	// Objects of an answer about one job. A job stands in boxes, in holders also
	// one without an id or status. notJobs never hold ids, status or outputs: they
	// are echoes of the request, bookkeeping and descriptions. envelopes speak of
	// the call.
	boxes   = words(`job task data taskinfo result output response body generation prediction`)
	holders = words(`job task data taskinfo body generation prediction`)
	notJobs = words(`input inputs request params param parameters options config meta metadata logs log usage billing arguments args
		settings prompt user model timings timing metrics headers pricing credits docs extra source history links webhook callback
		account owner template references materials breakdown steps events queue worker timeline *request* *params *input`)
	envelopes = words(`baseresp response resp header responsemetadata meta`)
	// stops are names that do not wrap a whole answer.
	stops = words(`error errors detail models model video image images videos files urls assets cost credits total *estimat* *pric* *id
		*ids`)

	// Status. envelopeWords may speak of the call instead of the job, plainFailures
	// say only that the job failed, foreignStatus are of other things.
	statusKeys    = words(`status state taskstatus jobstatus queuestatus *status *state`)
	foreignStatus = words(`http* webhook* callback* moderation* payment* billing* account* user* model* code* notify* refund* upload*
		audit* review* queue*`)
	statusParts    = words(`status state value name code`)
	doneKeys       = words(`done isdone finished completed`)
	statusPrefixes = words(`taskstatus jobstatus generationstatus status task job`)
	envelopeWords  = words(`ok nok success successful error fail failure`)
	plainFailures  = words(`failed failure fail error errored cancelled canceled cancel 失败 已失败 已取消`)
	progressKeys   = words(`progress progresspercent percent percentage`)
	expectedKeys   = words(`eta estimatedtime estimatedwaittime estimatedseconds`)
	queuePlaces    = words(`queueposition positioninqueue queueplace placeinqueue`)

	// Ids under keys that nobody listed: keys that end like an id's and do not
	// name another thing or a word such as "valid". Keys that speak of a job come first.
	idEnds     = words(`*id *ids *uuid`)
	foreignIDs = words(`*user* *account* *model* *team* *external* *client* *trace* *session* *parent* *webhook* *file* *voice* *avatar*
		*template* *workflow* *project* *request* *company* *tenant* *batch* *customer* *prompt* *style* *seed* *correlation* *asset*
		*provider* orgid keyid logid sid spanid msgid paid invalid valid grid fluid solid void`)
	jobNames = words(`*job* *task* *gen* *predict* *video* *image* *queue* *submit* *operation* *render* *run* *work* *ticket*
		*execution*`)
	bareIDs   = words(`task data result generation prediction hash`)
	pollBoxes = words(`urls links`)
	pollKeys  = words(`fetchresult get getresult resulturl self href responseurl *location poll* status*`)

	// Results. sideAssets and notOutputs are not results, nor are messages and the
	// request's own fields (echoNames). An address under earlyAddresses may be of a
	// result that is yet to come.
	resultNodes = words(`result output outputs results resultjson data content assets taskresult creations response generated
		generatedimages files urls artifacts media images videos image video`)
	outputNodes   = words(`result results output outputs`)
	bestAddresses = words(`url imageurl videourl fileurl downloadurl src uri`)
	mediaKeys     = words(`data sample generated creations filepath src uri link content *url* *image* *img* *video* *output* *result*
		*file* *media* *asset* *artifact* *download*`)
	sideAssets = words(`*thumb* *cover* *poster* *preview* *lastframe* *firstframe* *watermark* *grid* *videoraw* *progressvideo* *proxy*
		*original* originurl originurls *icon* *avatar* *logo* *placeholder* *gif* *keyframe* *snapshot* *endframe* *startframe* *lowres*`)
	notOutputs = words(`endimageurl imagefiles videofiles *input* *reference* *sourceimage* *sourcevideo* *initimage* *startimage*
		*endimage* *mask* *prompt* *param* *request* *refimage* *uploaded* *statusurl* *pollurl* *pollingurl* *responseurl* *cancel*
		*webhook* *callback* *docs* *future* *fetchresult* *queueurl* *streamurl* *logsurl* *shareurl* *pageurl* *website* *upgrade*
		*schema* get self next previous audio* error errors`)
	earlyAddresses = words(`*download* link href resulturl contenturl`)
	messageNodes   = words(`message msg detail failreason`)
	echoNames      = words(`imageurl videourl images image imageurls video`)
	assetIDs       = words(`imageuuid imageid videouuid`)
	expiryKeys     = words(`expiresat expireat expirationtime expires urlexpiresat`)
	typeKeys       = words(`contenttype mimetype mediatype filetype mime type format`)
	soundEndings   = words(`.mp3 .wav .m4a .flac .ogg .json .txt`)
	videoNames     = words(`*video* *mp4* *movie* *视频*`)
	imageNames     = words(`*image* *img* *picture* *photo* *图*`)

	// Failures and refusals. goodWords and goodCodes stand where a failure would and
	// are not one.
	goodWords   = words(`success succeed succeeded ok none null nil noerror false 0 成功 操作成功 请求成功`)
	goodCodes   = words(`0 00 000 0000 200 201 202 20000 1000 10000 success ok succeed pending processing queued`)
	badStatuses = words(`nok error fail failed failure`)
	successKeys = words(`success ok issuccess`)
	plainErrors = words(`error errors errormessage errormsg err`)
	errorKeys   = words(`error errors errormessage errormsg err detail`)
	resultCodes = words(`code errcode errorcode errno statuscode ret httpstatus status`)
	codeBoxes   = words(`error errors detail data job extensions baseresp response resp header responsemetadata meta`)
	codeKeys    = words(`code errorcode errcode errno statuscode type errortype name failcode failurecode reason`)
	messageKeys = words(`faultstring message msg errormessage errormsg errmsg statusmsg detail description errordescription reason
		details title error err errors text info errcode failcode`)
	moreTexts   = words(`message msg detail errormessage errormsg errordescription`)
	reasonKeys  = words(`error failmsg failure errormessage errormsg errmsg`)
	textNames   = words(`reason error fail message msg detail fault desc info`)
	traceIDKeys = words(`requestid traceid`)
	waitKeys    = words(`retryafter retryafterseconds retryin retrydelay`)

	// Refused fields.
	fieldBoxes  = words(`error data details`)
	fieldPlaces = words(`detail details errors issues fields violations invalidparams fielderrors validationerrors fieldviolations`)
	oneField    = words(`param parameter field property`)
	issueFields = words(`loc path field param parameter property name pointer key propertypath`)
	issueTexts  = words(`msg message reason description detail error defaultmessage title`)

	// Models and their parameters.
	modelNodes    = words(`data models results items list custommodels result modellist records rows entries embedded content`)
	modelIDs      = words(`id model modelid modelcode slug endpointid name key modelname code`)
	modelIDEnds   = words(`*id *slug *name *model`)
	foreignModels = words(`*owner* *user* *provider* *org* *author* *vendor* *uuid* *price* *param* *display*`)
	labelKeys     = words(`label displayname title name modelname`)
	kindKeys      = words(`kind type mediatype category modality outputmodalities outputtype output supportedscenes modeltype tasktype
		task capabilities endpoint path tags categories modalities mode media *type *category *modalit*`)
	innerModels    = words(`architecture modelspec metadata info meta capabilities constraints supported limits`)
	outKeys        = words(`output outputs outputmodalities outputmodality`)
	parameterNodes = words(`params inputs input options constraints arguments args fields properties settings config capabilities
		*parameters *schema`)
	parameterNames = words(`name key param parameter field id`)
	valueKeys      = words(`values enum options choices allowed allowedvalues supported list`)
	choiceKeys     = words(`value id key name label`)
	defaultKeys    = words(`default defaultvalue`)
	minKeys        = words(`min minimum minvalue`)
	maxKeys        = words(`max maximum maxvalue`)
	typeNames      = words(`string integer int number float boolean bool enum url array object text file`)

	// Further pages of a listing.
	pageNodes  = words(`pagination paging pageinfo page meta links data`)
	pageMarks  = words(`next nexturl nextpageurl nextlink nextpage nextcursor nextpagetoken nexttoken nextmarker`)
	moreMarks  = words(`hasmore hasnextpage hasnext more`)
	totalKeys  = words(`total totalcount totalitems`)
	pageCounts = words(`totalpages pages lastpage pagecount`)

	// Prices and estimates. amountKeys are of the whole, partKeys may be of a part or
	// in another unit, sumKeys win over the amount next to them; notAmounts are of
	// other things: balances, counts, limits, parts.
	priceKeys = words(`price pricing defaultprice cost credits creditcost creditscost costcredits unitprice points coins creditsper*
		pointsper* coinsper* priceper* costper* persecond perimage percall pergeneration *price *pricing *credits`)
	notPrices   = words(`*type* *remaining* *balance* unit*credits`)
	priceLabels = words(`unit currency type unittype per billingunit discount note description kind measure name model updatedat min max
		label text`)
	standard    = words(`default defaultprice defaultcredits`)
	amountNodes = words(`estimate estimation pricing price data result quote response`)
	amountKeys  = words(`estimatedcredits totalcredits credits creditcost creditscost costcredits requiredcredits estimatedcost totalcost
		estimatedtotalprice estimatedprice totalprice estimatedgenerationcost cost amount quote price total value estimate sum grandtotal
		totalamount points totalpoints coins`)
	partKeys   = words(`unitprice estimatedcostmicrocents totalcostmicros costpergeneration`)
	sumKeys    = words(`totalcredits creditstotal totalcost totalprice totalamount totalpoints grandtotal total sum`)
	innerSums  = words(`total totalcredits credits amount value estimated estimatedcredits cost price max high`)
	notAmounts = words(`min* low* base* after* id* 剩余* *creditsmin* *costmin* *remaining* *balance* *limit* *frame* *count* *available*
		*breakdown* *before* *saved* *discount* *original* *rate* *token* *duration* *time* *quota* *used* *wallet* *user* *account* *after*
		*id *left*`)
	unlistedAmounts = words(`estimat total credit cost price amount quote charge consum deduct point coin 积分`)
	wholeAmounts    = words(`*estimat* *total* *need* *requir* *charge* *deduct* *consum*`)
	moneyNames      = words(`*credit* *cost* *price* *amount* *charge* *fee* *point* *pricing* *billing*`)
	otherMoney      = words(`*microcents* *micros* *cents* *usd* *dollar* *eur* *cny* *token*`)
	unitKeys        = words(`currency unit per unittype billingunit pricingunit priceunit billing billingtype pricetype measure basis
		type`)
	rates = words(`unitprice unitcost unitcredits creditsperunit persecond perminute perimage *creditsper* *creditper*
		*costper* *priceper* *pointsper* *coinsper*`)
	secondWords = words(`s sec *second* *persec *秒*`)
	minuteWords = words(`*minute* *hour* *frame* *pixel* *step* *分钟*`)
	imageWords  = words(`*image* *picture* *张*`)
	callWords   = words(`*call* *generation* *request* *job* *pertask* task once flat fixed *次* *pervideo* video`)
)
