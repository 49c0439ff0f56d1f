package gather

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// ReadSeed reads the user data of an Instance: its own Secret, its own text, its
// Template's Secret (looked for in the namespace of the Instance, then in that
// of the Template), its Template's text; the first that is given decides. A
// Secret that is there without the key, or with an empty one, is an error of
// the user and no reason to look further. The content is never cached.
func ReadSeed(ctx context.Context, reader client.Reader, instance *virtfoundryv1alpha1.Instance, template *virtfoundryv1alpha1.Template) (UserData, error) {
	spec := &instance.Spec
	switch {
	case spec.CloudInitSecretRef != nil:
		return readSecretKey(ctx, reader, "spec.cloudInitSecretRef", spec.CloudInitSecretRef, instance.Namespace)
	case strings.TrimSpace(spec.CloudInitUserData) != "":
		return UserData{Data: []byte(spec.CloudInitUserData)}, nil
	case template == nil:
		return UserData{}, nil
	case template.Spec.CloudInitSecretRef != nil:
		field := fmt.Sprintf("spec.cloudInitSecretRef of Template %s/%s", template.Namespace, template.Name)
		namespaces := []string{instance.Namespace}
		if template.Namespace != instance.Namespace {
			namespaces = append(namespaces, template.Namespace)
		}
		return readSecretKey(ctx, reader, field, template.Spec.CloudInitSecretRef, namespaces...)
	default:
		return UserData{Data: []byte(template.Spec.CloudInitUserData)}, nil
	}
}

// readSecretKey reads the key from the first of the namespaces that has the Secret.
func readSecretKey(ctx context.Context, reader client.Reader, field string, ref *virtfoundryv1alpha1.SecretKeyRef, namespaces ...string) (UserData, error) {
	key := ref.Key
	if key == "" {
		key = virtfoundryv1alpha1.UserDataKey
	}
	for _, namespace := range namespaces {
		name := types.NamespacedName{Namespace: namespace, Name: ref.Name}
		var secret corev1.Secret
		err := reader.Get(ctx, name, &secret)
		switch {
		case apierrors.IsNotFound(err):
			continue
		case apierrors.IsForbidden(err):
			return UserData{Missing: fmt.Sprintf("Secret %s, which %s names, may not be read: bind a Role with the verb get on it to the operator there", name, field)}, nil
		case err != nil:
			return UserData{}, err
		}
		data, found := secret.Data[key]
		if text, given := secret.StringData[key]; given { // files only: the API server moves it to data
			data, found = []byte(text), true
		}
		if !found || len(data) == 0 {
			return UserData{Missing: fmt.Sprintf("Secret %s, which %s names, has no key %s, or an empty one: add it", name, field, key)}, nil
		}
		return UserData{Data: data, Secret: secret.UID}, nil
	}
	return UserData{Missing: fmt.Sprintf("Secret %s, which %s names, does not exist in namespace %s: create it with the key %s", ref.Name, field, strings.Join(namespaces, " or "), key)}, nil
}
