package catalog

import (
	"cmp"
	"strconv"
	"strings"
)

// Compare orders control ids as the publication does: ac-2 before ac-10, sc-7 before sc-7.5.
func Compare(a, b string) int {
	familyA, numbersA := splitControl(a)
	familyB, numbersB := splitControl(b)
	return cmp.Or(cmp.Compare(familyA, familyB), cmp.Compare(numbersA[0], numbersB[0]),
		cmp.Compare(numbersA[1], numbersB[1]), cmp.Compare(a, b))
}

// splitControl reads sc-7.5 as sc, 7, 5. What is no number counts as 0: the ids themselves decide then.
func splitControl(id string) (family string, numbers [2]int) {
	family, rest, _ := strings.Cut(id, "-")
	base, enhancement, _ := strings.Cut(rest, ".")
	for i, text := range []string{base, enhancement} {
		if n, err := strconv.Atoi(text); err == nil {
			numbers[i] = n
		}
	}
	return family, numbers
}
