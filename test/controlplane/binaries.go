package controlplane

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cato.dev/cato/test/controlplane/internal/buildcache"
)

const (
	// rootModule is the module whose checkout holds the sources to build.
	rootModule = "cato.dev/cato"
	// assetsVariable is the variable by which Kubebuilder's envtest finds its
	// binaries; the same folder serves here.
	assetsVariable = "KUBEBUILDER_ASSETS"
	crdFile        = "crds.json"
	installFile    = "install.json"
	heartbeat      = 30 * time.Second
)

// components are the programs that a control plane is made of.
func components() []string {
	return []string{"etcd", "kube-apiserver", "kube-controller-manager", "kubectl"}
}

// Set is the files that a control plane is started from.
type Set struct {
	// Assets is the folder with etcd, kube-apiserver, kube-controller-manager
	// and kubectl.
	Assets string
	// CRDs are the files that hold a JSON List of CustomResourceDefinitions
	// each.
	CRDs map[CRDSet]string
	// KubeVirt and CDI are the folders with the programs of each and with what
	// its operator would install, as a JSON List; empty if it was not asked for.
	KubeVirt, CDI string
}

// Binaries builds what is missing in the user's cache folder
// (os.UserCacheDir()/cato/controlplane) and returns where everything is. The
// cache is keyed by a hash over sources, Go version and flags. Progress gets a
// line when a build begins, and one each half minute until it ends.
//
// If KUBEBUILDER_ASSETS is set to a folder with all four programs, kubectl and
// kube-controller-manager included, that folder is used in place of a build;
// if it lacks one, a line says so.
func Binaries(ctx context.Context, progress io.Writer) (Set, error) {
	return build(ctx, progress, []CRDSet{KubeVirtCRDs, CDICRDs}, Options{KubeVirt: true, CDI: true, Nodes: 1})
}

// build is Binaries for what is wanted.
func build(ctx context.Context, progress io.Writer, sets []CRDSet, o Options) (Set, error) {
	root, err := checkout()
	if err != nil {
		return Set{}, err
	}
	home, err := os.UserCacheDir()
	if err != nil {
		return Set{}, fmt.Errorf("find the user's cache folder: %w", err)
	}
	cache := buildcache.Cache{
		Root:      filepath.Join(home, "cato", "controlplane"),
		Progress:  progress,
		Heartbeat: heartbeat,
	}
	files := Set{CRDs: map[CRDSet]string{}}
	if o.Nodes == 0 {
		// Nobody else has a node.
		if files.Assets, err = foreignAssets(progress); err != nil {
			return Set{}, err
		}
	}
	if files.Assets == "" {
		files.Assets, err = cache.Get(ctx, kubeModule(root))
		if err != nil {
			return Set{}, err
		}
	}
	// One after another: two builds at once only slow each other.
	for _, set := range []CRDSet{KubeVirtCRDs, CDICRDs} {
		if !slices.Contains(sets, set) {
			continue
		}
		module := kubeVirtModule(root)
		if set == CDICRDs {
			module = cdiModule(root)
		}
		dir, err := cache.Get(ctx, module)
		if err != nil {
			return Set{}, err
		}
		files.CRDs[set] = filepath.Join(dir, crdFile)
	}
	if o.KubeVirt {
		if files.KubeVirt, err = cache.Get(ctx, kubeVirtPrograms(root)); err != nil {
			return Set{}, err
		}
	}
	if o.CDI {
		if files.CDI, err = cache.Get(ctx, cdiPrograms(root)); err != nil {
			return Set{}, err
		}
	}
	return files, nil
}

// foreignAssets returns the folder of KUBEBUILDER_ASSETS if it is set and
// holds all that is needed, else nothing; a folder that is set but cannot be
// used is reported.
func foreignAssets(progress io.Writer) (string, error) {
	dir := os.Getenv(assetsVariable)
	if dir == "" {
		return "", nil
	}
	var missing []string
	for _, name := range components() {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.IsDir() || info.Mode().Perm()&0o111 == 0 {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		_, _ = fmt.Fprintf(progress, "controlplane: %s=%s is not used: it has no executable %s; our own build is used\n",
			assetsVariable, dir, strings.Join(missing, ", "))
		return "", nil
	}
	return filepath.Abs(dir)
}

// checkout finds the checkout of this repository that the working directory is
// in. The sources of the three modules are there and, being modules of their
// own, nowhere else.
func checkout() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the working directory: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		is, err := isRootModule(filepath.Join(dir, "go.mod"))
		if err != nil {
			return "", err
		}
		if is {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not inside a checkout of %s, whose test/controlplane is built: run it from there", start, rootModule)
		}
	}
}

func isRootModule(path string) (bool, error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if strings.TrimSpace(lines.Text()) == "module "+rootModule {
			return true, nil
		}
	}
	return false, lines.Err()
}
