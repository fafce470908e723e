// Scripts of creates, updates and deletions.
import { disk, lease, merge, only, patch, type Script } from './hand.ts';

export const writeScripts: readonly Script[] = [
  {
    title: 'creates: what the client may not say is dropped; twice is refused',
    async play({ call, disks, namespace }) {
      const given = {
        uid: 'x',
        generation: 7,
        deletionTimestamp: '2020-01-01T00:00:00Z',
        labels: {},
        finalizers: [],
      };
      await call('POST', disks, { body: disk('a', given, { status: { ready: true } }) });
      await call('POST', disks, { body: disk('a') });
      await call('GET', `${disks}/a`);
      await call('GET', `${disks}/b`);
      await call('POST', disks, { body: disk('c', { resourceVersion: '5' }) });
      await call('POST', disks, { body: disk('d', { namespace: 'other' }) });
      await call('POST', disks, { body: { ...disk('e'), metadata: {} } });
      await call('POST', `/apis/holdfast.dev/v1alpha1/namespaces/${namespace}-absent/disks`, {
        body: disk('f'),
      });
      await call('POST', disks, { body: '{"kind": ', inOtherWords: true });
      await call('POST', disks, { body: '[]', inOtherWords: true });
      await call('POST', disks, { body: lease('g'), inOtherWords: true });
      await call('POST', disks, { body: { metadata: { name: 'h' } }, inOtherWords: true });
      await call('POST', `${disks}?dryRun=All`, { body: disk('i') });
      await call('GET', disks);
    },
  },
  {
    title: 'replaces: on the version that was read, or not at all; a status stays',
    async play({ call, disks }) {
      const made = await call('POST', disks, { body: disk('a', { labels: { tier: 'gold' } }) });
      const first = { ...made, spec: { size: 2 }, status: { ready: true } };
      await call('PUT', `${disks}/a`, { body: first });
      await call('PUT', `${disks}/a`, { body: first });
      await call('PUT', `${disks}/a`, { body: disk('a') });
      await call('PUT', `${disks}/b`, { body: disk('b') });
      await call('PUT', `${disks}/a`, { body: disk('b') });
      const now = await call('GET', `${disks}/a`);
      await call('PUT', `${disks}/a`, {
        body: { ...now, metadata: { ...now.metadata, uid: made.metadata?.uid?.replaceAll(/./g, '0') } },
      });
      await call('PUT', `${disks}/a`, {
        body: { ...now, metadata: { ...now.metadata, namespace: 'other' } },
      });
      await call('PUT', `${disks}/a`, { body: now });
      const { labels: _, ...unlabelled } = now.metadata ?? {};
      await call('PUT', `${disks}/a?dryRun=All`, { body: { ...now, metadata: unlabelled } });
      await call('PUT', `${disks}/a`, { body: { ...now, metadata: unlabelled } });
      await call('PUT', `${disks}/a`, { body: { ...now, metadata: { name: 'a', resourceVersion: '1' } } });
    },
  },
  {
    title: 'the status is written apart, and takes nothing else along',
    async play({ call, disks }) {
      const made = await call('POST', disks, { body: disk('a') });
      const wanted = {
        ...made,
        spec: { size: 9 },
        status: { ready: false },
        metadata: { ...made.metadata, labels: { a: 'b' }, finalizers: ['holdfast.dev/x'] },
      };
      await call('PUT', `${disks}/a/status`, { body: wanted });
      await call('PUT', `${disks}/a/status`, { body: wanted });
      await call('PUT', `${disks}/a/status`, { body: disk('a', {}, { status: {} }) });
      await call('PATCH', `${disks}/a/status`, patch({ status: { ready: true }, spec: { size: 3 } }));
      await call('PATCH', `${disks}/a/status`, patch({ status: { ready: true } }));
      await call(
        'PATCH',
        `${disks}/a/status`,
        patch({ metadata: { resourceVersion: made.metadata?.resourceVersion }, status: { ready: false } }),
      );
      await call('PATCH', `${disks}/a/status`, patch({ metadata: { uid: '0' }, status: { other: 1 } }));
      await call('PATCH', `${disks}/a/status`, patch({ metadata: { labels: { a: 'b' } } }));
      await call('PATCH', `${disks}/a`, patch({ status: { ready: false }, spec: { size: 3 } }));
      await call('GET', `${disks}/a/status`);
      await call('PATCH', `${disks}/a/status`, patch({ status: null }));
      await call('PATCH', `${disks}/b/status`, patch({ status: {} }));
    },
  },
  {
    title: 'patches: conditions, what is counted, what changes nothing',
    async play({ call, disks }) {
      const made = await call('POST', disks, { body: disk('a', { annotations: { one: '1' } }) });
      const { uid, resourceVersion } = made.metadata ?? {};
      await call('PATCH', `${disks}/a`, patch({ spec: { size: 2, deep: { a: null, b: [1, { c: 2 }] } } }));
      await call('PATCH', `${disks}/a`, patch({ spec: { size: 2 } }));
      await call('PATCH', `${disks}/a`, patch({ metadata: { resourceVersion }, spec: { size: 3 } }));
      await call('PATCH', `${disks}/a`, patch({ metadata: { uid: '0' }, spec: { size: 3 } }));
      await call('PATCH', `${disks}/a`, patch({ metadata: { uid }, spec: { deep: null } }));
      await call(
        'PATCH',
        `${disks}/a`,
        patch({ metadata: { annotations: { one: null, two: '2' }, generation: 40 } }),
      );
      await call('PATCH', `${disks}/a`, patch({ metadata: { annotations: null } }));
      await call('PATCH', `${disks}/a`, patch({ metadata: { annotations: {}, labels: {}, finalizers: [] } }));
      await call('PATCH', `${disks}/a`, patch({ metadata: { creationTimestamp: null } }));
      await call('PATCH', `${disks}/a`, patch({ metadata: { name: 'b' } }));
      await call('PATCH', `${disks}/a`, patch({ metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' } }));
      await call('PATCH', `${disks}/a`, patch({ metadata: { resourceVersion: null }, spec: { size: 8 } }));
      await call('PATCH', `${disks}/a?dryRun=All`, patch({ spec: { size: 9 } }));
      await call('PATCH', `${disks}/b`, patch({ spec: { size: 9 } }));
      await call('PATCH', `${disks}/a`, { body: '{"spec"', contentType: merge, inOtherWords: true });
      await call('PATCH', `${disks}/a`, { body: '[1]', contentType: merge, inOtherWords: true });
      await call('PATCH', `${disks}/a`, { body: '{}', contentType: 'text/plain', inOtherWords: true });
      await call('GET', `${disks}/a`);
    },
  },
  {
    title: 'deletions: at once, or once no finalizer is left; preconditions',
    async play({ call, watch, disks }) {
      await watch(`${disks}?watch=true&resourceVersion=0`);
      const a = await call('POST', disks, { body: disk('a') });
      const { uid, resourceVersion } = a.metadata ?? {};
      await call('DELETE', `${disks}/a`, only({ uid: '0' }));
      await call('DELETE', `${disks}/a`, only({ uid, resourceVersion: '1' }));
      await call('DELETE', `${disks}/a?dryRun=All`);
      await call('DELETE', `${disks}/a`, only({ uid, resourceVersion }));
      await call('DELETE', `${disks}/a`);
      await call('POST', disks, { body: disk('b', { finalizers: ['holdfast.dev/x', 'holdfast.dev/y'] }) });
      await call('DELETE', `${disks}/b?dryRun=All`);
      await call('DELETE', `${disks}/b`, only({ uid }));
      await call('DELETE', `${disks}/b`);
      await call('DELETE', `${disks}/b`);
      await call('POST', disks, { body: disk('b') });
      await call(
        'PATCH',
        `${disks}/b`,
        patch({ metadata: { finalizers: ['holdfast.dev/x', 'holdfast.dev/y', 'holdfast.dev/z'] } }),
      );
      await call(
        'PATCH',
        `${disks}/b`,
        patch({ metadata: { deletionTimestamp: null, deletionGracePeriodSeconds: null } }),
      );
      await call('PATCH', `${disks}/b`, patch({ metadata: { deletionGracePeriodSeconds: 9 } }));
      await call(
        'PATCH',
        `${disks}/b`,
        patch({ metadata: { finalizers: ['holdfast.dev/y'] }, spec: { size: 4 } }),
      );
      await call('PATCH', `${disks}/b/status`, patch({ status: { ready: true } }));
      await call('PATCH', `${disks}/b?dryRun=All`, patch({ metadata: { finalizers: null } }));
      await call('PATCH', `${disks}/b`, patch({ metadata: { finalizers: null }, spec: { size: 5 } }));
      await call('GET', `${disks}/b`);
      const c = await call('POST', disks, { body: disk('b', { finalizers: ['holdfast.dev/x'] }) });
      await call(
        'DELETE',
        `${disks}/b`,
        only({ uid: c.metadata?.uid, resourceVersion: c.metadata?.resourceVersion }),
      );
      const { finalizers: _, ...free } = (await call('GET', `${disks}/b`)).metadata ?? {};
      await call('PUT', `${disks}/b`, { body: { ...c, metadata: free } });
    },
  },
];
