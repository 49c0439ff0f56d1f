package facts

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"cato.dev/cato/api/quantity"
)

// longestQuantity bounds what is parsed: no quantity of a virtual machine
// needs more characters, and a longer one only costs time.
const longestQuantity = 64

// parseQuantity measures a quantity in whole units, rounded up as Kubernetes
// does. It is exact where resource.Quantity is not: that type caps 9Ei
// silently and answers 0 for the value of 1e30.
func parseQuantity(text quantity.Text) Quantity {
	q := Quantity{Text: string(text)}
	if text == "" {
		return q
	}
	if len(text) > longestQuantity {
		q.Text = cut(q.Text, longestQuantity)
		q.Problem = fmt.Sprintf("is %d characters long", len(text))
		return q
	}
	if n, ok := plainQuantity(q.Text); ok {
		q.Value = &n
		return q
	}
	value, err := exactQuantity(q.Text)
	if err != nil {
		q.Problem = err.Error()
		return q
	}
	whole := ceil(value)
	if !whole.IsInt64() {
		q.Problem = "overflows 64 bits"
		return q
	}
	n := whole.Int64()
	q.Value = &n
	return q
}

// exactQuantity reads the syntax of Kubernetes quantities: a decimal number
// with a binary suffix, a decimal suffix or a decimal exponent.
func exactQuantity(text string) (*big.Rat, error) {
	if n, ok := plainQuantity(text); ok {
		return new(big.Rat).SetInt64(n), nil
	}
	digits := strings.TrimLeft(text, "+-")
	if len(text)-len(digits) > 1 {
		return nil, fmt.Errorf("is not a quantity: more than one sign")
	}
	end := strings.IndexFunc(digits, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if end < 0 {
		end = len(digits)
	}
	number, suffix := digits[:end], digits[end:]
	if strings.Trim(number, ".") == "" || strings.Count(number, ".") > 1 {
		return nil, fmt.Errorf("is not a quantity: it has no number")
	}
	value, ok := new(big.Rat).SetString("0" + strings.TrimSuffix(number, "."))
	if !ok {
		return nil, fmt.Errorf("is not a quantity")
	}
	factor, err := suffixFactor(suffix)
	if err != nil {
		return nil, err
	}
	value.Mul(value, factor)
	if strings.HasPrefix(text, "-") {
		value.Neg(value)
	}
	return value, nil
}

// plainQuantity reads what most people write, up to nine digits with Ki, Mi, Gi or nothing, without big numbers:
// they were most of what the facts cost. Anything else is left to exactQuantity.
func plainQuantity(text string) (n int64, ok bool) {
	shift := 0
	for i, suffix := range [...]string{"Ki", "Mi", "Gi"} {
		if rest, found := strings.CutSuffix(text, suffix); found {
			text, shift = rest, 10*(i+1)
			break
		}
	}
	if text == "" || len(text) > 9 {
		return 0, false
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
		n = 10*n + int64(text[i]-'0')
	}
	return n << shift, true
}

func suffixFactor(suffix string) (*big.Rat, error) {
	if strings.HasPrefix(suffix, "e") || (strings.HasPrefix(suffix, "E") && len(suffix) > 1 && suffix != "Ei") {
		exponent, err := strconv.ParseInt(suffix[1:], 10, 16)
		if err != nil || exponent > 100 || exponent < -100 {
			return nil, fmt.Errorf("has an exponent that is no whole number from -100 to 100")
		}
		return power(10, exponent), nil
	}
	binary := map[string]int64{"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
	if exponent, ok := binary[suffix]; ok {
		return power(2, exponent), nil
	}
	decimal := map[string]int64{"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
	if exponent, ok := decimal[suffix]; ok {
		return power(10, exponent), nil
	}
	return nil, fmt.Errorf("has the unknown suffix %q: use Ki, Mi, Gi, Ti or k, M, G, T", suffix)
}

func power(base, exponent int64) *big.Rat {
	magnitude := exponent
	if magnitude < 0 {
		magnitude = -magnitude
	}
	p := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(base), big.NewInt(magnitude), nil))
	if exponent < 0 {
		return p.Inv(p)
	}
	return p
}

// binaryText writes whole units with the largest binary suffix that they are a
// multiple of, as a user would.
func binaryText(n int64) string {
	for i, suffix := range []string{"Ei", "Pi", "Ti", "Gi", "Mi", "Ki"} {
		if unit := int64(1) << (60 - 10*i); n != 0 && n%unit == 0 {
			return strconv.FormatInt(n/unit, 10) + suffix
		}
	}
	return strconv.FormatInt(n, 10)
}

// ceil rounds away from zero.
func ceil(r *big.Rat) *big.Int {
	quotient, remainder := new(big.Int).QuoRem(r.Num(), r.Denom(), new(big.Int))
	return quotient.Add(quotient, big.NewInt(int64(remainder.Sign())))
}

// Bytes measures a size that a user wrote, rounded up to whole bytes. The
// problem is a clause that follows the quoted text ("overflows 64 bits"); it
// is empty for a size that is good, and for none "is missing".
func Bytes(text string) (bytes int64, problem string) {
	q := parseQuantity(quantity.Text(text))
	switch {
	case q.Value != nil:
		return *q.Value, ""
	case q.Problem == "":
		return 0, "is missing"
	default:
		return 0, q.Problem
	}
}
