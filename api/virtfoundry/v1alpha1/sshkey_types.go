package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SSHKeySpec is one public key. Its rules stand here and not at publicKey, since the API server repeats the value of the field that a rule stands at, and that may be a private key.
//
// +kubebuilder:validation:XValidation:rule="!self.publicKey.contains('PRIVATE KEY')",fieldPath=".publicKey",messageExpression="'publicKey, of %d characters, holds a private key: take it for disclosed, make another pair, and store the line of its .pub file'.format([size(self.publicKey)])",message="publicKey holds a private key: take it for disclosed, make another pair, and store the line of its .pub file"
// +kubebuilder:validation:XValidation:rule=`self.publicKey.contains('PRIVATE KEY') || self.publicKey.matches(r'^\s*([^\r\n]*[ \t])?(ssh-|ecdsa-|sk-)[a-z0-9@.-]+[ \t]+AAAA[0-9A-Za-z+/]+=*([ \t][^\r\n]*)?\s*$')`,fieldPath=".publicKey",messageExpression="'publicKey, of %d characters, is not one OpenSSH public key: store the one line of a .pub file, such as ssh-ed25519 AAAA… comment'.format([size(self.publicKey)])",message="publicKey must be one OpenSSH public key, the one line of a .pub file"
type SSHKeySpec struct {
	// publicKey is one line of authorized_keys: options if any, the type, the key in base64, a comment if any. White space around it is of no matter.
	// +required
	// +kubebuilder:validation:MaxLength=16384
	PublicKey string `json:"publicKey"`
}

// SSHKeyStatus is what the operator observed.
type SSHKeyStatus struct {
	// phase is Pending, Ready, Failed or Terminating; conditions say why.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// fingerprint is that of the key as ssh-keygen prints it, SHA256: and 43 characters of base64.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Fingerprint string `json:"fingerprint,omitempty"`

	Observation `json:",inline"`
}

// SSHKey is a public key that instances accept for login.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,path=sshkeys,shortName=vf-sshkey
// +kubebuilder:printcolumn:name="Fingerprint",type=string,JSONPath=`.status.fingerprint`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type SSHKey struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is one public key.
	// +optional
	Spec SSHKeySpec `json:"spec,omitzero"`

	// status is what the operator observed; users do not write it.
	// +optional
	Status SSHKeyStatus `json:"status,omitzero"`
}

// SSHKeyList is a list of SSHKeys.
//
// +kubebuilder:object:root=true
type SSHKeyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SSHKey `json:"items"`
}
