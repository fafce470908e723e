// Scripts of watches, of what the API server has itself, and of what controllers do.
import { disk, initial, lease, owner, patch, type Script } from './hand.ts';

export const otherScripts: readonly Script[] = [
  {
    title: 'selectors: who begins to match is added, who ends to is deleted',
    async play({ call, watch, disks }) {
      await call('POST', disks, { body: disk('old', { labels: { tier: 'gold' } }) });
      for (const selector of [
        'tier=gold',
        'tier',
        '!iron',
        'tier in (gold, tin)',
        'tier notin (iron)',
        'tier!=iron,tier==gold',
      ])
        await watch(`${disks}?${initial}&labelSelector=${encodeURIComponent(selector)}`);
      await call('POST', disks, { body: disk('a', { labels: { tier: 'gold' } }) });
      await call('POST', disks, { body: disk('b') });
      await call('PATCH', `${disks}/b`, patch({ metadata: { labels: { tier: 'iron', iron: 'y' } } }));
      await call('PATCH', `${disks}/b`, patch({ metadata: { labels: { tier: 'tin' } } }));
      await call('PATCH', `${disks}/a`, patch({ spec: { size: 2 } }));
      await call('PATCH', `${disks}/a`, patch({ metadata: { labels: { tier: 'tin' } } }));
      await call('PATCH', `${disks}/a`, patch({ metadata: { labels: null }, spec: { size: 3 } }));
      await call('DELETE', `${disks}/a`);
      await call('DELETE', `${disks}/old`);
      for (const selector of ['tier=gold', 'tier', '!tier', 'tier in (iron,tin)', 'tier notin (gold)'])
        await call('GET', `${disks}?labelSelector=${encodeURIComponent(selector)}`);
      await call('GET', `${disks}?labelSelector=${encodeURIComponent('a b')}`, { inOtherWords: true });
    },
  },
  {
    title: 'watches begin where they are asked to, and only metadata are shown to who wants no more',
    async play({ call, watch, disks }) {
      const a = await call('POST', disks, { body: disk('a', { finalizers: ['holdfast.dev/x'] }) });
      const from = a.metadata?.resourceVersion ?? '';
      const list = await call('GET', disks);
      const version = list.metadata?.resourceVersion ?? '';
      await call('PATCH', `${disks}/a`, patch({ spec: { size: 2 } }));
      const partial = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
      await watch(`${disks}?watch=true&resourceVersion=${from}`);
      await watch(`${disks}?watch=true&resourceVersion=${version}`);
      await watch(`${disks}?watch=true`);
      await watch(`${disks}?watch=1&resourceVersion=0`, partial);
      await watch(`${disks}?${initial}`, partial);
      await watch(`${disks}?${initial}`);
      await watch(`${disks}?${initial}&resourceVersion=${version}`);
      await watch(
        `${disks}?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=${from}`,
      );
      await call('POST', disks, { body: disk('b') });
      await call('DELETE', `${disks}/a`);
      await call('PATCH', `${disks}/a`, patch({ metadata: { finalizers: null } }));
      await call('GET', disks, {
        accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      });
      await call('GET', `${disks}?labelSelector=none`, {
        accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      });
      await call('GET', `${disks}?watch=true&resourceVersionMatch=NotOlderThan`);
      await call('GET', `${disks}?watch=true&sendInitialEvents=true`);
    },
  },
  {
    title: 'a version that is too old, or none, is told as an event; one that is still to come is waited for',
    async play({ call, watch, disks }) {
      await watch(`${disks}?watch=true&resourceVersion=1`);
      await watch(`${disks}?${initial}&resourceVersion=900000000000`);
      await call('GET', `${disks}?watch=true&resourceVersion=x`, { inOtherWords: true });
      const { metadata } = await call('GET', disks);
      await call('GET', `${disks}?watch=true&timeoutSeconds=1&resourceVersion=${metadata?.resourceVersion}`);
      await call('GET', `${disks}?watch=true&timeoutSeconds=1&resourceVersion=900000000000`);
    },
  },
  {
    title: 'Secrets: texts are encoded, the type stays, what is immutable does, too',
    async play({ call, watch, secrets }) {
      await watch(`${secrets}?${initial}`);
      await call('POST', secrets, { body: { metadata: { name: 'a' }, stringData: { password: 'ä' } } });
      await call('POST', secrets, { body: { metadata: { name: 'a' } } });
      await call('PUT', `${secrets}/a`, { body: { metadata: { name: 'a' }, stringData: { other: '1' } } });
      await call('PUT', `${secrets}/a`, { body: { metadata: { name: 'a' }, stringData: { other: '1' } } });
      await call('PATCH', `${secrets}/a`, patch({ type: 'other' }));
      await call('PATCH', `${secrets}/a`, patch({ immutable: true, data: { more: 'MQ==' } }));
      await call('PATCH', `${secrets}/a`, patch({ data: { more: 'Mg==' } }));
      await call('PATCH', `${secrets}/a`, patch({ immutable: null }));
      await call(
        'PATCH',
        `${secrets}/a`,
        patch({ metadata: { labels: { a: 'b' }, finalizers: ['holdfast.dev/x'] } }),
      );
      await call('DELETE', `${secrets}/a`);
      await call('PATCH', `${secrets}/a`, patch({ metadata: { finalizers: null } }));
      await call('PUT', `${secrets}/a`, { body: { metadata: { name: 'a' } } });
      const odd = { generation: 7, deletionTimestamp: '2020-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 };
      await call('POST', secrets, { body: { metadata: { name: 'b', ...odd } } });
      await call('PATCH', `${secrets}/b`, patch({ metadata: { generation: 9, labels: { a: 'b' } } }));
      await call('GET', secrets);
    },
  },
  {
    title: 'Leases: a PUT makes one, unless it is meant for another',
    async play({ call, watch, leases }) {
      await watch(`${leases}?${initial}`);
      const made = await call('PUT', `${leases}/a`, { body: lease('a') });
      await call('PUT', `${leases}/a`, { body: lease('a') });
      await call('PUT', `${leases}/a`, {
        body: { ...made, spec: { holderIdentity: '', leaseDurationSeconds: 1 } },
      });
      await call('PUT', `${leases}/a`, { body: made });
      await call('DELETE', `${leases}/a`);
      await call('PUT', `${leases}/a`, { body: made });
      await call('PATCH', `${leases}/a`, patch({ spec: {} }));
      const odd = { generation: 7, deletionTimestamp: '2020-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 };
      const c = await call('PUT', `${leases}/c`, { body: lease('c', { ...odd, uid: undefined }) });
      await call('PUT', `${leases}/c`, { body: { ...c, spec: { holderIdentity: 'other' } } });
      await call('PUT', `${leases}/b`, { body: lease('b', { resourceVersion: '5' }) });
      await call('POST', leases, { body: lease('b') });
    },
  },
  {
    title: 'owners: who belongs only to what is gone goes',
    async play({ call, watch, gone, disks, secrets }) {
      const a = await call('POST', disks, { body: disk('a') });
      const b = await call('POST', disks, { body: disk('b', { finalizers: ['holdfast.dev/x'] }) });
      const c = await call('POST', disks, { body: disk('c') });
      await watch(`${secrets}?${initial}`);
      await call('POST', secrets, {
        body: { metadata: { name: 'both', ownerReferences: [owner(c), owner(b)] } },
      });
      await call('POST', secrets, { body: { metadata: { name: 'one', ownerReferences: [owner(a)] } } });
      await call('DELETE', `${disks}/a`);
      await gone(`${secrets}/one`);
      await call('DELETE', `${disks}/c`);
      await gone(`${secrets}/both`, c.metadata?.uid);
      await call('DELETE', `${disks}/b`);
      await call('GET', `${disks}/b`);
      await call('PATCH', `${disks}/b`, patch({ metadata: { finalizers: null } }));
      await gone(`${secrets}/both`);
      await call('POST', secrets, { body: { metadata: { name: 'late', ownerReferences: [owner(a)] } } });
      await gone(`${secrets}/late`);
      await call('POST', secrets, {
        body: { metadata: { name: 'bad', ownerReferences: [{ name: 'a' }] } },
        inOtherWords: true,
      });
    },
  },
  {
    title: 'namespaces: what is in one that is deleted goes; nothing new comes in',
    async play({ call, gone, namespace }) {
      const name = `${namespace}-more`;
      const at = `/api/v1/namespaces/${name}`;
      const disks = `/apis/holdfast.dev/v1alpha1/namespaces/${name}/disks`;
      await call('POST', '/api/v1/namespaces', { body: { metadata: { name, labels: { a: 'b' } } } });
      await call('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
      await call(
        'PATCH',
        at,
        patch({ metadata: { labels: { a: null, c: 'd' } }, spec: { finalizers: null } }),
      );
      await call('POST', disks, { body: disk('a') });
      await call('POST', disks, { body: disk('b', { finalizers: ['holdfast.dev/x'] }) });
      await call('DELETE', at, { body: { preconditions: { uid: '0' } } });
      await call('DELETE', `${at}?dryRun=All`);
      await call('DELETE', at);
      await gone(`${disks}/a`);
      await call('POST', disks, { body: disk('c') });
      await call('PATCH', `${disks}/b`, patch({ spec: { size: 2 } }));
      await call('PATCH', `${disks}/b`, patch({ metadata: { finalizers: null } }));
      await gone(at);
      await call('GET', at);
      await call('POST', disks, { body: disk('c') });
      await call('GET', disks);
      await call('DELETE', '/api/v1/namespaces/default');
    },
  },
  {
    title: 'what nobody serves',
    async play({ call, disks }) {
      await call('GET', '/apis/holdfast.dev/v1alpha1/nothing');
      await call('GET', '/apis/nobody.example/v1');
      await call('GET', `${disks}/a/nothing`);
      await call('GET', '/api/v1/nothing');
      await call('GET', '/api/v1/namespaces/default/secrets/a/nothing');
    },
  },
];
