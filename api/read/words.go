package read

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"darkroom/api"
)

// terms is one entry of the table below: the words by which a concept is known, folded.
// The first counts most. word* is the beginning of a name, *word its end, and
// *word* a part of it; names that fit !word are not of the concept.
type terms []string

func words(text string) terms { return strings.Fields(text) }

func (r terms) has(name string) bool { return r.match(name) != "" }

func (r terms) match(name string) string {
	for _, word := range r {
		word, not := strings.CutPrefix(word, "!")
		stem, open := strings.CutPrefix(word, "*")
		stem, more := strings.CutSuffix(stem, "*")
		switch {
		case name == stem, open && strings.HasSuffix(name, stem), more && strings.HasPrefix(name, stem),
			open && more && strings.Contains(name, stem):
			if not {
				return ""
			}
			return stem
		}
	}
	return ""
}

// fold makes task_id, taskId and Task-ID equal.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// maxWord is the longest text that is compared with words.
const maxWord = 200

func foldWord(s string) string {
	if len(s) > maxWord {
		return ""
	}
	return fold(s)
}

// classText is the table of the status words and errors of each class.
//
//go:embed classes.txt
var classText string

// statusWords have a class of their own. Only one of these, exact, ends a job.
// classPatterns tell a class by lower-cased words parted by single spaces.
var statusWords, classPatterns = readClasses(classText)

func readClasses(table string) (map[api.StatusClass]terms, map[api.ErrorClass]func() *regexp.Regexp) {
	statuses, patterns := map[api.StatusClass]terms{}, map[api.ErrorClass]func() *regexp.Regexp{}
	for block := range strings.SplitSeq(strings.TrimSpace(table), "\n\n") {
		head, text, _ := strings.Cut(block, "\n")
		switch of, class, _ := strings.Cut(head, " "); of {
		case "status":
			statuses[api.StatusClass(class)] = words(text)
		case "error":
			patterns[api.ErrorClass(class)] = api.Pattern(strings.ReplaceAll(text, "\n", ""))
		}
	}
	return statuses, patterns
}

// idKeys are the keys of a job's id, best first; requestIDKeys may be a trace.
var (
	idKeys = [...]terms{words(`job jobid`), words(`taskid taskuuid`), words(`id`), words(`generationid imagegenerationid videogenerationid
		predictionid inferenceid videoid queueid submitid operationid runid uuid assetids promptid ids jobno taskno orderno jobsn tasksn
		ordersn jobnumber tasknumber jobarn invocationarn`)}
	allIDKeys     = slices.Concat(idKeys[:]...)
	requestIDKeys = words(`requestid`)
)

// The table of names: for each concept the keys of its values, or of the objects in
// which they stand, in the order in which they are tried.
var (
	// Objects of an answer about one job. A job stands in boxes. notJobs never
	// hold ids, status or outputs: they are echoes of the request, bookkeeping and
	// descriptions. envelopes speak of the call.
	boxes   = words(`job task data taskinfo result output response body generation prediction`)
	notJobs = words(`input inputs request params param parameters options config meta metadata logs log usage billing arguments args
		settings prompt user model timings timing metrics headers pricing credits docs extra source history links webhook callback
		account owner template references materials breakdown steps events queue worker timeline *request* *params *input`)
	envelopes = words(`status baseresp response resp header responsemetadata meta`)

	// Status. envelopeWords may speak of the call, plainFailures say no more than failed.
	statusKeys = words(`status state taskstatus jobstatus queuestatus !http* !webhook* !callback* !moderation* !payment*
		!billing* !account* !user* !model* !code* !notify* !refund* !upload* !audit* !review* !queue* *status *state`)
	doneKeys       = words(`done isdone finished completed`)
	statusPrefixes = words(`taskstatus jobstatus generationstatus status task job`)
	envelopeWords  = words(`ok nok success successful error fail failure`)
	plainFailures  = words(`failed failure fail error errored cancelled canceled cancel *statusfailed taskfailed jobfailed
		失败 已失败 已取消`)
	progressKeys = words(`progress progresspercent percent percentage`)
	queuePlaces  = words(`queueposition positioninqueue queueplace placeinqueue`)

	// Ids under keys that nobody listed: keys that end like an id's and do not
	// name another thing or a word such as "valid". Keys that speak of a job come first.
	idEnds = words(`!*user* !*account* !*model* !*team* !*external* !*client* !*trace* !*session* !*parent* !*webhook* !*file*
		!*voice* !*avatar* !*template* !*workflow* !*project* !*request* !*company* !*tenant* !*batch* !*customer* !*prompt*
		!*style* !*seed* !*correlation* !*asset* !*provider* !orgid !keyid !logid !sid !spanid !msgid !paid !invalid !valid !grid
		!fluid !solid !void *id *ids *uuid`)
	jobNames = words(`*job* *task* *gen* *predict* *video* *image* *queue* *submit* *operation* *render* *run* *work* *ticket*
		*execution*`)
	bareIDs   = words(`task data result generation prediction hash`)
	pollBoxes = words(`urls links`)
	pollKeys  = words(`fetchresult get getresult resulturl self href responseurl *location poll* status*`)

	// Results. notOutputs are not results, nor are messages and the
	// request's own fields (echoNames). An address under earlyAddresses may be of a
	// result that is yet to come.
	resultNodes = words(`result output outputs results resultjson data content assets taskresult creations response generated
		generatedimages files urls artifacts media images videos image video photos pictures`)
	outputNodes   = words(`result results output outputs`)
	bestAddresses = words(`url imageurl videourl fileurl downloadurl src uri`)
	mediaKeys     = words(`data sample generated creations filepath src uri link content *url* *image* *img* *video* *output* *result*
		*file* *media* *asset* *artifact* *download*`)
	notOutputs = slices.Concat(notJobs, words(`*thumb* *cover* *poster* *preview* *lastframe* *firstframe* *watermark* *grid*
		*videoraw* *progressvideo* *proxy* *original* originurl originurls *icon* *avatar* *logo* *placeholder* *gif* *keyframe*
		*snapshot* *endframe* *startframe* *lowres* endimageurl imagefiles videofiles *input* *reference* *sourceimage*
		*sourcevideo* *initimage* *startimage* *endimage* *mask* *prompt* *param* *request* *refimage* *uploaded* *statusurl*
		*pollurl* *pollingurl* *responseurl* *cancel* *webhook* *callback* *docs* *future* *fetchresult* *queueurl* *streamurl*
		*logsurl* *shareurl* *pageurl* *website* *upgrade* *schema* get self next previous audio* error errors`))
	earlyAddresses = words(`*download* link href resulturl contenturl`)
	echoNames      = words(`imageurl videourl images image imageurls video`)
	assetIDs       = words(`imageuuid imageid videouuid`)
	expiryKeys     = words(`expiresat expireat expirationtime expires urlexpiresat`)
	typeKeys       = words(`contenttype mimetype mediatype filetype mime type format`)
	soundEndings   = words(`.mp3 .wav .m4a .flac .ogg .json .txt`)
	videoNames     = words(`*video* *mp4* *movie* *视频*`)
	imageNames     = words(`*image* *img* *picture* *photo* *图*`)

	// Failures and refusals. goodWords and goodCodes are none.
	goodWords   = words(`success successful succeed succeeded ok none null nil na undefined noerror false 0 成功 操作成功 请求成功`)
	goodCodes   = words(`0 00 000 0000 200 201 202 20000 1000 10000 success ok succeed pending processing queued`)
	badStatuses = words(`nok error fail failed failure`)
	successKeys = words(`success ok issuccess`)
	plainErrors = words(`error errors errormessage errormsg err`)
	errorKeys   = words(`error errors errormessage errormsg err detail`)
	resultCodes = words(`code errcode errorcode errno statuscode ret httpstatus status`)
	codeBoxes   = words(`error errors detail data job extensions baseresp response resp header responsemetadata meta`)
	codeKeys    = words(`code errorcode errcode errno statuscode type errortype name failcode failurecode reason`)
	codeNames   = slices.Concat(codeKeys, words(`error status httpstatus`))
	messageKeys = words(`faultstring message msg errormessage errormsg errmsg statusmsg detail description errordescription reason
		details title error err errors text info errcode failcode`)
	moreTexts   = words(`message msg detail errormessage errormsg errordescription`)
	reasonKeys  = words(`error failmsg failure errormessage errormsg errmsg`)
	textNames   = words(`!*code* !*id *reason* *error* *fail* *message* *msg* *detail* *fault* *desc*`)
	traceIDKeys = words(`requestid traceid`)
	waitKeys    = words(`retryafter retryafterseconds retryin retrydelay`)

	fieldBoxes  = words(`error data details`)
	fieldPlaces = words(`detail details errors issues fields violations invalidparams fielderrors validationerrors fieldviolations`)
	oneField    = words(`param parameter field property`)
	issueFields = words(`loc path field param parameter property name pointer key propertypath`)
	issueTexts  = words(`msg message reason description detail error defaultmessage title`)

	modelNodes = words(`data models results items list custommodels result modellist records rows entries embedded content`)
	modelIDs   = words(`id model modelid modelcode slug endpointid name key modelname code`)
	labelKeys  = words(`label displayname title name modelname`)
	kindKeys   = words(`kind type mediatype category modality outputmodalities outputtype output supportedscenes modeltype tasktype
		task capabilities endpoint path tags categories modalities mode media *type *category *modalit*`)
	innerModels    = words(`architecture modelspec metadata info meta capabilities constraints supported limits`)
	outKeys        = words(`output outputs outputmodalities outputmodality name`)
	parameterNodes = words(`params inputs input options constraints arguments args fields properties settings config capabilities
		*parameters *schema`)
	parameterNames = words(`name key param parameter field id`)
	valueKeys      = words(`values enum options choices allowed allowedvalues supported list`)
	choiceKeys     = words(`value id key name label`)
	defaultKeys    = words(`default defaultvalue`)
	minKeys        = words(`min minimum minvalue`)
	maxKeys        = words(`max maximum maxvalue`)
	typeNames      = words(`string integer int number float boolean bool enum url array object text file`)

	pageNodes  = words(`pagination paging pageinfo page meta links data`)
	pageMarks  = words(`next nexturl nextpageurl nextlink nextpage nextcursor nextpagetoken nexttoken nextmarker`)
	moreMarks  = words(`hasmore hasnextpage hasnext more`)
	totalKeys  = words(`total totalcount totalitems`)
	pageCounts = words(`totalpages pages lastpage pagecount`)

	// Prices and estimates. neutralAmounts count next to words of money, sumKeys win
	// over their parts; notAmounts are balances, counts, limits and parts. A name in meaning is not that of a mere wrapper.
	priceKeys = words(`!*type* !*remaining* !*balance* !unit*credits price pricing defaultprice cost credits creditcost creditscost
		costcredits unitprice points coins creditsper* pointsper* coinsper* priceper* costper* persecond perimage
		percall pergeneration *price *pricing *credits`)
	standard    = words(`default defaultprice defaultcredits`)
	amountNodes = words(`estimate estimation estimated pricing price data result quote response`)
	amountKeys  = words(`estimatedcredits totalcredits credits creditcost creditscost costcredits requiredcredits estimatedcost totalcost
		estimatedtotalprice estimatedprice totalprice estimatedgenerationcost cost amount quote price estimate grandtotal totalamount
		points totalpoints coins unitprice estimatedcostmicrocents totalcostmicros costpergeneration`)
	neutralAmounts = words(`total value sum estimated max high`)
	sumKeys        = words(`requiredcredits creditsrequired creditsneeded neededcredits totalcredits creditstotal totalcost
		totalprice totalamount totalpoints grandtotal total sum`)
	notAmounts = words(`min* low* base* after* id* 剩余* *creditsmin* *costmin* *remain* *balance* *limit* *frame* *count*
		*available* *breakdown* *tier *level *factor* *multipl* *percent* *earned* *refund* *bonus* *plan* *subscri* *monthly*
		*yourcredit* *mycredit* *currentcredit* *before* *saved* *discount* *original* *rate* *token* *duration* *time* *quota*
		*used* *wallet* *user* *account* *after* *id *left* *weekly* *daily*`)
	balances   = words(`*remain* *balance* *left* *used*`)
	refusals   = words(`cangenerate available isavailable supported issupported valid isvalid allowed isallowed enabled isenabled`)
	denials    = words(`unavailable unsupported disabled`)
	moneyNames = words(`*credit* *cost* *price* *amount* *charge* *fee* *point* *pricing* *billing* *quote* *consum* *deduct* *coin* *积分*`)
	meaning    = slices.Concat(boxes, notOutputs, envelopes, resultNodes, messageKeys, reasonKeys, fieldPlaces, notAmounts, moneyNames,
		otherMoney, rates)
	otherMoney = words(`*microcents* *micros* *cents* *usd* *dollar* *eur* *cny* *token*`)
	unitKeys   = words(`currency currencycode costcurrency pricecurrency costunit unit per unittype billingunit pricingunit
		priceunit billing billingtype pricetype measure basis type`)
	rates = words(`unitprice unitcost unitcredits creditsperunit persecond perminute perimage percall pergeneration *creditsper* *creditper*
		*costper* *priceper* *pointsper* *coinsper*`)
	secondWords = words(`s sec *second* *persec *秒*`)
	minuteWords = words(`*minute* *hour* *frame* *pixel* *step* *分钟*`)
	imageWords  = words(`*image* *picture* *张*`)
	callWords   = words(`*call* *generation* *request* *job* *pertask* task once flat fixed *次* *pervideo* video`)
)

// reRest is for calls that are too many now; reUnit and reMoney for limits.
var (
	reRest = api.Pattern(`per (second|minute|hour)|again|retry|later|slow down|too many|concurren|rpm|qps|frequen` +
		`|频率|频繁|并发|稍后|过快`)
	reUnit  = api.Pattern(`\b(calls|requests|(call|request) ?(quota|limit|count|times)[a-z]*)\b|调用|请求数|次数`)
	reMoney = api.Pattern(`credit|balance|funds|payment|billing|积分|余额|点数`)

	reKeyStrong = api.Pattern(`api ?key|unauthori[sz]ed|invalid (access )?token|authentication (failed|error)|密钥|未授权|鉴权`)
)

// statusClasses are the classes of statuses that have one whatever the words are.
var statusClasses = map[int]api.ErrorClass{
	401: api.ClassKey, 402: api.ClassCredits, 403: api.ClassKey, 404: api.ClassNotFound, 407: api.ClassKey, 408: api.ClassServer,
	409: api.ClassConflict, 410: api.ClassNotFound, 425: api.ClassConflict, 429: api.ClassRate, 451: api.ClassModeration,
}
