package controlplane

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// keep makes a template of new credentials, without etcd.
func keep(t *testing.T) (template, credentials) {
	t.Helper()
	run := runFolder(t.TempDir())
	keys, err := newCredentials(run)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := store(run, keys)
	if err != nil {
		t.Fatal(err)
	}
	kept := template(t.TempDir())
	data, err := stored.encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(string(kept), keysFile), data, 0o600); err != nil {
		t.Fatal(err)
	}
	return kept, keys
}

func TestTheKeysOfAKeptClusterAreThoseOfTheNextRun(t *testing.T) {
	kept, keys := keep(t)
	run := runFolder(t.TempDir())
	got, ok, err := kept.load(run)
	if err != nil || !ok {
		t.Fatalf("loaded: %v, %v", ok, err)
	}
	if !bytes.Equal(got.admin.key, keys.admin.key) || !bytes.Equal(got.authority.PEM, keys.authority.PEM) {
		t.Error("the keys differ")
	}
	if _, err := got.authority.client("someone", ""); err != nil {
		t.Errorf("the authority cannot sign any more: %v", err)
	}
	for _, name := range credentialFiles() {
		info, err := os.Stat(run.path(name))
		if err != nil {
			t.Error(err)
		} else if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %s", name, info.Mode())
		}
	}
}

func TestAKeptClusterThatIsDamagedIsAnErrorAndOneThatIsAbsentIsNot(t *testing.T) {
	if _, ok, err := template(filepath.Join(t.TempDir(), "absent")).load(runFolder(t.TempDir())); ok || err != nil {
		t.Errorf("absent: %v, %v", ok, err)
	}
	for _, content := range []string{"", "{", `{"authority": {}}`, `{"authority": {"certificate": "bm9uZQ==", "key": "bm9uZQ=="}}`} {
		kept, _ := keep(t)
		if err := os.WriteFile(filepath.Join(string(kept), keysFile), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := kept.load(runFolder(t.TempDir())); ok || err == nil {
			t.Errorf("%q: %v, %v", content, ok, err)
		}
	}
}

func TestOnlyTheKeptClustersUsedLastStay(t *testing.T) {
	home := t.TempDir()
	make := func(name string, age time.Duration) {
		dir := filepath.Join(home, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(dir, then, then); err != nil {
			t.Fatal(err)
		}
	}
	for i := range keptTemplates + 2 {
		make(strconv.Itoa(i), time.Duration(i)*time.Hour)
	}
	make("tmp-new", time.Minute)
	make("tmp-old", 100*time.Hour)
	if err := pruneTemplates(home); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"0": true, strconv.Itoa(keptTemplates - 1): true, strconv.Itoa(keptTemplates): false, "tmp-new": true, "tmp-old": false,
	} {
		if _, err := os.Stat(filepath.Join(home, name)); (err == nil) != want {
			t.Errorf("%s stays: %v, want %v", name, err == nil, want)
		}
	}
}
