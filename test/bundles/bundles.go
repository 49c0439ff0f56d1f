// Package bundles makes edited copies of the embedded policy bundle, to show
// that it alone decides.
package bundles

import (
	"fmt"
	"io/fs"
	"strings"
	"testing/fstest"

	"cato.dev/cato/policy/bundle"
)

// NothingGranted is the embedded bundle in which no grant is ever given.
func NothingGranted() (fstest.MapFS, error) {
	return edited(func(path, text string) (string, bool) {
		if !strings.HasPrefix(path, "grants/") {
			return text, true
		}
		// What the grant reads stays as it is, since rules document it.
		return strings.ReplaceAll(text, "given contains", "_given contains") + `
# METADATA
# description: Never.
given contains reason if {
	input.subject.kind == "Nothing"
	some reason in _given
}
`, !strings.HasSuffix(path, "_test.rego")
	})
}

// EverythingGranted is a bundle in which every grant is given and no rule judges.
func EverythingGranted() (fstest.MapFS, error) {
	return edited(func(path, text string) (string, bool) {
		if strings.HasPrefix(path, "rules/") || strings.HasSuffix(path, "_test.rego") {
			return "", false
		}
		if !strings.HasPrefix(path, "grants/") {
			return text, true
		}
		return annotated(text) + `
# METADATA
# description: Always.
given contains {"because": "always", "evidence": {}} if input.subject.kind != ""
`, true
	})
}

// annotated is a grant's description and package, without its body.
func annotated(text string) string {
	at := strings.Index(text, "\npackage ")
	end := strings.IndexByte(text[at+1:], '\n')
	return text[:at+1+end] + "\n"
}

// edited copies the bundle; edit returns a file's new text, and whether it is
// kept at all.
func edited(edit func(path, text string) (string, bool)) (fstest.MapFS, error) {
	tree := fstest.MapFS{}
	err := fs.WalkDir(bundle.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(bundle.FS(), path)
		if err != nil {
			return err
		}
		if changed, kept := edit(path, string(text)); kept {
			tree[path] = &fstest.MapFile{Data: []byte(changed)}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("edit the bundle: %w", err)
	}
	return tree, nil
}
