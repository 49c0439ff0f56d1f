package cloudinit

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Decode tells what the guest ends up with. It never fails: what cannot be followed is listed in Unread, what
// cloud-init leaves out in Ignored. Data is what KubeVirt puts on the disk, with base64 of the API undone.
func Decode(data []byte) Guest {
	d := newDecoder()
	d.userData(data)
	d.finish()
	return d.guest
}

// decoder gathers the parts of one user data.
type decoder struct {
	guest Guest
	yaml  loader
	// What is counted over the whole: entries of archives, bytes unpacked in files, bytes of scripts.
	archive, unpacked, shell int
	// config is what the cloud-config parts amount to, with the part that last gave each key.
	config *mapping
	origin map[string]string
	code   []part // scripts, in order
}

func newDecoder() *decoder {
	return &decoder{
		guest: Guest{
			Format: FormatNone, SSHPasswordAuth: AuthUnset, DisableRoot: Unset, DisableRootOpts: Unset, DefaultUser: Unset,
			Users: []User{}, Passwords: []Password{}, SSHD: []SSHDSetting{}, RootKeys: []Place{}, Scripts: []Script{},
			Nested: []Nested{}, Ignored: []Note{}, Unread: []Note{},
		},
		config: newMapping(),
		origin: map[string]string{},
	}
}

const root = "userdata"

func (d *decoder) unread(part, reason string) {
	d.guest.Unread = append(d.guest.Unread, Note{part, reason})
}

func (d *decoder) ignored(part, reason string) {
	d.guest.Ignored = append(d.guest.Ignored, Note{part, reason})
}

func (d *decoder) userData(data []byte) {
	if len(bytes.TrimSpace(data)) == 0 {
		return
	}
	if len(data) > maxInput {
		d.guest.Format = FormatIgnored
		d.unread(root, "larger than is read (4 MiB)")
		return
	}
	if plain, err := gunzip(data); err == nil {
		data, d.guest.Compressed = plain, true
	} else if errors.Is(err, errBomb) {
		d.guest.Format, d.guest.Compressed = FormatIgnored, true
		d.unread(root, "gzip that unpacks to more than is read (4 MiB)")
		return
	}
	head := bytes.ToLower(data[:min(len(data), 4096)])
	if !bytes.Contains(head, []byte("mime-version:")) {
		p := part{path: root, ctype: "text/x-not-multipart", payload: string(data)}
		d.guest.Format = format(sniff(p.payload, ""))
		d.part(p)
		return
	}
	d.guest.Format = FormatMultipart
	if !utf8.Valid(data) {
		d.unread(root, "a message that is not UTF-8, on which cloud-init fails")
		return
	}
	parts, empty, tooMany := messageParts(root, string(data))
	if len(parts) == 1 && parts[0].path == root {
		// Not a container: a document of its own, or no message at all.
		if f := format(sniff(parts[0].payload, "")); len(parts[0].headers) == 0 {
			d.guest.Format = f
		}
	}
	for _, path := range empty {
		d.ignored(path, "a multipart container without parts: its boundary is missing or is not found")
	}
	for _, p := range parts {
		d.part(p)
	}
	if tooMany {
		d.unread(root, "more parts than are read ("+strconv.Itoa(maxParts)+")")
	}
}

// beginnings are cloud-init's, longest first.
var beginnings = []struct{ text, ctype string }{
	{"#cloud-config-archive", "text/cloud-config-archive"},
	{"#cloud-config-jsonp", "text/cloud-config-jsonp"},
	{"## template: jinja", "text/jinja2"},
	{"#cloud-boothook", "text/cloud-boothook"},
	{"#include-once", "text/x-include-once-url"},
	{"#cloud-config", "text/cloud-config"},
	{"#part-handler", "text/part-handler"},
	{"#include", "text/x-include-url"},
	{"#!", "text/x-shellscript"},
}

// sniff tells a type by its first characters after white space, in any case; a byte order mark is no white space.
func sniff(payload, otherwise string) string {
	t := strings.TrimLeftFunc(payload, func(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f })
	for _, b := range beginnings {
		if len(t) >= len(b.text) && strings.EqualFold(t[:len(b.text)], b.text) {
			return b.ctype
		}
	}
	return otherwise
}

func format(ctype string) string {
	switch ctype {
	case "text/cloud-config":
		return FormatCloudConfig
	case "text/cloud-config-archive":
		return FormatArchive
	case "text/cloud-config-jsonp":
		return FormatJSONPatch
	case "text/jinja2":
		return FormatJinja
	case "text/cloud-boothook":
		return FormatBoothook
	case "text/x-include-url", "text/x-include-once-url":
		return FormatInclude
	case "text/part-handler":
		return FormatPartHandler
	case "text/x-shellscript":
		return FormatScript
	}
	return FormatIgnored
}

var (
	errBomb = errors.New("unpacks to too much")
	gzipped = []string{
		"application/gzip", "application/gzip-compressed", "application/gzipped", "application/x-compress",
		"application/x-compressed", "application/x-gunzip", "application/x-gzip", "application/x-gzip-compressed",
	}
)

func gunzip(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if len(plain) > maxInput {
		return nil, errBomb
	}
	return plain, err
}

// unpack is gunzip within what is unpacked of one user data.
func (d *decoder) unpack(data string) ([]byte, error) {
	if d.unpacked > maxInput {
		return nil, errBomb
	}
	plain, err := gunzip([]byte(data))
	if d.unpacked += len(plain); errors.Is(err, errBomb) {
		d.unpacked += maxInput
	}
	return plain, err
}
