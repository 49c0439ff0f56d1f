package facts

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func TestImageReferencesAreReadAsARuntimeReadsThem(t *testing.T) {
	digest := strings.Repeat("ab", 32)
	for _, c := range []struct {
		text string
		want Image
	}{
		{"fedora", Image{Valid: true, Registry: "docker.io", Path: []string{"library", "fedora"}}},
		{"acme/fedora:40", Image{Valid: true, Registry: "docker.io", Path: []string{"acme", "fedora"}, Tag: "40"}},
		{"quay.io/containerdisks/fedora", Image{Valid: true, Registry: "quay.io", Path: []string{"containerdisks", "fedora"}}},
		{"quay.io/containerdisks-evil/fedora", Image{Valid: true, Registry: "quay.io", Path: []string{"containerdisks-evil", "fedora"}}},
		{"quay.io.evil.example/containerdisks/fedora", Image{Valid: true, Registry: "quay.io.evil.example", Path: []string{"containerdisks", "fedora"}}},
		{"quay.io:5000/containerdisks/fedora:40", Image{Valid: true, Registry: "quay.io:5000", Path: []string{"containerdisks", "fedora"}, Tag: "40"}},
		{"QUAY.io/containerdisks/fedora", Image{Valid: true, Registry: "quay.io", Path: []string{"containerdisks", "fedora"}}},
		{"localhost/fedora", Image{Valid: true, Registry: "localhost", Path: []string{"fedora"}}},
		{"quay.io/a/b:1@sha256:" + digest, Image{Valid: true, Registry: "quay.io", Path: []string{"a", "b"}, Tag: "1", Algorithm: "sha256", Digest: digest}},
		{"", Image{Path: []string{}}},
		{"quay.io/Containerdisks/fedora", Image{Path: []string{}}},
		{"quay.io/a/../b", Image{Path: []string{}}},
		{"quay.io/a@sha256:abc", Image{Path: []string{}}},
		{"https://quay.io/a/b", Image{Path: []string{}}},
		{"quay.io/a b", Image{Path: []string{}}},
		{"quaу.io/containerdisks/fedora", Image{Path: []string{}}}, // a Cyrillic letter
	} {
		got := parseImage(c.text)
		c.want.Text = c.text
		if diff := cmp.Diff(c.want, got, cmpopts.IgnoreFields(Image{}, "Problem")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
		if got.Valid == (got.Problem != "") {
			t.Errorf("%s: valid is %t with the problem %q", c.text, got.Valid, got.Problem)
		}
	}
}

func TestARegistryURLIsAReferenceBehindDocker(t *testing.T) {
	for text, want := range map[string]Image{
		"docker://quay.io/a/b":     {Text: "docker://quay.io/a/b", Valid: true, Registry: "quay.io", Path: []string{"a", "b"}},
		"quay.io/a/b":              {Text: "quay.io/a/b", Valid: true, Registry: "quay.io", Path: []string{"a", "b"}},
		"oci-archive://quay.io/a":  {Text: "oci-archive://quay.io/a", Path: []string{}},
		"https://quay.io/a/b":      {Text: "https://quay.io/a/b", Path: []string{}},
		"docker://docker://x/y":    {Text: "docker://docker://x/y", Path: []string{}},
		"docker://me:pw@quay.io/a": {Text: "docker://…@quay.io/a", Path: []string{}},
	} {
		got := parseRegistryURL(text)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Image{}, "Problem")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
		if got.Valid == (got.Problem != "") {
			t.Errorf("%s: valid is %t with the problem %q", text, got.Valid, got.Problem)
		}
	}
}

func TestAnImagePrefixIsARegistryAndWholeComponents(t *testing.T) {
	for text, want := range map[string]ImagePrefix{
		"quay.io/containerdisks/": {Registry: "quay.io", Path: []string{"containerdisks"}},
		"Quay.IO/containerdisks":  {Registry: "quay.io", Path: []string{"containerdisks"}},
		"quay.io:5000/a/b":        {Registry: "quay.io:5000", Path: []string{"a", "b"}},
		"quay.io":                 {Registry: "quay.io", Path: []string{}},
		"":                        {Path: []string{}},
	} {
		want.Text = text
		if diff := cmp.Diff(want, parsePrefix(text), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestChecksumsAreTakenApartOrSayWhatIsWrong(t *testing.T) {
	hex := func(n int) string { return strings.Repeat("a", n) }
	for _, c := range []struct{ text, algorithm, problem string }{
		{"sha256:" + hex(64), "sha256", ""},
		{" SHA256:" + strings.Repeat("A", 64) + "\n", "sha256", ""},
		{"sha512:" + hex(128), "sha512", ""},
		{"md5:" + hex(32), "md5", ""}, // well-formed: that it is weak is for a rule to say
		{"sha256:" + hex(63), "sha256", "wrong length"},
		{"sha256:" + hex(63) + "g", "sha256", "not hexadecimal"},
		{"sha256:" + hex(62) + "é", "sha256", "not hexadecimal"},
		{"sha256:", "sha256", "wrong length"},
		{hex(64), hex(64), "no algorithm"},
		{"crc32:12345678", "crc32", "unknown algorithm"},
		{":" + hex(64), "", "unknown algorithm"},
		{"sha256:" + strings.Repeat("ä", 1<<20), "sha256", "wrong length"},
	} {
		all := parseChecksum(c.text, "spec.checksum")
		if len(all) != 1 {
			t.Fatalf("%.40q: %d checksums", c.text, len(all))
		}
		got := all[0]
		if got.Algorithm != c.algorithm || got.Valid != (c.problem == "") || !strings.Contains(got.Problem, c.problem) || len(got.Digest) > 300 {
			t.Errorf("%.40q: %+v, want algorithm %q and a problem with %q", c.text, got, c.algorithm, c.problem)
		}
	}
	if got := parseChecksum(" \n", "spec.checksum"); len(got) != 0 {
		t.Errorf("nothing written is a checksum: %+v", got)
	}
}

func TestAURLIsKeptWithoutWhatMayBeSecret(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "",
		"https://images.example/disk.img": "https://images.example/disk.img",
		"https://me:hunter2@images.example/disk.img":          "https://images.example/disk.img",
		"https://images.example/disk.img?token=hunter2":       "https://images.example/disk.img?…",
		"https://images.example/disk.img#hunter2":             "https://images.example/disk.img",
		"https://me:hun%zzter2@images.example/":               "(not a URL)",
		"me:hunter2@images.example/disk.img":                  "(not a URL)",
		"https:/me:hunter2@images.example/disk.img":           "(not a URL)",
		"quay.io/a/b@sha256:abc":                              "quay.io/a/b@sha256:abc",
		"docker://quay.io/a/b@sha256:abc":                     "docker://quay.io/a/b@sha256:abc",
		"https://images.example/" + strings.Repeat("a", 4096): "https://images.example/" + strings.Repeat("a", 233) + "…",
	} {
		if got := withoutUserinfo(text); got != want {
			t.Errorf("%.60q is kept as %q, want %q", text, got, want)
		}
	}
}

func TestNoPasswordOfAReferenceReachesTheFacts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.SampledFrom([]string{"", "https://", "docker://", "https:/", "//", "oci://"}).Draw(t, "scheme")
		after := rapid.SampledFrom([]string{"", "quay.io/a", "quay.io/a@sha256:" + strings.Repeat("a", 64), "h/p?q=1", "x@y"}).Draw(t, "rest")
		user := rapid.SampledFrom([]string{"me:hunter2", "hunter2", ":hunter2", "me:hunter2@more"}).Draw(t, "user")
		text := before + user + "@" + after
		data, err := json.Marshal([]any{parseImage(text), parseRegistryURL(text), withoutUserinfo(text)})
		if err != nil || strings.Contains(string(data), "hunter2") {
			t.Fatalf("%s is kept as %s (%v)", text, data, err)
		}
	})
}

func TestALongTextIsCutBetweenCharacters(t *testing.T) {
	for _, text := range []string{strings.Repeat("é", 200), "a" + strings.Repeat("é", 200), strings.Repeat("\xff", 300)} {
		got := bounded(text)
		if !strings.HasPrefix(text, strings.TrimSuffix(got, "…")) || len(got) > 256+len("…") {
			t.Errorf("%d bytes become %q", len(text), got)
		}
	}
}
