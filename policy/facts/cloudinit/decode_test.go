package cloudinit

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const hardened = "#cloud-config\nssh_pwauth: false\ndisable_root: true\nusers:\n- name: ops\n  lock_passwd: true\n  ssh_authorized_keys:\n  - ssh-ed25519 AAAA ops\n"

// summary is what most cases are about: the two settings, usable passwords, and the rest as short words.
func summary(g Guest) string {
	s := []string{g.Format, "pwauth=" + g.SSHPasswordAuth, "root=" + g.DisableRoot}
	var more []string
	for _, p := range g.Passwords {
		state := "unusable"
		if p.Usable {
			state = "usable"
		}
		more = append(more, fmt.Sprintf("%s:%s:%s", p.Mechanism, p.Kind, state))
	}
	for _, u := range g.Users {
		if !u.Locked {
			more = append(more, "unlocked:"+u.Name)
		}
	}
	for _, k := range g.RootKeys {
		more = append(more, "rootkeys:"+k.Kind)
	}
	for _, x := range g.SSHD {
		more = append(more, fmt.Sprintf("sshd:%s:%s:%s", x.Keyword, x.Effect, x.Order))
	}
	for _, x := range g.Scripts {
		for _, t := range x.Touches {
			more = append(more, "touch:"+t)
		}
		for _, t := range x.Opaque {
			more = append(more, "opaque:"+t)
		}
	}
	for _, n := range g.Nested {
		more = append(more, "nested:pwauth="+n.SSHPasswordAuth+",root="+n.DisableRoot)
	}
	if len(g.Ignored) > 0 {
		more = append(more, "ignored")
	}
	if len(g.Unread) > 0 {
		more = append(more, "unread")
	}
	sort.Strings(more)
	uniq := more[:0]
	for i, m := range more {
		if i == 0 || m != more[i-1] {
			uniq = append(uniq, m)
		}
	}
	return strings.Join(append(s, uniq...), " ")
}

func cc(body string) string { return "#cloud-config\n" + body }

// mimeOf makes a message of parts, each "content-type\nbody".
func mimeOf(parts ...string) string {
	var b strings.Builder
	b.WriteString("Content-Type: multipart/mixed; boundary=\"==B==\"\nMIME-Version: 1.0\n\n")
	for _, p := range parts {
		head, body, _ := strings.Cut(p, "\n")
		b.WriteString("--==B==\nContent-Type: " + strings.ReplaceAll(head, "|", "\n") + "\nMIME-Version: 1.0\n\n" + body + "\n")
	}
	return b.String() + "--==B==--\n"
}

func gz(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(s)); err != nil {
		return err.Error()
	}
	if err := w.Close(); err != nil {
		return err.Error()
	}
	return b.String()
}

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func run(t *testing.T, cases []struct{ name, data, want string }) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, summary(Decode([]byte(c.data)))); diff != "" {
				t.Errorf("Decode (-want +got):\n%s", diff)
			}
		})
	}
}

const ok = " pwauth=disabled root=true"

func TestFormats(t *testing.T) {
	run(t, []struct{ name, data, want string }{
		{"no data at all", "", "none pwauth=unset root=unset"},
		{"white space only", " \n\t\n", "none pwauth=unset root=unset"},
		{"the hardened default", hardened, "cloud-config" + ok},
		{"a comment before the header hides the whole", "# managed by gitops\n" + hardened, "ignored pwauth=unset root=unset ignored"},
		{"blank lines before the header do not matter", "\n\n " + hardened, "cloud-config" + ok},
		{"a byte order mark hides the whole", "\ufeff" + hardened, "ignored pwauth=unset root=unset ignored"},
		{"no header at all", "ssh_pwauth: false\n", "ignored pwauth=unset root=unset ignored"},
		{"a space in the header", "# cloud-config\nssh_pwauth: false\n", "ignored pwauth=unset root=unset ignored"},
		{"the header in capitals is read", strings.Replace(hardened, "#cloud-config", "#Cloud-Config", 1), "cloud-config" + ok},
		{"the header with words behind it is read", strings.Replace(hardened, "#cloud-config", "#cloud-config  v2", 1), "cloud-config" + ok},
		{"line ends of DOS are read", strings.ReplaceAll(hardened, "\n", "\r\n"), "cloud-config" + ok},
		{"gzip is unpacked", gz(hardened), "cloud-config" + ok},
		{"gzip in gzip is not", gz(gz(hardened)), "ignored pwauth=unset root=unset ignored"},
		{"gzip cut short is ignored", gz(hardened)[:40], "ignored pwauth=unset root=unset ignored"},
		{"gzip that unpacks to too much", gz(hardened + strings.Repeat("#", maxInput)), "ignored pwauth=unset root=unset unread"},
		{"a document in base64 is not cloud-config", b64(hardened), "ignored pwauth=unset root=unset ignored"},
		{"malformed YAML", cc("ssh_pwauth: false\n  disable_root: [\n"), "cloud-config pwauth=unset root=unset unread"},
		{"a tab between key and value is malformed", cc("ssh_pwauth:\tfalse\n"), "cloud-config pwauth=unset root=unset unread"},
		{"a tab within quotes is not", cc("ssh_pwauth: false\ndisable_root: true\nx: 'a\tb'\n"), "cloud-config" + ok},
		{"a tab within a block is not", cc("ssh_pwauth: false\ndisable_root: true\nx: |\n  a\tb\n"), "cloud-config" + ok},
		{"a second document drops both", cc("ssh_pwauth: false\n---\ndisable_root: true\n"), "cloud-config pwauth=unset root=unset unread"},
		{"a list for a mapping", cc("- ssh_pwauth: false\n"), "cloud-config pwauth=unset root=unset unread"},
		{"the header alone", cc(""), "cloud-config pwauth=unset root=unset ignored"},
		{"an unknown tag", cc("ssh_pwauth: !no false\n"), "cloud-config pwauth=unset root=unset unread"},
		{"a control character", cc("ssh_pwauth: false\nx: \"\x07\"\n"), "cloud-config pwauth=unset root=unset unread"},
		{"an include", "#include\nhttps://example.com/x\n", "include pwauth=unset root=unset unread"},
		{"include-once", "#include-once https://example.com/x\n", "include pwauth=unset root=unset unread"},
		{"jinja to fill in", "## template: jinja\n" + hardened + "hostname: {{ v1.local_hostname }}\n", "jinja pwauth=unset root=unset unread"},
		{"jinja with nothing to fill in", "## template: jinja\n" + hardened, "jinja" + ok},
		{"a misspelt jinja header is a comment", "## template:jinja\n" + hardened, "ignored pwauth=unset root=unset ignored"},
		{"a JSON patch", "#cloud-config-jsonp\n[]\n", "json-patch pwauth=unset root=unset unread"},
		{"a part handler", "#part-handler\nimport os\n", "part-handler pwauth=unset root=unset unread"},
		{"a boothook", "#cloud-boothook\n#!/bin/sh\necho ops:x | chpasswd\n", "boothook pwauth=unset root=unset touch:password"},
		{"a shell script", "#!/bin/sh\napt-get -y install nginx\n", "script pwauth=unset root=unset"},
		{"binary data", "\x00\x01\xff\xfe", "ignored pwauth=unset root=unset ignored"},
		{"an archive", "#cloud-config-archive\n- type: text/cloud-config\n  content: |\n    ssh_pwauth: false\n- |\n  #cloud-config\n  disable_root: true\n", "archive" + ok},
		{"an archive's script", "#cloud-config-archive\n- |\n  #!/bin/sh\n  passwd -d root\n", "archive pwauth=unset root=unset touch:password"},
		{"an include in an archive is not followed", "#cloud-config-archive\n- |\n  #include\n  https://example.com\n", "archive pwauth=unset root=unset ignored"},
	})
}

func TestMessages(t *testing.T) {
	const a, b = "text/cloud-config\nssh_pwauth: false\ndisable_root: true\n", "text/cloud-config\n#cloud-config\nssh_pwauth: true\n"
	run(t, []struct{ name, data, want string }{
		{"a later part overrides", mimeOf(a, b), "multipart pwauth=enabled root=true"},
		{"an earlier part is overridden", mimeOf(b, a), "multipart" + ok},
		{"line ends of DOS", strings.ReplaceAll(mimeOf(b, a), "\n", "\r\n"), "multipart" + ok},
		{"plain text is looked into", mimeOf("text/plain\n#cloud-config\nssh_pwauth: false\ndisable_root: true\n"), "multipart" + ok},
		{"plain text without a header is ignored", mimeOf("text/plain\nssh_pwauth: false\n"), "multipart pwauth=unset root=unset ignored"},
		{"another type is ignored", mimeOf("text/html\n" + hardened), "multipart pwauth=unset root=unset ignored"},
		{"cloud-config with the type of a script", mimeOf("text/x-shellscript\n" + hardened), "multipart" + ok},
		{"base64 is decoded", mimeOf("text/cloud-config|Content-Transfer-Encoding: base64\n" + b64(hardened)), "multipart" + ok},
		{"quoted-printable is decoded", mimeOf("text/cloud-config|Content-Transfer-Encoding: quoted-printable\nssh_pwauth: f=61lse\ndisable_root: true\n"), "multipart" + ok},
		{"a part that is gzipped", mimeOf("application/gzip|Content-Transfer-Encoding: base64\n" + b64(gz(hardened))), "multipart" + ok},
		{"merge_how keeps the first word", mimeOf(a, "text/cloud-config\nmerge_how: 'dict(no_replace)+list()+str()'\nssh_pwauth: true\n"), "multipart" + ok},
		{"Merge-Type keeps the first word", mimeOf(a, "text/cloud-config|Merge-Type: dict(no_replace)\nssh_pwauth: true\n"), "multipart" + ok},
		{"merge-type in small letters is not read", mimeOf(a, "text/cloud-config|merge-type: dict(no_replace)\nssh_pwauth: true\n"), "multipart pwauth=enabled root=true"},
		{"X-Merge-Type is read", mimeOf(a, "text/cloud-config|X-Merge-Type: dict(no_replace)\nssh_pwauth: true\n"), "multipart" + ok},
		{"merge_how of the first part has no say in the second", mimeOf("text/cloud-config\nmerge_how: 'dict(no_replace)'\nssh_pwauth: false\ndisable_root: true\n", b), "multipart pwauth=enabled root=true"},
		{"merge_how without dict drops the part", cc("merge_how: 'list(append)'\nssh_pwauth: false\n"), "cloud-config pwauth=unset root=unset"},
		{"merge_how as a list", mimeOf(a, "text/cloud-config\nmerge_how:\n- name: dict\n  settings: [no_replace]\nssh_pwauth: true\n"), "multipart" + ok},
		{"an unknown merge type", mimeOf(a, "text/cloud-config\nmerge_how: 'tree()'\nssh_pwauth: true\n"), "multipart" + ok + " unread"},
		{"users are appended when asked", mimeOf("text/cloud-config\nusers: [{name: a}]\n", "text/cloud-config\nmerge_how: 'dict(recurse_array)+list(append)'\nusers: [{name: b, lock_passwd: false, passwd: $6$a$b}]\n"), "multipart pwauth=unset root=unset passwd:hash:usable unlocked:b"},
		{"users are replaced by default", mimeOf("text/cloud-config\nusers: [{name: b, lock_passwd: false, passwd: $6$a$b}]\n", "text/cloud-config\nusers: [{name: a}]\n"), "multipart pwauth=unset root=unset"},
		{"a malformed part is dropped, the others stand", mimeOf(a, "text/cloud-config\nssh_pwauth: [\n"), "multipart" + ok + " unread"},
		{"an include part", mimeOf(a, "text/x-include-url\nhttps://example.com\n"), "multipart" + ok + " unread"},
		{"a part handler", mimeOf(a, "text/part-handler\nimport os\n"), "multipart" + ok + " unread"},
		{"a script on every boot", mimeOf(a, "text/x-shellscript-per-boot\n#!/bin/sh\necho root:x | chpasswd\n"), "multipart" + ok + " touch:password"},
		{"no boundary", "MIME-Version: 1.0\nContent-Type: multipart/mixed\n\n--B\n\n" + hardened, "multipart pwauth=unset root=unset ignored"},
		{"a blank line before the headers", "\n" + mimeOf(a), "ignored pwauth=unset root=unset ignored"},
		{"no closing boundary", strings.TrimSuffix(mimeOf(a), "--==B==--\n"), "multipart" + ok},
		{"a message of one document", "MIME-Version: 1.0\nContent-Type: text/cloud-config\n\nssh_pwauth: false\ndisable_root: true\n", "multipart" + ok},
		{"cloud-config that mentions MIME", cc("# mime-version: 1.0\nssh_pwauth: false\ndisable_root: true\n"), "cloud-config" + ok},
		{"a message within", mimeOf("multipart/mixed; boundary=C\n\n--C\nContent-Type: text/cloud-config\n\nssh_pwauth: false\ndisable_root: true\n--C--"), "multipart" + ok},
		{"accents without an encoding", mimeOf("text/cloud-config\n# caf\u00e9\nssh_pwauth: false\n"), "multipart pwauth=unset root=unset unread"},
		{"ten thousand parts", mimeOf(strings.Split(strings.Repeat("text/plain\n#|", 10000), "|")...), "multipart pwauth=unset root=unset ignored unread"},
	})
}
