package oscal

import (
	"strconv"
	"strings"
	"testing"
)

// at returns the value at the JSON pointer; put sets it, or with nil deletes it.
func at(t *testing.T, tree any, pointer string) any {
	t.Helper()
	for _, token := range strings.Split(pointer, "/")[1:] {
		switch v := tree.(type) {
		case map[string]any:
			tree = v[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i >= len(v) {
				t.Fatalf("%s: no element %q", pointer, token)
			}
			tree = v[i]
		default:
			t.Fatalf("%s: nothing holds %q", pointer, token)
		}
	}
	return tree
}

func put(pointer string, value any) func(*testing.T, any) {
	return func(t *testing.T, tree any) {
		i := strings.LastIndex(pointer, "/")
		switch holder := at(t, tree, pointer[:i]).(type) {
		case map[string]any:
			if value == nil {
				if _, ok := holder[pointer[i+1:]]; !ok {
					t.Fatalf("%s: nothing to delete", pointer)
				}
				delete(holder, pointer[i+1:])
				return
			}
			holder[pointer[i+1:]] = value
		case []any:
			n, err := strconv.Atoi(pointer[i+1:])
			if err != nil {
				t.Fatal(err)
			}
			holder[n] = value
		}
	}
}

func swap(pointer string, i, j int) func(*testing.T, any) {
	return func(t *testing.T, tree any) {
		elements := at(t, tree, pointer).([]any)
		elements[i], elements[j] = elements[j], elements[i]
	}
}

func both(changes ...func(*testing.T, any)) func(*testing.T, any) {
	return func(t *testing.T, tree any) {
		for _, change := range changes {
			change(t, tree)
		}
	}
}

type members = map[string]any

const (
	ar     = "/assessment-results"
	res    = ar + "/results/0"
	obs    = res + "/observations/3" // NET-001 on vm-1, see order in the document
	unused = "11111111-2222-4333-8444-555555555555"
)

// mutation is one change that no schema refuses (or, at the end, that it does) and that the strict check must.
type mutation struct {
	doc    string // results, plan, component
	change func(*testing.T, any)
	at     string // pointer of a problem
	want   string // part of its message
}

func mutations() map[string]mutation {
	finding := res + "/findings/4" // sc-7.5_obj-1, satisfied
	weak := res + "/findings/3"    // sc-7_obj.a-4, covered in part
	evidence := obs + "/relevant-evidence/0"
	return map[string]mutation{
		"a uuid twice":                          {"results", put(obs+"/uuid", documentID), ar + "/uuid", "each uuid stands once"},
		"a related observation that is none":    {"results", put(finding+"/related-observations/0/observation-uuid", unused), finding + "/related-observations/0/observation-uuid", "not in the document"},
		"a related risk that is none":           {"results", put(finding+"/related-risks", []any{members{"risk-uuid": unused}}), finding + "/related-risks/0/risk-uuid", "not in the document"},
		"a subject that is none":                {"results", put(obs+"/subjects/0/subject-uuid", unused), obs + "/subjects/0/subject-uuid", "not in the document"},
		"a subject in the wrong room":           {"results", put(obs+"/subjects/0/type", "component"), obs + "/subjects/0/subject-uuid", "not one of components"},
		"an actor that is none":                 {"results", put(obs+"/origins/0/actors/0/actor-uuid", unused), obs + "/origins/0/actors/0/actor-uuid", "not in the document"},
		"an href to no resource":                {"results", put(evidence+"/href", "#"+unused), evidence + "/href", "not in the document"},
		"an empty import-ap":                    {"results", put(ar+"/import-ap/href", ""), ar + "/import-ap/href", "empty"},
		"evidence without href":                 {"results", put(evidence+"/href", nil), evidence, "evidence without href"},
		"a control that does not exist":         {"results", put(res+"/reviewed-controls/control-selections/0/include-controls/0/control-id", "ac-99"), res + "/reviewed-controls/control-selections/0/include-controls/0/control-id", "not in nist"},
		"a control in the publication's letter": {"results", put(res+"/reviewed-controls/control-selections/0/include-controls/3/control-id", "SC-7"), res + "/reviewed-controls/control-selections/0/include-controls/3/control-id", `write the OSCAL id "sc-7"`},
		"a withdrawn control":                   {"results", put(res+"/reviewed-controls/control-selections/0/include-controls/0", members{"control-id": "ac-13"}), res + "/reviewed-controls/control-selections/0/include-controls/0/control-id", "withdrawn"},
		"a statement that does not exist":       {"results", put(res+"/reviewed-controls/control-selections/0/include-controls/3/statement-ids/0", "sc-7_smt.z"), res + "/reviewed-controls/control-selections/0/include-controls/3/statement-ids/0", "not of control"},
		"a statement of another control":        {"results", put(res+"/reviewed-controls/control-selections/0/include-controls/3/statement-ids/0", "cm-7.5_smt.b"), res + "/reviewed-controls/control-selections/0/include-controls/3/statement-ids/0", "is not one of control"},
		"an objective that does not exist":      {"results", put(res+"/reviewed-controls/control-objective-selections/0/include-objectives/0/objective-id", "ac-6_obj.q"), res + "/reviewed-controls/control-objective-selections/0/include-objectives/0/objective-id", "not of control"},
		"a target that does not exist":          {"results", put(weak+"/target/target-id", "sc-7_obj.q"), weak + "/target/target-id", "not of control"},
		"a control as target":                   {"results", put(weak+"/target/target-id", "sc-7"), weak + "/target/target-id", "not of control"},
		"a target that was not reviewed":        {"results", put(weak+"/target/target-id", "sc-7_obj.b"), weak + "/target/target-id", "not in control-objective-selections"},
		"a control that was not reviewed":       {"results", put(weak+"/target/target-id", "sc-8_obj"), weak + "/target/target-id", "not in reviewed-controls"},
		"review by include-all":                 {"results", put(res+"/reviewed-controls/control-selections/0", members{"include-all": members{}}), res + "/reviewed-controls/control-selections/0/include-all", "no rule evaluated"},
		"a prop of nobody":                      {"results", put(obs+"/props/0", members{"name": "mine", "value": "x"}), obs + "/props/0/name", "give it a namespace"},
		"a prop with a value of nobody":         {"results", put(obs+"/props/0", members{"name": "method", "value": "GUESS"}), obs + "/props/0/value", "must be one of EXAMINE"},
		"a method in lower case":                {"results", put(obs+"/methods/0", "test"), obs + "/methods/0", "must be one of EXAMINE"},
		"an unknown observation type":           {"results", put(obs+"/types/0", "guess"), obs + "/types/0", "must be one of"},
		"the deprecated observation type":       {"results", put(obs+"/types/0", "finding"), obs + "/types/0", "must be one of"},
		"an unknown subject type":               {"results", put(obs+"/subjects/0/type", "machine"), obs + "/subjects/0/type", "must be one of"},
		"an unknown component type":             {"results", put(res+"/local-definitions/components/0/type", "operator"), res + "/local-definitions/components/0/type", "must be one of"},
		"an unknown risk status":                {"results", put(res+"/risks", []any{risk(members{"status": "waived"})}), res + "/risks/0/status", "must be one of open"},
		"an unknown remediation lifecycle":      {"results", put(res+"/risks", []any{risk(members{"remediations": []any{members{"uuid": unused, "lifecycle": "someday", "title": "t", "description": "d"}}})}), res + "/risks/0/remediations/0/lifecycle", "must be one of recommendation"},
		"an unknown implementation status":      {"results", put(weak+"/target/implementation-status/state", "mostly"), weak + "/target/implementation-status/state", "must be one of implemented"},
		"an unknown hash algorithm":             {"results", put(ar+"/back-matter/resources/1/rlinks/0/hashes/0/algorithm", "MD5"), ar + "/back-matter/resources/1/rlinks/0/hashes/0/algorithm", "SHA-224"},
		"a hash that is too short":              {"results", put(ar+"/back-matter/resources/1/rlinks/0/hashes/0/value", "abcd"), ar + "/back-matter/resources/1/rlinks/0/hashes/0/value", "64 hexadecimal"},
		"an empty description":                  {"results", put(obs+"/description", "  "), obs + "/description", "empty"},
		"an end before the start":               {"results", put(res+"/end", "2026-12-01T09:00:00Z"), res + "/end", "before start"},
		"an expiry before the evidence":         {"results", put(obs+"/expires", "2026-12-01T09:00:00Z"), obs + "/expires", "before collected"},
		"evidence newer than the document":      {"results", put(obs+"/collected", "2026-12-02T10:00:00Z"), obs + "/collected", "after the document's last-modified"},
		"findings out of order":                 {"results", swap(res+"/findings", 0, 1), res + "/findings", "not sorted"},
		"observations out of order":             {"results", swap(res+"/observations", 1, 2), res + "/observations", "not sorted"},
		"items out of order":                    {"results", swap(res+"/local-definitions/inventory-items", 0, 1), res + "/local-definitions/inventory-items", "not sorted"},
		"two results":                           {"results", func(t *testing.T, tree any) { put(ar+"/results", []any{at(t, tree, res), at(t, tree, res)})(t, tree) }, ar + "/results/1", "one result a document"},
		"an attestation":                        {"results", put(res+"/attestations", []any{members{"parts": []any{members{"name": "authorization-statements"}}}}), res + "/attestations/0", "a tool makes none"},
		"a verdict of a person":                 {"results", put(obs+"/origins/0/actors/0/type", "party"), obs + "/origins/0/actors/0", "comes from a tool"},
		"evidence within the document":          {"results", put(ar+"/back-matter/resources/1/base64", members{"value": "YQ=="}), ar + "/back-matter/resources/1/base64", "outside the document"},
		"a role that is none":                   {"results", put(ar+"/metadata/responsible-parties", []any{members{"role-id": "assessor", "party-uuids": []any{unused}}}), ar + "/metadata/responsible-parties/0/role-id", "not in metadata.roles"},
		"an observation without result":         {"results", put(obs+"/props/2/value", "fine"), obs + "/props", "needs prop result"},
		"an observation without expiry":         {"results", put(obs+"/expires", nil), obs, "needs expires"},
		"an observation without subject":        {"results", put(obs+"/subjects", nil), obs, "needs subjects"},
		"an observation without origin":         {"results", put(obs+"/origins", nil), obs, "needs origins"},
		"a rule that is not in force":           {"results", put(obs+"/props/0/value", "OLD-001"), obs + "/props", "not in force"},

		"satisfied over an unknown":            {"results", put(obs+"/props/2/value", "unknown"), finding, "is unknown"},
		"satisfied over a fail":                {"results", put(obs+"/props/2/value", "fail"), finding, "is fail"},
		"satisfied over an expired pass":       {"results", both(put(obs+"/expires", "2026-12-01T10:05:00Z")), finding, "expired"},
		"satisfied over a plan":                {"results", put(obs+"/props/3/value", "plan"), finding, "not of a live object"},
		"satisfied with a subject unevaluated": {"results", put(res+"/props/1/value", "3"), finding, "no verdict on 1 subjects"},
		"satisfied without observations":       {"results", put(finding+"/related-observations", nil), finding, "no related observation passes"},
		"satisfied where a part is covered":    {"results", put(weak+"/target/status", members{"state": "satisfied", "reason": "pass"}), weak, "covers sc-7_obj.a-4 whole"},
		"satisfied and partial":                {"results", put(finding+"/target/implementation-status/state", "partial"), finding + "/target", "needs implementation-status implemented"},
		"satisfied with coverage partial":      {"results", put(finding+"/props/0/value", "partial"), finding + "/props", "needs prop coverage full"},
		"satisfied for another reason":         {"results", put(finding+"/target/status/reason", "other"), finding + "/target/status/reason", "must be pass"},
		"pass as the reason of not-satisfied":  {"results", put(weak+"/target/status/reason", "pass"), weak + "/target/status/reason", "reason of satisfied only"},
		"fail without a failing observation":   {"results", put(weak+"/target/status/reason", "fail"), weak + "/target/status/reason", "only then"},
		"a fail without finding":               {"results", dropFinding, res + "/findings", "has no finding not-satisfied"},
		"a count that contradicts":             {"rules", put(res+"/observations/0/props/6/value", "1"), res + "/observations/0/props", "fail-count is 1"},
		"an unknown count that contradicts":    {"rules", put(res+"/observations/0/props/7/value", "1"), res + "/observations/0/props", "unknown-count is 1"},

		"a private key":        {"results", put(obs+"/description", "x -----BEGIN RSA PRIVATE KEY-----"), obs + "/description", "private key"},
		"a password":           {"results", put(obs+"/description", "user data has password: hunter22"), obs + "/description", "a password"},
		"a password hash":      {"results", put(obs+"/description", "$6$rounds=4096$saltsalt$abcdefghij"), obs + "/description", "password hash"},
		"a token":              {"results", put(obs+"/description", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc"), obs + "/description", "web token"},
		"user data":            {"results", put(obs+"/description", "#cloud-config\nusers: []"), obs + "/description", "user data"},
		"credentials in a URL": {"results", put(evidence+"/href", "https://me:pass@host/x"), evidence + "/href", "credentials in a URL"},

		"a long run of base64": {"results", put(obs+"/description", strings.Repeat("QUJD", 40)), obs + "/description", "base64"},
		"a cloud access key":   {"results", put(obs+"/description", "AKIAIOSFODNN7EXAMPLE"), obs + "/description", "access key"},
		"a forge's token":      {"results", put(obs+"/description", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"), obs + "/description", "forge"},
		"a header":             {"results", put(obs+"/description", "Authorization: Bearer abcdefghijklmnopqrstuvwxyz"), obs + "/description", "authorization header"},
		"kubeconfig data":      {"results", put(obs+"/description", "client-key-data"), obs + "/description", "kubeconfig"},

		"a plan without assets":              {"plan", put("/assessment-plan/assessment-assets", nil), "/assessment-plan", "needs assessment-assets"},
		"a plan without tasks":               {"plan", put("/assessment-plan/tasks", nil), "/assessment-plan", "needs tasks"},
		"a plan without activities":          {"plan", put("/assessment-plan/local-definitions/activities", nil), "/assessment-plan", "needs local-definitions.activities"},
		"a task with no activity":            {"plan", put("/assessment-plan/tasks/0/associated-activities/0/activity-uuid", unused), "/assessment-plan/tasks/0/associated-activities/0/activity-uuid", "not in the document"},
		"an unknown task type":               {"plan", put("/assessment-plan/tasks/0/type", "chore"), "/assessment-plan/tasks/0/type", "must be one of"},
		"an empty import-ssp":                {"plan", put("/assessment-plan/import-ssp/href", ""), "/assessment-plan/import-ssp/href", "empty"},
		"an unknown defined component type":  {"component", put("/component-definition/components/0/type", "operator"), "/component-definition/components/0/type", "must be one of"},
		"an unknown status of a requirement": {"component", put("/component-definition/components/0/control-implementations/0/implemented-requirements/0/props/0/value", "done"), "/component-definition/components/0/control-implementations/0/implemented-requirements/0/props/0/value", "must be one of implemented"},
		"a POA&M of no system":               {"poam", func(*testing.T, any) {}, "/plan-of-action-and-milestones", "import-ssp or system-id"},
		"a POA&M item without uuid":          {"poam", func(*testing.T, any) {}, "/plan-of-action-and-milestones/poam-items/0", "needs a uuid"},

		"an unknown field":        {"results", put(obs+"/colour", "red"), obs, "schema: additional properties 'colour' not allowed"},
		"an empty array":          {"results", put(obs+"/props", []any{}), obs + "/props", "schema: minItems"},
		"a uuid of another kind":  {"results", put(obs+"/uuid", "11111111-2222-1333-8444-555555555555"), obs + "/uuid", "schema:"},
		"a time without zone":     {"results", put(obs+"/collected", "2026-12-01T10:00:00"), obs + "/collected", "schema:"},
		"a state that is none":    {"results", put(weak+"/target/status/state", "partial"), weak + "/target/status/state", "schema:"},
		"a field that is missing": {"results", put(obs+"/methods", nil), obs, "schema: missing property 'methods'"},
		"a version that is none":  {"results", put(ar+"/metadata/oscal-version", "9.9.9"), "", "must be one of 1.1.3, 1.2.2"},
	}
}

// dropFinding makes a fail and takes its finding away.
func dropFinding(t *testing.T, tree any) {
	put(res+"/observations/1/props/2/value", "fail")(t, tree)
	put(res+"/findings", at(t, tree, res+"/findings").([]any)[1:])(t, tree)
}

// documentID is the uuid of the results document, which is fixed by the fixture's cluster.
var documentID = identify("results", "4ac43c2b-9a1d-4b39-8d0c-8a54dfb3a6d1", "tenant-a", "verdicts")

func risk(with members) members {
	r := members{"uuid": "11111111-2222-4333-8444-666666666666", "title": "t", "description": "d", "statement": "s", "status": "open"}
	for k, v := range with {
		r[k] = v
	}
	return r
}
