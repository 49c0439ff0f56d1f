package server

import (
	"context"
	"errors"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// User is who the API server says that the bearer of a token is.
type User struct {
	Name, UID string
	Groups    []string
	Extra     map[string][]string
}

// ErrUnauthenticated says that the API server does not know the token. The error holds nothing of the token.
var ErrUnauthenticated = errors.New("the API server does not accept this token")

// Authenticate finds the user of a token; the error is ErrUnauthenticated, or says that it could not be asked.
type Authenticate func(ctx context.Context, token string) (User, error)

// Authorize reports whether the user may read the documents of the namespace, or with "" of the cluster.
type Authorize func(ctx context.Context, user User, namespace string) (bool, error)

// TokenReviews asks the API server who has the token.
func TokenReviews(client kubernetes.Interface) Authenticate {
	return func(ctx context.Context, token string) (User, error) {
		review, err := client.AuthenticationV1().TokenReviews().Create(ctx,
			&authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}, metav1.CreateOptions{})
		if err != nil {
			return User{}, fmt.Errorf("create TokenReview: %w", err)
		}
		if !review.Status.Authenticated {
			return User{}, ErrUnauthenticated
		}
		u := review.Status.User
		user := User{Name: u.Username, UID: u.UID, Groups: u.Groups, Extra: map[string][]string{}}
		for key, values := range u.Extra {
			user.Extra[key] = values
		}
		return user, nil
	}
}

// SubjectAccessReviews asks the API server whether the user has get on compliancereports/oscal of group cato.dev.
func SubjectAccessReviews(client kubernetes.Interface) Authorize {
	return func(ctx context.Context, user User, namespace string) (bool, error) {
		extra := map[string]authorizationv1.ExtraValue{}
		for key, values := range user.Extra {
			extra[key] = values
		}
		review, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
			Spec: authorizationv1.SubjectAccessReviewSpec{
				User: user.Name, UID: user.UID, Groups: user.Groups, Extra: extra,
				ResourceAttributes: &authorizationv1.ResourceAttributes{
					Verb: "get", Group: "cato.dev", Version: "v1alpha1", Resource: "compliancereports", Subresource: "oscal",
					Namespace: namespace,
				},
			},
		}, metav1.CreateOptions{})
		if err != nil {
			return false, fmt.Errorf("create SubjectAccessReview: %w", err)
		}
		return review.Status.Allowed && !review.Status.Denied, nil
	}
}
