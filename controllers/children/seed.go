package children

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// The parts of what cloud-init is told, as people are told which of them has changed.
const (
	seedUserData    = "user data"
	seedKeys        = "set of SSH keys"
	seedNetworkData = "network configuration"
)

// sealed records on the machine's template what the guest is told, part by part, so that a guest shows what it was
// started with: KubeVirt reads the Secret at the start only, and copies the template's annotations to the guest. Who
// reads machines must not be able to try guesses of what a Secret holds: the digest of what came from one depends on
// its uid, which only its readers know.
func (i *Instance) sealed(in InstanceInput) {
	keys := []string{}
	for _, ref := range in.Found.Instance.Spec.SSHKeyRefs {
		if key := sshKey(in.Found, ref.Name); key != nil {
			keys = append(keys, key.Spec.PublicKey)
		}
	}
	uid := string(in.Found.Instance.UID)
	parts := []string{
		seedUserData + "=" + seal(uid+string(in.UserDataSecret), seedUserData, string(in.UserData)),
		seedKeys + "=" + seal(uid, seedKeys, strings.Join(keys, "\n")),
		seedNetworkData + "=" + seal(uid, seedNetworkData, string(i.CloudInit.Data[networkDataKey])),
	}
	i.VirtualMachine.Spec.Template.ObjectMeta.Annotations = map[string]string{virtfoundryv1alpha1.AnnotationSeed: strings.Join(parts, ";")}
}

func seal(key, part, content string) string {
	const letters = 16
	digest := sha256.Sum256([]byte(key + "\x00" + part + "\x00" + content))
	return hex.EncodeToString(digest[:])[:letters]
}

// StaleSeed names what a guest is to be told otherwise than it was when it was started, by annotation AnnotationSeed
// of the machine's template and of the guest. Of a guest without the annotation nothing is known, and nothing said.
func StaleSeed(want, have string) []string {
	stale := []string{}
	if want == "" || have == "" {
		return stale
	}
	told := strings.Split(have, ";")
	for _, part := range strings.Split(want, ";") {
		name, _, _ := strings.Cut(part, "=")
		for _, other := range told {
			if strings.HasPrefix(other, name+"=") && other != part {
				stale = append(stale, name)
			}
		}
	}
	return stale
}
