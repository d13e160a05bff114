package ui

// newScreens makes every screen there is; a nil leaves its tab out.
func newScreens(k *kit, b Session) [placeCount + 2]screen {
	var s [placeCount + 2]screen
	s[placeCreate] = newCreate(k, b)
	s[placeJobs] = newJobs(k, b)
	s[placePrices] = newPrices(k, b)
	s[placeTools] = newTools(k, b)
	s[placeKey] = newKeyScreen(k, b)
	return s
}

// firstPlace is where the program opens: Create, or the key screen when there
// is no key to create with.
func (a *App) firstPlace() place {
	st := a.kit.standing
	if a.screens[placeKey] != nil && st.KeyHint == "" && !st.KeyPending && !st.Demo {
		return placeKey
	}
	if a.screens[placeCreate] != nil {
		return placeCreate
	}
	return placeJobs
}
