// Package bundle holds the embedded Rego of Cato: the rules under rules/<domain>/<rule>, the grants under
// grants/<grant>, the libraries under lib, each with its tests beside it.
package bundle

import (
	"embed"
	"io/fs"
)

//go:embed *.rego grants lib rules
var tree embed.FS

// FS returns the embedded tree, rooted at the bundle's folder. The copy cannot be written to.
func FS() fs.FS { return tree }
