package facts

import (
	"math/big"
	"strings"

	corev1 "k8s.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
)

// overheads are the file system overheads of CDIConfig, by storage class.
type overheads struct {
	global  *big.Rat
	byClass map[string]*big.Rat
	unknown bool // they could not be read: no file system's need is known
}

// defaultOverhead is CDI's own (pkg/common: DefaultGlobalOverhead).
const defaultOverhead = "0.06"

func newOverheads(config *cdiv1beta1.CDIConfig) overheads {
	o := overheads{global: fraction(defaultOverhead, nil), byClass: map[string]*big.Rat{}}
	if config == nil || config.Status.FilesystemOverhead == nil {
		return o
	}
	o.global = fraction(string(config.Status.FilesystemOverhead.Global), o.global)
	for class, text := range config.Status.FilesystemOverhead.StorageClass {
		o.byClass[class] = fraction(string(text), o.global)
	}
	return o
}

func fraction(text string, otherwise *big.Rat) *big.Rat {
	const longest = 16
	if text = strings.TrimSpace(text); len(text) > longest || strings.ContainsAny(text, "eE/") {
		return otherwise
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || r.Sign() < 0 || r.Cmp(big.NewRat(1, 1)) > 0 {
		return otherwise
	}
	return r
}

func (o overheads) of(class string) *big.Rat {
	if r, found := o.byClass[class]; found {
		return r
	}
	return o.global
}

// required is what a claim must hold for a disk. Null when size or overhead is
// not known, or the sum overflows.
func (o overheads) required(virtual *int64, class, mode string) *int64 {
	if o.unknown && mode != string(corev1.PersistentVolumeBlock) {
		return nil
	}
	return o.inflated(virtual, class, mode)
}

// inflated is CDI's own ceil((1 + overhead) × size aligned up to 1 MiB), or the
// aligned size alone in block mode. Null when the size is not known, or the sum overflows.
func (o overheads) inflated(virtual *int64, class, mode string) *int64 {
	block := mode == string(corev1.PersistentVolumeBlock)
	if virtual == nil || *virtual <= 0 {
		return nil
	}
	const mebi = 1 << 20
	aligned := new(big.Int).Add(big.NewInt(*virtual), big.NewInt(mebi-1))
	aligned.Div(aligned, big.NewInt(mebi)).Mul(aligned, big.NewInt(mebi))
	size := new(big.Rat).SetInt(aligned)
	if !block {
		size.Mul(size, new(big.Rat).Add(big.NewRat(1, 1), o.of(class)))
	}
	whole := ceil(size)
	if !whole.IsInt64() {
		return nil
	}
	n := whole.Int64()
	return &n
}
