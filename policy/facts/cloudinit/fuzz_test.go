package cloudinit

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func seeds(f *testing.F) {
	for _, s := range []string{
		"", hardened, gz(hardened), cc("users: [default, {name: a, lock-passwd: no, passwd: x}]\nchpasswd: {list: \"a:b\\n\"}\n"),
		mimeOf("text/cloud-config\nssh_pwauth: false\n", "text/x-shellscript\n#!/bin/sh\necho a:b | chpasswd\n"),
		"#cloud-config-archive\n- |\n  #cloud-config\n  a: b\n", "#include\nhttps://x\n", "## template: jinja\n" + hardened,
		cc("write_files: [{path: /etc/ssh/sshd_config, encoding: b64, content: eA==}]\nruncmd: [[a, b], c]\n"),
		cc("a: &a [*a]\n"), cc("<<: [{a: b}]\nmerge_how: 'dict(replace)+list(append)'\n"), cc(bomb()),
		"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\n#!/bin/sh\n--c--\n--b--\n",
	} {
		f.Add([]byte(s))
	}
}

// FuzzDecode shows that no data makes Decode fail, and that its facts are total: no list is null.
func FuzzDecode(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := json.Marshal(Decode(data))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), ":null") {
			t.Fatalf("a fact is null: %s", b)
		}
	})
}

// FuzzHarden shows that data is either refused, or reads back as hardened.
func FuzzHarden(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		out, err := Harden(data, opsOptions())
		if err != nil {
			var r *Refusal
			if !errors.As(err, &r) {
				t.Fatal(err)
			}
			return
		}
		g := Decode(out)
		if g.SSHPasswordAuth != AuthDisabled || g.DisableRoot != True || len(g.Unread) > 0 {
			t.Fatalf("%+v\n%s", g, out)
		}
	})
}
