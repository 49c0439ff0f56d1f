package facts

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAHostIsWhatACLibraryTakesItFor(t *testing.T) {
	for text, want := range map[string]host{
		"Images.Example.COM.":            {name: "images.example.com", labels: []string{"images", "example", "com"}},
		"xn--bcher-kva.example":          {name: "xn--bcher-kva.example", labels: []string{"xn--bcher-kva", "example"}},
		"1and1.example":                  {name: "1and1.example", labels: []string{"1and1", "example"}},
		"10.0.0.1":                       {name: "10.0.0.1", addresses: []string{"10.0.0.1"}},
		"2130706433":                     {name: "127.0.0.1", addresses: []string{"127.0.0.1"}},
		"0x7f000001":                     {name: "127.0.0.1", addresses: []string{"127.0.0.1"}},
		"0X7F.1":                         {name: "127.0.0.1", addresses: []string{"127.0.0.1"}},
		"127.1":                          {name: "127.0.0.1", addresses: []string{"127.0.0.1"}},
		"127.0.1":                        {name: "127.0.0.1", addresses: []string{"127.0.0.1"}},
		"0177.0.0.01":                    {name: "127.0.0.1", addresses: []string{"127.0.0.1"}},
		"169.254.43518":                  {name: "169.254.169.254", addresses: []string{"169.254.169.254"}},
		"0":                              {name: "0.0.0.0", addresses: []string{"0.0.0.0"}},
		"127.0.0.1.":                     {name: "127.0.0.1", addresses: []string{"127.0.0.1"}},
		"0x.0x.0x.0x":                    {name: "0.0.0.0", addresses: []string{"0.0.0.0"}},
		"::1":                            {name: "::1", addresses: []string{"::1", "0.0.0.1"}},
		"::ffff:10.0.0.1":                {name: "10.0.0.1", addresses: []string{"10.0.0.1"}},
		"::FFFF:a00:1":                   {name: "10.0.0.1", addresses: []string{"10.0.0.1"}},
		"::a00:1":                        {name: "::a00:1", addresses: []string{"::a00:1", "10.0.0.1"}},
		"64:ff9b::a00:1":                 {name: "64:ff9b::a00:1", addresses: []string{"64:ff9b::a00:1", "10.0.0.1"}},
		"2002:a00:1::":                   {name: "2002:a00:1::", addresses: []string{"2002:a00:1::", "10.0.0.1"}},
		"fe80::1%eth0":                   {name: "fe80::1", addresses: []string{"fe80::1"}},
		"":                               {problem: "names no host"},
		".":                              {problem: "names no host"},
		"a..b":                           {problem: "has a host that is no DNS name: write an international one in its xn-- form"},
		"bücher.example":                 {problem: "has a host that is no DNS name: write an international one in its xn-- form"},
		"１２７.0.0.1.example":              {problem: "has a host that is no DNS name: write an international one in its xn-- form"},
		"127.0.0.256":                    {problem: "has a host that ends in a number and is no IPv4 address"},
		"1.2.3.4.5":                      {problem: "has a host that ends in a number and is no IPv4 address"},
		"08":                             {problem: "has a host that ends in a number and is no IPv4 address"},
		"4294967296":                     {problem: "has a host that ends in a number and is no IPv4 address"},
		"example.0x1g":                   {name: "example.0x1g", labels: []string{"example", "0x1g"}},
		"example.1":                      {problem: "has a host that ends in a number and is no IPv4 address"},
		":::":                            {problem: "has a host that is no IPv6 address"},
		strings.Repeat("a", 64):          {problem: "has a host that is no DNS name: write an international one in its xn-- form"},
		strings.Repeat("a.", 127) + "aa": {problem: "has a host of more than 253 characters"},
	} {
		if diff := cmp.Diff(want, parseHost(text), cmp.AllowUnexported(host{})); diff != "" {
			t.Errorf("%.80q: (-want +got)\n%s", text, diff)
		}
	}
}

func TestAnOriginIsWhereAURLLeadsTo(t *testing.T) {
	for text, want := range map[string]Origin{
		"https://Images.example.com:8443/a.qcow2?token=x": {Scheme: "https", Text: "https://Images.example.com:8443/a.qcow2?…", Valid: true, Port: 8443, Host: "images.example.com", Labels: []string{"images", "example", "com"}},
		"http://me:hunter2@[::ffff:127.0.0.1]:80/x":       {Scheme: "http", Text: "http://[::ffff:127.0.0.1]:80/x", Userinfo: true, Valid: true, Port: 80, Host: "127.0.0.1", Addresses: []string{"127.0.0.1"}},
		"http://[fe80::1%25eth0]/x":                       {Scheme: "http", Text: "http://[fe80::1%25eth0]/x", Valid: true, Port: 80, Host: "fe80::1", Addresses: []string{"fe80::1"}},
		"HTTPS://a.example:/x":                            {Scheme: "https", Text: "https://a.example:/x", Valid: true, Port: 443, Host: "a.example", Labels: []string{"a", "example"}},
		"https://a.example:65979/x":                       {Scheme: "https", Text: "https://a.example:65979/x", Valid: true, Host: "a.example", Labels: []string{"a", "example"}},
		"FTP://a.example/x":                               {Scheme: "ftp", Text: "ftp://a.example/x", Valid: true, Host: "a.example", Labels: []string{"a", "example"}},
		"http:127.0.0.1":                                  {Scheme: "http", Text: "http:127.0.0.1", Problem: "names no host", Port: 80},
		"//127.0.0.1/x":                                   {Text: "//127.0.0.1/x", Valid: true, Host: "127.0.0.1", Addresses: []string{"127.0.0.1"}},
		"":                                                {Problem: "names no host"},
		`http://a.example\@127.0.0.1/`:                    {Text: "(not a URL)", Problem: "is no URL"},
		`http://127.0.0.1\.a.example/`:                    {Text: "(not a URL)", Problem: "is no URL"},
		"http://%31%32%37.0.0.1/":                         {Text: "(not a URL)", Problem: "is no URL"},
		"http ://127.0.0.1/":                              {Text: "(not a URL)", Problem: "is no URL"},
		"http://a.example\n/":                             {Text: "(not a URL)", Problem: "is no URL"},
	} {
		want.Path = "spec.url"
		want.Labels, want.Addresses = append([]string{}, want.Labels...), append([]string{}, want.Addresses...)
		if diff := cmp.Diff(want, originOfURL("spec.url", text)); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", text, diff)
		}
	}
}

func TestTheOriginOfAnImageIsItsRegistry(t *testing.T) {
	for text, want := range map[string]string{
		"docker://quay.io/a/b@sha256:" + strings.Repeat("ab", 32): "quay.io",
		"docker://fedora":               "docker.io",
		"docker://minio/a":              "docker.io",
		"docker://localhost/a":          "localhost",
		"docker://Minio:5000/a":         "minio",
		"docker://2130706433:5000/a":    "127.0.0.1",
		"docker://[::1]:5000/a":         "::1",
		"docker://registry.a.svc:443/b": "registry.a.svc",
		"quay.io/a":                     "quay.io",
	} {
		if got := originOfImage("spec.url", parseRegistryURL(text)); got.Host != want || !got.Valid || got.Scheme != "docker" {
			t.Errorf("%s: %+v, want host %s", text, got, want)
		}
	}
	for _, text := range []string{"docker://me:hunter2@quay.io/a", "https://quay.io/a", "docker://", "oci-archive:///etc/passwd"} {
		got := originOfImage("spec.url", parseRegistryURL(text))
		if got.Valid || got.Problem == "" || strings.Contains(got.Text+got.Problem, "hunter2") {
			t.Errorf("%s: %+v, want invalid, with a reason and without the password", text, got)
		}
	}
}

func TestAListedHostIsANameOrAddressesOrNothing(t *testing.T) {
	for text, want := range map[string]SourceHost{
		"Mirror.corp.internal.": {Host: "mirror.corp.internal"},
		"*.corp.internal":       {Host: "corp.internal", Below: true},
		"10.1.2.3":              {Host: "10.1.2.3"},
		"[fd00::1]":             {Host: "fd00::1"},
		"10.1.2.3/8":            {CIDR: "10.0.0.0/8"},
		"*":                     {},
		"*.":                    {},
		"*.10.0.0.1":            {},
		"a b":                   {},
		"":                      {},
	} {
		want.Text = text
		if diff := cmp.Diff(want, parseSourceHost(text)); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", text, diff)
		}
	}
}
