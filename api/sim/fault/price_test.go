package fault

import (
	"testing"

	"darkroom/api"
)

func TestPriceFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ fault, before, want string }{
		{"estimate:price=1e300", `{"cost":12.5}`, `{"cost":1e300}`},
		{"estimate:price=null", `{"cost":12.5}`, `{"cost":null}`},
		{"estimate:price=ask sales", `{"cost":"12.50","of":["12.5"]}`, `{"cost":"ask sales","of":["ask sales"]}`},
		{"estimate:price=-1", `12.5`, `-1`},
		{"estimate:price=1", `{"status":12.5,"a":[{"code":12.5,"price":12.5}]}`, `{"a":[{"code":12.5,"price":1}],"status":12.5}`},
		{"estimate:price=1", `not JSON`, `not JSON`},
		{"estimate:price-missing", `{"data":{"cost":12.5,"left":99}}`, `{"data":{"left":99}}`},
		{"estimate:price-per-second", `{"data":{"cost":12.5}}`, `{"data":{"cost":2.5,"unit":"second"}}`},
		{"estimate:price-refused=403", `12.5`, `{"credits":0,"message":"This model is not available to this key.","success":false}`},
	} {
		f, err := Parse(c.fault)
		if err != nil {
			t.Fatal(err)
		}
		k, _ := find(f.Do)
		a := Answer{Status: 200, Body: []byte(c.before), Price: &Price{Credits: 12*api.Credit + api.Credit/2, Seconds: 5}}
		if k.change(f, &a); string(a.Body) != c.want {
			t.Errorf("%s: %s became %s, want %s", c.fault, c.before, a.Body, c.want)
		}
		if f.Status != 0 && a.Status != f.Status {
			t.Errorf("%s: status %d", c.fault, a.Status)
		}
		other := Answer{Status: 200, Body: []byte(c.before)} // states no price
		if k.change(f, &other); string(other.Body) != c.before || other.Status != 200 {
			t.Errorf("%s changed an answer without a price: %s", c.fault, other.Body)
		}
	}
}
