package main

import (
	"context"

	"github.com/migbsp/migbsp/bench/internal/frame"
)

func claimsPart(ctx context.Context, s *settings, session *frame.Session) error { return nil }
func slowPart(ctx context.Context, s *settings, session *frame.Session) error { return nil }
func unequalPart(ctx context.Context, s *settings, session *frame.Session) error { return nil }
func managersPart(ctx context.Context, s *settings, session *frame.Session) error { return nil }
