package platform

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// FromConfigMap reads the file that a ConfigMap holds. An error names what of the ConfigMap, or which keys and values of
// the file, are wrong, each with a remedy.
func FromConfigMap(stored *corev1.ConfigMap) (Config, error) {
	text, found := stored.Data[FileName]
	others := slices.Sorted(maps.Keys(stored.Data))
	others = slices.DeleteFunc(others, func(key string) bool { return key == FileName })
	others = append(others, slices.Sorted(maps.Keys(stored.BinaryData))...)
	switch {
	case len(others) > 0:
		return Config{}, fmt.Errorf("key %s is not read: write everything below %s in data", strings.Join(others, ", "), FileName)
	case !found:
		return Config{}, fmt.Errorf("key %s is missing in data: add it, or delete the ConfigMap to have the defaults", FileName)
	}
	config, err := Decode([]byte(text))
	if err != nil {
		return Config{}, fmt.Errorf("%s: %w", FileName, err)
	}
	return config, nil
}
