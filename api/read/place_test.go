package read

import "testing"

func TestReadPlace(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		`{"status":"IN_QUEUE","request_id":"a","queue_position":3}`:           3,
		`{"queuePosition":"12"}`:                                              12,
		`{"job":{"status":"PENDING","result":null,"queue":{"position":4}}}`:   4,
		`{"code":0,"data":{"id":"q","queue":{"position":4,"status":"busy"}}}`: 4,
		`[{"jobId":"a-1","status":"queued","position":7}]`:                    7,
		`{"status":"IN_QUEUE","queue_position":0}`:                            0,
		`{"status":"done","result":{"items":[{"position":5,"url":"x"}]}}`:     0,
		`{"results":{"position":5,"url":"x"}}`:                                0,
		`{"queue_position":-4}`:                                               0,
		`{"queue_position":99999999999}`:                                      0,
		`{"queue_position":2.5}`:                                              0,
		`{"queue_position":"soon"}`:                                           0,
		`{"a":{"b":{"c":{"d":{"queue_position":3}}}}}`:                        0,
		`not json`: 0, `[]`: 0, ``: 0,
	} {
		if got := ReadPlace([]byte(body)); got != want {
			t.Errorf("%s: place %d, want %d", body, got, want)
		}
	}
}
