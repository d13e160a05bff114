package ui

// newScreens makes every screen there is; a nil leaves its tab out.
func newScreens(k *kit) [placeCount + 2]screen {
	var s [placeCount + 2]screen
	s[placeCreate] = newCreate(k)
	s[placeJobs] = newJobs(k)
	s[placePrices] = newPrices(k)
	s[placeTools] = newTools(k)
	s[placeKey] = newKeyScreen(k)
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
