package media

import (
	"errors"
	"os"

	"darkroom/api"
)

// CheckFolder makes the folder of results when it is missing, and reports why
// no file can be written there: that is known before a result is paid for.
func CheckFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return folderError(dir, err)
	}
	file, err := os.CreateTemp(dir, ".darkroom-check-*")
	if err != nil {
		return folderError(dir, err)
	}
	_, err = file.Write([]byte{0}) // a full disk takes names, but no bytes
	if err = errors.Join(err, file.Close(), os.Remove(file.Name())); err != nil {
		return folderError(dir, err)
	}
	return nil
}

func folderError(dir string, cause error) error {
	return &Error{Reason: whyNotSaved.Reason(dir, api.WithoutPath(cause)), Cause: cause}
}
