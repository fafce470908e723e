// Package directory reconciles the CSIVolumes that a directory declares: controller-runtime's queue and workers, with bbolt
// in the place of an API server.
package directory

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"holdfast.dev/bench/peer/api"
	volumes "holdfast.dev/bench/peer/controller"
	"holdfast.dev/bench/peer/scheduler"
)

// Run ends once every volume is as declared, and reports them all.
func Run(parent context.Context, root, state string, workers int) error {
	kept, err := openStore(state)
	if err != nil {
		return err
	}
	defer kept.db.Close()
	tree, err := readTree(root)
	if err != nil {
		return err
	}
	changed, err := kept.recall(tree.volumes)
	if err != nil {
		return err
	}
	if err := kept.declare(changed); err != nil {
		return err
	}
	client, err := clientOf(tree, workers)
	if err != nil {
		return err
	}
	if err := client.Probe(parent); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	r := &reconciler{store: kept, client: client, cache: newCache(tree.volumes), done: cancel}
	r.left.Store(int64(len(tree.volumes)))
	if err := r.start(ctx, tree.volumes, workers); err != nil {
		return err
	}
	return report(os.Stdout, r.cache, tree.volumes)
}

func clientOf(tree *tree, connections int) (*scheduler.Client, error) {
	spec := tree.connections[0].Spec
	for _, secret := range tree.secrets {
		if ref := spec.Auth.TokenSecretRef; secret.Name == ref.Name && secret.Namespace == ref.Namespace {
			return scheduler.New(spec.Addresses[0], secret.StringData[ref.Key], connections), nil
		}
	}
	return nil, errors.New("the Secret with the token is missing")
}

type reconciler struct {
	store  *store
	client *scheduler.Client
	cache  *cache
	// left counts the volumes that are not as declared yet; done is called once there are none.
	left atomic.Int64
	done func()
}

// start blocks until ctx is done.
func (r *reconciler) start(ctx context.Context, declared []*declared, workers int) error {
	volumeController, err := controller.NewUnmanaged("csivolume", controller.Options{
		Reconciler:              r,
		MaxConcurrentReconciles: workers,
		// No token bucket for all: only failures are held back.
		RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](5*time.Millisecond, 1000*time.Second),
	})
	if err != nil {
		return err
	}
	events := make(chan event.TypedGenericEvent[*api.CSIVolume], 1024)
	enqueue := &handler.TypedEnqueueRequestForObject[*api.CSIVolume]{}
	if err := volumeController.Watch(source.Channel(events, enqueue)); err != nil {
		return err
	}
	go func() {
		for _, volume := range declared {
			events <- event.TypedGenericEvent[*api.CSIVolume]{Object: &volume.CSIVolume}
		}
	}()
	return volumeController.Start(ctx)
}

func (r *reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	volume := r.cache.get(req.NamespacedName)
	before := volume.Status.DeepCopy()
	key := req.String()
	hold := func(intent string) error { return r.store.intend(key, intent) }
	if err := volumes.Converge(ctx, r.client, volume, hold); err != nil {
		return ctrl.Result{}, err
	}
	if !equality.Semantic.DeepEqual(before, &volume.Status) {
		if err := r.store.remember(key, &volume.Status); err != nil {
			return ctrl.Result{}, err
		}
	}
	r.cache.put(req.NamespacedName, volume)
	if r.left.Add(-1) == 0 {
		r.done()
	}
	return ctrl.Result{}, nil
}

// cache gives copies, as an informer's does by way of the manager's client.
type cache struct {
	mu   sync.RWMutex
	held map[types.NamespacedName]*api.CSIVolume
}

func newCache(volumes []*declared) *cache {
	held := make(map[types.NamespacedName]*api.CSIVolume, len(volumes))
	for _, volume := range volumes {
		held[types.NamespacedName{Namespace: volume.Namespace, Name: volume.Name}] = &volume.CSIVolume
	}
	return &cache{held: held}
}

func (c *cache) get(key types.NamespacedName) *api.CSIVolume {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.held[key].DeepCopy()
}

func (c *cache) put(key types.NamespacedName, volume *api.CSIVolume) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held[key] = volume
}

type row struct {
	Kind      string   `json:"kind"`
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	Ready     string   `json:"ready"`
	Reason    string   `json:"reason"`
	Done      []string `json:"done"`
}

func report(to io.Writer, cache *cache, volumes []*declared) error {
	rows := make([]row, len(volumes))
	for i, volume := range volumes {
		live := cache.get(types.NamespacedName{Namespace: volume.Namespace, Name: volume.Name})
		ready := meta.FindStatusCondition(live.Status.Conditions, "Ready")
		if ready == nil || ready.Status != "True" {
			return fmt.Errorf("%s is not ready", keyOf(volume))
		}
		rows[i] = row{Kind: "CSIVolume", Namespace: live.Namespace, Name: live.Name, Ready: string(ready.Status), Reason: ready.Reason}
		for _, entry := range live.Status.History {
			rows[i].Done = append(rows[i].Done, entry.What)
		}
	}
	out := bufio.NewWriter(to)
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(map[string]any{"objects": rows}); err != nil {
		return err
	}
	return out.Flush()
}
