package process

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Images says what a container of an image runs: there is no registry, so an
// image is only a name, and the name chooses a program of this machine.
type Images struct {
	// Programs maps the name of a program to its file. The last part of an
	// image's name, and the last part of a container's command, choose one.
	Programs map[string]string
	// Scripts maps the name of an image to a shell script that runs in place of
	// the program of that name, which it finds in /program.
	Scripts map[string]string
	// Idle are names of images whose program cannot run here. Their containers
	// only live until they are told to end; their init containers end at once.
	Idle []string
	// Authority is a certificate, as PEM, that every image trusts beside the
	// public ones, as those of a company with an authority of its own do.
	Authority string
}

// entry is what a container runs.
type entry struct {
	// Program is the file that is bound into the container's root at At, if any.
	Program, At string
	// Argv is the command line inside of the root. Of an idle container it is
	// empty.
	Argv []string
	// Idle containers live until they are told to end; Done ones end at once.
	Idle, Done bool
	// Authority is Images.Authority.
	Authority string
}

// entryOf chooses what a container runs.
func (im Images) entryOf(image, container string, command, args []string) (entry, error) {
	name := baseName(image)
	if slices.Contains(im.Idle, name) {
		once := strings.HasSuffix(container, "-init") || container == "container-disk-binary"
		return entry{Idle: !once, Done: once}, nil
	}
	if len(command) == 0 {
		program, ok := im.Programs[name]
		if !ok {
			return entry{}, fmt.Errorf("image %s: no program is known for the name %q, and the container has no command", image, name)
		}
		e := entry{Program: program, At: programPath(name), Argv: append([]string{programPath(name)}, args...)}
		if script, ok := im.Scripts[name]; ok {
			e.Argv = []string{"/bin/sh", "-ec", script}
		}
		return e, nil
	}
	argv := append(slices.Clone(command), args...)
	if program, ok := im.Programs[path.Base(command[0])]; ok {
		argv[0] = programPath(path.Base(command[0]))
		return entry{Program: program, At: argv[0], Argv: argv}, nil
	}
	return entry{Argv: argv}, nil
}

// programPath is where a program is inside of the container's root.
func programPath(name string) string { return "/program/" + name }

// baseName is the last part of an image's name, without tag and digest.
func baseName(image string) string {
	name, _, _ := strings.Cut(path.Base(image), "@")
	name, _, _ = strings.Cut(name, ":")
	return name
}
