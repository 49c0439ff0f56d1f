// Package markdown reads the fenced code blocks of the project's pages, so that tests can run what the pages say.
package markdown

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Block is one fenced code block.
type Block struct {
	Page     string // path of the page, as it was given
	Line     int    // of the opening fence, from 1
	Language string // first word after the fence, such as sh; empty without one
	File     string // the path in backquotes, followed by a colon, that ends the line above the block; empty without one
	Text     string // without the fences
}

// Pages lists README.md, CONTRIBUTING.md, SECURITY.md and the pages of docs below the root of the checkout.
func Pages(root string) ([]string, error) {
	pages := []string{"README.md", "CONTRIBUTING.md", "SECURITY.md"}
	for i := range pages {
		pages[i] = filepath.Join(root, pages[i])
	}
	more, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		return nil, err
	}
	return append(pages, more...), nil
}

// Read returns the blocks of a page. A fence that is not closed is an error.
func Read(page string) ([]Block, error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return nil, err
	}
	return parse(page, string(text))
}

// ReadAll returns the blocks of several pages that are in the language.
func ReadAll(pages []string, language string) ([]Block, error) {
	var chosen []Block
	for _, page := range pages {
		blocks, err := Read(page)
		if err != nil {
			return nil, err
		}
		for _, b := range blocks {
			if b.Language == language {
				chosen = append(chosen, b)
			}
		}
	}
	return chosen, nil
}

func parse(page, text string) ([]Block, error) {
	file := regexp.MustCompile("`([^`]+)`:$")
	var blocks []Block
	var open *Block
	above := ""
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		language, isFence := strings.CutPrefix(trimmed, "```")
		switch {
		case isFence && open == nil:
			open = &Block{Page: page, Line: i + 1}
			if words := strings.Fields(language); len(words) > 0 {
				open.Language = words[0]
			}
			if found := file.FindStringSubmatch(above); found != nil {
				open.File = found[1]
			}
		case isFence:
			blocks = append(blocks, *open)
			open, above = nil, ""
		case open != nil:
			open.Text += line + "\n"
		case trimmed != "":
			above = trimmed
		}
	}
	if open != nil {
		return nil, fmt.Errorf("%s:%d: the code block is not closed", page, open.Line)
	}
	return blocks, nil
}

// Commands returns the commands of a shell block: lines that end in a backslash are joined, comments and empty
// lines are left out.
func (b Block) Commands() []string {
	var commands []string
	joined := ""
	for line := range strings.Lines(b.Text) {
		joined += strings.TrimSpace(line)
		if rest, more := strings.CutSuffix(joined, `\`); more {
			joined = rest
			continue
		}
		if joined != "" && !strings.HasPrefix(joined, "#") {
			commands = append(commands, joined)
		}
		joined = ""
	}
	return commands
}
