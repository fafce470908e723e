// Outputs as Secrets, on the real API server: what is ours and what is not, and what becomes of either.
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { KubernetesClient } from '../../../src/api/kubernetes/client.ts';
import { Secret } from '../../../src/core/secret.ts';
import { Outputs } from '../../../src/sources/kubernetes/outputs.ts';
import type { Publisher } from '../../../src/sources/publisher.ts';
import { found } from '../../support/canaries.ts';
import { assets } from './assets.ts';
import { clientOf } from './client.ts';
import { startCluster, type Cluster } from './cluster.ts';

interface Stored {
  readonly type: string;
  readonly metadata: {
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
}

const canaries = { password: 'canary-qL8vT2mX', other: 'canary-zR4wN7bK' };
const name = 'app-login';
const key = { kind: 'LDAPStaticRole', namespace: 'shop', name: 'app' };
const publisher: Publisher = { key, uid: 'uid-1' };
const output = (revision: string, password = canaries.password) => ({
  name,
  revision,
  entries: { username: ['app'], url: ['ldap://app:', Secret.of('app/password', '1', password), '@host'] },
});

const annotations = (object: string, uid: string) => ({
  'holdfast.dev/owner': object,
  'holdfast.dev/owner-uid': uid,
});

/** The client of a process beside which somebody acts: after its first look, before its write. */
function beside(client: KubernetesClient, act: () => Promise<unknown>, times = 1): Outputs {
  let left = times;
  const get: KubernetesClient['get'] = async (...of) => {
    const seen = await client.get(...of);
    if (left-- > 0) await act();
    return seen;
  };
  return new Outputs({
    get,
    create: (...of) => client.create(...of),
    replace: (...of) => client.replace(...of),
    remove: (...of) => client.remove(...of),
  });
}

describe.skipIf(assets === undefined)('outputs (skipped without KUBEBUILDER_ASSETS and Go)', () => {
  let cluster: Cluster;
  let client: KubernetesClient;
  let outputs: Outputs;
  const path = `/api/v1/namespaces/shop/secrets`;
  const stored = async (): Promise<Stored | undefined> => {
    const { status, body } = await cluster.call('GET', `${path}/${name}`);
    // oxlint-disable-next-line no-unsafe-type-assertion -- as the API server answers
    return status === 404 ? undefined : (body as Stored);
  };
  const values = async () =>
    Object.fromEntries(
      Object.entries((await stored())?.data ?? {}).map(([entry, text]) => [entry, atob(text)]),
    );
  const change = (patch: unknown) =>
    cluster.call('PATCH', `${path}/${name}`, { body: patch, contentType: 'application/merge-patch+json' });
  const create = (secret: Readonly<Record<string, unknown>>) =>
    cluster.call('POST', path, { body: { metadata: { name }, ...secret } });

  beforeAll(async () => {
    cluster = await startCluster({ users: { ann: [] } });
    await cluster.kubectl(['create', 'namespace', 'shop']);
    await cluster.kubectl(['create', 'role', 'reader', '--verb=get', '--resource=secrets', '-n', 'shop']);
    await cluster.kubectl(['create', 'rolebinding', 'ann', '--role=reader', '--user=ann', '-n', 'shop']);
    client = clientOf(cluster);
    outputs = new Outputs(client);
  });
  afterAll(async () => {
    await client.close();
    await cluster.stop();
  });
  beforeEach(async () => void (await cluster.call('DELETE', `${path}/${name}`)));

  test('is written whole, read back as ours, replaced as a whole, and taken away', async () => {
    expect(await outputs.published(publisher, name)).toEqual({ is: 'absent' });
    await outputs.publish(publisher, output('r1'));
    expect(await values()).toEqual({ username: 'app', url: `ldap://app:${canaries.password}@host` });
    expect(await stored()).toMatchObject({
      type: 'Opaque',
      metadata: {
        labels: { 'app.kubernetes.io/managed-by': 'holdfast' },
        annotations: {
          'holdfast.dev/owner': 'LDAPStaticRole/shop/app',
          'holdfast.dev/owner-uid': 'uid-1',
          'holdfast.dev/revision': 'r1',
        },
      },
    });
    expect(await outputs.published(publisher, name)).toEqual({ is: 'ours', revision: 'r1', whole: true });
    await outputs.publish(publisher, { name, revision: 'r2', entries: { password: ['ümlaut\n'] } });
    expect(await outputs.published(publisher, name)).toEqual({ is: 'ours', revision: 'r2', whole: true });
    const { data } = (await stored()) ?? {};
    expect(data).toEqual({ password: Buffer.from('ümlaut\n').toString('base64') });
    await outputs.withdraw(publisher, name);
    expect(await stored()).toBeUndefined();
    await outputs.withdraw(publisher, name);
  });

  test('says nothing of its values but in its data; equal values do not show as equal', async () => {
    const marks = [];
    for (const revision of ['r1', 'r2', 'r1']) {
      await outputs.publish(publisher, output(revision));
      const { metadata } = (await stored()) ?? {};
      marks.push(metadata?.annotations?.['holdfast.dev/digest']);
      expect(found(JSON.stringify(metadata), canaries)).toEqual([]);
    }
    expect(new Set(marks).size).toBe(3);
  });

  describe('that somebody changed', () => {
    beforeEach(() => outputs.publish(publisher, output('r1')));
    test.for<{ what: string; patch: unknown; whole: boolean }>([
      { what: 'in a value', patch: { stringData: { username: 'else' } }, whole: false },
      { what: 'by one more entry', patch: { stringData: { more: 'x' } }, whole: false },
      { what: 'by one entry less', patch: { data: { username: null } }, whole: false },
      {
        what: 'in what it says of its revision',
        patch: { metadata: { annotations: { 'holdfast.dev/revision': 'r9' } } },
        whole: false,
      },
      {
        what: 'in its proof',
        patch: { metadata: { annotations: { 'holdfast.dev/digest': null } } },
        whole: false,
      },
      { what: 'by a label of their own', patch: { metadata: { labels: { team: 'a' } } }, whole: true },
    ])('$what is whole: $whole', async ({ patch, whole }) => {
      expect(await change(patch)).toMatchObject({ status: 200 });
      expect(await outputs.published(publisher, name)).toMatchObject({ is: 'ours', whole });
    });

    test('is written anew, and keeps the labels and annotations of others', async () => {
      await change({
        metadata: { labels: { team: 'a' }, annotations: { note: 'b' } },
        stringData: { more: 'x' },
      });
      await outputs.publish(publisher, output('r1'));
      expect(Object.keys(await values())).toEqual(['url', 'username']);
      expect((await stored())?.metadata).toMatchObject({
        labels: { team: 'a', 'app.kubernetes.io/managed-by': 'holdfast' },
        annotations: { note: 'b' },
      });
    });
  });

  test.for<{ what: string; secret: Readonly<Record<string, unknown>>; owner: string }>([
    { what: 'without a word of ours', secret: {}, owner: 'somebody else' },
    {
      what: 'of another object',
      secret: { metadata: { name, annotations: annotations('LDAPStaticRole/shop/b', 'uid-2') } },
      owner: 'LDAPStaticRole/shop/b',
    },
    {
      what: 'of an earlier object of that name',
      secret: { metadata: { name, annotations: annotations('LDAPStaticRole/shop/app', 'uid-0') } },
      owner: 'an earlier LDAPStaticRole/shop/app, with the UID uid-0',
    },
    {
      what: 'of a type that grants something',
      secret: {
        type: 'kubernetes.io/basic-auth',
        metadata: { name, annotations: annotations('LDAPStaticRole/shop/app', 'uid-1') },
        stringData: { password: 'x' },
      },
      owner: 'somebody else',
    },
  ])('that stands there $what stays as it is', async ({ secret, owner }) => {
    expect(await create(secret)).toMatchObject({ status: 201 });
    const before = await stored();
    expect(await outputs.published(publisher, name)).toEqual({ is: 'foreign', owner });
    const refused = {
      class: 'waiting',
      reason: 'OutputConflict',
      mayHaveHadEffect: false,
      message: `output shop/app-login belongs to ${owner}`,
    };
    await expect(outputs.tryPublish(publisher, name)).rejects.toMatchObject(refused);
    await expect(outputs.publish(publisher, output('r1'))).rejects.toMatchObject(refused);
    await outputs.withdraw(publisher, name);
    expect(await stored()).toEqual(before);
  });

  test('of the object that it took over from is its own, and bears its UID from then on', async () => {
    await outputs.publish({ key: { ...key, name: 'old' }, uid: 'uid-0' }, output('r1'));
    const heir = { ...publisher, formerly: ['uid-between', 'uid-0'] };
    // Not whole, so that it is written at once: of objects before, only some UIDs are known.
    expect(await outputs.published(heir, name)).toEqual({ is: 'ours', revision: 'r1', whole: false });
    await outputs.publish(heir, output('r1'));
    expect(await outputs.published(heir, name)).toEqual({ is: 'ours', revision: 'r1', whole: true });
    const next = { key: { ...key, name: 'next' }, uid: 'uid-2', formerly: [publisher.uid] };
    await outputs.publish(next, output('r2'));
    expect(await outputs.published(next, name)).toEqual({ is: 'ours', revision: 'r2', whole: true });
    expect(await outputs.published({ key, uid: 'uid-0' }, name)).toMatchObject({ is: 'foreign' });
  });

  describe('that is tried', () => {
    test('is not written, be it there or not', async () => {
      await outputs.tryPublish(publisher, name);
      expect(await stored()).toBeUndefined();
      await outputs.publish(publisher, output('r1'));
      const before = await stored();
      await outputs.tryPublish(publisher, name);
      expect(await stored()).toEqual(before);
    });

    test('fails where it could not be written: no rights, no namespace, immutable', async () => {
      const refused = { class: 'waiting', reason: 'OutputUnusable', mayHaveHadEffect: false };
      const ann = clientOf(cluster, { user: 'ann' });
      onTestFinished(() => ann.close());
      const tried = (who = client, whose = publisher) => new Outputs(who).tryPublish(whose, name);
      await expect(tried(ann)).rejects.toMatchObject({
        ...refused,
        message: expect.stringMatching(/secrets\.create: .*forbidden/),
      });
      await expect(tried(client, { key: { ...key, namespace: 'none' }, uid: 'u' })).rejects.toMatchObject({
        ...refused,
        message: "output none/app-login can't be used: secrets.create: NotFound",
      });
      await outputs.publish(publisher, output('r1'));
      await expect(tried(ann)).rejects.toMatchObject(refused);
      await change({ immutable: true });
      await expect(tried()).rejects.toMatchObject(refused);
    });
  });

  describe('between the look and the write', () => {
    test('somebody puts theirs there: it stays', async () => {
      const late = beside(client, () => create({ stringData: { theirs: 'x' } }));
      await expect(late.publish(publisher, output('r1'))).rejects.toMatchObject({ reason: 'OutputConflict' });
      expect(await values()).toEqual({ theirs: 'x' });
    });

    test('somebody annotates ours: it is written all the same, over what they wrote', async () => {
      await outputs.publish(publisher, output('r1'));
      const late = beside(client, () => change({ metadata: { annotations: { note: 'b' } } }));
      await late.publish(publisher, output('r2'));
      expect(await outputs.published(publisher, name)).toEqual({ is: 'ours', revision: 'r2', whole: true });
      expect((await stored())?.metadata.annotations).toMatchObject({ note: 'b' });
    });

    test('somebody takes ours away: it is made again', async () => {
      await outputs.publish(publisher, output('r1'));
      await beside(client, () => cluster.call('DELETE', `${path}/${name}`)).publish(publisher, output('r2'));
      expect(await outputs.published(publisher, name)).toMatchObject({ revision: 'r2', whole: true });
    });

    test('somebody replaces ours by theirs: theirs is not taken away', async () => {
      await outputs.publish(publisher, output('r1'));
      const replaced = async () => {
        await cluster.call('DELETE', `${path}/${name}`);
        await create({ stringData: { theirs: 'x' } });
      };
      await beside(client, replaced).withdraw(publisher, name);
      expect(await values()).toEqual({ theirs: 'x' });
    });

    test('somebody writes again and again: that is told', async () => {
      await outputs.publish(publisher, output('r1'));
      let turn = 0;
      const late = beside(client, () => change({ metadata: { annotations: { note: String(turn++) } } }), 10);
      await expect(late.publish(publisher, output('r2'))).rejects.toMatchObject({
        class: 'waiting',
        reason: 'OutputConflict',
      });
    });
  });

  test('that the API server refuses shows no value', async () => {
    const bad = { name, revision: 'r1', entries: { 'no/key': [Secret.of('a', '1', canaries.password)] } };
    const error: unknown = await outputs.publish(publisher, bad).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ class: 'waiting', reason: 'OutputUnusable' });
    expect(error).toMatchObject({ message: expect.stringContaining('data[no/key]') });
    expect(found(String(error), canaries)).toEqual([]);
  });

  test('that can not be asked for is no outage of the service that the object is at', async () => {
    const nowhere = clientOf(cluster, { server: 'https://127.0.0.1:1' });
    onTestFinished(() => nowhere.close());
    await expect(new Outputs(nowhere).published(publisher, name)).rejects.toMatchObject({
      class: 'unavailable',
      reason: 'OutputUnusable',
    });
  });
});
