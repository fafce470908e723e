// What the source needs of a cluster, each missing thing named in a line of its own.
import { describe, expect, test } from 'vitest';
import type { ObjectName, Resource } from '../../../src/api/kubernetes/resources.ts';
import { ApiError } from '../../../src/core/errors.ts';
import type { Json } from '../../../src/core/secret.ts';
import { preflight } from '../../../src/sources/kubernetes/preflight.ts';
import { sent } from './objects.ts';

const resource = (kind: string, plural: string, namespaced = true): Resource => ({
  apiVersion: 'holdfast.dev/v1alpha1',
  kind,
  plural,
  namespaced,
});
const disks = resource('Disk', 'disks');
const nomads = resource('Nomad', 'nomads', false);

type Asked = Readonly<Record<string, string>>;

/** A cluster that serves these, and refuses what `denies` says. @param gone a namespace */
function cluster(served: Json | undefined, denies: (asked: Asked) => boolean = () => false, gone = '') {
  const asked: Asked[] = [];
  const looked: string[] = [];
  return {
    asked,
    /** Namespaces. */
    looked,
    client: {
      read: async () => served,
      get: async (_: Resource, { name }: ObjectName) => {
        looked.push(name);
        return name === gone ? undefined : sent({ version: 1, name });
      },
      review: async (_: Resource, spec: Json) => {
        // oxlint-disable-next-line no-unsafe-type-assertion -- as the source asks
        const { resourceAttributes } = spec as { readonly resourceAttributes: Asked };
        asked.push(resourceAttributes);
        return { allowed: !denies(resourceAttributes) };
      },
    },
  };
}

const both: Json = { resources: [{ name: 'disks' }, { name: 'disks/status' }, { name: 'nomads' }] };
const ofBlog = (one: Asked) => one['namespace'] === 'blog';
const missing = ({ client }: Pick<ReturnType<typeof cluster>, 'client'>, namespaces = ['']) =>
  preflight(client, [disks, nomads], ({ namespaced }) => (namespaced ? namespaces : ['']))();

describe('a cluster', () => {
  test('with all of it lacks nothing, and was asked for what is done and no more', async () => {
    const { client, asked } = cluster(both);
    expect(await missing({ client })).toEqual([]);
    const verbs = (of: string) =>
      asked
        .filter((one) => one['resource'] === of)
        .map(({ verb, subresource }) => [verb, subresource].filter(Boolean).join(' '));
    expect(verbs('disks')).toEqual(['get', 'list', 'watch', 'patch', 'update status']);
    expect(verbs('nomads')).toEqual(['get', 'list', 'watch', 'patch', 'update status', 'patch status']);
    expect(verbs('secrets')).toEqual(['list', 'watch']);
  });

  test.for<{ why: string; served: Json | undefined; absent: readonly string[] }>([
    { why: 'without a definition', served: { resources: [{ name: 'nomads' }] }, absent: ['disks'] },
    { why: 'without any, whose API version is not found', served: undefined, absent: ['disks', 'nomads'] },
    { why: 'that answers something else', served: { resources: 'none' }, absent: ['disks', 'nomads'] },
  ])('$why lacks it by name, and is asked for no permission for it', async ({ served, absent }) => {
    const { client, asked } = cluster(served);
    const lines = await missing({ client });
    expect(lines).toHaveLength(absent.length);
    for (const [at, plural] of absent.entries())
      expect(lines[at]).toContain(`is the CustomResourceDefinition ${plural}.holdfast.dev installed?`);
    expect(asked.filter((one) => absent.includes(one['resource'] ?? ''))).toEqual([]);
  });

  test.for<{ denied: string; is: (asked: Asked) => boolean; line: string }>([
    {
      denied: 'a verb',
      is: (one) => one['verb'] === 'watch' && one['resource'] === 'disks',
      line: 'no permission: watch disks of holdfast.dev/v1alpha1 in namespace shop',
    },
    {
      denied: 'a status',
      is: (one) => one['subresource'] === 'status' && one['resource'] === 'disks',
      line: 'no permission: update disks/status of holdfast.dev/v1alpha1 in namespace shop',
    },
    {
      denied: 'the status of connections by PATCH',
      is: (one) => one['subresource'] === 'status' && one['verb'] === 'patch',
      line: 'no permission: patch nomads/status of holdfast.dev/v1alpha1 in all namespaces',
    },
    {
      denied: 'Secrets',
      is: (one) => one['resource'] === 'secrets' && one['group'] === '' && one['verb'] === 'list',
      line: 'no permission: list secrets of v1 in namespace shop',
    },
  ])('that denies $denied is told which', async ({ is, line }) => {
    expect(await missing(cluster(both, is), ['shop'])).toEqual([line]);
  });

  test('that answers only some of many questions is asked the others again: it would not answer all at once', async () => {
    const busy = new ApiError('unavailable', 'ClusterUnavailable', 'reviews: 429');
    let left = 0;
    const { client, asked } = cluster(both, () => {
      left -= 1;
      if (left < 0) throw busy;
      return false;
    });
    const ask = preflight(client, [disks, nomads], () => ['']);
    const counts: number[] = [];
    for (let lines: readonly string[] = ['all']; lines.length > 0; counts.push(asked.length)) {
      [left, asked.length] = [6, 0];
      lines = await ask();
      expect(lines).toEqual(lines.length > 0 ? ['reviews: 429'] : []);
    }
    expect(counts).toEqual([13, 7, 1]);
  });

  test('is asked for each of the chosen namespaces', async () => {
    const served = cluster(both, (one) => one['namespace'] === 'blog' && one['verb'] === 'get');
    expect(await missing(served, ['shop', 'blog'])).toEqual([
      'no permission: get disks of holdfast.dev/v1alpha1 in namespace blog',
    ]);
  });

  test('without a chosen namespace lacks nothing in it, whose permissions went along, and is asked for it once', async () => {
    const served = cluster(both, ofBlog, 'blog');
    expect(await missing(served, ['shop', 'blog'])).toEqual([]);
    expect(served.looked).toEqual(['blog']);
    const here = cluster(both, ofBlog);
    expect(await missing(here, ['shop', 'blog'])).toContain(
      'no permission: get disks of holdfast.dev/v1alpha1 in namespace blog',
    );
    expect(here.looked).toEqual(['blog']);
  });
});
