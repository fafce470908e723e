// Package controller reconciles CSIVolumes and their connections.
package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"holdfast.dev/bench/peer/api"
	"holdfast.dev/bench/peer/scheduler"
)

const (
	finalizer        = "holdfast.dev/finalizer"
	intentAnnotation = "holdfast.dev/intent"
	backendNamespace = "default"
	// As Holdfast's default of spec.drift.interval.
	observeEvery = 10 * time.Minute
)

// intent is what is about to be done. It is durable before it is done, so that a crash in between makes no orphan.
type intent struct {
	Operation string       `json:"op"`
	UID       string       `json:"uid"`
	Name      string       `json:"name"`
	Applied   *api.Applied `json:"applied"`
}

// VolumeReconciler creates volumes, and reports how they are.
type VolumeReconciler struct {
	client.Client
	Clients *Clients
	Workers int
	// OnReady is told of every reconciliation that ends well, after its status is written.
	OnReady func(name string)
}

func (r *VolumeReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		// Neither our status nor our annotation is news.
		For(&api.CSIVolume{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: r.Workers}).
		Complete(r)
}

func (r *VolumeReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var volume api.CSIVolume
	if err := r.Get(ctx, req.NamespacedName, &volume); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !volume.DeletionTimestamp.IsZero() { // deletionPolicy: Retain
		before := volume.DeepCopy()
		controllerutil.RemoveFinalizer(&volume, finalizer)
		return ctrl.Result{}, client.IgnoreNotFound(r.Patch(ctx, &volume, client.MergeFrom(before)))
	}
	before := volume.Status.DeepCopy()
	failed := r.converge(ctx, &volume)
	if failed != nil {
		setCondition(&volume, "Ready", metav1.ConditionFalse, "Failed", failed.Error())
	}
	if !equality.Semantic.DeepEqual(before, &volume.Status) {
		if err := r.Status().Update(ctx, &volume); err != nil {
			return ctrl.Result{}, errors.Join(failed, err)
		}
	}
	if failed != nil {
		return ctrl.Result{}, failed
	}
	r.OnReady(volume.Namespace + "/" + volume.Name)
	return ctrl.Result{RequeueAfter: observeEvery}, nil
}

func (r *VolumeReconciler) converge(ctx context.Context, volume *api.CSIVolume) error {
	service, err := r.Clients.For(ctx, volume.Spec.ConnectionRef.Name)
	if err != nil {
		return err
	}
	return Converge(ctx, service, volume, func(intent string) error { return r.hold(ctx, volume, intent) })
}

// Converge observes, creates what is missing, and observes again. hold makes the intent of a create durable.
func Converge(ctx context.Context, service *scheduler.Client, volume *api.CSIVolume, hold func(intent string) error) error {
	want, err := appliedOf(&volume.Spec)
	if err != nil {
		return err
	}
	ref := &api.ExternalRef{Backend: service.Base + " " + backendNamespace, Namespace: backendNamespace, ID: volume.Name}
	if recorded := volume.Status.ExternalRef; recorded != nil && *recorded != *ref {
		return fmt.Errorf("recorded as %v, declared as %v", *recorded, *ref)
	}
	live, err := service.Volume(ctx, ref.Namespace, ref.ID)
	if errors.Is(err, scheduler.ErrNotFound) {
		if err := create(ctx, volume, service, want, hold); err != nil {
			return err
		}
		live, err = service.Volume(ctx, ref.Namespace, ref.ID)
	}
	if err != nil {
		return err
	}
	if live.Name != nameOf(volume) {
		return fmt.Errorf("%s exists and is not ours", live.ID)
	}
	if fields := differences(want, live); len(fields) > 0 { // no benchmark has this peer update a volume
		return fmt.Errorf("%s differ", strings.Join(fields, ", "))
	}
	observe(volume, live, want, ref)
	return nil
}

func create(ctx context.Context, volume *api.CSIVolume, service *scheduler.Client, want *api.Applied, hold func(string) error) error {
	text, err := json.Marshal(intent{"create", string(volume.UID), nameOf(volume), want})
	if err != nil {
		return err
	}
	if err := hold(string(text)); err != nil {
		return err
	}
	if err := service.CreateVolume(ctx, requestOf(volume, want)); err != nil {
		return err
	}
	volume.Status.History = append(volume.Status.History, api.HistoryEntry{
		At: metav1.Now(), Verb: "create", Fields: fieldsOf(want),
		What: fmt.Sprintf("create %s with %s", volume.Name, volume.Spec.PluginID),
	})
	return nil
}

// hold writes the finalizer and the intent, both in one request.
func (r *VolumeReconciler) hold(ctx context.Context, volume *api.CSIVolume, intent string) error {
	if controllerutil.ContainsFinalizer(volume, finalizer) && volume.Annotations[intentAnnotation] == intent {
		return nil
	}
	before := volume.DeepCopy()
	controllerutil.AddFinalizer(volume, finalizer)
	metav1.SetMetaDataAnnotation(&volume.ObjectMeta, intentAnnotation, intent)
	return r.Patch(ctx, volume, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}
