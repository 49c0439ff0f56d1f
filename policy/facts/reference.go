package facts

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/distribution/reference"
)

// parseImage takes a container image reference apart as a container runtime
// does: a short name belongs to docker.io.
func parseImage(text string) Image {
	image := Image{Text: withoutCredentials(text), Path: []string{}}
	named, err := reference.ParseNormalizedNamed(text)
	if err != nil {
		image.Problem = err.Error()
		return image
	}
	image.Valid = true
	image.Registry = strings.ToLower(reference.Domain(named))
	image.Path = strings.Split(reference.Path(named), "/")
	if tagged, ok := named.(reference.Tagged); ok {
		image.Tag = tagged.Tag()
	}
	if digested, ok := named.(reference.Digested); ok {
		image.Algorithm = digested.Digest().Algorithm().String()
		image.Digest = digested.Digest().Encoded()
	}
	return image
}

// parseRegistryURL takes apart what CDI reads as spec.source.registry.url: a
// transport (docker://) and a reference.
func parseRegistryURL(text string) Image {
	rest, ok := strings.CutPrefix(text, "docker://")
	if !ok {
		if transport, _, found := strings.Cut(text, "://"); found {
			return Image{Text: withoutCredentials(text), Path: []string{}, Problem: "has the transport " + bounded(transport) + ": only docker:// names an image of a registry"}
		}
	}
	image := parseImage(rest)
	image.Text = withoutCredentials(text)
	return image
}

// parsePrefix takes one entry of the image allow-list apart. It names a
// registry and whole components of a path, with or without a closing slash.
func parsePrefix(text string) ImagePrefix {
	components := strings.Split(strings.Trim(text, "/ "), "/")
	return ImagePrefix{Text: text, Registry: strings.ToLower(components[0]), Path: slices.Clone(components[1:])}
}

// checksumLengths are the hash algorithms that CDI compares, with the length
// of their digests in hexadecimal digits.
func checksumLengths() map[string]int {
	return map[string]int{"md5": 32, "sha1": 40, "sha256": 64, "sha512": 128}
}

// parseChecksum takes "algorithm:digest" apart; nothing written is no checksum.
func parseChecksum(text, path string) []Checksum {
	if strings.TrimSpace(text) == "" {
		return []Checksum{}
	}
	algorithm, digest, found := strings.Cut(strings.TrimSpace(text), ":")
	c := Checksum{Path: path, Algorithm: bounded(strings.ToLower(algorithm)), Digest: bounded(strings.ToLower(digest))}
	length, known := checksumLengths()[c.Algorithm]
	switch {
	case !found:
		c.Problem = "has no algorithm: write sha256:<64 hexadecimal digits>"
	case !known:
		c.Problem = "has the unknown algorithm " + c.Algorithm + ": write sha256:<64 hexadecimal digits>"
	case len(digest) != length:
		c.Problem = "has a digest of the wrong length for " + c.Algorithm
	case strings.Trim(c.Digest, "0123456789abcdef") != "":
		c.Problem = "has a digest that is not hexadecimal"
	default:
		c.Valid = true
	}
	return []Checksum{c}
}

// bounded keeps a user's oversized text out of documents and messages.
func bounded(text string) string {
	const longest = 256
	if len(text) > longest {
		return cut(text, longest) + "…"
	}
	return text
}

// cut keeps at most so many bytes and never half a character.
func cut(text string, most int) string {
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// withoutUserinfo drops user, password, query and fragment from a URL; what
// does not parse, or hides an @ where no host is, is not repeated.
func withoutUserinfo(text string) string {
	if text == "" {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" && withoutCredentials(text) != text {
		return "(not a URL)"
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	if u.RawQuery != "" {
		u.RawQuery = "…"
	}
	return bounded(u.String())
}

// withoutCredentials drops what stands before an @ that no digest follows: the
// reference is no good then, and what is there may be a password.
func withoutCredentials(text string) string {
	before, after, found := strings.Cut(text, "@")
	algorithm, _, _ := strings.Cut(after, ":")
	_, digest := checksumLengths()[algorithm]
	if digest = digest || algorithm == "sha384"; !found || digest && !strings.Contains(after, "@") {
		return bounded(text)
	}
	scheme, _, hasScheme := strings.Cut(before, "://")
	after = after[strings.LastIndex(after, "@")+1:]
	if hasScheme {
		return bounded(scheme + "://…@" + after)
	}
	return bounded("…@" + after)
}
