// What Holdfast does with CSIVolumes of a cluster or of a directory, on controller-runtime: the benchmarks' peer in Go.
package main

import (
	"context"
	"flag"
	"os"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"holdfast.dev/bench/peer/api"
	"holdfast.dev/bench/peer/controller"
	"holdfast.dev/bench/peer/directory"
)

func main() {
	once := flag.Int("once", 0, "end once so many volumes are ready; 0: never")
	workers := flag.Int("workers", 56, "volumes reconciled at once, and requests to the scheduler")
	root := flag.String("directory", "", "reconcile what this directory declares, instead of a cluster's objects")
	state := flag.String("state", "", "with -directory: the file of its state")
	flag.Parse()
	ctrl.SetLogger(klog.Background())
	ctx := ctrl.SetupSignalHandler()
	reconcile := func() error { return run(ctx, *once, *workers) }
	if *root != "" {
		reconcile = func() error { return directory.Run(ctx, *root, *state, *workers) }
	}
	if err := reconcile(); err != nil {
		klog.ErrorS(err, "the manager ended")
		os.Exit(1)
	}
	reportUsage()
}

func run(parent context.Context, once, workers int) error {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	scheme := runtime.NewScheme()
	utilruntime.Must(corev1.AddToScheme(scheme))
	utilruntime.Must(api.AddToScheme(scheme))
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config.QPS = -1 // the API server's own priority and fairness is enough
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  scheme,
		Metrics: metricsserver.Options{BindAddress: "0"},
		Cache:   cache.Options{DefaultTransform: cache.TransformStripManagedFields()},
		// Secrets are read one by one, and not all of the cluster's held in memory.
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}}}},
	})
	if err != nil {
		return err
	}
	clients := &controller.Clients{Reader: mgr.GetClient(), Connections: workers}
	connections := &controller.ConnectionReconciler{Client: mgr.GetClient(), Clients: clients}
	if err := connections.SetupWithManager(mgr); err != nil {
		return err
	}
	ready := &readySet{names: map[string]struct{}{}, enough: once, then: cancel}
	volumes := &controller.VolumeReconciler{Client: mgr.GetClient(), Clients: clients, Workers: workers, OnReady: ready.add}
	if err := volumes.SetupWithManager(mgr); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// readySet calls then once it has enough names.
type readySet struct {
	mu     sync.Mutex
	names  map[string]struct{}
	enough int
	then   func()
}

func (s *readySet) add(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[name] = struct{}{}
	if len(s.names) == s.enough {
		s.then()
	}
}
