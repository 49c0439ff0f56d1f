package cloudinit

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
)

// part hands one part to what cloud-init would hand it to.
func (d *decoder) part(p part) {
	if p.problem != "" {
		d.unread(p.path, p.problem)
		return
	}
	for _, t := range gzipped {
		if p.ctype != t || p.archive {
			continue
		}
		plain, err := d.unpack(p.payload)
		if err != nil {
			d.unread(p.path, "a gzip part that does not unpack, or unpacks to too much")
			return
		}
		p.payload, p.ctype = string(plain), "text/plain"
	}
	switch p.ctype {
	case "text/plain", "text/x-not-multipart", "text/x-shellscript":
		if !p.archive {
			p.ctype = sniff(p.payload, p.ctype)
		}
	}
	switch p.ctype {
	case "text/cloud-config":
		d.cloudConfig(p)
	case "text/cloud-config-jsonp":
		d.unread(p.path, "a JSON patch (#cloud-config-jsonp), which is not followed")
	case "text/jinja2":
		d.jinja(p)
	case "text/x-shellscript", "text/x-shellscript-per-boot", "text/x-shellscript-per-instance", "text/x-shellscript-per-once":
		d.code = append(d.code, p)
		d.script(p.path, "script", "", p.payload)
	case "text/cloud-boothook":
		d.script(p.path, "boothook", "", strings.TrimPrefix(strings.TrimSpace(p.payload), "#cloud-boothook"))
		d.code = append(d.code, p)
	case "text/part-handler":
		d.unread(p.path, "a part handler (#part-handler): Python code that may change what other parts mean")
	case "text/x-include-url", "text/x-include-once-url":
		if p.archive {
			d.ignored(p.path, "an include within an archive, which cloud-init does not follow")
			return
		}
		d.unread(p.path, "an include (#include): what it names is fetched at boot")
	case "text/cloud-config-archive":
		d.cloudArchive(p)
	default:
		if strings.TrimSpace(p.payload) != "" {
			d.ignored(p.path, "cloud-init does not know what it is: no known first line, and no known content type")
		}
	}
}

// jinja follows a template that has nothing to fill in. With anything to fill in, the result depends on the guest.
func (d *decoder) jinja(p part) {
	_, body, _ := strings.Cut(strings.TrimLeft(p.payload, " \t\r\n"), "\n")
	if strings.Contains(body, "{{") || strings.Contains(body, "{%") || strings.Contains(body, "{#") {
		d.unread(p.path, "a jinja template, which is filled in at boot")
		return
	}
	p.payload, p.ctype = body, sniff(body, "")
	switch p.ctype {
	case "text/cloud-config", "text/x-shellscript", "text/cloud-boothook", "text/cloud-config-jsonp":
		d.part(p)
	default:
		d.ignored(p.path, "a jinja template of something that cloud-init does not know")
	}
}

// cloudArchive hands on the entries of a #cloud-config-archive.
func (d *decoder) cloudArchive(p part) {
	if p.archive {
		d.ignored(p.path, "an archive within an archive, which cloud-init does not follow")
		return
	}
	v, err := d.yaml.load(p.payload)
	list, ok := v.([]any)
	if err != nil || !ok {
		d.unread(p.path, "an archive that is not a YAML list")
		return
	}
	for i, entry := range list {
		if d.archive++; d.archive > maxParts {
			d.unread(p.path, "more parts than are read ("+strconv.Itoa(maxParts)+")")
			return
		}
		e := part{path: p.path + "[" + strconv.Itoa(i) + "]", archive: true}
		switch entry := entry.(type) {
		case string:
			e.payload = entry
		case *mapping:
			content, _ := entry.get("content")
			e.payload, _ = text(content)
			if t, _ := entry.get("type"); pyTruth(t) {
				e.ctype = strings.ToLower(pyStr(t))
			} else if _, binary := content.([]byte); binary {
				e.ctype = sniff(e.payload, "application/octet-stream")
			}
			for _, k := range entry.keys {
				e.headers = append(e.headers, header{k, pyStr(entry.values[k])})
			}
		default:
			continue
		}
		if e.ctype == "" {
			e.ctype = sniff(e.payload, "text/cloud-config")
		}
		d.part(e)
	}
}

const emptyDocument = "an empty document"

// cloudConfig merges one cloud-config part into what the earlier ones amount to.
func (d *decoder) cloudConfig(p part) {
	v, err := d.yaml.load(p.payload)
	doc, ok := v.(*mapping)
	switch {
	case errors.Is(err, errEmpty):
		d.ignored(p.path, emptyDocument)
		return
	case err != nil:
		d.unread(p.path, err.Error())
		return
	case !ok:
		d.unread(p.path, "not a YAML mapping, which cloud-init drops")
		return
	}
	merged, err := d.merge(doc, p)
	if err != nil {
		d.unread(p.path, err.Error())
		return
	}
	for _, k := range doc.keys {
		before, had := d.config.get(k)
		if after, has := merged.get(k); has && (!had || !reflect.DeepEqual(before, after)) || !had {
			d.origin[k] = p.path
		}
	}
	d.config = merged
}

func (d *decoder) merge(doc *mapping, p part) (*mapping, error) {
	list, err := extractMergers(doc)
	if err != nil {
		return nil, err
	}
	how := p.field("Merge-Type")
	if how == "" {
		how = p.field("X-Merge-Type")
	}
	byHeader, err := parseMergers(how)
	if err != nil {
		return nil, err
	}
	if list = append(list, byHeader...); len(list) == 0 {
		list = defaultMergers()
	}
	all, err := newMergeAll(list)
	if err != nil {
		return nil, err
	}
	v, err := all.merge(d.config, doc)
	if err != nil {
		return nil, err
	}
	merged, ok := v.(*mapping)
	if !ok {
		return nil, errors.New("parts that do not merge")
	}
	return merged, nil
}
