package gather

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
)

// UserData is the content of a machine's guest.userDataSecretRef. Missing says
// why it could not be read; it is empty when it was, and when none is named.
// Secret is the uid of an Instance's; empty where the data is not from a Secret.
type UserData struct {
	Data    []byte
	Secret  types.UID
	Missing string
}

// ReadUserData reads the user data that a machine names. The content is needed
// where children are made of it and nowhere else, so it is never cached. An
// error is one to try again; what is an answer (no Secret, no key, no right)
// is in Missing. Whether a Secret of another namespace may be read at all is
// for the caller to ask first (decide.Judge.UserData does).
func ReadUserData(ctx context.Context, reader client.Reader, machine *udsv1alpha1.UDSVirtualMachine) (UserData, error) {
	if machine.Spec.Guest == nil || machine.Spec.Guest.UserDataSecretRef == nil {
		return UserData{}, nil
	}
	ref := machine.Spec.Guest.UserDataSecretRef
	key := ref.Key
	if key == "" {
		key = "userdata"
	}
	name := inNamespace(ref.Namespace, ref.Name, machine.Namespace)
	var secret corev1.Secret
	err := reader.Get(ctx, name, &secret)
	switch {
	case apierrors.IsNotFound(err):
		return UserData{Missing: fmt.Sprintf("Secret %s, which spec.guest.userDataSecretRef names, does not exist: create it with the key %s", name, key)}, nil
	case apierrors.IsForbidden(err) && name.Namespace != machine.Namespace:
		return UserData{Missing: fmt.Sprintf("the right to get secrets in namespace %q is missing, and spec.guest.userDataSecretRef names Secret %s: bind a Role with the verb get on it to the operator there", name.Namespace, name)}, nil
	case apierrors.IsForbidden(err):
		return UserData{Missing: fmt.Sprintf("Secret %s may not be read: bind ClusterRole virtfoundry-operator-vm-namespace to the operator in namespace %s", name, machine.Namespace)}, nil
	case err != nil:
		return UserData{}, err
	}
	data, found := secret.Data[key]
	if text, given := secret.StringData[key]; given { // files only: the API server moves it to data
		data, found = []byte(text), true
	}
	if !found || len(data) == 0 {
		return UserData{Missing: fmt.Sprintf("Secret %s has no key %s, or an empty one", name, key)}, nil
	}
	return UserData{Data: data}, nil
}
