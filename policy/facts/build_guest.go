package facts

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"cato.dev/cato/policy/facts/cloudinit"
)

// DecodeSecret reduces a Secret to what it decodes to. The value of a key is
// not kept in any form but its digest.
func DecodeSecret(secret *corev1.Secret) Secret {
	s := Secret{
		Namespace: secret.Namespace, Name: secret.Name, UID: string(secret.UID), ResourceVersion: secret.ResourceVersion,
		Owners: owners(secret.OwnerReferences),
	}
	values := map[string][]byte{}
	for name, value := range secret.Data {
		values[name] = value
	}
	for name, value := range secret.StringData {
		values[name] = []byte(value)
	}
	for name, value := range values {
		digest := sha256.Sum256(value)
		key := Key{Name: name, SHA256: hex.EncodeToString(digest[:])}
		if strings.EqualFold(name, "userdata") {
			key.Decoded = []cloudinit.Guest{cloudinit.Decode(value)}
		}
		s.Keys = append(s.Keys, key)
	}
	slices.SortFunc(s.Keys, func(a, b Key) int { return strings.Compare(a.Name, b.Name) })
	return s
}

// decoded finds the user data among a Secret's keys as KubeVirt does: the key
// userdata, else userData.
func (s *Secret) decoded() (cloudinit.Guest, bool) {
	for _, name := range []string{"userdata", "userData"} {
		for _, key := range s.Keys {
			if key.Name == name && len(key.Decoded) == 1 {
				return key.Decoded[0], true
			}
		}
	}
	return cloudinit.Guest{}, false
}

func buildGuest(g *Gathered, forms []form, namespace string, gap func(path, reason string)) Guest {
	guest := Guest{Seeded: []string{}, UserData: []UserData{}, AccessCredentials: []AccessCredential{}, OtherSeeds: []OtherSeed{}}
	if g.Machine != nil {
		guest.OSType = string(g.Machine.Spec.OSType)
		if guest.OSType == "" {
			guest.OSType = "linux"
		}
	}
	if g.Instance != nil && len(g.Named.Templates) > 0 {
		guest.OSType = buildTemplate(&g.Named.Templates[0], nil).OSType
	}
	for _, f := range forms {
		guest.OtherSeeds = append(guest.OtherSeeds, otherSeeds(f)...)
		for i := range f.spec.Volumes {
			volume := &f.spec.Volumes[i]
			path := fmt.Sprintf("%s %s.volumes[%d]", f.object, f.path, i)
			if volume.Sysprep != nil && guest.OSType == "" {
				guest.OSType = "windows"
			}
			if !attached(f.spec, volume.Name) { // the guest never sees it
				continue
			}
			data, ok := userData(g, volume, namespace, path, gap)
			if !ok {
				continue
			}
			data.Launcher = f.launcher
			if !slices.Contains(guest.Seeded, f.launcher) {
				guest.Seeded = append(guest.Seeded, f.launcher)
			}
			if !slices.ContainsFunc(guest.UserData, func(other UserData) bool {
				other.Launcher, other.Path = data.Launcher, data.Path
				return same(other, data)
			}) {
				guest.UserData = append(guest.UserData, data)
			}
		}
		guest.AccessCredentials = append(guest.AccessCredentials, accessCredentials(f)...)
	}
	if slices.Contains(guest.Seeded, fromInstance) { // its pods run what it says
		for i := range g.Launchers {
			guest.Seeded = append(guest.Seeded, podLauncher(&g.Launchers[i]))
		}
	}
	return guest
}

// userData decodes one cloud-init volume; false when the volume is none, or
// when what it refers to is a gap.
func userData(g *Gathered, volume *kubevirtv1.Volume, namespace, path string, gap func(path, reason string)) (UserData, bool) {
	var inline, encoded string
	var ref *corev1.LocalObjectReference
	switch {
	case volume.CloudInitNoCloud != nil:
		inline, encoded, ref = volume.CloudInitNoCloud.UserData, volume.CloudInitNoCloud.UserDataBase64, volume.CloudInitNoCloud.UserDataSecretRef
	case volume.CloudInitConfigDrive != nil:
		inline, encoded, ref = volume.CloudInitConfigDrive.UserData, volume.CloudInitConfigDrive.UserDataBase64, volume.CloudInitConfigDrive.UserDataSecretRef
	default:
		return UserData{}, false
	}
	data := UserData{Path: path, From: "inline"}
	switch {
	case ref != nil:
		data.From, data.Secret = "secret", ref.Name
		decoded, err := secretUserData(g, namespace, ref.Name)
		if err != nil {
			gap("guest.userData", err.Error())
			return UserData{}, false
		}
		data.Decoded = decoded
	case encoded != "":
		raw, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			gap("guest.userData", path+": userDataBase64 is not base64")
			return UserData{}, false
		}
		data.Decoded = cloudinit.Decode(raw)
	default:
		data.Decoded = cloudinit.Decode([]byte(inline))
	}
	return data, true
}

func secretUserData(g *Gathered, namespace, name string) (cloudinit.Guest, error) {
	for i := range g.Secrets {
		if s := &g.Secrets[i]; s.Namespace == namespace && s.Name == name {
			if decoded, ok := s.decoded(); ok {
				return decoded, nil
			}
			return cloudinit.Guest{}, fmt.Errorf("secret %s/%s has neither the key userdata nor userData", namespace, name)
		}
	}
	return cloudinit.Guest{}, fmt.Errorf("secret %s/%s with the user data does not exist", namespace, name)
}

func accessCredentials(f form) []AccessCredential {
	all := []AccessCredential{}
	for i, c := range f.spec.AccessCredentials {
		path := fmt.Sprintf("%s %s.accessCredentials[%d]", f.object, f.path, i)
		if p := c.UserPassword; p != nil {
			a := AccessCredential{Path: path, Kind: "userPassword", Method: "qemuGuestAgent", Users: []string{}}
			if p.Source.Secret != nil {
				a.Secret = p.Source.Secret.SecretName
			}
			all = append(all, a)
		}
		if k := c.SSHPublicKey; k != nil {
			a := AccessCredential{Path: path, Kind: "sshPublicKey", Users: []string{}}
			switch {
			case k.PropagationMethod.QemuGuestAgent != nil:
				a.Method = "qemuGuestAgent"
				a.Users = append(a.Users, k.PropagationMethod.QemuGuestAgent.Users...)
			case k.PropagationMethod.NoCloud != nil:
				a.Method = "noCloud"
			case k.PropagationMethod.ConfigDrive != nil:
				a.Method = "configDrive"
			}
			if k.Source.Secret != nil {
				a.Secret = k.Source.Secret.SecretName
			}
			all = append(all, a)
		}
	}
	return all
}

// sidecars reads the images of KubeVirt's hook sidecars, which the annotation
// hooks.kubevirt.io/hookSidecars lists as JSON.
func sidecars(f form) []ImageUse {
	const annotation = "hooks.kubevirt.io/hookSidecars"
	text, found := f.notes[annotation]
	if !found {
		return nil
	}
	path := f.object + " annotation " + annotation
	var hooks []struct {
		Image string `json:"image"`
	}
	if err := json.Unmarshal([]byte(text), &hooks); err != nil {
		return []ImageUse{{Path: path, Launcher: f.launcher, Use: "sidecar", Image: Image{Text: bounded(text), Path: []string{}, Problem: "is not a JSON list of sidecars"}}}
	}
	uses := []ImageUse{}
	for i, hook := range hooks {
		if hook.Image != "" { // without one KubeVirt runs its own
			uses = append(uses, ImageUse{Path: fmt.Sprintf("%s[%d].image", path, i), Launcher: f.launcher, Use: "sidecar", Image: parseImage(hook.Image)})
		}
	}
	return uses
}
