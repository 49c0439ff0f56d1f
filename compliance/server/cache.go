package server

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"
)

// A review is believed for as long as a right that was withdrawn may still serve; it spares the API server a
// review for each panel of a dashboard.
const (
	reviewTTL   = 10 * time.Second
	reviewLimit = 4096
)

// reviewKey never holds a token, only its hash.
type reviewKey struct {
	token     [sha256.Size]byte
	namespace string
	access    bool // of a SubjectAccessReview, else of a TokenReview
}

type review struct {
	user    User
	allowed bool
	until   time.Time
}

// reviews remembers answers. What could not be asked is not remembered.
type reviews struct {
	authenticate Authenticate
	authorize    Authorize
	now          func() time.Time

	mu    sync.Mutex
	known map[reviewKey]review
}

func newReviews(authenticate Authenticate, authorize Authorize, now func() time.Time) *reviews {
	return &reviews{authenticate: authenticate, authorize: authorize, now: now, known: map[reviewKey]review{}}
}

func (r *reviews) user(ctx context.Context, token string) (User, error) {
	key := reviewKey{token: sha256.Sum256([]byte(token))}
	answer, err := r.ask(key, func() (review, error) {
		user, err := r.authenticate(ctx, token)
		if errors.Is(err, ErrUnauthenticated) {
			return review{}, nil
		}
		return review{user: user, allowed: err == nil}, err
	})
	if err == nil && !answer.allowed {
		err = ErrUnauthenticated
	}
	return answer.user, err
}

func (r *reviews) may(ctx context.Context, token string, user User, namespace string) (bool, error) {
	key := reviewKey{token: sha256.Sum256([]byte(token)), namespace: namespace, access: true}
	answer, err := r.ask(key, func() (review, error) {
		allowed, err := r.authorize(ctx, user, namespace)
		return review{allowed: allowed}, err
	})
	return answer.allowed && err == nil, err
}

func (r *reviews) ask(key reviewKey, question func() (review, error)) (review, error) {
	now := r.now()
	r.mu.Lock()
	answer, ok := r.known[key]
	r.mu.Unlock()
	if ok && now.Before(answer.until) {
		return answer, nil
	}
	answer, err := question()
	if err != nil {
		return review{}, err
	}
	answer.until = now.Add(reviewTTL)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.makeRoom(now)
	r.known[key] = answer
	return answer, nil
}

// makeRoom keeps a flood of wrong tokens from growing the memory: old answers go first, then any.
func (r *reviews) makeRoom(now time.Time) {
	if len(r.known) < reviewLimit {
		return
	}
	for key, answer := range r.known {
		if !now.Before(answer.until) {
			delete(r.known, key)
		}
	}
	for key := range r.known {
		if len(r.known) < reviewLimit {
			return
		}
		delete(r.known, key)
	}
}
