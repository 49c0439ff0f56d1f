package oscal

import (
	"encoding/hex"
	"slices"
	"strings"
)

type tokenList struct {
	path   string // end of a member's path
	values []string
}

// tokenLists are the values that OSCAL defines for members of which the schema lets any token pass.
func tokenLists() []tokenList {
	return []tokenList{
		{"/observations/methods", []string{"EXAMINE", "INTERVIEW", "TEST"}},
		{"/observations/types", []string{"ssp-statement-issue", "control-objective", "mitigation", "discovery", "historic"}},
		{"/subjects/type", subjectTypes()},
		{"/include-subjects/type", subjectTypes()},
		{"/assessment-subjects/type", subjectTypes()},
		{"/components/type", []string{
			"this-system", "system", "interconnection", "software", "hardware", "service", "policy", "physical",
			"process-procedure", "plan", "guidance", "standard", "validation", "network",
		}},
		{"/risks/status", []string{"open", "investigating", "remediating", "deviation-requested", "deviation-approved", "closed"}},
		{"/implementation-status/state", implementationStates()},
		{"/remediations/lifecycle", []string{"recommendation", "planned", "completed"}},
		{"/tasks/type", []string{"milestone", "action"}},
		{"/target/status/reason", []string{"pass", "fail", "other"}},
	}
}

func tokensOf(path string, lists []tokenList) []string {
	for _, l := range lists {
		if strings.HasSuffix(path, l.path) {
			return l.values
		}
	}
	return nil
}

func subjectTypes() []string {
	return []string{"component", "inventory-item", "location", "party", "user", "resource"}
}

func implementationStates() []string {
	return []string{"implemented", "partial", "planned", "alternative", "not-applicable"}
}

// nistProps are the names that OSCAL defines, with their values where it lists them. A prop without ns claims
// to be one of these.
func nistProps() map[string][]string {
	return map[string][]string{
		"method":                {"EXAMINE", "INTERVIEW", "TEST"},
		"implementation-status": implementationStates(),
		"type": {
			"logo", "image", "screen-shot", "law", "regulation", "standard", "external-guidance", "acronyms", "citation",
			"policy", "procedure", "system-guide", "users-guide", "administrators-guide", "rules-of-behavior", "plan",
			"artifact", "evidence", "tool-output", "raw-data", "interview-notes", "questionnaire", "report", "agreement",
			"accept", "mitigate", "dr-submission", "dr-approved", "dr-rejected", "closed",
		},
		"virtual": {"yes", "no"}, "public": {"yes", "no"}, "state": {"initial", "adjusted"},
		"false-positive": nil, "accepted": nil, "risk-adjusted": nil, "priority": nil,
		"asset-id": nil, "asset-type": nil, "asset-tag": nil, "os-name": nil, "os-version": nil, "software-name": nil,
		"software-version": nil, "version": nil, "patch-level": nil, "model": nil, "vendor-name": nil,
		"ipv4-address": nil, "ipv6-address": nil, "fqdn": nil, "uri": nil, "vlan-id": nil, "network-id": nil,
		"label": nil, "sort-id": nil, "marking": nil, "published": nil, "control-origination": nil,
	}
}

// values: only tokens that the model or section 3 of the mapping knows, no empty text, hashes of the right length.
func (c *checker) values() {
	known, lists := nistProps(), tokenLists()
	for _, n := range c.nodes {
		if object, ok := n.value.(map[string]any); ok {
			c.object(n, object, known)
			continue
		}
		value, isText := n.value.(string)
		if !isText {
			continue
		}
		if strings.TrimSpace(value) == "" {
			c.refuse(n.pointer, "empty")
		}
		if allowed := tokensOf(n.path, lists); allowed != nil && !slices.Contains(allowed, value) {
			c.refuse(n.pointer, "%q: must be one of %s", value, strings.Join(allowed, ", "))
		}
	}
}

func (c *checker) object(n node, object map[string]any, known map[string][]string) {
	switch {
	case n.key == "props":
		name, value := text(object, "name"), text(object, "value")
		if object["ns"] != nil {
			break
		}
		allowed, defined := known[name]
		if !defined {
			c.refuse(n.pointer+"/name", "prop %q without ns claims to be defined by NIST, which it is not; give it a namespace", name)
		} else if allowed != nil && !slices.Contains(allowed, value) {
			c.refuse(n.pointer+"/value", "prop %s %q: must be one of %s", name, value, strings.Join(allowed, ", "))
		}
	case n.key == "hashes":
		c.hash(n, text(object, "algorithm"), text(object, "value"))
	case n.key == "attestations":
		c.refuse(n.pointer, "an attestation is an assessor's; a tool makes none")
	case n.key == "base64":
		c.refuse(n.pointer, "evidence lies outside the document, with href and hash")
	case n.key == "actors" && text(object, "type") == "party" && !strings.Contains(n.path, "/risks/"):
		c.refuse(n.pointer, "a verdict comes from a tool, not from a party")
	}
}

func (c *checker) hash(n node, algorithm, value string) {
	bits := map[string]int{
		"SHA-224": 224, "SHA-256": 256, "SHA-384": 384, "SHA-512": 512,
		"SHA3-224": 224, "SHA3-256": 256, "SHA3-384": 384, "SHA3-512": 512,
	}[algorithm]
	if bits == 0 {
		c.refuse(n.pointer+"/algorithm", "%q: must be SHA-224 to SHA-512 or SHA3-224 to SHA3-512", algorithm)
		return
	}
	if digest, err := hex.DecodeString(value); err != nil || len(digest)*8 != bits {
		c.refuse(n.pointer+"/value", "must be %d hexadecimal digits for %s", bits/4, algorithm)
	}
}
