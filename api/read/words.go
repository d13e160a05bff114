package read

import (
	"strings"
	"unicode"

	"darkroom/api"
)

// row is one row of the table below: the words by which a concept is known, folded.
// Of plain words the first counts most. word* is the beginning of a name, *word its
// end, and *word* a part of it.
type row struct {
	names             []string
	whole             map[string]bool
	begin, end, parts []string
}

// words reads a row.
func words(text string) row {
	r := row{whole: map[string]bool{}}
	for _, word := range strings.Fields(text) {
		stem := strings.Trim(word, "*")
		switch {
		case stem == word:
			r.names, r.whole[word] = append(r.names, word), true
		case word[0] != '*':
			r.begin = append(r.begin, stem)
		case !strings.HasSuffix(word, "*"):
			r.end = append(r.end, stem)
		default:
			r.parts = append(r.parts, stem)
		}
	}
	return r
}

// has reports whether a folded name is of the row.
func (r row) has(name string) bool { return r.whole[name] || r.pattern(name) != "" }

// pattern gives the word of the row that is a part of a folded name.
func (r row) pattern(name string) string {
	for _, word := range r.begin {
		if strings.HasPrefix(name, word) {
			return word
		}
	}
	for _, word := range r.end {
		if strings.HasSuffix(name, word) {
			return word
		}
	}
	for _, word := range r.parts {
		if strings.Contains(name, word) {
			return word
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
var statusWords = map[api.StatusClass]row{
	api.StatusWaiting: words(`pending queued queueing queuing inqueue queue created submitted starting waiting notstart notstarted staged scheduled
		backlogged initializing initialized initialising preparing throttled accepted submitting enqueued new received
		pendingqueue inthequeue onhold paused retrying booting init todo onqueue wait inwaiting waitinginqueue notrunning planned
		assigned warmingup coldstart unstarted 排队中 排队 等待中 等待 待处理 已提交 提交成功 未开始
		已创建`),
	api.StatusRunning: words(`processing running inprogress progress generating dreaming sampling intermediatecomplete completing started rendering
		uploading querying inprocess process working active executing ongoing downloading finalizing postprocessing preprocessing
		encoding upscaling doing busy run fetching saving loading converting composing stitching transcribing predicting inferring
		refining intermediate 进行中 处理中 生成中 运行中 执行中`),
	api.StatusSucceeded: words(`completed complete succeeded succeed success successful done finished finish ready ok succ generated fulfilled
		completedsuccessfully finishedsuccessfully 成功 已完成 完成 已成功 生成成功 任务完成 生成完成
		处理完成 已生成 执行成功`),
	api.StatusFailed: words(`failed failure fail error errored timeout timedout expired rejected nsfw moderated contentmoderated requestmoderated
		contentfiltered blocked tasknotfound contentblocked moderationfailed contentpolicyviolation crashed failedmoderation
		faulted refused denied banned censored flagged filtered unsuccessful generationfailed generatefailed renderfailed
		processingfailed internalerror systemerror servererror generationerror 失败 已失败 生成失败 任务失败 超时
		已超时 违规 审核失败`),
	api.StatusCancelled: words(`cancelled canceled cancel aborted deleted revoked terminated stopped 已取消 取消 已删除`),
}

// idKeys are the keys of a job's id by class, best first.
var idKeys = [...]row{
	words(`jobid`),
	words(`taskid taskuuid`),
	words(`id`),
	words(`generationid imagegenerationid videogenerationid predictionid videoid imageid queueid submitid operationid runid orderid
		uuid historyid inferenceid workid recordid messageid assetids promptid ids jobno taskno orderno jobsn tasksn ordersn`),
}

// The table of names: for each concept the keys of its values, or of the objects in
// which they stand, in the order in which they are tried.
var (
	// Objects of an answer about one job.
	// jobNodes in which a job may stand, best first.
	jobNodes = words(`job task data taskinfo result output resp response generation prediction operation record item jobs tasks generations
		predictions items list records body`)
	// notJobs never hold ids, status or outputs: echoes of the request, bookkeeping, descriptions.
	notJobs = words(`input inputs request params param parameters options config meta metadata logs log usage billing arguments args settings
		prompt user model timings timing metrics headers pricing credits docs extra original source originalrequest requestbody
		requestparams inputparams history links webhook callback account owner template references materials breakdown steps
		events queue worker timeline composition modifications edit`)
	// resultLike are the job only when an id or status stands in them.
	resultLike = words(`result* output* response item record items records list`)
	// innerJobs are looked for in those.
	innerJobs = words(`job task generation prediction operation`)
	// envelopes speak of the call, or hold all that it says.
	envelopes = words(`baseresp response resp header head responsestatus responsemetadata meta`)

	// Status. Only the words of statusWords end a job.
	statusKeys = words(`status state taskstatus jobstatus queuestatus phase`)
	// statusNames look like a status that nobody listed.
	statusNames = words(`*status *state`)
	// foreignStatus are statuses of other things than the job.
	foreignStatus = words(`http* webhook* callback* moderation* payment* billing* account* user* model* code* notify* refund* upload* audit* review*
		subscription* queue* delivery*`)
	statusParts = words(`status state value name code phase statusstr current text label`)
	doneKeys    = words(`done isdone finished isfinished completed iscompleted`)
	// statusPrefixes stand before the word in enums such as TASK_STATUS_SUCCEED.
	statusPrefixes = words(`taskstatus jobstatus taskstate jobstate generationstatus status state task job`)
	// envelopeWords may speak of the call instead of the job.
	envelopeWords = words(`ok nok success successful error fail failure`)
	// plainFailures say only that the job failed, which is known already.
	plainFailures = words(`failed failure fail error errored cancelled canceled cancel 失败 已失败 已取消`)
	progressKeys  = words(`progress progresspercent percent percentage progresspercentage completion progressrate`)
	expectedKeys  = words(`eta estimatedtime estimatedwaittime estimatedseconds etaseconds remainingtime timeremaining estimatedtimeremaining
		waittime estimatedduration`)
	queuePlaces = words(`queueposition positioninqueue queueplace placeinqueue`)

	// Ids. A trace of the call may stand under requestIDKeys.
	requestIDKeys = words(`requestid`)
	// idEnds end unlisted keys of ids.
	idEnds = words(`uuid ids id guid`)
	// notJobIDs stand before them in ids of other things, and in words such as "valid".
	notJobIDs = words(`*user *account *model org *team *external *client *trace *session *parent *webhook *file *voice *avatar *template
		*workflow *project key log *request *company *tenant s *span *batch msg *customer *prompt *style *seed *correlation pa
		*inval val gr flu sol vo`)
	numberedJobs = words(`job task order generation gen work render prediction invocation operation execution creation submission`)
	// numberEnds with these make names such as taskNumber, jobHandle and invocationArn.
	numberEnds = words(`no sn number arn handle hash token key`)
	// jobNames speak of a job.
	jobNames = words(`*job* *task* *gen* *predict* *video* *image* *queue* *submit* *history* *operation* *render* *creation* *infer* *run*
		*order* *work* *record* *ticket* *process* *execution* *invoc* *submission*`)
	// bareIDs may hold an id as a plain string.
	bareIDs = words(`task data result generation prediction response hash ticket jobs tasks`)
	// jobReferences may hold one in an object whose name speaks of a job.
	jobReferences = words(`key uid number no handle code reference ref`)
	pollURLKeys   = words(`statusurl pollingurl pollurl fetchresult get getresult resulturl self location href responseurl`)
	pollNames     = words(`*location poll* status*`)
	urlVerbs      = words(`status result results response content cancel fetch`)

	// Results.
	resultNodes = words(`result output outputs results resultjson resultdata data content assets taskresult creations response generated
		generatedimages files urls artifacts media images videos image video`)
	// outputNodes hold results by their name.
	outputNodes = words(`result results output outputs`)
	// mediaKeys hold the address or the bytes of an output.
	mediaKeys = words(`*url* *image* *img* *video* *output* *result* *file* *media* *asset* *artifact* *download* url images image imageurls
		imageurl videos video videourls videourl data output outputs results result urls fileurl sample generated downloadurl
		unsignedurls outputurl creations filepath src uri resulturl resulturls motionmp4url resultimage resultvideo mediaurl
		fileurls files artifacts link content file download img mediadata`)
	// bestAddresses name an address plainly, best first.
	bestAddresses = words(`url imageurl videourl fileurl downloadurl src uri`)
	// sideAssets are kept but are not outputs.
	sideAssets = words(`*thumb* *cover* *poster* *preview* *lastframe* *firstframe* *watermark* *grid* *videoraw* *progressvideo* *proxy* *origin*
		*sprite* *icon* *avatar* *logo* *placeholder* *blurhash* *gif* *storyboard* *keyframe* *snapshot* *tailframe* *endframe*
		*startframe* *lowres*`)
	// notOutputs are echoes of the request, pages and calls, sound.
	notOutputs = words(`endimageurl imagefiles videofiles audiofiles *input* *reference* *sourceimage* *sourcevideo* *sourceurl* *initimage*
		*startimage* *endimage* *mask* *prompt* *param* *request* *refimage* *uploaded* *conditioning* *statusurl* *pollurl*
		*pollingurl* *responseurl* *cancel* *webhook* *callback* *docs* *future* *fetchresult* *queueurl* *streamurl* *logsurl*
		*shareurl* *pageurl* *website* *helpurl* *upgrade* *schema* *readme* *license* *termsurl* *supporturl* *billingurl*
		*deleteurl* *weburl* get self next previous audio* error errors`)
	// earlyAddresses may be those of a result that is yet to come.
	earlyAddresses = words(`*download* link href resulturl contenturl`)
	// messageNodes hold words for people when they are strings.
	messageNodes = words(`message msg detail failreason`)
	// echoNames are fields of a request that some services repeat in the job.
	echoNames = words(`imageurl videourl images image imageurls video`)
	// assetIDs name a file that was made, not the job.
	assetIDs     = words(`imageuuid imageid videouuid`)
	expiryKeys   = words(`expiresat expireat expirationtime expires expiretime urlexpiresat`)
	typeKeys     = words(`contenttype mimetype mediatype filetype mime type format videotype imagetype`)
	soundEndings = words(`.mp3 .wav .m4a .flac .ogg .json .txt`)
	videoNames   = words(`*video* *mp4* *movie*`)
	imageNames   = words(`*image* *img* *picture* *photo*`)

	// Failures and refusals.
	// goodWords are not a failure though they stand where one would.
	goodWords = words(`success succeed succeeded ok none null nil noerror false 0 成功 操作成功 请求成功`)
	// goodCodes are what services send when all is well.
	goodCodes   = words(`0 00 000 0000 200 201 202 20000 1000 10000 success ok succeed successful pending processing queued`)
	badStatuses = words(`nok error fail failed failure`)
	successKeys = words(`success ok successful issuccess succeed`)
	plainErrors = words(`error errors errormessage errormsg err`)
	errorKeys   = words(`error errors errormessage errormsg err detail`)
	resultCodes = words(`code errcode errorcode errno statuscode retcode ret resultcode httpstatus httpcode status`)
	resultTexts = words(`message msg statusmsg errmsg errormsg description info`)
	codeKeys    = words(`code errorcode errcode statuscode type errortype name failcode failurecode reason`)
	// classCodes give the class of a refusal.
	classCodes  = words(`code errorcode errcode errno statuscode httpstatus httpcode type errortype name reason error failcode extensions`)
	messageKeys = words(`faultstring message msg errormessage errormsg errmsg statusmsg detail description errordescription reason rawmessage details title
		error err errors text defaultmessage info`)
	plainMessages = words(`message msg error errormessage reason`)
	// codeNeighbours are texts next to an error that is a code.
	codeNeighbours = words(`message msg detail errormessage errordescription errormsg`)
	// moreDetail say more than a short error.
	moreDetail  = words(`message msg detail errordescription`)
	innerErrors = words(`baseresp response resp header head responsestatus responsemetadata meta data job result status`)
	innerTexts  = words(`error message msg statusmsg errormessage detail reason`)
	reasonKeys  = words(`error errormessage errormsg failmsg failreason failurereason failure failedreason taskstatusmsg statusmsg statusdetail
		statusmessage reason failedinfo errorinfo errordetail errordetails errors baseresp detail message msg description errcode
		failcode errorcode failurecode finishreason`)
	// hardReasons give a reason also when no status says that the job failed.
	hardReasons   = words(`*err* *fail* detail`)
	reasonResults = words(`result output response`)
	// textNames are parts of names that speak of a message or an error.
	textNames   = words(`reason error fail message msg detail fault desc info`)
	notTexts    = words(`*code* *id`)
	traceIDKeys = words(`requestid traceid`)
	waitKeys    = words(`retryafter retryafterseconds retryin retrydelay wait waitseconds`)

	// Refused fields.
	fieldPlaces = words(`detail details errors issues fields violations invalidparams fielderrors validationerrors`)
	oneField    = words(`param parameter field property`)
	issueLists  = words(`fieldviolations issues errors`)
	issueFields = words(`loc path field param parameter property name pointer key instancepath propertypath fieldname parametername argument
		attribute`)
	issueTexts = words(`msg message reason description detail error defaultmessage title`)

	// Models and their parameters.
	modelNodes  = words(`data models results items list custommodels result modellist records rows entries content`)
	modelIDKeys = words(`id model modelid modelcode slug endpointid identifier modelkey name key modelname code`)
	modelIDEnds = words(`id slug name model`)
	// foreignIDs end so and are of another thing.
	foreignIDs = words(`*owner* *user* *provider* *org* *author* *vendor* *uuid* *price* *param* *display*`)
	labelKeys  = words(`label displayname title name modelname`)
	labelNodes = words(`info modelspec metadata meta`)
	kindKeys   = words(`kind type mediatype category modality outputmodalities outputmodality outputtype output supportedscenes scene scenes
		modeltype tasktype task tasks capability capabilities generationtype contenttype endpoint endpoints path tags group
		categories modalities outputs mode modes features media mediakind producttype service *type *category *modalit*`)
	kindNodes    = words(`architecture modelspec metadata info capabilities`)
	outKeys      = words(`output outputs outputmodalities outputmodality`)
	kindNameKeys = words(`name slug code`)
	videoWords   = words(`*video* *视频*`)
	// imageWords also of a unit.
	imageWords     = words(`*image* *picture* *photo* *图* *张*`)
	parameterNodes = words(`params supportedparams inputs input inputparams options constraints arguments args fields properties settings parameter
		config configuration capabilities limits modelparams *parameters *schema`)
	innerParameters = words(`modelspec capabilities metadata info supported limits constraints`)
	parameterNames  = words(`name key param parameter field id parametername fieldname`)
	valueKeys       = words(`values enum options choices allowed allowedvalues supported supportedvalues items list enums validvalues`)
	choiceKeys      = words(`value id key name label`)
	variantKeys     = words(`anyof oneof allof`)
	defaultKeys     = words(`default defaultvalue initial`)
	minKeys         = words(`min minimum minvalue from lower`)
	maxKeys         = words(`max maximum maxvalue to upper`)
	typeNames       = words(`string integer int number float boolean bool enum url array object text file`)

	// Further pages of a listing.
	pageNodes   = words(`pagination paging pageinfo page meta links resultinfo data`)
	pageMarks   = words(`next nexturl nextpageurl nextlink odatanextlink nextpage nextcursor nextpagecursor nextpagetoken nexttoken continuationtoken nextmarker`)
	moreMarks   = words(`hasmore hasnextpage hasnext more istruncated`)
	totalKeys   = words(`total totalcount totalitems totalelements`)
	pageSizes   = words(`perpage pagesize limit size itemsperpage`)
	pageOffsets = words(`offset skip`)
	pageNumbers = words(`page pageno pagenum pageindex currentpage current pagenumber`)
	pageCounts  = words(`totalpages pages lastpage pagecount pagestotal`)

	// Prices and estimates.
	priceKeys = words(`price pricing defaultprice cost credits creditcost creditscost costcredits creditprice unitprice baseprice pricecredits
		defaultcredits defaultcost basecost points coins creditsper* pointsper* coinsper* priceper* costper* persecond perimage
		percall pergeneration *price *pricing *credits`)
	notPrices = words(`*type* *remaining*`)
	// priceLabels describe a price instead of giving one.
	priceLabels = words(`unit currency type unittype per billingunit pricingunit discount note description kind measure name model updatedat min
		max precision label text display`)
	defaultPrices = words(`default defaultprice defaultcredits`)
	amountNodes   = words(`estimate estimation pricing price data result quote response`)
	// amountKeys are of the whole.
	amountKeys = words(`estimatedcredits totalcredits credits creditcost creditscost costcredits requiredcredits estimatedcost totalcost
		estimatedtotalprice estimatedprice totalprice estimatedgenerationcost cost amount quote price total value estimate sum
		grandtotal totalamount points totalpoints coins`)
	// partKeys may be of a part, or in another unit.
	partKeys = words(`unitprice estimatedcostmicrocents totalcostmicros costpergeneration`)
	// sumKeys win over the amount of a part next to them.
	sumKeys   = words(`totalcredits creditstotal totalcost totalprice totalamount totalpoints grandtotal total sum`)
	innerSums = words(`total totalcredits credits amount value estimated estimatedcredits cost price max maximum high upper`)
	// notAmounts are of other things: balances, counts, limits, parts.
	notAmounts = words(`min* *creditsmin* *costmin* *pricemin* low* base* *remaining* *balance* *limit* *frame* *count* *available* *breakdown*
		*before* *saved* *discount* *base* *original* *rate* *token* *duration* *time* *quota* *used* *wallet* *user* *account*
		*id* *after* 剩余*`)
	// unlistedAmounts are looked for in this order in keys that nobody listed.
	unlistedAmounts = words(`estimat total credit cost price amount quote charge consum deduct point coin 积分`)
	wholeAmounts    = words(`*estimat* *total* *need* *requir* *charge* *deduct* *consum*`)
	moneyNames      = words(`*credit* *cost* *price* *amount* *charge* *fee* *point* *pricing* *billing*`)
	// otherMoney are in the names of amounts that are not credits.
	otherMoney   = words(`*microcents* *micros* *cents* *usd* *dollar* *eur* *cny* *token*`)
	currencyKeys = words(`currency currencycode unit pricecurrency costunit`)
	unitKeys     = words(`unit per unittype billingunit pricingunit priceunit creditunit billing billingtype billingmode pricetype pricingtype
		costtype type measure basis`)
	rateUnits = words(`s sec *second* *minute* *hour* *frame* image images *picture* *token* *pixel* *step* *秒* *张* *分钟*`)
	ratePer   = words(`unitprice unitcost unitcredits creditsperunit *creditsper* *creditper* *costper* *priceper* *pointsper* *coinsper*
		persecond perminute perimage`)
	secondWords = words(`*second* s sec *persec *秒*`)
	callWords   = words(`*call* *generation* *request* *job* *pertask* task once flat fixed *次* *pervideo* video`)

	// known are names that are not those of a wrapper around the whole answer.
	known = words(`error errors detail models video image images videos files urls assets estimate pricing price cost credits total`)
)
