package facts

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"cato.dev/cato/api/quantity"
)

func TestQuantitiesAreMeasuredOrSayWhyNot(t *testing.T) {
	for _, c := range []struct {
		text    string
		value   int64
		problem string // a part of it; empty where there is a value
	}{
		{text: "4Gi", value: 4 << 30},
		{text: "1Ti", value: 1 << 40},
		{text: "7Ei", value: 7 << 60},
		{text: "1Ei", value: 1 << 60},
		{text: "1E", value: 1e18},
		{text: "1e3", value: 1000},
		{text: "1E3", value: 1000},
		{text: "1e+3", value: 1000},
		{text: "1.5Gi", value: 3 << 29},
		{text: "0.1", value: 1},
		{text: "1m", value: 1},
		{text: "-1", value: -1},
		{text: "-0.5", value: -1},
		{text: "+1", value: 1},
		{text: ".5k", value: 500},
		{text: "5.", value: 5},
		{text: "0", value: 0},
		{text: "9223372036854775807", value: math.MaxInt64},
		{text: "9223372036854775808", problem: "overflows"},
		{text: "9Ei", problem: "overflows"},
		{text: "1e30", problem: "overflows"},
		{text: "1e1.5", problem: "exponent"},
		{text: "1e", problem: "exponent"},
		{text: "1e101", problem: "exponent"},
		{text: "1e99999999999", problem: "exponent"},
		{text: ".", problem: "no number"},
		{text: "Gi", problem: "no number"},
		{text: "1.2.3", problem: "no number"},
		{text: "+-1", problem: "sign"},
		{text: "--1", problem: "sign"},
		{text: "1K", problem: "suffix"},
		{text: "1GB", problem: "suffix"},
		{text: "1 Gi", problem: "suffix"},
		{text: " 1Gi", problem: "no number"},
		{text: "1gi", problem: "suffix"},
		{text: "NaN", problem: "no number"},
		{text: "0x10", problem: "suffix"},
		{text: "1/2", problem: "suffix"},
		{text: strings.Repeat("1", 1<<20), problem: "characters"},
	} {
		got := parseQuantity(quantity.Text(c.text))
		if c.problem != "" {
			if got.Value != nil || !strings.Contains(got.Problem, c.problem) {
				t.Errorf("%.40q: value %v, problem %q, want no value and a problem with %q", c.text, got.Value, got.Problem, c.problem)
			}
			continue
		}
		if diff := cmp.Diff(Quantity{Text: c.text, Value: &c.value}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestNothingWrittenIsNoQuantityAndNoProblem(t *testing.T) {
	if diff := cmp.Diff(Quantity{}, parseQuantity("")); diff != "" {
		t.Error(diff)
	}
	if bytes, problem := Bytes(""); bytes != 0 || problem != "is missing" {
		t.Errorf("Bytes of nothing: %d, %q", bytes, problem)
	}
}

// The generator stays where resource.Quantity is exact: below 2^63 and not
// finer than a billionth, and out of the negative numbers, which it rounds either way.
func TestQuantitiesAgreeWithKubernetesWhereItIsExact(t *testing.T) {
	suffix := rapid.SampledFrom([]string{"", "Ki", "Mi", "Gi", "k", "M", "G", "m", "u", "n", "e0", "e2", "E3", "e-3"})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[+]?[0-9]{1,8}(\.[0-9]{0,3})?`).Draw(t, "number") + suffix.Draw(t, "suffix")
		want, err := resource.ParseQuantity(text)
		got := parseQuantity(quantity.Text(text))
		if err != nil || got.Value == nil {
			t.Fatalf("%q: Kubernetes says %v, the facts say %+v", text, err, got)
		}
		if *got.Value != want.Value() {
			t.Fatalf("%q: Kubernetes says %d, the facts say %d", text, want.Value(), *got.Value)
		}
	})
}

func TestWhatKubernetesRefusesHasNoValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[+-]{0,2}[0-9.]{0,4}[eEikKMGTPmun0-9.+-]{0,3}`).Draw(t, "text")
		if _, err := resource.ParseQuantity(text); err != nil {
			if got := parseQuantity(quantity.Text(text)); got.Value != nil {
				t.Fatalf("%q: Kubernetes says %v, the facts say %d", text, err, *got.Value)
			}
		}
	})
}

func FuzzBytes(f *testing.F) {
	for _, seed := range []string{"", "1Gi", "9Ei", "1e30", "-1", "1e1.5", ".", "+-1", "0.000000001n", "1E", "١Gi", "\xff", strings.Repeat("9", 100)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value, problem := Bytes(text)
		if problem != "" && value != 0 {
			t.Errorf("%q: both a value %d and a problem %q", text, value, problem)
		}
		if q := parseQuantity(quantity.Text(text)); utf8.ValidString(text) && !utf8.ValidString(q.Text) || len(q.Text) > longestQuantity {
			t.Errorf("%q: the text kept is %q", text, q.Text)
		}
		if _, err := resource.ParseQuantity(text); err != nil && problem == "" {
			t.Errorf("%q: Kubernetes says %v, the facts say %d", text, err, value)
		}
	})
}

func TestABinaryTextIsTheShortestThatIsExact(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 1: "1", 1023: "1023", 1024: "1Ki", 1536: "1536", 64 << 20: "64Mi", 3 << 29: "1536Mi", 1 << 40: "1Ti", 5 << 60: "5Ei", -1 << 30: "-1Gi",
	} {
		if got := binaryText(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestAPlainQuantityIsWhatTheExactReadingMakesOfIt(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "007": 7, "999999999Gi": 999999999 << 30, "16Gi": 16 << 30, "1Ki": 1024, "3Mi": 3 << 20} {
		if got, ok := plainQuantity(text); !ok || got != want {
			t.Errorf("%s: %d, %t, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "Gi", "1GiGi", "1KiMi", "-1", "+1", "1.5", "1000000000", "1Ti", "1k", "1e3", "१"} {
		if got, ok := plainQuantity(text); ok {
			t.Errorf("%q was read as %d", text, got)
		}
	}
}
