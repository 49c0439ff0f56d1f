package facts

import "cato.dev/cato/policy/facts/cloudinit"

// Guest is what the guest operating system is told at its first boot.
type Guest struct {
	OSType            string             `json:"osType"` // linux, windows, or empty when nobody says
	Seeded            []string           `json:"seeded"` // launchers with a cloud-init volume
	UserData          []UserData         `json:"userData"`
	AccessCredentials []AccessCredential `json:"accessCredentials"`
	OtherSeeds        []OtherSeed        `json:"otherSeeds"`
}

// OtherSeed is what besides a cloud-init volume decides on the guest's first
// boot and is not decoded.
type OtherSeed struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// UserData is one cloud-init volume of the machine, decoded. The running
// instance's is listed beside the template's only where it differs.
type UserData struct {
	Launcher string          `json:"launcher"`
	Path     string          `json:"path"`
	From     string          `json:"from"`   // secret or inline
	Secret   string          `json:"secret"` // name, when from a Secret
	Decoded  cloudinit.Guest `json:"decoded"`
}

// AccessCredential is KubeVirt's own way to put keys or passwords into a guest.
type AccessCredential struct {
	Path   string   `json:"path"`
	Kind   string   `json:"kind"` // userPassword or sshPublicKey
	Method string   `json:"method"`
	Users  []string `json:"users"` // whose keys the guest agent writes; none otherwise
	Secret string   `json:"secret"`
}
