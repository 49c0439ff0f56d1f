// Package crd holds the generated CustomResourceDefinitions of Cato, so that a
// command without a cluster validates by what a cluster would validate by.
package crd

import (
	"embed"
	"io/fs"
)

//go:embed bases/*.yaml
var bases embed.FS

// FS returns the generated manifests, one a file.
func FS() (fs.FS, error) { return fs.Sub(bases, "bases") }
