package keys

import (
	"github.com/zalando/go-keyring"
)

// service is the name under which the OS keyring files our keys.
const service = "darkroom"

// osRing is the keyring of the system. It must not be asked before its Check
// said that it is usable.
type osRing struct {
	env func(string) string
}

func (r osRing) Check(env func(string) string) State { return checkSystem(env) }

func (r osRing) Load(account string) (string, error) {
	if err := prepare(r.env); err != nil {
		return "", err
	}
	return keyring.Get(service, account)
}

func (r osRing) Store(account, secret string) error {
	if err := prepare(r.env); err != nil {
		return err
	}
	return keyring.Set(service, account, secret)
}

func (r osRing) Remove(account string) error {
	if err := prepare(r.env); err != nil {
		return err
	}
	return keyring.Delete(service, account)
}
