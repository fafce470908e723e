// The admission policies on a real API server: who may ask for what destroys, and who may write what Holdfast remembers.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { eventually } from '../../support/poll.ts';
import { assets } from './assets.ts';
import { startCluster, type Cluster } from './cluster.ts';
import {
  applyQuickstart,
  base,
  bound,
  held,
  kubectl,
  operator,
  patch,
  paths,
  released,
  volumes,
} from './objects.ts';

const { volume, config, role, connection } = paths;
/** What roles often grant: every resource of the group. */
const wide = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'wide' },
  rules: [
    {
      apiGroups: ['holdfast.dev'],
      resources: ['*'],
      verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
    },
  ],
};
const rights = [
  wide,
  bound('wide', 'wide'),
  bound('keeper', 'holdfast-connection-admin'),
  bound('editor', 'holdfast-edit', 'shop'),
  bound('owner', 'holdfast-edit', 'shop'),
  bound('owner', 'holdfast-admin', 'shop'),
];

const requested = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [`holdfast.dev/${name}`, 'because']));
const intent = 'holdfast.dev/intent';
const nothing = (name: string, kind: string) =>
  `the annotation holdfast.dev/${name} asks for nothing: ${kind} has no such request`;
const ignoresNothing = (path: string) => [
  expect.stringContaining(
    `spec.drift.ignore: ${path} ignores nothing: LDAPConfig compares no such field by itself`,
  ),
];
/** A valid one: an invalid one is refused before any policy is asked. */
const status = {
  status: { observedGeneration: 1, conditions: [], applied: {}, tries: {}, handledRequests: {}, history: [] },
};

describe.skipIf(assets === undefined)('on a real Kubernetes (skipped where there is none)', () => {
  let cluster: Cluster;
  const patched = (user: string, path: string, body: object): Promise<string> =>
    patch(cluster, user, path, body);

  beforeAll(async () => {
    cluster = await startCluster({ users: { [operator]: [], editor: [], owner: [], wide: [], keeper: [] } });
    await kubectl(cluster, ['create', 'namespace', 'shop']);
    await kubectl(cluster, ['apply', '-k', base]);
    const items = { apiVersion: 'v1', kind: 'List', items: rights };
    await kubectl(cluster, ['apply', '-f', '-'], JSON.stringify(items));
    await applyQuickstart(cluster);
    // The API server learns of a policy a moment after it was made.
    let seen: readonly string[] = [];
    const bite = async () => {
      const asked = await patched('wide', config, { metadata: { annotations: requested('adopt') } });
      seen = [asked, await patched('wide', `${config}/status`, status)];
      return seen.every((said) => said.includes('needs the verb'));
    };
    await eventually('the policies bite', bite, { seen: () => seen.join('; ') });
    const unasked = { metadata: { annotations: { 'holdfast.dev/adopt': null } } };
    expect(await patched('admin', config, unasked)).toBe('done');
  });
  afterAll(() => cluster?.stop());

  /** In this order. */
  const rows: readonly (readonly [
    why: string,
    user: string,
    path: string,
    body: object,
    needs: string | undefined,
  ])[] = [
    ['who edits rotates no root', 'editor', config, requested('rotate-root'), 'rotate-root'],
    ['nor does a role for every resource', 'wide', config, requested('rotate-root'), 'rotate-root'],
    ['who has the verb does', 'owner', config, requested('rotate-root'), undefined],
    ['what stands is no request of who edits later', 'editor', config, { note: 'x' }, undefined],
    ['a new value is', 'editor', config, { 'holdfast.dev/rotate-root': 'again' }, 'rotate-root'],
    [
      'taking a request back needs no verb',
      'editor',
      config,
      { 'holdfast.dev/rotate-root': null },
      undefined,
    ],
    ['nor does what is harmless', 'editor', role, requested('rotate'), undefined],
    ['each request has its verb', 'editor', config, requested('abandon-root'), 'abandon-root'],
    ['each request has its verb', 'editor', config, requested('reseed-root'), 'reseed-root'],
    ['each request has its verb', 'editor', volume, requested('force-release'), 'force-release'],
    ['each request has its verb', 'editor', volume, requested('force-orphan'), 'force-orphan'],
    ['each request has its verb', 'editor', volume, requested('moved-from'), 'moved-from'],
    ['each request has its verb', 'editor', volume, requested('adopt'), 'adopt'],
    [
      'who has the verbs asks all at once: the checks cost no more than they may',
      'owner',
      config,
      requested('abandon-root', 'adopt', 'force-orphan', 'moved-from', 'reseed-root', 'rotate-root'),
      undefined,
    ],
    ['who may only update connections approves nothing', 'wide', connection, requested('approve'), 'approve'],
    ['their administrator does', 'keeper', connection, requested('approve'), undefined],
    ['nobody forges an intent', 'owner', volume, { [intent]: 'mine' }, 'force-status'],
    ['Holdfast writes its own', operator, volume, { [intent]: 'mine' }, undefined],
    ['nobody takes it away', 'owner', volume, { [intent]: null }, 'force-status'],
    ['Holdfast does', operator, volume, { [intent]: null }, undefined],
    ['nobody says that a schedule let it expire', 'owner', volume, requested('expired'), 'force-status'],
    ['Holdfast does', operator, volume, requested('expired'), undefined],
    ['what it said is no request of who edits later', 'editor', volume, { note: 'z' }, undefined],
    ['nor is taking it back', 'editor', volume, { 'holdfast.dev/expired': null }, undefined],
  ];

  test('requests, by who makes them', async () => {
    for (const [why, user, path, annotations, needs] of rows) {
      const said = await patched(user, path, { metadata: { annotations } });
      const wanted = needs === undefined ? 'done' : expect.stringContaining(`needs the verb ${needs} on`);
      expect([why, user, said]).toEqual([why, user, wanted]);
    }
  });

  /** @returns what the API server warns of */
  const warned = async (path: string, annotations: object, user = 'editor') => {
    const body = { metadata: { annotations } };
    const contentType = 'application/merge-patch+json';
    const { warnings } = await cluster.call('PATCH', path, { user, body, contentType });
    return warnings.map((one) =>
      one.replace(/^299 - "Validation failed for .* with binding '[^']*': |"$/g, ''),
    );
  };

  const annotated = (annotations: object) => patched('editor', volume, { metadata: { annotations } });

  test('a hold is refused where it would keep nothing: only what a schedule made expires', async () => {
    const hold = { 'holdfast.dev/retention-hold': 'audit' };
    const made = { 'holdfast.dev/generated-by': 'CSISnapshotSchedule/shop/nightly' };
    expect(await annotated(hold)).toContain('keeps only what a schedule made');
    expect(await annotated({ ...hold, ...made })).toBe('done');
    expect(await annotated({ 'holdfast.dev/generated-by': null, note: 'y' })).toBe('done'); // what stands is no new request
    expect(await annotated({ 'holdfast.dev/retention-hold': null })).toBe('done');
    expect(await annotated(hold)).toContain('keeps only what a schedule made');
  });

  test('whoever misspells a request is warned, for nothing would ever tell: it is let in, and asks for nothing', async () => {
    let tries = 0;
    const bites = async () => (await warned(role, { 'holdfast.dev/suspnd': `${(tries += 1)}` })).length > 0;
    await eventually('the policy bites', bites);
    expect(await warned(volume, requested('suspnd'))).toEqual([nothing('suspnd', 'CSIVolume')]);
    expect(await warned(volume, { note: 'w' })).toEqual([]); // who edits later has not made it
    expect(await warned(volume, { 'holdfast.dev/suspnd': null })).toEqual([]);
    expect(await annotated(requested('suspnd'))).toBe('done');
    expect(await warned(config, requested('rotate'))).toEqual([nothing('rotate', 'LDAPConfig')]);
    expect(await warned(role, requested('rotate', 'reconcile'))).toEqual([]);
    expect(await warned(volume, { 'holdfast.dev/suspend': 'yes' })).toEqual([
      'the annotation holdfast.dev/suspend suspends nothing, as it says neither \\"true\\" nor \\"false\\"',
    ]);
    expect(await warned(volume, { 'holdfast.dev/suspend': 'true' })).toEqual([]);
    expect(await warned(volume, { 'holdfast.dev/adopt': 'true' }, 'owner')).toEqual([
      'the annotation holdfast.dev/adopt adopts nothing, as it does not say IfIdentical',
    ]);
    expect(await warned(volume, { 'holdfast.dev/adopt': 'IfIdentical' }, 'owner')).toEqual([]);
    expect(await warned(volume, requested('approve'), 'admin')).toEqual([nothing('approve', 'CSIVolume')]);
    expect(await warned(connection, requested('approve'), 'keeper')).toEqual([]);
    expect(await warned(volume, { [intent]: 'ours' }, operator)).toEqual([]);
  });

  test('whoever has drift ignored that is not compared is warned: it would be corrected all the same', async () => {
    const ignoring = async (...ignore: readonly string[]) => {
      const body = { spec: { drift: { ignore } } };
      const contentType = 'application/merge-patch+json';
      return (await cluster.call('PATCH', `${config}?dryRun=All`, { user: 'editor', body, contentType }))
        .warnings;
    };
    await eventually('the policy bites', async () => (await ignoring('/none')).length > 0);
    expect(await ignoring('/urls', '/spec/urls')).toEqual(ignoresNothing('/spec/urls'));
    expect(await ignoring('/urls/0')).toEqual(ignoresNothing('/urls/0'));
    expect(await ignoring('/urls', '/bindDN')).toEqual([]);
    const many = Array.from({ length: 32 }, (_, n) => `/${'x'.repeat(250)}${n}`);
    expect(await ignoring(...many)).toEqual(ignoresNothing(many[0] ?? ''));
    await patched('editor', config, { spec: { drift: { ignore: ['/none'] } } });
    expect(await ignoring('/none', '/urls')).toEqual([]); // who edits later has not made it
    await patched('editor', config, { spec: { drift: null } });
  });

  test('a request comes in with a new object, too', async () => {
    const metadata = { name: 'new', annotations: requested('adopt') };
    const existing = z
      .looseObject({ spec: z.looseObject({}) })
      .parse((await cluster.call('GET', volume)).body);
    const body = { apiVersion: 'holdfast.dev/v1alpha1', kind: 'CSIVolume', metadata, spec: existing.spec };
    const path = `${volumes}?dryRun=All`;
    expect(await cluster.call('POST', path, { user: 'editor', body })).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('needs the verb adopt') },
    });
    expect(await cluster.call('POST', path, { user: 'owner', body })).toMatchObject({ status: 201 });
  });

  test('the status is written by Holdfast alone, whatever a role grants', async () => {
    const refused = expect.stringContaining('needs the verb force-status on the subresource');
    expect(await patched('wide', `${volume}/status`, status)).toEqual(refused);
    expect(await patched('wide', `${connection}/status`, status)).toEqual(refused);
    // As it writes it: whole.
    const existing = z.looseObject({}).parse((await cluster.call('GET', volume)).body);
    const body = { ...existing, ...status };
    expect(await cluster.call('PUT', `${volume}/status`, { user: operator, body })).toMatchObject({
      status: 200,
    });
    expect(await patched(operator, `${connection}/status`, status)).toBe('done');
  });

  test('a replacement by a manifest, which lacks both, is told what to do instead: nobody sees that it takes them away', async () => {
    const ours = { metadata: { ...held.metadata, annotations: { [intent]: 'ours' } } };
    expect(await patched(operator, volume, ours)).toBe('done');
    const { apiVersion, kind, metadata, spec } = z
      .looseObject({ metadata: z.looseObject({ name: z.string(), namespace: z.string() }) })
      .parse((await cluster.call('GET', volume)).body);
    const { name, namespace } = metadata;
    const manifest = JSON.stringify({ apiVersion, kind, metadata: { name, namespace }, spec });
    const replacing = ['replace', '-f', '-'];
    const { code, stderr } = await cluster.kubectl(replacing, { input: manifest, user: 'wide' });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('a replacement by a manifest lacks it: use kubectl apply'),
    ]);
    const applied = await cluster.kubectl(['apply', '-f', '-'], { input: manifest, user: 'wide' });
    expect(applied.code).toBe(0);
    expect(
      await patched(operator, volume, { metadata: { finalizers: null, annotations: { [intent]: null } } }),
    ).toBe('done');
  });

  test('the finalizer is put on by Holdfast alone, and taken off by who may leave behind what is outside', async () => {
    const own = expect.stringContaining('adding it needs the verb force-status');
    expect(await patched('owner', volume, held)).toEqual(own);
    expect(await patched(operator, volume, held)).toBe('done');
    expect(await patched('editor', volume, { metadata: { annotations: { note: 'y' } } })).toBe('done');
    expect(await patched('editor', volume, released)).toEqual(
      expect.stringContaining('needs the verb force-orphan'),
    );
    expect(await patched('owner', volume, released)).toBe('done');
    expect(await patched(operator, volume, held)).toBe('done');
    expect(await patched(operator, volume, released)).toBe('done');
  });
});
