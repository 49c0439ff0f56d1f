package gather

import (
	"encoding/json"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"cato.dev/cato/policy/facts"
)

// OverrulingGroup is the API group of the policies that are asked before any
// NetworkPolicy (sig-network policy API).
const OverrulingGroup = "policy.networking.k8s.io"

// OverrulingResource stands for all of them where Blindness is asked.
const OverrulingResource = "adminnetworkpolicies." + OverrulingGroup

// OverrulingKinds are its kinds that may allow what NetworkPolicies deny.
func OverrulingKinds() []string { return []string{"AdminNetworkPolicy", "ClusterNetworkPolicy"} }

// Overruler is a policy that allows traffic before any NetworkPolicy is asked.
// What it allows is not judged.
type Overruler struct {
	Name       string          // "AdminNetworkPolicy monitoring"
	Namespaces labels.Selector // of which namespaces' pods it may concern
}

// ReadOverruler reads a policy of OverrulingGroup in JSON. It returns false for
// one that allows nothing: Deny and Pass take nothing from a NetworkPolicy, and
// the tier Baseline is asked only where no NetworkPolicy selects. One that
// cannot be read may allow anything anywhere.
func ReadOverruler(kind schema.GroupKind, data []byte) (Overruler, bool) {
	type rules []struct {
		Action string `json:"action"`
	}
	var policy struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
		Spec struct {
			Tier    string `json:"tier"`
			Subject struct {
				Namespaces *metav1.LabelSelector `json:"namespaces"`
				Pods       *struct {
					NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector"`
				} `json:"pods"`
			} `json:"subject"`
			Ingress rules `json:"ingress"`
			Egress  rules `json:"egress"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(data, &policy); err != nil {
		return Overruler{Name: kind.Kind + " that cannot be read", Namespaces: labels.Everything()}, true
	}
	allows := false
	for _, rule := range append(policy.Spec.Ingress, policy.Spec.Egress...) {
		allows = allows || rule.Action == "Allow" || rule.Action == "Accept"
	}
	if !allows || policy.Spec.Tier == "Baseline" {
		return Overruler{}, false
	}
	o := Overruler{Name: kind.Kind + " " + policy.Metadata.Name, Namespaces: labels.Everything()}
	selector := policy.Spec.Subject.Namespaces
	if pods := policy.Spec.Subject.Pods; pods != nil {
		selector = pods.NamespaceSelector
	}
	if selector != nil {
		if parsed, err := metav1.LabelSelectorAsSelector(selector); err == nil {
			o.Namespaces = parsed
		}
	}
	return o, true
}

// overrulers makes unknown what NetworkPolicies close where another policy may
// open it. Before a write in a cluster nobody is asked: what we write is right,
// and to hold it back would close nothing.
func (c *collector) overrulers() {
	if c.Overrulers == nil || !c.FromFiles && c.out.Moment != facts.Live {
		return
	}
	const path = "network.policies"
	if reason := c.Blind(OverrulingResource, ""); reason != "" {
		c.unseen(reason, path)
		return
	}
	for _, o := range c.Overrulers() {
		if c.out.Namespace == nil || o.Namespaces.Matches(namespaceSet(c.out.Namespace)) {
			c.unseen(o.Name+" allows traffic before any NetworkPolicy is asked, and is not judged", path)
			return
		}
	}
}

// namespaceSet are a namespace's labels with the one that the API server adds.
func namespaceSet(namespace *corev1.Namespace) labels.Set {
	set := labels.Set{corev1.LabelMetadataName: namespace.Name}
	maps.Copy(set, namespace.Labels)
	return set
}
