// All of Kubernetes' programs in one: they share most of their code, so one file is a third of six, and is built in a
// third of the time. The name that it is called by says which one it is.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func command(name string) *cobra.Command {
	switch name {
	case "kube-apiserver":
		return apiserver.NewAPIServerCommand()
	case "kube-controller-manager":
		return controllers.NewControllerManagerCommand()
	case "kube-scheduler":
		return scheduler.NewSchedulerCommand()
	case "kube-proxy":
		return proxy.NewProxyCommand()
	case "kubelet":
		return kubelet.NewKubeletCommand(context.Background())
	case "kubectl":
		return kubectl.NewDefaultKubectlCommand()
	}
	return nil
}

func main() {
	name := filepath.Base(os.Args[0])
	program := command(name)
	if program == nil {
		fmt.Fprintf(os.Stderr, "%s: call it by a link named kube-apiserver, kube-controller-manager, kube-scheduler, kube-proxy, kubelet or kubectl\n", name)
		os.Exit(2)
	}
	// kubectl words its own errors; the others leave that to the caller.
	if name == "kubectl" {
		if err := cli.RunNoErrOutput(program); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(cli.Run(program))
}
