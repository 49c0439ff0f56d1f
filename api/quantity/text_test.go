package quantity_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"cato.dev/cato/api/quantity"
)

func TestDecodingKeepsTheRawText(t *testing.T) {
	mib := strings.Repeat("9", 1<<20)
	tests := []struct {
		name, json, want string
	}{
		{"a string", `"4Gi"`, "4Gi"},
		{"a string that no quantity is", `"1e1.5"`, "1e1.5"},
		{"a string beyond every quantity", `"1e30"`, "1e30"},
		{"a string of digits", `"12"`, "12"},
		{"a string of 1 MiB", `"` + mib + `"`, mib},
		{"an escaped string", `"4G\u0069"`, "4Gi"},
		{"a string with a lone surrogate", `"\ud800"`, "\ufffd"},
		{"the empty string", `""`, ""},
		{"an integer", `12`, "12"},
		{"a negative integer", `-1`, "-1"},
		{"an integer beyond 64 bits", `99999999999999999999`, "99999999999999999999"},
		{"a fraction", `1.5`, "1.5"},
		{"a number with exponent", `1e30`, "1e30"},
		{"a suffix that overflows", `"9Ei"`, "9Ei"},
		{"null", `null`, ""},
		{"a boolean", `true`, "true"},
		{"an object", `{"a": 1}`, `{"a": 1}`},
		{"a list", `[1]`, `[1]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var std, kube struct {
				Q quantity.Text `json:"q"`
			}
			doc := []byte(`{"q": ` + tt.json + `}`)
			if err := json.Unmarshal(doc, &std); err != nil {
				t.Fatalf("encoding/json: %v", err)
			}
			if strict, err := kjson.UnmarshalStrict(doc, &kube); err != nil || len(strict) > 0 {
				t.Fatalf("sigs.k8s.io/json: %v, %v", err, strict)
			}
			for _, got := range []quantity.Text{std.Q, kube.Q} {
				if diff := cmp.Diff(quantity.Text(tt.want), got); diff != "" {
					t.Errorf("text (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestEncodingAndDecodingAgainChangesNothing(t *testing.T) {
	for _, text := range []quantity.Text{"", "12", "1.5", "-1", "1e30", "1e1.5", "9Ei", "4Gi", `quo"te`, "new\nline"} {
		data, err := json.Marshal(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if data[0] != '"' {
			t.Errorf("%q is encoded as %s, want a JSON string", text, data)
		}
		var again quantity.Text
		if err := json.Unmarshal(data, &again); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if again != text {
			t.Errorf("%q came back as %q", text, again)
		}
	}
}

func TestAnEmptyTextIsLeftOut(t *testing.T) {
	data, err := json.Marshal(struct {
		Q quantity.Text `json:"q,omitempty"`
	}{})
	if err != nil || string(data) != "{}" {
		t.Errorf("got %s, %v; want {}", data, err)
	}
}

func TestBytesThatAreNoJSONAreAnError(t *testing.T) {
	for _, data := range []string{``, ` `, `"4Gi`, `4Gi`, `{`, "\"\x01\""} {
		text := quantity.Text("before")
		if err := text.UnmarshalJSON([]byte(data)); err == nil {
			t.Errorf("%q gave %q and no error", data, text)
		}
	}
}

func TestYAMLNumbersAndStringsAreAccepted(t *testing.T) {
	var got struct {
		A, B, C quantity.Text
	}
	if err := yaml.Unmarshal([]byte("a: 4Gi\nb: 1073741824\nc: 1e1.5\n"), &got); err != nil {
		t.Fatal(err)
	}
	want := struct{ A, B, C quantity.Text }{"4Gi", "1073741824", "1e1.5"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The reason for Text: the same list does not decode with resource.Quantity.
func TestOneBadQuantityDoesNotBlindAList(t *testing.T) {
	list := []byte(`[{"memory": "4Gi"}, {"memory": "1e1.5"}, {"memory": "1e30"}, {"memory": 12}]`)
	var parsed []struct {
		Memory resource.Quantity `json:"memory"`
	}
	if err := json.Unmarshal(list, &parsed); err == nil {
		t.Fatal("resource.Quantity decodes 1e1.5 by now: Text is no longer needed")
	}
	var got []struct {
		Memory quantity.Text `json:"memory"`
	}
	if err := json.Unmarshal(list, &got); err != nil {
		t.Fatal(err)
	}
	var texts []quantity.Text
	for _, item := range got {
		texts = append(texts, item.Memory)
	}
	if diff := cmp.Diff([]quantity.Text{"4Gi", "1e1.5", "1e30", "12"}, texts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzUnmarshalJSON(f *testing.F) {
	for _, seed := range []string{`"4Gi"`, `12`, `1e30`, `null`, `"\ud800"`, `{"a":[1]}`, `"`, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var text quantity.Text
		if err := json.Unmarshal(data, &text); (err == nil) != json.Valid(data) {
			t.Errorf("%q: valid JSON is %v, error is %v", data, json.Valid(data), err)
		}
	})
}
