// Judges objects as the API server of Kubernetes does, by its own packages and without a cluster. Reads
// {crds: [...], cases: [{document, old?}, ...]} and prints, for each case, why it is refused, or an empty text; an error in
// a definition ends it.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	definitions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	meta "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

type object = map[string]any

type kind struct {
	namespaced bool
	structural *schema.Structural
	shape      validation.SchemaValidator
	rules      *cel.Validator
}

func main() {
	var input struct {
		CRDs  []*apiextensionsv1.CustomResourceDefinition
		Cases []struct{ Document, Old json.RawMessage }
	}
	must(json.NewDecoder(os.Stdin).Decode(&input))
	kinds := map[string]*kind{}
	for _, crd := range input.CRDs {
		kinds[crd.Spec.Names.Kind] = kindOf(crd)
	}
	verdicts := []string{}
	for _, c := range input.Cases {
		verdicts = append(verdicts, judge(kinds, objectOf(c.Document), objectOf(c.Old)))
	}
	must(json.NewEncoder(os.Stdout).Encode(verdicts))
}

// As the API server decodes: whole numbers are int64.
func objectOf(text json.RawMessage) (decoded object) {
	if text != nil {
		must(utiljson.Unmarshal(text, &decoded))
	}
	return decoded
}

func kindOf(crd *apiextensionsv1.CustomResourceDefinition) *kind {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	scheme.Default(crd)
	internal := &apiextensions.CustomResourceDefinition{}
	must(scheme.Convert(crd, internal, nil))
	internal.Status.StoredVersions = []string{crd.Spec.Versions[0].Name}
	if errs := definitions.ValidateCustomResourceDefinition(context.Background(), internal); len(errs) > 0 {
		log.Fatalf("%s: %v", crd.Name, errs.ToAggregate())
	}
	versioned := &apiextensions.CustomResourceValidation{}
	must(scheme.Convert(crd.Spec.Versions[0].Schema, versioned, nil))
	structural, err := schema.NewStructural(versioned.OpenAPIV3Schema)
	must(err)
	shape, _, err := validation.NewSchemaValidator(versioned.OpenAPIV3Schema)
	must(err)
	rules := cel.NewValidator(structural, true, celconfig.PerCallLimit)
	return &kind{crd.Spec.Scope == apiextensionsv1.NamespaceScoped, structural, shape, rules}
}

// As customresource_handler.go and registry/customresource/strategy.go: decode strictly, then validate.
func judge(kinds map[string]*kind, document, old object) string {
	u := &unstructured.Unstructured{Object: document}
	k := kinds[u.GetKind()]
	if k == nil || u.GetAPIVersion() != "holdfast.dev/v1alpha1" {
		return "no such kind"
	}
	defaulting.Default(document, k.structural)
	metadata, found, unknown, err := objectmeta.GetObjectMetaWithOptions(document, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil || !found {
		return fmt.Sprint("metadata: ", err)
	}
	track := schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	if unknown = append(unknown, pruning.PruneWithOptions(document, k.structural, true, track)...); len(unknown) > 0 {
		return fmt.Sprintf("unknown fields: %v", unknown)
	}
	defaulting.PruneNonNullableNullsWithoutDefaults(document, k.structural)
	must(objectmeta.SetObjectMeta(document, metadata))
	delete(document, "status") // as strategy.PrepareForCreate
	if k.namespaced && u.GetNamespace() == "" {
		u.SetNamespace("default")
	}
	errs := meta.ValidateObjectMetaAccessor(u, k.namespaced, meta.NameIsDNSSubdomain, field.NewPath("metadata"))
	for _, message := range path.IsValidPathSegmentName(u.GetName()) {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), u.GetName(), message))
	}
	errs = append(errs, validation.ValidateCustomResource(nil, document, k.shape)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, k.structural, document)...)
	if len(errs) == 0 { // rules are for what has the right shape
		var before any
		if old != nil {
			before = old
		}
		errs, _ = k.rules.Validate(context.Background(), nil, k.structural, document, before, celconfig.RuntimeCELCostBudget)
	}
	if len(errs) == 0 {
		return ""
	}
	return errs.ToAggregate().Error()
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
