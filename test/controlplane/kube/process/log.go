package process

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"time"
)

// criLog writes lines as the CRI wants them: time, stream, F for a whole line,
// text. One write of a program may be part of a line only, so the rest waits.
type criLog struct {
	file   *os.File
	stream string
	rest   []byte
}

// maximumRest bounds what waits for the end of its line, in bytes.
const maximumRest = 64 << 10

func (l *criLog) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		end := bytes.IndexByte(l.rest, '\n')
		if end < 0 && len(l.rest) < maximumRest {
			return len(p), nil
		}
		line := l.rest
		if end >= 0 {
			line, l.rest = l.rest[:end], l.rest[end+1:]
		} else {
			l.rest = nil
		}
		if err := writeLine(l.file, l.stream, line); err != nil {
			return 0, err
		}
	}
}

func writeLine(w io.Writer, stream string, line []byte) error {
	_, err := fmt.Fprintf(w, "%s %s F %s\n", time.Now().UTC().Format(time.RFC3339Nano), stream, line)
	return err
}
