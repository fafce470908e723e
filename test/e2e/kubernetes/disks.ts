// A kind of the tests' own, `Disk`, and its definition.
import type { Resource } from '../../../src/api/kubernetes/resources.ts';

export const disks: Resource = {
  apiVersion: 'holdfast.dev/v1alpha1',
  kind: 'Disk',
  plural: 'disks',
  namespaced: true,
};

/** @param properties schemas of spec and status */
export const definitionOf = (properties: { readonly spec: object; readonly status: object }) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'disks.holdfast.dev' },
  spec: {
    group: 'holdfast.dev',
    scope: 'Namespaced',
    names: { kind: 'Disk', listKind: 'DiskList', plural: 'disks', singular: 'disk' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties } },
      },
    ],
  },
});
