package submit

import "darkroom/api"

// Why something is not sent, or how a job waits.
var (
	whyClosed      = api.Declare("session_closed", "the session is closed")
	whyProblems    = api.Declare("breaks_rule", "the request breaks a rule: %v")
	whyNoCredits   = api.Declare("no_credits", "the service said that the key has no credits left: add credits on its page, then confirm again")
	whyNoCalls     = api.Declare("no_calls", "the service said that the key has no calls left: raise its call limit on the service's API key page, then confirm again")
	whyLimitPrice  = api.Declare("limit_unpriced", "the price of this request is not known, and a limit of %v was set: nothing was sent")
	whyLimit       = api.Declare("limit", "the estimate of %v is above the limit of %v: nothing was sent")
	whyOldPrice    = api.Declare("old_price", "nothing was sent: the price is older than a minute and a limit is set; look at the price again, then confirm")
	whyUnconfirmed = api.Declare("not_confirmed", "this was not confirmed: confirm it, then it is sent")
	whyNothingSent = api.Declare("nothing_sent", "nothing was sent: %v")
	whySeveral     = api.Declare("several_requests", "this stands for several requests: expand it, then confirm those")
	whyHeldChanged = api.Declare("held_changed", "it was removed, paused or sent meanwhile")
	whyElsewhere   = api.Declare("job_elsewhere_send", "this job was meant for another service (%v): use its address to send it again, or edit it and send it as a new one")

	whyNotAnID    = api.Declare("not_an_id", "this is not an id that could be asked for: copy it from the service's page")
	whyNoAttach   = api.Declare("no_attach", "only a job whose outcome is unknown can be given an id")
	whyNoDismiss  = api.Declare("no_dismiss", "only a job whose outcome is unknown can be dismissed")
	whyCancelled  = api.Declare("cancelled_before", "cancelled before it was sent")
	whyTurnOver   = api.Declare("turn_over", "the turn to send is over")
	whyTurn       = api.Declare("waits_turn", "waits for its turn: another request is being sent")
	whyTurnUntil  = api.Declare("waits_turn_until", "waits for its turn: another request is being sent, until %v at the latest")
	whyRest       = api.Declare("waits_rest", "waits until %v: the service asked for a rest")
	whyRepeated   = api.Declare("sent_again_at", "%v; it is sent again at %v")
	whyNotSent    = api.Declare("not_sent", "not sent, because %v")
	whyKeyGone    = api.Declare("not_sent_no_key", "not sent, because the key was removed meanwhile: log in, then send it")
	whyKeyRefused = api.Declare("not_sent_key_refused", "not sent, because the service refused the key: log in with a valid one, then send it")
	whyUnpaid     = api.Declare("not_sent_no_credits", "not sent, because the key has no credits left: add credits, then send it")
	whyUncalled   = api.Declare("not_sent_no_calls", "not sent, because the key has no calls left: raise its call limit, then send it")
	whyUnwritten  = api.Declare("not_sent_unwritten", "not sent, because the store could not be written: %v")
	whyCandidate  = api.Declare("id_seen", "%v An id was seen in the answer: %v")
	whyUnsaved    = api.Declare("accepted_unsaved", "accepted, but not saved yet: note the id %v; should darkroom end before it is saved, 'darkroom job %v --attach %v' gives it back")
	whyNotTaken   = api.Declare("outcome_not_taken", "the store does not take the outcome of a job (%v): do not quit before it does")

	whyToolBudget  = api.Declare("tool_budget", "a budget is set and what this tool costs is not known: it was not called; remove the budget to call it")
	whyToolAsk     = api.Declare("tool_ask", "the tool was not called: a budget is set, and that this tool only reads is the service's word alone; agree to it to call it")
	whyToolNot     = api.Declare("tool_not_called", "the tool was not called: %v")
	whyJobNotKept  = api.Declare("tool_job_not_kept", "the job %v that the tool began could not be kept: %v")
	whyPartNotKept = api.Declare("tool_part_not_saved", "part %v of the answer could not be saved: %v")
)
