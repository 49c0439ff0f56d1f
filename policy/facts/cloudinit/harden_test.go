package cloudinit

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const testKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIC6WE3pJ1NWbpwWEQZvx05Nybo6WPgEQOAzcuq6j7V1w ops-key"

func opsOptions() HardenOptions {
	return HardenOptions{User: "ops", SSHAuthorizedKeys: []string{testKey}}
}

func TestHardenWithoutUserData(t *testing.T) {
	got, err := Harden(nil, opsOptions())
	want := "#cloud-config\nssh_pwauth: false\ndisable_root: true\nusers:\n- name: ops\n  lock_passwd: true\n  shell: /bin/bash\n  sudo: ALL=(ALL) NOPASSWD:ALL\n  ssh_authorized_keys:\n  - " + testKey + "\n"
	if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
		t.Errorf("Harden (-want +got):\n%s\nerror: %v", diff, err)
	}
}

func TestHardenedDataReadsBackAsSaid(t *testing.T) {
	cases := []struct{ name, data, want string }{
		{"nothing", "", "cloud-config" + ok},
		{"what weakens is replaced", cc("ssh_pwauth: true\ndisable_root: false\ndisable_root_opts: ''\npassword: s\nchpasswd: {list: ['a:b']}\n"), "cloud-config" + ok},
		{"each user is locked and loses the password", cc("users: [default, {name: a, lock-passwd: false, hashed-passwd: x}, root]\n"), "cloud-config" + ok},
		{"root loses the keys", cc("users: [{name: root, ssh_authorized_keys: [k]}]\n"), "cloud-config" + ok},
		{"users as a mapping", cc("users: {a: {plain_text_passwd: s, lock_passwd: no}, b: true}\n"), "cloud-config" + ok},
		{"users as text", cc("users: a,b\n"), "cloud-config" + ok},
		{"user", cc("user: {name: a, passwd: x, lock_passwd: no}\n"), "cloud-config" + ok},
		{"system_info", cc("system_info: {default_user: {name: a, plain_text_passwd: s, lock_passwd: no}}\n"), "cloud-config" + ok},
		{"a script goes before the cloud-config", "#!/bin/sh\napt-get install -y nginx\n", "multipart" + ok},
		{"a message is merged", mimeOf("text/cloud-config\nssh_pwauth: true\n", "text/x-shellscript\n#!/bin/sh\ntrue\n", "text/cloud-config\npassword: s\n"), "multipart" + ok},
		{"an archive is merged", "#cloud-config-archive\n- |\n  #cloud-config\n  ssh_pwauth: true\n", "cloud-config" + ok},
		{"gzip is unpacked", gz(cc("ssh_pwauth: true\n")), "cloud-config" + ok},
		{"jinja with nothing to fill in", "## template: jinja\n" + cc("ssh_pwauth: true\n"), "cloud-config" + ok},
		{"scripts are passed on for the rules to judge", cc("runcmd: ['echo a:b | chpasswd']\n"), "cloud-config" + ok + " touch:password"},
		{"files too", cc("write_files: [{path: /etc/ssh/sshd_config, content: PermitRootLogin yes}]\n"), "cloud-config" + ok + " sshd:permitrootlogin:weakens:main"},
		{"merge_how is gone once it is applied", cc("merge_how: 'dict()'\nmerge_type: 'list()'\n"), "cloud-config" + ok},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out, err := Harden([]byte(c.data), opsOptions())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, summary(Decode(out))); diff != "" {
				t.Errorf("Decode(Harden) (-want +got):\n%s\n%s", diff, out)
			}
		})
	}
}

func TestHardenKeepsTheRest(t *testing.T) {
	given := cc("packages: [nginx, vim]\nwrite_files:\n- path: /etc/x\n  permissions: '0644'\n  content: |\n    a: \"b\"\n\n      c\n- path: /etc/y\n  content: !!binary aGk=\nruncmd:\n- [ls, -l, 0755]\n- echo \"\u00e9\"\nhostname: 'no'\nport: 08\nwhen: 2026-01-01\nratio: 1.5\nempty: {}\nnone: ~\nnested: [[a, [b]], {c: {d: e}}]\n")
	out, err := Harden([]byte(given), HardenOptions{Packages: []string{"vim", "audit"}})
	if err != nil {
		t.Fatal(err)
	}
	want := "#cloud-config\nssh_pwauth: false\ndisable_root: true\npackages:\n- nginx\n- vim\n- audit\nwrite_files:\n- path: /etc/x\n  permissions: \"0644\"\n  content: |\n    a: \"b\"\n\n      c\n- path: /etc/y\n  content: !!binary \"aGk=\"\nruncmd:\n- - ls\n  - \"-l\"\n  - 493\n- \"echo \\\"\\xe9\\\"\"\nhostname: \"no\"\nport: \"08\"\nwhen: 2026-01-01\nratio: 1.5\nempty: {}\nnone: null\nnested:\n- - a\n  - - b\n- c:\n    d: e\n"
	if diff := cmp.Diff(want, string(out)); diff != "" {
		t.Errorf("Harden (-want +got):\n%s", diff)
	}
}

func TestHardenAddsKeysOnce(t *testing.T) {
	out, err := Harden([]byte(cc("users: [{name: ops, ssh_authorized_keys: ["+testKey+"]}]\n")), opsOptions())
	if err != nil || strings.Count(string(out), testKey) != 1 || strings.Count(string(out), "name: ops") != 1 {
		t.Errorf("the key or the user is not there once: %v\n%s", err, out)
	}
	out, err = Harden(nil, HardenOptions{SSHAuthorizedKeys: []string{testKey}})
	if err != nil || !strings.Contains(string(out), "\nssh_authorized_keys:\n- "+testKey) {
		t.Errorf("without a user the key is the default user's: %v\n%s", err, out)
	}
}

func TestHardenFIPSRunsFirstAndShowsAllItDoes(t *testing.T) {
	opts := opsOptions()
	opts.FIPS = true
	out, err := Harden([]byte(cc("runcmd: [ls]\n")), opts)
	if err != nil {
		t.Fatal(err)
	}
	g := Decode(out)
	if got := summary(g); got != "cloud-config"+ok {
		t.Errorf("summary = %s", got)
	}
	if len(g.Scripts) != 3 || !strings.Contains(string(out), "fips-mode-setup --enable") || !strings.Contains(string(out), "mode: reboot") {
		t.Errorf("FIPS is not enabled first and once:\n%s", out)
	}
	again, err := Harden(out, opts)
	if err != nil || !bytes.Equal(out, again) {
		t.Errorf("hardening twice differs: %v\n%s", err, again)
	}
}

func TestHardenRefusesWithPartReasonAndRemedy(t *testing.T) {
	const secret = "hunter2"
	cases := []struct{ name, data, part, reason string }{
		{"include", "#include\nhttps://" + secret + ".example.com\n", "userdata", "include"},
		{"jinja", "## template: jinja\n#cloud-config\npassword: {{ " + secret + " }}\n", "userdata", "jinja"},
		{"boothook", "#cloud-boothook\necho " + secret + "\n", "userdata", "boothook"},
		{"part handler", "#part-handler\n" + secret, "userdata", "part handler"},
		{"JSON patch", "#cloud-config-jsonp\n[" + secret + "]", "userdata", "JSON patch"},
		{"gzip bomb", gz(strings.Repeat(secret, maxInput)), "userdata", "gzip"},
		{"malformed", cc("password: [" + secret + "\n"), "userdata", "malformed"},
		{"no header", "password: " + secret + "\n", "userdata", "does not know"},
		{"a part of a message", mimeOf("text/cloud-config\n{}", "text/html\n"+secret), "userdata[part 2]", "does not know"},
		{"an include as a part", mimeOf("text/cloud-config\n{}", "text/x-include-url\n"+secret), "userdata[part 2]", "include"},
		{"the list of modules", cc("cloud_final_modules: [" + secret + "]\n"), "userdata.cloud_final_modules", "list of modules"},
		{"an autoinstall", cc("autoinstall: {identity: {password: " + secret + "}}\n"), "userdata.autoinstall", "autoinstall"},
		{"root as the default user", cc("user: root\npassword: " + secret + "\n"), "userdata.user", "root"},
		{"a user that is no user", cc("users: [[" + secret + "]]\n"), "userdata.users[0]", "neither"},
		{"users that are no users", cc("users: 5\npassword: " + secret + "\n"), "userdata.users", "neither"},
		{"a file that does not decode", cc("write_files: [{path: /x, encoding: gzip, content: " + secret + "}]\n"), "userdata.write_files[0].content", "gzip"},
		{"configuration that does not read", cc("write_files: [{path: /etc/cloud/cloud.cfg.d/1.cfg, content: '[" + secret + "'}]\n"), "userdata.write_files[0]", "malformed"},
		{"runcmd for FIPS", cc("runcmd: " + secret + "\n"), "userdata.runcmd", "not a list"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			opts := opsOptions()
			opts.FIPS = true
			out, err := Harden([]byte(c.data), opts)
			var r *Refusal
			if !errors.As(err, &r) {
				t.Fatalf("error = %v, output:\n%s", err, out)
			}
			if r.Part != c.part || !strings.Contains(r.Reason, c.reason) || r.Remedy == "" {
				t.Errorf("refusal = %+v", *r)
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the error carries the data: %v", err)
			}
		})
	}
}

func TestHardenRefusesOptions(t *testing.T) {
	for name, opts := range map[string]HardenOptions{
		"root":                 {User: "root"},
		"a name with a colon":  {User: "a:b"},
		"a key with a newline": {SSHAuthorizedKeys: []string{testKey + "\n" + testKey}},
		"a private key":        {SSHAuthorizedKeys: []string{"-----BEGIN OPENSSH PRIVATE KEY-----"}},
		"an empty key":         {SSHAuthorizedKeys: []string{""}},
	} {
		var r *Refusal
		if _, err := Harden(nil, opts); !errors.As(err, &r) {
			t.Errorf("%s: error = %v", name, err)
		}
	}
}

// drawValue draws YAML that users write, with the words that matter among it.
func drawValue(t *rapid.T, depth int) any {
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	if depth > 2 && kind > 4 {
		kind = 0
	}
	switch kind {
	case 0, 1:
		return rapid.OneOf(rapid.SampledFrom([]string{"default", "root", "ops", "no", "unchanged", "a:b", "RANDOM", "$6$s$h", "!", "", "true", "~", "1:30", "a\nb\n", " x", "é", "- a", "# c", "\t", "0x1"}), rapid.String()).Draw(t, "text")
	case 2:
		return rapid.Bool().Draw(t, "bool")
	case 3:
		return rapid.Int64().Draw(t, "int")
	case 4:
		return nil
	case 5:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			list = append(list, drawValue(t, depth+1))
		}
		return list
	}
	return drawMapping(t, depth+1, []string{"name", "lock_passwd", "lock-passwd", "passwd", "hashed_passwd", "plain_text_passwd", "ssh_authorized_keys", "list", "users", "type", "password", "default_user", "path", "content"})
}

func drawMapping(t *rapid.T, depth int, keys []string) *mapping {
	m := newMapping()
	for range rapid.IntRange(0, 4).Draw(t, "size") {
		m.set(rapid.OneOf(rapid.SampledFrom(keys), rapid.StringN(1, 8, -1)).Draw(t, "key"), drawValue(t, depth))
	}
	return m
}

func TestEmittedValuesReadBackAsThemselves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMapping(t, 0, []string{"a", "b"})
		m.set("z", "end")
		var b strings.Builder
		emit(&b, m, 0)
		got, err := (&loader{}).load(b.String())
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		if diff := cmp.Diff(any(m), got, cmp.AllowUnexported(mapping{}, scalar{})); diff != "" {
			t.Fatalf("(-want +got):\n%s\n%s", diff, b.String())
		}
	})
}

func TestWhateverIsHardenedIsHardened(t *testing.T) {
	topLevel := []string{"ssh_pwauth", "disable_root", "disable_root_opts", "users", "user", "password", "chpasswd", "system_info", "ssh_authorized_keys", "packages", "runcmd", "write_files", "merge_how", "hostname"}
	hardenedOnce := 0
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		b.WriteString("#cloud-config\n")
		emit(&b, drawMapping(t, 0, topLevel), 0)
		data := b.String()
		if rapid.Bool().Draw(t, "message") {
			data = mimeOf("text/cloud-config\n"+data, "text/x-shellscript\n#!/bin/sh\ntrue\n")
		}
		out, err := Harden([]byte(data), opsOptions())
		if err != nil {
			var r *Refusal
			if !errors.As(err, &r) {
				t.Fatalf("%v\n%s", err, data)
			}
			return
		}
		hardenedOnce++
		g := Decode(out)
		if g.SSHPasswordAuth != AuthDisabled || g.DisableRoot != True || g.DisableRootOpts != Unset || len(g.Passwords)+len(g.RootKeys)+len(g.Unread) > 0 {
			t.Fatalf("%+v\n%s", g, out)
		}
		for _, u := range g.Users {
			if !u.Locked {
				t.Fatalf("%+v\n%s", u, out)
			}
		}
		again, err := Harden([]byte(data), opsOptions())
		if err != nil || !bytes.Equal(out, again) {
			t.Fatalf("not the same bytes twice: %v", err)
		}
	})
	if hardenedOnce == 0 {
		t.Error("every draw was refused: the property was never seen")
	}
}
