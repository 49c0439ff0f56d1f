package children

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

func TestASeedTellsWhatChangedButNotToThoseWhoGuessWhatASecretHolds(t *testing.T) {
	seed := func(secret types.UID, userData string) string {
		planned, err := ForInstance(instanceInput(func(in *InstanceInput) {
			in.UserData, in.UserDataSecret = []byte(userData), secret
		}))
		if err != nil {
			t.Fatal(err)
		}
		return planned.VirtualMachine.Spec.Template.ObjectMeta.Annotations[virtfoundryv1alpha1.AnnotationSeed]
	}
	const text, other = "#cloud-config\nhostname: a\n", "#cloud-config\nhostname: b\n"
	for name, c := range map[string]struct {
		want, have string
		stale      []string
	}{
		"the same content of the same Secret":  {seed("s", text), seed("s", text), []string{}},
		"other content of the same Secret":     {seed("s", other), seed("s", text), []string{seedUserData}},
		"other content that is in no Secret":   {seed("", other), seed("", text), []string{seedUserData}},
		"the digest needs the uid of a Secret": {seed("s", text), seed("", text), []string{seedUserData}},
	} {
		if diff := cmp.Diff(c.stale, StaleSeed(c.want, c.have)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
