package main

import (
	"errors"
	"net/http"
	"strings"

	"k8s.io/client-go/rest"
)

// tokenCatcher is a transport that notes the bearer token of a request and sends nothing.
type tokenCatcher struct{ token *string }

var errNotSent = errors.New("the request is not meant to be sent")

func catchToken(into *string) http.RoundTripper { return tokenCatcher{into} }

// RoundTrip implements http.RoundTripper.
func (c tokenCatcher) RoundTrip(request *http.Request) (*http.Response, error) {
	if token, bearer := strings.CutPrefix(request.Header.Get("Authorization"), "Bearer "); bearer {
		*c.token = token
	}
	return nil, errNotSent
}

// pluginToken has the kubeconfig's credential plugin sign a request that is never sent.
func pluginToken(config *rest.Config) (string, error) {
	token := ""
	transport, err := rest.HTTPWrappersForConfig(config, catchToken(&token))
	if err != nil {
		return "", err
	}
	request, err := http.NewRequest(http.MethodGet, config.Host, nil)
	if err != nil {
		return "", err
	}
	response, err := transport.RoundTrip(request)
	if response != nil {
		_ = response.Body.Close()
	}
	if err != nil && !errors.Is(err, errNotSent) {
		return "", err
	}
	if token == "" {
		return "", errors.New("it gives no token: kubectl create token SERVICEACCOUNT > FILE, and give it by --token-file FILE")
	}
	return token, nil
}
