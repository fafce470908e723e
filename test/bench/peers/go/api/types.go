// Package api has the types of holdfast.dev/v1alpha1 that the reconciler uses.
package api

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var GroupVersion = schema.GroupVersion{Group: "holdfast.dev", Version: "v1alpha1"}

func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &CSIVolume{}, &CSIVolumeList{}, &SchedulerConnection{}, &SchedulerConnectionList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}

type LocalRef struct {
	Name string `json:"name"`
}

type SecretKeyRef struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Key       string `json:"key"`
}

type SchedulerConnectionSpec struct {
	Addresses []string `json:"addresses"`
	Auth      struct {
		TokenSecretRef SecretKeyRef `json:"tokenSecretRef"`
	} `json:"auth"`
}

type SchedulerConnectionStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

type SchedulerConnection struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              SchedulerConnectionSpec   `json:"spec"`
	Status            SchedulerConnectionStatus `json:"status,omitempty"`
}

type SchedulerConnectionList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SchedulerConnection `json:"items"`
}

type Capacity struct {
	Min string `json:"min"`
	Max string `json:"max,omitempty"`
}

type Create struct {
	Capacity   Capacity          `json:"capacity"`
	Parameters map[string]string `json:"parameters,omitempty"`
}

type Capability struct {
	AccessMode     string `json:"accessMode"`
	AttachmentMode string `json:"attachmentMode"`
}

type MountOptions struct {
	FSType     string   `json:"fsType,omitempty"`
	MountFlags []string `json:"mountFlags,omitempty"`
}

type CSIVolumeSpec struct {
	ConnectionRef LocalRef     `json:"connectionRef"`
	PluginID      string       `json:"pluginID"`
	Create        Create       `json:"create"`
	Capabilities  []Capability `json:"capabilities"`
	MountOptions  MountOptions `json:"mountOptions,omitempty"`
}

type ExternalRef struct {
	Backend   string `json:"backend"`
	Namespace string `json:"namespace"`
	ID        string `json:"id"`
}

// Applied is what was last written.
type Applied struct {
	PluginID     string            `json:"/pluginID"`
	Capabilities []Capability      `json:"/capabilities"`
	Min          int64             `json:"/create/capacity/min"`
	Max          int64             `json:"/create/capacity/max,omitempty"`
	Parameters   map[string]string `json:"/create/parameters,omitempty"`
	FSType       string            `json:"/mountOptions/fsType,omitempty"`
	MountFlags   []string          `json:"/mountOptions/mountFlags,omitempty"`
}

// Disk is what is known of our disk, were its registration lost.
type Disk struct {
	ExternalID   string            `json:"externalID"`
	Name         string            `json:"name"`
	PluginID     string            `json:"pluginID"`
	Capacity     int64             `json:"capacity"`
	Capabilities []Capability      `json:"capabilities"`
	Context      map[string]string `json:"context,omitempty"`
	Parameters   map[string]string `json:"parameters,omitempty"`
	FSType       string            `json:"fsType,omitempty"`
}

type Own struct {
	Disk Disk `json:"disk"`
}

type Observed struct {
	ID         string   `json:"id"`
	Namespace  string   `json:"namespace"`
	ExternalID string   `json:"externalID"`
	PluginID   string   `json:"pluginID"`
	Capacity   int64    `json:"capacity"`
	Claims     []string `json:"claims"`
}

type HistoryEntry struct {
	At     metav1.Time `json:"at"`
	Verb   string      `json:"verb"`
	What   string      `json:"what"`
	Fields []string    `json:"fields"`
}

type CSIVolumeStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Identity           string             `json:"identity,omitempty"`
	ExternalRef        *ExternalRef       `json:"externalRef,omitempty"`
	Applied            *Applied           `json:"applied,omitempty"`
	Own                *Own               `json:"own,omitempty"`
	Observed           *Observed          `json:"observed,omitempty"`
	History            []HistoryEntry     `json:"history,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

type CSIVolume struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              CSIVolumeSpec   `json:"spec"`
	Status            CSIVolumeStatus `json:"status,omitempty"`
}

type CSIVolumeList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []CSIVolume `json:"items"`
}
