package oscal

import (
	"strings"

	"github.com/google/uuid"
)

// Namespaces of properties. They are names, not addresses, and never change.
const (
	// Ns marks the properties that Cato defines.
	Ns = "https://cato.dev/ns/oscal"
	// TrestleNs marks the properties by which compliance-trestle, oscal-sdk-go and C2P join rules, checks and results.
	TrestleNs = "https://oscal-compass.github.io/compliance-trestle/schemas/oscal"
	// FedrampNs marks the resource type no-oscal-ssp, as FedRAMP spells its namespace.
	FedrampNs = "https://fedramp.gov/ns/oscal"
)

// uuidSpace is the fixed namespace of our version 5 uuids.
func uuidSpace() uuid.UUID {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("https://cato.dev/oscal"))
}

// identify derives the uuid of a thing from its name. The parts are joined by a byte that no Kubernetes name,
// uid or rule id can hold, so two different names never meet.
func identify(kind string, name ...string) string {
	return uuid.NewSHA1(uuidSpace(), []byte(kind+"\x00"+strings.Join(name, "\x00"))).String()
}

// list is nil when it is empty: every array of OSCAL has at least one element.
func list[T any](items ...T) *[]T {
	if len(items) == 0 {
		return nil
	}
	return &items
}
