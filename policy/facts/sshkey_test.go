package facts

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Keys that ssh-keygen made, with the fingerprints that it prints.
const (
	keyEd25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE5F0zDang6Ms/Suf2lBAe3rvPFp57lReOHzOn1aApmg a@b"
	keyECDSA   = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBBX29ESUneJNThpVwM35Dd0wITreuQ7NxVVTdJysg9oEtmt8PyWJ3+ozzsz1Yo+Q1xCvHgnNh8c3QVmW2wFpBMM= a@b"
	keyRSA1024 = "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQCs/AxaNBvTZwTEA520J6gs2p9/MolKrHY4vrm+sQwHEtPfXJMz33/I9NAzDr5r4v9YfcttknsvIpFXqXiYsXEPOkYPBsfb9pLeRvM9upZ9m7BXpvKsdFSnoYYs+VHE7Zg514IqVec+l78DB7/BdmCqsMtA5Mqt6pqxhvyFgiRsIQ== a@b"
	keyRSA2048 = "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQDjzeoIeCgtn8z4psO9oP8C5UHjQeKzIsUYOFYOLDZrYER7JWxwWyVpCmgnioqYfoCrVWweBuPm9JXyBaAky3JKhqQjqmB1fj0sIs6j86lnks0MXcFAUq9+JowBgNIwXOBdo4dUOSTHSW5mEjdTZEhAsvLsGSmRqGCZ3Ufz3PzUjuNEeQFnJ49yj7Fg13dk24cRsQeDduRg9ng/98mvCN49QdDjRh9vMGmj9h/JJphTHtFlLvPQMAYiC3iMfDbYXdULhWu85zhk9QbcWSVrK5nz0c9keDU2jSJeG3Twwe4c/vVDKv/w59ygPWUOC7B0kliZ11Zv29zDQb+dfcit81+/ a@b"
	keyDSA     = "ssh-dss AAAAB3NzaC1kc3MAAACBAJvOPGbjLSPyGMVcsPfZcDbHaYNkSLkT2ubFYyep683xNldDbob3Yle7rKmHXQr9O6ZZBfZombNZ4Lu8WFfDGeNc0ue0WsdRrfTqyACouKmN+p9zaYB77AGXUzdxQTmAKtv+cNeyjWaoK++u3DH9kFnbqyMYhClqL3DoNIIWjPaLAAAAFQC+j06RPs9PbCvzRloU2zy6hazvWwAAAIAwIdaFDlVj/YO+dbm1mZR70sUlcnbO4yKiWMQiVSwbscCWQCb+pCcNblQt8BkuE4RVLEFqNc1H8wpgKQ8CsBcGOdX+EeBobJLdZGtmsMDi12LAXj0D6CYEnxx+aux/lgkm6+QXCb2whlzmmasQWuc4squuPqcmVLfupCigTq1BtAAAAIAUY2O8wBhCLwAB6BRRm+428N6/Ot5qtwqM2qsTHGUaHIFIT4eSka4VRr3in4LceKmCiHo4u2nH+1oJ10bvKcZgDejwm1h3Zra6IFEtPewp/LMCasQetiZBZwy1ejXMGTus+TH8epDXGetKnW/69CNGB2yrmNXyzCCl+Bnqx57bSg== a@b"
)

func size(bits int64) *int64 { return &bits }

func TestAnSSHKeyIsTakenApartAsSSHKeygenDoes(t *testing.T) {
	for name, row := range map[string]struct {
		text string
		want SSHKeyWish
	}{
		"Ed25519":        {keyEd25519, SSHKeyWish{Type: "ssh-ed25519", Fingerprint: "SHA256:rLK/D+odHzU/rA8emtJJboiFtUHeCKxiOyeLusqI454", Valid: true}},
		"white space":    {"\n " + keyEd25519 + "\n", SSHKeyWish{Type: "ssh-ed25519", Fingerprint: "SHA256:rLK/D+odHzU/rA8emtJJboiFtUHeCKxiOyeLusqI454", Valid: true}},
		"with options":   {`no-pty,command="ls -l" ` + keyEd25519, SSHKeyWish{Type: "ssh-ed25519", Fingerprint: "SHA256:rLK/D+odHzU/rA8emtJJboiFtUHeCKxiOyeLusqI454", Valid: true}},
		"ECDSA":          {keyECDSA, SSHKeyWish{Type: "ecdsa-sha2-nistp256", Fingerprint: "SHA256:nrFkZM7u7VYIeFNFEwVyws8xXNddqCrfkvvxWWBBje0", Valid: true}},
		"RSA of 1024":    {keyRSA1024, SSHKeyWish{Type: "ssh-rsa", Bits: size(1024), Fingerprint: "SHA256:h28zyyFoaPIbn+5+Y/oaVkQ37NCkiXiLx3aJxwlJ5p0", Valid: true}},
		"RSA of 2048":    {keyRSA2048, SSHKeyWish{Type: "ssh-rsa", Bits: size(2048), Fingerprint: "SHA256:FDuRr+yskTefhJqwB6f+BDWqLqNO+d0xNcmLE+ttDjI", Valid: true}},
		"DSA":            {keyDSA, SSHKeyWish{Type: "ssh-dss", Fingerprint: "SHA256:O33DDita+ID58lZRm5LpfeSqlyYLolcU18mHsUapj5c", Valid: true}},
		"two keys":       {keyEd25519 + "\n" + keyECDSA, SSHKeyWish{Problem: "has more than one line"}},
		"another's name": {strings.Replace(keyRSA1024, "ssh-rsa", "ssh-ed25519", 1), SSHKeyWish{Problem: "is no public key as OpenSSH writes it"}},
		"nothing":        {"", SSHKeyWish{Problem: "is no public key as OpenSSH writes it"}},
		"cut off":        {keyEd25519[:50], SSHKeyWish{Problem: "is no public key as OpenSSH writes it"}},
		"a comment":      {"# " + keyEd25519, SSHKeyWish{Problem: "is no public key as OpenSSH writes it"}},
		"a private key":  {"-----BEGIN OPENSSH PRIVATE KEY----- b3BlbnNzaC1rZXktdjE=", SSHKeyWish{Problem: "is no public key as OpenSSH writes it"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, ReadSSHKey(row.text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
