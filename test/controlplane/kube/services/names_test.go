package services

import (
	"errors"
	"net/netip"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

func TestNamesOfServicesAreAnswered(t *testing.T) {
	known := func(namespace, service string) ([]netip.Addr, bool, error) {
		switch namespace + "/" + service {
		case "cdi/upload":
			return []netip.Addr{netip.MustParseAddr("10.200.255.7")}, true, nil
		case "cdi/headless":
			return nil, true, nil
		case "cdi/broken":
			return nil, false, errors.New("broken")
		}
		return nil, false, nil
	}
	tests := map[string]struct {
		name    string
		kind    dnsmessage.Type
		code    dnsmessage.RCode
		answers int
		fails   bool
	}{
		"a Service":            {name: "upload.cdi.svc.cluster.local.", kind: dnsmessage.TypeA, answers: 1},
		"in capitals":          {name: "Upload.CDI.svc.cluster.local.", kind: dnsmessage.TypeA, answers: 1},
		"its IPv6 address":     {name: "upload.cdi.svc.cluster.local.", kind: dnsmessage.TypeAAAA},
		"without pods":         {name: "headless.cdi.svc.cluster.local.", kind: dnsmessage.TypeA},
		"none":                 {name: "nothing.cdi.svc.cluster.local.", kind: dnsmessage.TypeA, code: dnsmessage.RCodeNameError},
		"a name below":         {name: "a.upload.cdi.svc.cluster.local.", kind: dnsmessage.TypeA, code: dnsmessage.RCodeNameError},
		"of the search path":   {name: "upload.cdi.svc.default.svc.cluster.local.", kind: dnsmessage.TypeA, code: dnsmessage.RCodeNameError},
		"of the tests' server": {name: "Images.example.com.", kind: dnsmessage.TypeA, answers: 1},
		"of its domain":        {name: "example.com.", kind: dnsmessage.TypeA, answers: 1},
		"that ends like it":    {name: "notexample.com.", kind: dnsmessage.TypeA, code: dnsmessage.RCodeNameError},
		"of the world":         {name: "example.org.", kind: dnsmessage.TypeA, code: dnsmessage.RCodeNameError},
		"that cannot be known": {name: "broken.cdi.svc.cluster.local.", kind: dnsmessage.TypeA, fails: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			question := dnsmessage.Message{
				Header:    dnsmessage.Header{ID: 7, RecursionDesired: true},
				Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName(test.name), Type: test.kind, Class: dnsmessage.ClassINET}},
			}
			message, err := question.Pack()
			if err != nil {
				t.Fatal(err)
			}
			data, err := answer(message, netip.MustParseAddr("10.200.0.1"), known)
			if (err != nil) != test.fails {
				t.Fatalf("error %v, want one: %v", err, test.fails)
			}
			if test.fails {
				return
			}
			var got dnsmessage.Message
			if err := got.Unpack(data); err != nil {
				t.Fatal(err)
			}
			if got.ID != 7 || !got.Response || got.RCode != test.code || len(got.Answers) != test.answers {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestAMessageThatIsNoQuestionIsAnError(t *testing.T) {
	for _, message := range []string{"", "short", string(make([]byte, 12))} {
		if _, err := answer([]byte(message), netip.Addr{}, nil); err == nil {
			t.Errorf("%q is answered", message)
		}
	}
}
