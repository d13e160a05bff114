package queue

import "darkroom/api"

var (
	whyNotHeld      = api.Declare("not_held", "only a request that is held can be moved, paused or removed")
	whyInTurn       = api.Declare("held_in_turn", "it is being sent in its turn already")
	whyQueueChanged = api.Declare("queue_changed", "the queue has changed meanwhile: look at it again")

	// Why the requests after one wait for the person.
	whyPriceRose      = api.Declare("held_price", "the price is now %v, and %v were agreed to")
	whyPriceUnknown   = api.Declare("held_price_unknown", "the price is not known now")
	whyPriceUnknownOf = api.Declare("held_price_unknown_why", "the price is not known now: %v")
	whyBeforeUnknown  = api.Declare("held_before_unknown", "the request before it may have been accepted and charged; look at it first")
	whyBeforeUnsent   = api.Declare("held_before_unsent", "the request before it could not be sent: %v")
	whyBeforeRefused  = api.Declare("held_before_refused", "the request before it was refused: %v")
)
