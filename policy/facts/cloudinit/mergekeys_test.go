package cloudinit

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const aliceKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG+VLRDLyMHXrwnn3a0AfyOkfUH3KgXrjtebZ190W9X5 alice@acme"

func withAlice(line string) KeyOptions {
	return KeyOptions{User: "ubuntu", AuthorizedKeys: []NamedKey{{"SSHKey alice", line}}}
}

func TestKeysAreMergedAsData(t *testing.T) {
	const own = "- name: ubuntu\n  lock_passwd: true\n  shell: /bin/bash\n  sudo: ALL=(ALL) NOPASSWD:ALL\n  ssh_authorized_keys:\n  - " + aliceKey + "\n"
	for name, c := range map[string]struct{ given, want string }{
		"nothing":                {"", "#cloud-config\nssh_pwauth: false\nusers:\n" + own},
		"a bare header":          {"#cloud-config\n", "#cloud-config\nssh_pwauth: false\nusers:\n" + own},
		"other keys stay":        {"#cloud-config\nhostname: web\n", "#cloud-config\nhostname: web\nssh_pwauth: false\nusers:\n" + own},
		"what is said is kept":   {"#cloud-config\nssh_pwauth: true\n", "#cloud-config\nssh_pwauth: true\nusers:\n" + own},
		"other users stay":       {"#cloud-config\nusers:\n- default\n- name: bob\n", "#cloud-config\nusers:\n- default\n- name: bob\n" + own + "ssh_pwauth: false\n"},
		"the account is there":   {"#cloud-config\nusers:\n- name: ubuntu\n  uid: 1001\n", "#cloud-config\nusers:\n- name: ubuntu\n  uid: 1001\n  ssh_authorized_keys:\n  - " + aliceKey + "\nssh_pwauth: false\n"},
		"the account by name":    {"#cloud-config\nusers: [ubuntu]\n", "#cloud-config\nusers:\n" + own + "ssh_pwauth: false\n"},
		"the key is there":       {"#cloud-config\nusers:\n- name: ubuntu\n  ssh_authorized_keys: ['" + aliceKey + "']\n", "#cloud-config\nusers:\n- name: ubuntu\n  ssh_authorized_keys:\n  - " + aliceKey + "\nssh_pwauth: false\n"},
		"how to merge goes away": {"#cloud-config\nmerge_how: dict(replace)+list()+str()\n", "#cloud-config\nssh_pwauth: false\nusers:\n" + own},
	} {
		got, err := MergeKeys([]byte(c.given), withAlice(aliceKey))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		again, err := MergeKeys(got, withAlice(aliceKey))
		if err != nil || string(again) != string(got) {
			t.Errorf("%s: merging twice is not merging once: %v\n%s", name, err, again)
		}
	}
}

func TestAScriptAndKeysBecomeAMessage(t *testing.T) {
	got, err := MergeKeys([]byte("#!/bin/sh\necho hello\n"), withAlice(aliceKey))
	if err != nil {
		t.Fatal(err)
	}
	guest := Decode(got)
	if guest.Format != FormatMultipart || len(guest.Scripts) != 1 || len(guest.Users) != 1 || guest.Users[0].Name != "ubuntu" || guest.Users[0].Keys != 1 || guest.SSHPasswordAuth != AuthDisabled {
		t.Errorf("%+v", guest)
	}
}

func TestWhatCannotBeMergedIsRefusedWithoutItsContent(t *testing.T) {
	const secret = "s3cret-w0rd"
	for name, c := range map[string]struct {
		given, line, says string
	}{
		"a key with a second line":   {"", aliceKey + "\nruncmd: [" + secret + "]", "SSHKey alice"},
		"a key that is none":         {"", secret, "SSHKey alice"},
		"an empty key":               {"", " ", "SSHKey alice"},
		"a private key":              {"", "-----BEGIN OPENSSH PRIVATE KEY-----", "SSHKey alice"},
		"a template":                 {"## template: jinja\n#cloud-config\nhostname: {{ " + secret + " }}\n", aliceKey, "userdata"},
		"an include":                 {"#include\nhttps://example.com/" + secret, aliceKey, "userdata"},
		"text without a header":      {"hostname: " + secret, aliceKey, "userdata"},
		"a mapping of users":         {"#cloud-config\nusers: {" + secret + ": true}\n", aliceKey, "userdata.users"},
		"what is no YAML":            {"#cloud-config\na: [" + secret, aliceKey, "userdata"},
		"a boothook":                 {"#cloud-boothook\n#!/bin/sh\necho " + secret, aliceKey, "userdata"},
		"a config that is no object": {"#cloud-config\n- " + secret, aliceKey, "userdata"},
	} {
		_, err := MergeKeys([]byte(c.given), withAlice(c.line))
		var refusal *Refusal
		if !errors.As(err, &refusal) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), secret) || refusal.Remedy == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, user := range []string{"", "root", "default", "Bob", "a b"} {
		if _, err := MergeKeys(nil, KeyOptions{User: user}); err == nil {
			t.Errorf("user %q was taken", user)
		}
	}
}
