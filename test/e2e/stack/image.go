package stack

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"

	"cato.dev/cato/test/controlplane"
)

// Image is the image of a disk that the importers of the cluster can fetch.
type Image struct {
	URL      string
	Checksum string // sha256:HEX of the file
}

// imageSize is that of the disk in an image, in bytes: a file system's worth,
// fetched at once.
const imageSize = 1 << 20

// ServeImages makes images, raw ones with a content that follows from their
// names, and serves them to the importers under a public name.
func (s *Stack) ServeImages(names ...string) (map[string]Image, error) {
	folder := filepath.Join(s.Dir, "images")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	served, err := s.ControlPlane.HTTPSource(folder)
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(served)
	if err != nil {
		return nil, fmt.Errorf("the source's URL: %w", err)
	}
	base.Host = controlplane.SourceHost + ":" + base.Port()
	images := map[string]Image{}
	for _, name := range names {
		content := make([]byte, imageSize)
		if _, err := rand.NewChaCha8(sha256.Sum256([]byte(name))).Read(content); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			return nil, err
		}
		sum := sha256.Sum256(content)
		images[name] = Image{URL: base.JoinPath(name).String(), Checksum: "sha256:" + hex.EncodeToString(sum[:])}
	}
	return images, nil
}

// Tamper changes a byte of an image that is served, as somebody on the mirror
// or on the way would.
func (s *Stack) Tamper(name string) error {
	path := filepath.Join(s.Dir, "images", name)
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	content[len(content)/2] ^= 1
	return os.WriteFile(path, content, 0o644)
}
