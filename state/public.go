package state

import (
	"context"
)

// noteMayAsk keeps that the person lets materials be asked for.
const noteMayAsk = "may_ask_materials"

// MayAskMaterials reports whether the person has agreed, once and for all, that
// the hosts of materials are asked whether everybody can read them.
func (s *Session) MayAskMaterials(ctx context.Context) bool {
	v, err := s.store().Note(ctx, noteMayAsk)
	return err == nil && v != ""
}

// LetMaterialsBeAsked keeps that agreement.
func (s *Session) LetMaterialsBeAsked(ctx context.Context) error {
	return storeError(s.store().SetNote(ctx, noteMayAsk, "yes"))
}

// Public asks a material's host once whether everybody can read the address, as
// the service will have to; neither the key nor anything else of this session
// goes along. The error says why not, in words that follow the material's name.
func (s *Session) Public(ctx context.Context, address string) error {
	s.mu.Lock()
	base := s.base
	s.mu.Unlock()
	if base == nil {
		return ErrNoBase
	}
	return s.fetcher(base).Public(ctx, address)
}
