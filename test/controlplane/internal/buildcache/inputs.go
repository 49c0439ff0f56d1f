package buildcache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// goEnvironment is the environment of every go command here. GOFLAGS replaces
// what the user may have set, which could ask for -race or -mod=vendor, and
// always holds the same flags, because other flags compile everything anew.
func goEnvironment() []string {
	return append(os.Environ(),
		"CGO_ENABLED=0",
		"GOFLAGS=-trimpath -buildvcs=false",
		"GOOS="+runtime.GOOS,
		"GOARCH="+runtime.GOARCH,
		"GOWORK=off",
	)
}

// hashInputs is the SHA-256, in hexadecimal, over all that decides what the
// build makes: go.mod, go.sum and *.go of the module but its tests, the Go version, the
// target and the flags.
func hashInputs(ctx context.Context, m Module) (string, error) {
	h := sha256.New() // writing to a hash never fails
	_, _ = fmt.Fprintf(h, "%q %q %q %q %q %q %q\n", m.Package, m.Tools, m.Tags, m.LDFlags, m.Output, m.Links, m.Print)

	cmd := exec.CommandContext(ctx, "go", "env", "GOVERSION", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT", "GOFLAGS", "CGO_ENABLED")
	cmd.Dir = m.Dir
	cmd.Env = goEnvironment()
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("ask the go command for its version (is Go installed and in PATH?): %w%s", err, stderrOf(err))
	}
	h.Write(out)

	// WalkDir goes in lexical order, so the hash does not depend on the disk.
	err = filepath.WalkDir(m.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() || (name != "go.mod" && name != "go.sum" && filepath.Ext(name) != ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(m.Dir, path)
		if err != nil {
			return err
		}
		sum, err := hashFile(path)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(h, "%s %s\n", filepath.ToSlash(rel), sum)
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("read the module's sources: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// hashFile is the SHA-256 of a file's content in hexadecimal.
func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// stderrOf is what a failed command wrote to its standard error, as the tail
// of a message, or nothing.
func stderrOf(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return ": " + strings.TrimSpace(string(exit.Stderr))
	}
	return ""
}
