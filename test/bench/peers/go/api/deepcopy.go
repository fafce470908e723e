package api

// What controller-gen would write.

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func copyAll[T any](in []T, into func(*T, *T)) []T {
	if in == nil {
		return nil
	}
	out := make([]T, len(in))
	for i := range in {
		into(&in[i], &out[i])
	}
	return out
}

func copyCondition(in, out *metav1.Condition) { in.DeepCopyInto(out) }

func (in *CSIVolumeSpec) DeepCopyInto(out *CSIVolumeSpec) {
	*out = *in
	out.Create.Parameters = maps.Clone(in.Create.Parameters)
	out.Capabilities = slices.Clone(in.Capabilities)
	out.MountOptions.MountFlags = slices.Clone(in.MountOptions.MountFlags)
}

func (in *CSIVolumeStatus) DeepCopyInto(out *CSIVolumeStatus) {
	*out = *in
	if in.ExternalRef != nil {
		ref := *in.ExternalRef
		out.ExternalRef = &ref
	}
	if in.Applied != nil {
		applied := *in.Applied
		applied.Capabilities = slices.Clone(applied.Capabilities)
		applied.Parameters = maps.Clone(applied.Parameters)
		applied.MountFlags = slices.Clone(applied.MountFlags)
		out.Applied = &applied
	}
	if in.Own != nil {
		own := *in.Own
		own.Disk.Capabilities = slices.Clone(own.Disk.Capabilities)
		own.Disk.Context = maps.Clone(own.Disk.Context)
		own.Disk.Parameters = maps.Clone(own.Disk.Parameters)
		out.Own = &own
	}
	if in.Observed != nil {
		observed := *in.Observed
		observed.Claims = slices.Clone(observed.Claims)
		out.Observed = &observed
	}
	out.History = copyAll(in.History, func(from, to *HistoryEntry) {
		*to = *from
		to.Fields = slices.Clone(from.Fields)
	})
	out.Conditions = copyAll(in.Conditions, copyCondition)
}

func (in *CSIVolumeStatus) DeepCopy() *CSIVolumeStatus {
	out := new(CSIVolumeStatus)
	in.DeepCopyInto(out)
	return out
}

func (in *CSIVolume) DeepCopyInto(out *CSIVolume) {
	out.TypeMeta = in.TypeMeta
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	in.Spec.DeepCopyInto(&out.Spec)
	in.Status.DeepCopyInto(&out.Status)
}

func (in *CSIVolume) DeepCopy() *CSIVolume {
	out := new(CSIVolume)
	in.DeepCopyInto(out)
	return out
}

func (in *CSIVolume) DeepCopyObject() runtime.Object { return in.DeepCopy() }

func (in *CSIVolumeList) DeepCopyObject() runtime.Object {
	out := &CSIVolumeList{TypeMeta: in.TypeMeta}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	out.Items = copyAll(in.Items, (*CSIVolume).DeepCopyInto)
	return out
}

func (in *SchedulerConnection) DeepCopyInto(out *SchedulerConnection) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Addresses = slices.Clone(in.Spec.Addresses)
	out.Status.Conditions = copyAll(in.Status.Conditions, copyCondition)
}

func (in *SchedulerConnection) DeepCopyObject() runtime.Object {
	out := new(SchedulerConnection)
	in.DeepCopyInto(out)
	return out
}

func (in *SchedulerConnectionList) DeepCopyObject() runtime.Object {
	out := &SchedulerConnectionList{TypeMeta: in.TypeMeta}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	out.Items = copyAll(in.Items, (*SchedulerConnection).DeepCopyInto)
	return out
}
