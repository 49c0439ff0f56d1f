package check

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"cato.dev/cato/api/platform"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/facts"
)

// configuration is the platform's, as far as the input tells it.
type configuration struct {
	file *corev1.ConfigMap // nil where none, or not one, is in the input
	told gather.Platform
}

// configurationOf reads the platform's configuration among the input, else takes
// the defaults. What is wrong with it is an error of the report, and then what
// depends on it is unknown.
func configurationOf(ctx context.Context, files *gather.Files, report *Report) (configuration, error) {
	file, err := configurationFile(files)
	if err != nil {
		report.refuse(err)
		return configuration{told: gather.Platform{Problem: err.Error()}}, nil
	}
	config := platform.Defaults()
	switch lost := lostFile(files, file); {
	case lost != "": // its error is told already
		return configuration{told: gather.Platform{Problem: "the platform's configuration is not known: " + lost}}, nil
	case file != nil:
		if config, err = platform.FromConfigMap(file); err != nil {
			named := fmt.Errorf("ConfigMap %s/%s, %w", file.Namespace, file.Name, err)
			refuseEach(report, file, err)
			return configuration{file: file, told: gather.Platform{Problem: named.Error()}}, nil
		}
	}
	nodes, err := gather.Nodes(ctx, files)
	if err != nil {
		return configuration{}, err
	}
	var unread error
	if lost := files.Blind("nodes", ""); lost != "" {
		unread = errors.New(lost)
	}
	told := gather.PlatformOf(config, config.ImageAllowlist.Prefixes, nodes, unread)
	told.Assumed = file == nil
	return configuration{file: file, told: told}, nil
}

// lostFile tells why the file could not be read, or may not have been; empty where
// neither is so.
func lostFile(files *gather.Files, file *corev1.ConfigMap) string {
	if file == nil {
		return files.Blind("configmaps", virtfoundryv1alpha1.SystemNamespace)
	}
	for _, broken := range files.Broken {
		if broken.Kind.Kind == facts.KindPlatform && broken.Key == client.ObjectKeyFromObject(file) {
			return broken.Reason
		}
	}
	return ""
}

// configurationFile is the ConfigMap of the operator's namespace, or the only one
// of the name in another: an operator may be installed elsewhere.
func configurationFile(files *gather.Files) (*corev1.ConfigMap, error) {
	var found []*corev1.ConfigMap
	for _, object := range files.Objects() {
		file, isFile := object.(*corev1.ConfigMap)
		if !isFile || file.Name != platform.ConfigMapName {
			continue
		}
		if file.Namespace == virtfoundryv1alpha1.SystemNamespace {
			return file, nil
		}
		found = append(found, file)
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return found[0], nil
	default:
		return nil, fmt.Errorf("ConfigMap %s is in the input in %d namespaces, none of which is %s: leave that of the operator's namespace alone",
			platform.ConfigMapName, len(found), virtfoundryv1alpha1.SystemNamespace)
	}
}

// refuseEach makes an error of each key and value that is wrong.
func refuseEach(report *Report, file *corev1.ConfigMap, err error) {
	var several interface{ Unwrap() []error }
	if !errors.As(err, &several) {
		report.refuse(fmt.Errorf("ConfigMap %s/%s, %w", file.Namespace, file.Name, err))
		return
	}
	for _, one := range several.Unwrap() {
		report.refuse(fmt.Errorf("ConfigMap %s/%s, %s: %w", file.Namespace, file.Name, platform.FileName, one))
	}
}

// subject is what the host bridges are judged by: the file, and without one a
// stand-in where the input holds what makes bridges; nil where there is nothing.
func (c *configuration) subject(files *gather.Files) client.Object {
	if c.file != nil {
		return c.file
	}
	if !c.told.Assumed {
		return nil
	}
	for _, object := range files.Objects() {
		if set, isSet := object.(*appsv1.DaemonSet); isSet && set.Name == platform.BridgesName {
			return &corev1.ConfigMap{
				TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: facts.KindPlatform},
				// A cluster that holds the one is the one to judge the other in.
				ObjectMeta: metav1.ObjectMeta{Namespace: virtfoundryv1alpha1.SystemNamespace, Name: platform.ConfigMapName, UID: set.UID},
			}
		}
	}
	return nil
}

func (c *Checker) hostBridges(ctx context.Context, gatherer *gather.Gatherer, file *corev1.ConfigMap, moment facts.Moment) (decide.Judgement, error) {
	gathered, err := gatherer.HostBridges(ctx, file, moment)
	if err != nil {
		return decide.Judgement{}, err
	}
	if moment == facts.Live {
		return c.judge.Verdicts(ctx, gathered), nil
	}
	judgement, _ := c.judge.HostBridges(ctx, gathered, moment)
	return judgement, nil
}
