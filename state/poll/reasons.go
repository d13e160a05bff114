package poll

import "darkroom/api"

// Why a job is as it is, or is not asked about.
var (
	whyForgotten  = api.Declare("job_forgotten", "the service does not know this job, at least not by this key: look on its page whether it was charged, and refresh it to ask once more")
	whyEmpty      = api.Declare("completed_empty", "completed, but the answer holds no result yet: it is asked again")
	whyNoResult   = api.Declare("completed_no_result", "completed, no result in the answer: the raw answer is kept with the job")
	whyCancelled  = api.Declare("cancelled_by_service", "cancelled by the service (%v), which gave no reason")
	whyUntold     = api.Declare("failed_no_reason", "the service gave no reason (%v)")
	whyStale      = api.Declare("stale", "no end was seen within seven days: refresh it to ask once more")
	whyNotBrought = api.Declare("result_not_brought", "the result could not be brought here: %v")
	whyFetchAgain = api.Declare("result_fetch_again", "the result could not be brought here: %v. Fetch it again")
	whyExpired    = api.Declare("result_link_expired", "the result's link has expired, and the service gave no fresh one")
	whyNoAddress  = api.Declare("result_no_address", "the answer holds a result without an address")

	whyNoID      = api.Declare("job_no_id", "the service gave no id for this job that could be asked for")
	whyElsewhere = api.Declare("job_elsewhere_ask", "this job was sent to another service (%v): use its address to ask for it")
	whyFetchAt   = api.Declare("job_elsewhere_fetch", "this job was sent to another service (%v): use its address to fetch it")
	whyNoFetch   = api.Declare("job_no_result", "this job has no result to fetch")
	whyStore     = api.Declare("store_silent", "the store does not answer: %v")
)
