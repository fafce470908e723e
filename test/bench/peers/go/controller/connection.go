package controller

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"holdfast.dev/bench/peer/api"
	"holdfast.dev/bench/peer/scheduler"
)

// Clients has a client for each connection, probed before anybody uses it.
type Clients struct {
	Reader      client.Reader
	Connections int

	mu   sync.Mutex
	held map[string]entry
}

type entry struct {
	generation int64
	client     *scheduler.Client
}

// For makes the client on first use, and again after an edit.
func (c *Clients) For(ctx context.Context, name string) (*scheduler.Client, error) {
	var connection api.SchedulerConnection
	if err := c.Reader.Get(ctx, types.NamespacedName{Name: name}, &connection); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if held, ok := c.held[name]; ok && held.generation == connection.Generation {
		return held.client, nil
	}
	ref := connection.Spec.Auth.TokenSecretRef
	var secret corev1.Secret
	if err := c.Reader.Get(ctx, types.NamespacedName{Namespace: ref.Namespace, Name: ref.Name}, &secret); err != nil {
		return nil, err
	}
	made := scheduler.New(connection.Spec.Addresses[0], string(secret.Data[ref.Key]), c.Connections)
	if err := made.Probe(ctx); err != nil {
		return nil, fmt.Errorf("connection %s: %w", name, err)
	}
	if c.held == nil {
		c.held = map[string]entry{}
	}
	c.held[name] = entry{connection.Generation, made}
	return made, nil
}

// ConnectionReconciler reports whether a connection works.
type ConnectionReconciler struct {
	client.Client
	Clients *Clients
}

func (r *ConnectionReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&api.SchedulerConnection{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Complete(r)
}

func (r *ConnectionReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var connection api.SchedulerConnection
	if err := r.Get(ctx, req.NamespacedName, &connection); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	condition := metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Connected",
		ObservedGeneration: connection.Generation}
	_, err := r.Clients.For(ctx, req.Name)
	if err != nil {
		condition.Status, condition.Reason, condition.Message = metav1.ConditionFalse, "Unreachable", err.Error()
	}
	changed := meta.SetStatusCondition(&connection.Status.Conditions, condition)
	if changed || connection.Status.ObservedGeneration != connection.Generation {
		connection.Status.ObservedGeneration = connection.Generation
		if err := r.Status().Update(ctx, &connection); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, err
}
