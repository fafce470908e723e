package controller

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"holdfast.dev/bench/peer/api"
	"holdfast.dev/bench/peer/scheduler"
)

// appliedOf is what the volume shall be, in the scheduler's terms.
func appliedOf(spec *api.CSIVolumeSpec) (*api.Applied, error) {
	min, err := bytesOf(spec.Create.Capacity.Min)
	if err != nil {
		return nil, fmt.Errorf("create.capacity.min: %w", err)
	}
	max, err := bytesOf(spec.Create.Capacity.Max)
	if err != nil {
		return nil, fmt.Errorf("create.capacity.max: %w", err)
	}
	return &api.Applied{PluginID: spec.PluginID, Capabilities: spec.Capabilities, Min: min, Max: max,
		Parameters: spec.Create.Parameters, FSType: spec.MountOptions.FSType, MountFlags: spec.MountOptions.MountFlags}, nil
}

func bytesOf(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	quantity, err := resource.ParseQuantity(text)
	return quantity.Value(), err
}

// nameOf is the name that the plugin gives the disk: of this object, and no other.
func nameOf(volume *api.CSIVolume) string {
	forces, _ := json.Marshal([]any{volume.UID, volume.Spec.PluginID, volume.Spec.Create.Parameters})
	sum := sha256.Sum256(forces)
	return volume.Name + "-" + hex.EncodeToString(sum[:10])
}

func requestOf(volume *api.CSIVolume, want *api.Applied) *scheduler.Request {
	request := &scheduler.Request{
		ID: volume.Name, Name: nameOf(volume), Namespace: backendNamespace, PluginID: want.PluginID,
		MountOptions: scheduler.MountOptions{FsType: want.FSType, MountFlags: want.MountFlags}, Secrets: map[string]string{},
		RequestedCapacityMin: want.Min, RequestedCapacityMax: want.Max, Parameters: want.Parameters,
	}
	for _, one := range want.Capabilities {
		request.RequestedCapabilities = append(request.RequestedCapabilities, scheduler.Capability(one))
	}
	return request
}

// differences names the fields that are not as declared. Mount flags are never answered.
func differences(want *api.Applied, live *scheduler.Volume) []string {
	have := &api.Applied{PluginID: live.PluginID, Capabilities: capabilitiesOf(live), Min: live.RequestedCapacityMin,
		Max: live.RequestedCapacityMax, Parameters: live.Parameters, MountFlags: want.MountFlags}
	if live.MountOptions != nil {
		have.FSType = live.MountOptions.FsType
	}
	if equality.Semantic.DeepEqual(want, have) {
		return nil
	}
	var fields []string
	wanted, had := valuesOf(want), valuesOf(have)
	for _, field := range fieldsOf(want) {
		if string(wanted[field]) != string(had[field]) {
			fields = append(fields, field)
		}
	}
	return fields
}

func capabilitiesOf(live *scheduler.Volume) []api.Capability {
	capabilities := make([]api.Capability, len(live.RequestedCapabilities))
	for i, one := range live.RequestedCapabilities {
		capabilities[i] = api.Capability(one)
	}
	return capabilities
}

func valuesOf(applied *api.Applied) map[string]json.RawMessage {
	text, _ := json.Marshal(applied)
	var values map[string]json.RawMessage
	_ = json.Unmarshal(text, &values)
	return values
}

func fieldsOf(applied *api.Applied) []string {
	return slices.Sorted(maps.Keys(valuesOf(applied)))
}

func observe(volume *api.CSIVolume, live *scheduler.Volume, want *api.Applied, ref *api.ExternalRef) {
	status := &volume.Status
	status.ObservedGeneration = volume.Generation
	status.Identity = fmt.Sprintf("%s %d", live.ExternalID, live.CreateIndex)
	status.Applied, status.ExternalRef = want, ref
	fsType := ""
	if live.MountOptions != nil {
		fsType = live.MountOptions.FsType
	}
	status.Own = &api.Own{Disk: api.Disk{ExternalID: live.ExternalID, Name: live.Name, PluginID: live.PluginID,
		Capacity: live.Capacity, Capabilities: capabilitiesOf(live), Context: live.Context, Parameters: live.Parameters,
		FSType: fsType}}
	claims := make([]string, len(live.Allocations))
	for i, one := range live.Allocations {
		claims[i] = one.ID
	}
	status.Observed = &api.Observed{ID: live.ID, Namespace: live.Namespace, ExternalID: live.ExternalID,
		PluginID: live.PluginID, Capacity: live.Capacity, Claims: claims}
	healthy := fmt.Sprintf("plugin %s: controllers %d/%d, nodes %d/%d healthy", live.PluginID,
		live.ControllersHealthy, live.ControllersExpected, live.NodesHealthy, live.NodesExpected)
	setCondition(volume, "Ready", metav1.ConditionTrue, "InSync", "")
	setCondition(volume, "Synced", metav1.ConditionTrue, "InSync", "")
	setCondition(volume, "Schedulable", metav1.ConditionTrue, "PluginHealthy", healthy)
}

func setCondition(volume *api.CSIVolume, kind string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&volume.Status.Conditions, metav1.Condition{Type: kind, Status: status, Reason: reason,
		Message: message, ObservedGeneration: volume.Generation})
}
