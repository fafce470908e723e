package directory

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"holdfast.dev/bench/peer/api"
)

var (
	accessModes = []string{"single-node-reader-only", "single-node-writer", "multi-node-reader-only",
		"multi-node-single-writer", "multi-node-multi-writer"}
	attachmentModes = []string{"file-system", "block-device"}
)

// validate checks what the schema of the CRD checks in a cluster.
func validate(volume *api.CSIVolume) field.ErrorList {
	var errs field.ErrorList
	spec := field.NewPath("spec")
	for _, message := range validation.IsDNS1123Label(volume.Name) {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), volume.Name, message))
	}
	if volume.Spec.ConnectionRef.Name == "" {
		errs = append(errs, field.Required(spec.Child("connectionRef", "name"), ""))
	}
	if length := len(volume.Spec.PluginID); length == 0 || length > 128 {
		errs = append(errs, field.Invalid(spec.Child("pluginID"), volume.Spec.PluginID, "1 to 128 characters"))
	}
	if count := len(volume.Spec.Capabilities); count == 0 || count > 16 {
		errs = append(errs, field.Invalid(spec.Child("capabilities"), count, "1 to 16"))
	}
	for i, one := range volume.Spec.Capabilities {
		at := spec.Child("capabilities").Index(i)
		if !slices.Contains(accessModes, one.AccessMode) {
			errs = append(errs, field.NotSupported(at.Child("accessMode"), one.AccessMode, accessModes))
		}
		if !slices.Contains(attachmentModes, one.AttachmentMode) {
			errs = append(errs, field.NotSupported(at.Child("attachmentMode"), one.AttachmentMode, attachmentModes))
		}
	}
	capacity, at := volume.Spec.Create.Capacity, spec.Child("create", "capacity")
	least, err := resource.ParseQuantity(capacity.Min)
	if err != nil || least.Sign() <= 0 {
		return append(errs, field.Invalid(at.Child("min"), capacity.Min, "a positive quantity"))
	}
	if most, err := resource.ParseQuantity(capacity.Max); capacity.Max != "" && (err != nil || most.Cmp(least) < 0) {
		errs = append(errs, field.Invalid(at.Child("max"), capacity.Max, "at least min"))
	}
	return errs
}
