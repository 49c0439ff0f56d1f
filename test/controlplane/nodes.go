package controlplane

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"cato.dev/cato/test/controlplane/internal/supervise"
)

const nodePrefix = "node-"

// NodeName is the name of the node with a number from 1 on.
func NodeName(number int) string { return nodePrefix + strconv.Itoa(number) }

// images says what the containers of a node run; it is what the node's
// --images file holds.
type images struct {
	Programs map[string]string
	Scripts  map[string]string
	Idle     []string

	// Authority is trusted by every image beside the public ones.
	Authority string
}

// cloner is what the image of CDI's cloner does before it starts the program:
// it measures the folder that is to be sent.
const cloner = `cd "$MOUNT_POINT"
bytes=$(du -s --block-size=1 . | cut -f1)
exec /program/cdi-cloner -v=3 -alsologtostderr -content-type filesystem-clone -upload-bytes "$bytes" -mount "$MOUNT_POINT"`

// startNodes starts the scheduler, what the cluster needs besides, and the
// nodes. It returns at once: Start waits for their readiness in the end.
func (cp *ControlPlane) startNodes(ctx context.Context, o Options, files Set) error {
	scheduler, err := cp.userKubeconfig("kube-scheduler", "system:kube-scheduler", "")
	if err != nil {
		return err
	}
	if err := cp.launch("kube-scheduler", filepath.Join(files.Assets, "kube-scheduler"),
		"--kubeconfig="+scheduler, "--leader-elect=false", "--secure-port=0", "--kube-api-qps=200", "--kube-api-burst=400",
	); err != nil {
		return err
	}
	cluster, err := cp.userKubeconfig("cluster", "cato-test-cluster", "system:masters")
	if err != nil {
		return err
	}
	if err := cp.launch("cluster", filepath.Join(files.Assets, "cluster"),
		"--kubeconfig="+cluster, "--gateway="+cp.network.Gateway().Addr().String(),
		"--apiserver="+hostOf(cp.admin), "--volumes="+cp.run.path("volumes"),
	); err != nil {
		return err
	}
	if err := cp.writeImages(files); err != nil {
		return err
	}
	handler := ""
	if o.KubeVirt {
		if handler, err = cp.handlerKubeconfig(ctx); err != nil {
			return err
		}
	}
	for n := 1; n <= cp.nodes; n++ {
		kubeconfig, err := cp.userKubeconfig(NodeName(n), "system:node:"+NodeName(n), "system:nodes")
		if err != nil {
			return err
		}
		if err := cp.launch(NodeName(n), filepath.Join(files.Assets, "node"),
			"--kubeconfig="+kubeconfig, "--handler-kubeconfig="+handler,
			"--name="+NodeName(n), "--number="+strconv.Itoa(n), "--dir="+cp.run.path(NodeName(n)), "--pod-logs="+cp.podLogsOf(NodeName(n)),
			"--address="+cp.network.Node(n).String(), "--bridge="+cp.network.Name, "--gateway="+cp.network.Gateway().String(),
			"--images="+cp.imagesFile(),
		); err != nil {
			return err
		}
	}
	return nil
}

// launch starts a component and writes it down under its name.
func (cp *ControlPlane) launch(name, program string, args ...string) error {
	process, err := cp.group.Start(name, cp.run.log(name), program, args...)
	if err != nil {
		return err
	}
	cp.record(process)
	return nil
}

func (cp *ControlPlane) record(process *supervise.Process) {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	cp.components[process.Name] = process
}

// running are the components that must not end.
func (cp *ControlPlane) running() []*supervise.Process {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	var all []*supervise.Process
	for _, process := range cp.components {
		if !cp.group.Killed(process) {
			all = append(all, process)
		}
	}
	return all
}

// userKubeconfig writes a kubeconfig for a user with a certificate.
func (cp *ControlPlane) userKubeconfig(name, user, group string) (string, error) {
	pair, err := cp.keys.authority.client(user, group)
	if err != nil {
		return "", fmt.Errorf("issue the certificate of %s: %w", user, err)
	}
	config := rest.CopyConfig(cp.admin)
	config.CertData, config.KeyData = pair.certificate, pair.key
	path := cp.run.path(name + ".kubeconfig")
	return path, cp.WriteKubeconfig(path, config)
}

// handlerKubeconfig writes a kubeconfig for virt-handler's ServiceAccount,
// which is made for it: KubeVirt's admission treats this user in its own way.
func (cp *ControlPlane) handlerKubeconfig(ctx context.Context) (string, error) {
	const account = "kubevirt-handler"
	if err := createAll(ctx, cp.admin, []object{
		namespaceObject(kubeVirtNamespace),
		{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": map[string]any{"namespace": kubeVirtNamespace, "name": account}},
	}); err != nil {
		return "", err
	}
	config, err := cp.ConfigFor(ctx, kubeVirtNamespace, account)
	if err != nil {
		return "", err
	}
	path := cp.run.path("virt-handler.kubeconfig")
	return path, cp.WriteKubeconfig(path, config)
}

func (cp *ControlPlane) imagesFile() string { return cp.run.path("images.json") }

func (cp *ControlPlane) writeImages(files Set) error {
	programs := map[string]string{}
	for _, dir := range []string{files.KubeVirt, files.CDI} {
		if dir == "" {
			continue
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return fmt.Errorf("list the programs of the cluster: %w", err)
		}
		for _, e := range entries {
			if filepath.Ext(e.Name()) != ".json" {
				programs[e.Name()] = filepath.Join(dir, e.Name())
			}
		}
	}
	data, err := json.Marshal(images{
		Programs: programs,
		Scripts:  map[string]string{"cdi-cloner": cloner},
		Idle:     []string{"virt-launcher"},

		Authority: string(cp.Authority()),
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(cp.imagesFile(), data, 0o600); err != nil {
		return fmt.Errorf("write what containers run: %w", err)
	}
	return nil
}

// podLogsOf is the folder with the logs of the pods of a node.
func (cp *ControlPlane) podLogsOf(node string) string { return filepath.Join(cp.Logs, node+"-pods") }

// podLogs is the pattern of the files with the logs of a pod.
func (cp *ControlPlane) podLogs(pod *corev1.Pod) string {
	name := pod.Namespace + "_" + pod.Name + "_" + string(pod.UID)
	return filepath.Join(cp.podLogsOf(pod.Spec.NodeName), name, "*", "*.log")
}

// errNoNodes says that a method needs nodes.
var errNoNodes = errors.New("this control plane has no nodes: set Nodes, KubeVirt or CDI in its options")
