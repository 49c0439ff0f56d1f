package facts

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/policy/facts/cloudinit"
)

const (
	hardened = "#cloud-config\nssh_pwauth: false\n"
	planted  = "h9Xq-planted-secret"
)

func secretWith(data map[string]string) Secret {
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "user-data"}, Data: map[string][]byte{}}
	for key, value := range data {
		s.Data[key] = []byte(value)
	}
	return DecodeSecret(s)
}

func fromSecret(name string) kubevirtv1.Volume {
	return kubevirtv1.Volume{Name: "init", VolumeSource: kubevirtv1.VolumeSource{CloudInitNoCloud: &kubevirtv1.CloudInitNoCloudSource{
		UserDataSecretRef: &corev1.LocalObjectReference{Name: name},
	}}}
}

func encoded(text string) kubevirtv1.Volume {
	return kubevirtv1.Volume{Name: "init", VolumeSource: kubevirtv1.VolumeSource{CloudInitConfigDrive: &kubevirtv1.CloudInitConfigDriveSource{UserDataBase64: text}}}
}

func TestUserDataIsDecodedFromWhereverItComes(t *testing.T) {
	for name, c := range map[string]struct {
		volume  kubevirtv1.Volume
		secrets []Secret
		from    string
		auth    string // ssh_pwauth; empty where it is a gap
		gap     string
	}{
		"inline":                         {volume: cloudInit("init", hardened), from: "inline", auth: cloudinit.AuthDisabled},
		"base64":                         {volume: encoded(base64.StdEncoding.EncodeToString([]byte(hardened))), from: "inline", auth: cloudinit.AuthDisabled},
		"what is no base64":              {volume: encoded("%%%"), gap: "is not base64"},
		"nothing":                        {volume: cloudInit("init", ""), from: "inline", auth: cloudinit.AuthUnset},
		"a Secret's userdata":            {volume: fromSecret("user-data"), secrets: []Secret{secretWith(map[string]string{"userdata": hardened})}, from: "secret", auth: cloudinit.AuthDisabled},
		"a Secret's userData":            {volume: fromSecret("user-data"), secrets: []Secret{secretWith(map[string]string{"userData": hardened})}, from: "secret", auth: cloudinit.AuthDisabled},
		"both keys, of which one counts": {volume: fromSecret("user-data"), secrets: []Secret{secretWith(map[string]string{"userData": hardened, "userdata": "#cloud-config\nssh_pwauth: true\n"})}, from: "secret", auth: cloudinit.AuthEnabled},
		"a Secret without the key":       {volume: fromSecret("user-data"), secrets: []Secret{secretWith(map[string]string{"USERDATA": hardened, "cloud": hardened})}, gap: "neither the key"},
		"a Secret that is not there":     {volume: fromSecret("other"), secrets: []Secret{secretWith(map[string]string{"userdata": hardened})}, gap: "does not exist"},
	} {
		in := Build(&Gathered{VirtualMachine: machineOf(specOf([]kubevirtv1.Volume{c.volume}, disk("init", 0))), Secrets: c.secrets})
		if c.gap != "" {
			if len(in.Guest.UserData) != 0 || !strings.Contains(in.Gaps["guest.userData"], c.gap) {
				t.Errorf("%s: gaps %v, want one with %q", name, in.Gaps, c.gap)
			}
			continue
		}
		if len(in.Guest.UserData) != 1 || in.Guest.UserData[0].From != c.from || in.Guest.UserData[0].Decoded.SSHPasswordAuth != c.auth {
			t.Errorf("%s: %+v", name, in.Guest.UserData)
		}
		if diff := cmp.Diff([]string{"template"}, in.Guest.Seeded); diff != "" || len(in.Gaps) != 0 {
			t.Errorf("%s: seeded %v, gaps %v", name, in.Guest.Seeded, in.Gaps)
		}
	}
}

func TestASecretOfAnotherNamespaceIsNotTheMachines(t *testing.T) {
	s := secretWith(map[string]string{"userdata": hardened})
	s.Namespace = "other"
	in := Build(&Gathered{VirtualMachine: machineOf(specOf([]kubevirtv1.Volume{fromSecret("user-data")}, disk("init", 0))), Secrets: []Secret{s}})
	if in.Gaps["guest.userData"] == "" {
		t.Errorf("read across namespaces: %+v", in.Guest.UserData)
	}
}

func TestTheInstancesUserDataIsListedWhereItDiffers(t *testing.T) {
	vm := machineOf(specOf([]kubevirtv1.Volume{cloudInit("init", hardened)}, disk("init", 0)))
	for userData, want := range map[string][]string{hardened: {"template"}, "#cloud-config\nssh_pwauth: true\n": {"template", "instance"}} {
		in := Build(&Gathered{VirtualMachine: vm, VirtualMachineInstance: &kubevirtv1.VirtualMachineInstance{
			ObjectMeta: vm.ObjectMeta, Spec: specOf([]kubevirtv1.Volume{cloudInit("init", userData)}, disk("init", 0)),
		}})
		got := []string{}
		for _, data := range in.Guest.UserData {
			got = append(got, data.Launcher)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", userData, diff)
		}
		if diff := cmp.Diff([]string{"template", "instance"}, in.Guest.Seeded); diff != "" {
			t.Errorf("%q: seeded (-want +got):\n%s", userData, diff)
		}
	}
}

func TestAPodRunsWhatItsInstanceIsSeededWith(t *testing.T) {
	vm := machineOf(specOf([]kubevirtv1.Volume{cloudInit("init", hardened)}, disk("init", 0)))
	pods := []corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "virt-launcher-web-x"}}}
	for name, c := range map[string]struct {
		instance kubevirtv1.VirtualMachineInstanceSpec
		seeded   []string
	}{
		"seeded":     {specOf([]kubevirtv1.Volume{cloudInit("init", hardened)}, disk("init", 0)), []string{"template", "instance", "pod virt-launcher-web-x"}},
		"not seeded": {specOf(nil), []string{"template"}},
	} {
		in := Build(&Gathered{VirtualMachine: vm, VirtualMachineInstance: &kubevirtv1.VirtualMachineInstance{ObjectMeta: vm.ObjectMeta, Spec: c.instance}, Launchers: pods})
		if diff := cmp.Diff(c.seeded, in.Guest.Seeded); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if len(in.Network.Launchers) != 3 {
			t.Errorf("%s: %d launchers, want 3", name, len(in.Network.Launchers))
		}
	}
}

func TestAnEndedInstanceIsNoForm(t *testing.T) {
	vm := machineOf(specOf(nil))
	for phase, want := range map[kubevirtv1.VirtualMachineInstancePhase]int{kubevirtv1.Running: 2, kubevirtv1.Pending: 2, kubevirtv1.Succeeded: 1, kubevirtv1.Failed: 1} {
		vmi := &kubevirtv1.VirtualMachineInstance{ObjectMeta: vm.ObjectMeta, Status: kubevirtv1.VirtualMachineInstanceStatus{Phase: phase}}
		if in := Build(&Gathered{VirtualMachine: vm, VirtualMachineInstance: vmi}); len(in.Network.Launchers) != want {
			t.Errorf("%s: %d launchers, want %d", phase, len(in.Network.Launchers), want)
		}
	}
}

func TestAccessCredentialsSayWhatTheyReach(t *testing.T) {
	spec := specOf(nil)
	spec.AccessCredentials = []kubevirtv1.AccessCredential{
		{UserPassword: &kubevirtv1.UserPasswordAccessCredential{Source: kubevirtv1.UserPasswordAccessCredentialSource{Secret: &kubevirtv1.AccessCredentialSecretSource{SecretName: "pw"}}}},
		{SSHPublicKey: &kubevirtv1.SSHPublicKeyAccessCredential{
			Source:            kubevirtv1.SSHPublicKeyAccessCredentialSource{Secret: &kubevirtv1.AccessCredentialSecretSource{SecretName: "keys"}},
			PropagationMethod: kubevirtv1.SSHPublicKeyAccessCredentialPropagationMethod{QemuGuestAgent: &kubevirtv1.QemuGuestAgentSSHPublicKeyAccessCredentialPropagation{Users: []string{"root"}}},
		}},
		{SSHPublicKey: &kubevirtv1.SSHPublicKeyAccessCredential{PropagationMethod: kubevirtv1.SSHPublicKeyAccessCredentialPropagationMethod{NoCloud: &kubevirtv1.NoCloudSSHPublicKeyAccessCredentialPropagation{}}}},
		{SSHPublicKey: &kubevirtv1.SSHPublicKeyAccessCredential{}},
		{},
	}
	at := "VirtualMachine/web spec.template.spec.accessCredentials"
	want := []AccessCredential{
		{Path: at + "[0]", Kind: "userPassword", Method: "qemuGuestAgent", Users: []string{}, Secret: "pw"},
		{Path: at + "[1]", Kind: "sshPublicKey", Method: "qemuGuestAgent", Users: []string{"root"}, Secret: "keys"},
		{Path: at + "[2]", Kind: "sshPublicKey", Method: "noCloud", Users: []string{}},
		{Path: at + "[3]", Kind: "sshPublicKey", Users: []string{}},
	}
	in := Build(&Gathered{VirtualMachine: machineOf(spec)})
	if diff := cmp.Diff(want, in.Guest.AccessCredentials); diff != "" {
		t.Error(diff)
	}
}

func TestImagesOfSidecarsAreRead(t *testing.T) {
	for notes, want := range map[string][]string{
		`[{"image": "quay.io/a/hook:1"}, {"args": ["x"]}, {"image": "evil.example/b"}]`: {"quay.io/a/hook:1", "evil.example/b"},
		`[]`:             {},
		`[{"image": 1}]`: {`[{"image": 1}]`},
		`{"image": "x"}`: {`{"image": "x"}`},
		`nonsense`:       {"nonsense"},
		``:               {""},
	} {
		vm := machineOf(specOf(nil))
		vm.Spec.Template.ObjectMeta.Annotations = map[string]string{"hooks.kubevirt.io/hookSidecars": notes}
		in := Build(&Gathered{VirtualMachine: vm})
		got := []string{}
		for _, use := range in.Images {
			got = append(got, use.Image.Text)
			if malformed := len(want) == 1 && want[0] == notes; use.Use != "sidecar" || use.Image.Valid == malformed {
				t.Errorf("%s: %+v", notes, use)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", notes, diff)
		}
	}
}

func TestTheKindOfGuestIsSaidOrUnknown(t *testing.T) {
	sysprep := kubevirtv1.Volume{Name: "s", VolumeSource: kubevirtv1.VolumeSource{Sysprep: &kubevirtv1.SysprepSource{}}}
	for name, c := range map[string]struct {
		g    Gathered
		want string
	}{
		"a machine that says nothing": {Gathered{Machine: &udsv1alpha1.UDSVirtualMachine{}}, "linux"},
		"a machine that says so":      {Gathered{Machine: &udsv1alpha1.UDSVirtualMachine{Spec: udsv1alpha1.UDSVirtualMachineSpec{OSType: "windows"}}}, "windows"},
		"an answer file":              {Gathered{VirtualMachine: machineOf(specOf([]kubevirtv1.Volume{sysprep}))}, "windows"},
		"nobody says":                 {Gathered{VirtualMachine: machineOf(specOf(nil))}, ""},
	} {
		if got := Build(&c.g).Guest.OSType; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestNoSecretValueIsInTheDocument(t *testing.T) {
	userData := "#cloud-config\npassword: " + planted + "\nchpasswd: {list: 'root:" + planted + "', users: [{name: a, password: " + planted + "}]}\n" +
		"users: [{name: ops, passwd: " + planted + ", plain_text_passwd: " + planted + "}]\nruncmd: ['echo root:" + planted + " | chpasswd']\n" +
		"write_files: [{path: /etc/x, content: " + planted + "}]\n"
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "user-data"},
		Data:       map[string][]byte{"userdata": []byte(userData), "other": []byte(planted)}, StringData: map[string]string{"text": planted},
	}
	vm := machineOf(specOf([]kubevirtv1.Volume{fromSecret("user-data"), cloudInit("more", userData), encoded(base64.StdEncoding.EncodeToString([]byte(userData))), volumeNamed("root", "root")}, disk("root", 0)))
	url := "https://me:" + planted + "@images.example/a?token=" + planted
	g := &Gathered{
		VirtualMachine: vm, Secrets: []Secret{DecodeSecret(secret)},
		Machine: &udsv1alpha1.UDSVirtualMachine{ObjectMeta: vm.ObjectMeta, Spec: udsv1alpha1.UDSVirtualMachineSpec{SourceType: "http", URL: url}},
	}
	for name, value := range map[string]any{"document": Build(g), "gathered Secret": g.Secrets} {
		data, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if at := strings.Index(string(data), planted); at >= 0 {
			t.Errorf("the %s holds a secret value: %s", name, data[max(0, at-200):at])
		}
	}
}
