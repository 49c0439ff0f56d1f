package gather_test

import (
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/controllers/gather"
)

// profileText is a ComplianceProfile with this creation time and spec.
func profileText(name, created, spec string) string {
	return fmt.Sprintf("\n---\napiVersion: cato.dev/v1alpha1\nkind: ComplianceProfile\nmetadata: {name: %s, creationTimestamp: %q}\nspec: %s\n", name, created, spec)
}

func TestOfTheProfilesInScopeTheOldestHolds(t *testing.T) {
	const machines = "{base: uds}"
	for name, c := range map[string]struct{ profiles, want string }{
		"none":                   {"", "uds"},
		"one":                    {profileText("a", "2026-01-01T00:00:00Z", machines), "a"},
		"the older of two":       {profileText("a", "2026-01-02T00:00:00Z", machines) + profileText("b", "2026-01-01T00:00:00Z", machines), "b"},
		"of one age the first":   {profileText("b", "2026-01-01T00:00:00Z", machines) + profileText("a", "2026-01-01T00:00:00Z", machines), "a"},
		"one for tenants":        {profileText("a", "2026-01-01T00:00:00Z", "{base: virtfoundry}"), "uds"},
		"one for another label":  {profileText("a", "2026-01-01T00:00:00Z", "{base: uds, scope: {namespaceSelector: {matchLabels: {team: blue}}}}"), "uds"},
		"one for the namespace":  {profileText("a", "2026-01-01T00:00:00Z", "{base: uds, scope: {namespaceSelector: {matchLabels: {team: red}}}}"), "a"},
		"an older one elsewhere": {profileText("a", "2026-01-01T00:00:00Z", "{base: uds, scope: {namespaceSelector: {matchLabels: {team: blue}}}}") + profileText("b", "2026-01-02T00:00:00Z", machines), "b"},
	} {
		files := filesOf(t, world+c.profiles)
		got, err := machineFrom(t, gather.FromReader(files, now), files)
		if err != nil || got.Profile.Name != c.want {
			t.Errorf("%s: profile %q (%v), want %q", name, got.Profile.Name, err, c.want)
		}
	}
}

func TestThatPoliciesAreEnforcedIsAssumedUnlessSomebodySaysOtherwise(t *testing.T) {
	for enforcement, assumed := range map[string]bool{"assumed": true, "verified": false, "none": false} {
		files := filesOf(t, world+profileText("a", "2026-01-01T00:00:00Z", "{base: uds, parameters: {networkPolicyEnforcement: "+enforcement+"}}"))
		got, err := machineFrom(t, gather.FromReader(files, now), files)
		if err != nil {
			t.Fatal(err)
		}
		if named := strings.Contains(strings.Join(got.Assumptions, ";"), "enforces NetworkPolicy is assumed"); named != assumed {
			t.Errorf("%s: assumptions %v", enforcement, got.Assumptions)
		}
	}
}

func TestAProfileHoldsForItsKindsAndNamespaces(t *testing.T) {
	red := &metav1.LabelSelector{MatchLabels: map[string]string{"team": "red"}}
	for name, c := range map[string]struct {
		base     catov1alpha1.ProfileBase
		kinds    []catov1alpha1.SubjectKind
		selector *metav1.LabelSelector
		want     string // of Tenant, UDSVirtualMachine, VirtualMachine in a red namespace, in a blue one and in none
	}{
		"no base":                   {want: "111 111 111"},
		"uds":                       {base: "uds", want: "011 011 011"},
		"virtfoundry":               {base: "virtfoundry", want: "100 100 100"},
		"kinds win over the base":   {base: "uds", kinds: []catov1alpha1.SubjectKind{"Tenant"}, want: "100 100 100"},
		"a label":                   {selector: red, want: "111 000 000"},
		"an empty selector":         {selector: &metav1.LabelSelector{}, want: "111 111 111"},
		"a malformed selector":      {selector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "team", Operator: "Like"}}}, want: "000 000 000"},
		"a selector of what is not": {selector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "team", Operator: "DoesNotExist"}}}, want: "000 000 111"},
	} {
		profile := &catov1alpha1.ComplianceProfile{Spec: catov1alpha1.ComplianceProfileSpec{Base: c.base, Scope: catov1alpha1.ProfileScope{NamespaceSelector: c.selector, Kinds: c.kinds}}}
		got := []string{}
		for _, labels := range []map[string]string{{"team": "red"}, {"team": "blue"}, nil} {
			word := ""
			for _, kind := range []string{"Tenant", "UDSVirtualMachine", "VirtualMachine"} {
				word += map[bool]string{true: "1", false: "0"}[gather.InScope(profile, kind, labels)]
			}
			got = append(got, word)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
}

func TestUserDataIsReadOrSaysWhyNot(t *testing.T) {
	const more = "\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: ns}\ndata: {other: aHVudGVyMg==, empty: \"\"}\nstringData: {userdata: hunter2}\n"
	files := filesOf(t, world+more)
	secret := func(err error) failing { return failing{files, "Secret", err} }
	for name, c := range map[string]struct {
		ref     *udsv1alpha1.SecretKeyRef
		reader  failing
		data    string
		missing string
		retried bool
	}{
		"none is named":         {},
		"the usual key":         {ref: &udsv1alpha1.SecretKeyRef{Name: "s"}, data: "hunter2"},
		"a key of its own":      {ref: &udsv1alpha1.SecretKeyRef{Name: "s", Key: "other", Namespace: "ns"}, data: "hunter2"},
		"a key that is not":     {ref: &udsv1alpha1.SecretKeyRef{Name: "s", Key: "none"}, missing: "has no key none"},
		"an empty key":          {ref: &udsv1alpha1.SecretKeyRef{Name: "s", Key: "empty"}, missing: "an empty one"},
		"a Secret that is not":  {ref: &udsv1alpha1.SecretKeyRef{Name: "none"}, missing: "does not exist: create it"},
		"another namespace":     {ref: &udsv1alpha1.SecretKeyRef{Name: "s", Namespace: "golden"}, missing: "Secret golden/s, which spec.guest.userDataSecretRef names, does not exist"},
		"no right elsewhere":    {ref: &udsv1alpha1.SecretKeyRef{Name: "s", Namespace: "golden"}, reader: secret(apierrors.NewForbidden(schema.GroupResource{}, "s", nil)), missing: `the right to get secrets in namespace "golden" is missing`},
		"no right":              {ref: &udsv1alpha1.SecretKeyRef{Name: "s"}, reader: secret(apierrors.NewForbidden(schema.GroupResource{}, "s", nil)), missing: "may not be read: bind"},
		"an error to try again": {ref: &udsv1alpha1.SecretKeyRef{Name: "s"}, reader: secret(apierrors.NewTooManyRequests("later", 1)), retried: true},
	} {
		machine := &udsv1alpha1.UDSVirtualMachine{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web"}, Spec: udsv1alpha1.UDSVirtualMachineSpec{Guest: &udsv1alpha1.Guest{UserDataSecretRef: c.ref}}}
		c.reader.Reader = files
		got, err := gather.ReadUserData(t.Context(), c.reader, machine)
		if (err != nil) != c.retried || string(got.Data) != c.data || !strings.Contains(got.Missing, c.missing) || (got.Missing == "") != (c.missing == "") {
			t.Errorf("%s: %q, missing %q, %v", name, got.Data, got.Missing, err)
		}
		if strings.Contains(got.Missing, "hunter2") {
			t.Errorf("%s: the value is in %q", name, got.Missing)
		}
	}
}
