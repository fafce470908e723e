// The event stream. Policies and tokens have events everywhere and can be made by the API of every target; where volumes
// have topics, they stand for what has a namespace.
import { afterEach, describe, expect, test } from 'vitest';
import { proves } from '../coverage/proves.ts';
import type { Bench } from './bench.ts';
import { until } from './client.ts';
import type { EventReader, StreamedEvent } from './event-reader.ts';
import { EventStreams, future, keysOf } from './event-streams.ts';
import { allBut, just } from './rules.ts';
import { Tokens } from './tokens.ts';

const is = (key: string) => (event: StreamedEvent) => event.Key === key;

export function eventCases(bench: Bench): void {
  const { target } = bench;
  const tokens = new Tokens(bench);
  const nomad = target.dialectName === 'nomad';
  const streams = new EventStreams(bench);
  const open = (query: string) => streams.open(query);
  const node = { node: { policy: 'read' } };

  /** Changes something. @returns its key and the index of the change. */
  const change = async (): Promise<{ readonly key: string; readonly index: number }> => {
    const Name = bench.fresh('event');
    const answer = await bench.client.put(`/v1/acl/policy/${Name}`, { Name, Rules: JSON.stringify(node) });
    return { key: tokens.known(Name), index: bench.indexOf(answer) };
  };

  /** Changes something that has a namespace. */
  const topic = nomad ? 'CSIVolume' : 'Job';
  const changeIn = async (namespace: string): Promise<string> => {
    const ID = bench.fresh('thing');
    if (nomad) await bench.create(ID, { Namespace: namespace });
    else await bench.client.post('/setup/jobs', { ID, Namespace: namespace });
    return ID;
  };

  describe.skipIf(target.token === undefined)('the event stream', () => {
    afterEach(async () => {
      streams.close();
      await tokens.forget();
    });

    test('begins with a heartbeat at once: whoever hears it is subscribed', async () => {
      proves('no events in an object are a heartbeat');
      const reader = await open(`topic=ACLPolicy:${bench.fresh('none')}`);
      expect(await reader.line()).toEqual({});
      expect([reader.status, reader.headers['content-type'], reader.headers['cache-control']]).toEqual([
        200,
        'application/json',
        'no-cache',
      ]);
      expect(reader.headers['content-encoding']).toBe(undefined);
    });

    test('without an index all that is still there is told, in order; each frame has the index of its change', async () => {
      proves('`GET /v1/event/stream` tells the backlog first, then what is new');
      proves('each event has the index of its change; a subscriber resumes with it');
      proves('without a topic all are told, which needs management');
      const [one, two] = [await change(), await change()];
      const reader = await open('topic=ACLPolicy');
      const events = await reader.eventsTo(is(two.key));
      const [first, last] = events.slice(-2);
      expect(first).toMatchObject({
        Topic: 'ACLPolicy',
        Type: 'ACLPolicyUpserted',
        Key: one.key,
        Index: one.index,
      });
      expect(last).toMatchObject({ Namespace: '', FilterKeys: null, Index: two.index });
      expect(last?.Payload.ACLPolicy).toMatchObject({ Name: two.key, Rules: JSON.stringify(node) });
    });

    test('an index is where it starts, itself included; the next one is where somebody goes on', async () => {
      proves('`index` is where to start; where that is gone, the next one');
      const [one, two] = [await change(), await change()];
      const here = await open(`topic=ACLPolicy&index=${one.index}`);
      expect((await here.frame()).Index).toBe(one.index);
      expect((await here.frame()).Index).toBe(two.index);
      const after = await open(`topic=ACLPolicy&index=${one.index + 1}`);
      expect((await after.frame()).Index).toBe(two.index);
    });

    test('an index of the future starts with what comes; really with the newest frame once more', async () => {
      proves('an `index` beyond the newest tells nothing of before');
      const one = await change();
      await (await open(`topic=ACLPolicy:${one.key}`)).frame(); // a change may be known before it is told
      const reader = await open(`index=${future}`);
      if (nomad) expect((await reader.frame()).Index).toBeGreaterThanOrEqual(one.index);
      else await reader.line();
      const two = await change();
      const events = await reader.eventsTo(is(two.key));
      expect(keysOf(events)).not.toContain(one.key);
      if (!nomad) expect(keysOf(events)).toEqual([two.key]);
    });

    test('what happens later comes as it happens, to each who listens', async () => {
      proves('`GET /v1/event/stream` tells the backlog first, then what is new');
      const both = [await open(`topic=ACLPolicy&index=${future}`), await open(`index=${future}`)];
      for (const reader of both) await reader.line();
      const { key } = await change();
      for (const reader of both) expect((await reader.eventsTo(is(key))).at(-1)?.Key).toBe(key);
    });

    test('keys select exactly: no prefix, no part, and several of them add up', async () => {
      proves('`topic` is `topic:key` and repeatable; a topic alone is all of it');
      const [one, two, three] = [await change(), await change(), await change()];
      const second = `topic=ACLPolicy:${two.key}`;
      const reader = await open(
        `${second}&topic=ACLPolicy:${three.key}&topic=ACLPolicy:${one.key.slice(0, -1)}`,
      );
      expect(keysOf(await reader.eventsTo(is(three.key)))).toEqual([two.key, three.key]);
      const any = await open(`topic=*:${two.key}&index=${one.index}`);
      expect(keysOf((await any.frame()).Events)).toEqual([two.key]);
    });

    test('keys add up, and a topic alone is all of it; really a star is any key only while it stands alone', async () => {
      proves('`topic` is `topic:key` and repeatable; a topic alone is all of it');
      const one = await change();
      const mixed = await open(`topic=ACLPolicy:*&topic=ACLPolicy:none&topic=ACLToken&index=${one.index}`);
      const token = await tokens.of([one.key]);
      const events = await mixed.eventsTo(is(token.AccessorID));
      expect(events.map((event) => event.Topic)).toEqual([...(nomad ? [] : ['ACLPolicy']), 'ACLToken']);
    });

    test('what is removed is told as it was last', async () => {
      const { key, index } = await change();
      const token = await tokens.of([key]);
      const reader = await open(`topic=ACLToken:${token.AccessorID}&topic=ACLPolicy:${key}&index=${index}`);
      await bench.client.delete(`/v1/acl/token/${token.AccessorID}`);
      await bench.client.delete(`/v1/acl/policy/${key}`);
      const events = await reader.eventsTo((event) => event.Type === 'ACLPolicyDeleted');
      expect(events.map((event) => event.Type)).toEqual([
        'ACLPolicyUpserted',
        'ACLTokenUpserted',
        'ACLTokenDeleted',
        'ACLPolicyDeleted',
      ]);
      expect(events[3]?.Payload.ACLPolicy).toMatchObject({ Name: key, ModifyIndex: index });
      expect(events[1]?.Payload.ACLToken).toMatchObject({ AccessorID: token.AccessorID, SecretID: '' });
      expect(JSON.stringify(events)).not.toContain(token.SecretID);
    });

    test('events of other namespaces do not come, and a star stands for those that were there', async () => {
      proves('`namespace` selects events; `*` needs the right to all');
      const [mine, other] = [await tokens.namespace(), await tokens.namespace()];
      const reader = await open(`topic=${topic}&namespace=${mine}&index=${future}`);
      const everywhere = await open(`topic=${topic}&namespace=*&index=${future}`);
      for (const one of [reader, everywhere]) await one.line();
      const late = await tokens.namespace();
      const ids = [await changeIn(other), await changeIn(late), await changeIn(mine)];
      expect(keysOf(await reader.eventsTo(is(ids[2] ?? '')))).toEqual([ids[2]]);
      const all = keysOf(await everywhere.eventsTo(is(ids[2] ?? '')));
      expect(ids.filter((id) => all.includes(id))).toEqual([ids[0], ids[2]]);
    });

    test('an event without a namespace comes whatever namespace is asked for, also one that is not there', async () => {
      const one = await change();
      const reader = await open(`topic=ACLPolicy:${one.key}&namespace=nowhere`);
      expect((await reader.frame()).Index).toBe(one.index);
    });

    const needs: readonly { topic: string; acl: string }[] = [
      ...['Job', 'Allocation', 'Deployment', 'Evaluation', 'Service'].map((one) => {
        return { topic: one, acl: 'namespace:read-job' };
      }),
      { topic: 'Node', acl: 'node:read' },
      ...(nomad
        ? [
            { topic: 'CSIVolume', acl: 'namespace:csi-read-volume' },
            { topic: 'CSIPlugin', acl: 'namespace:read-job' },
            { topic: 'HostVolume', acl: 'namespace:host-volume-read' },
          ]
        : []),
    ];
    test.each(needs)('$topic needs $acl and nothing else', async ({ topic: one, acl }) => {
      proves(
        '`Job`, `Allocation`, `Deployment`, `Evaluation` and `Service` need `read-job`, `Node` needs `node:read`',
      );
      const reader = await streams.openAs(await tokens.with(just([acl])), `topic=${one}`);
      expect([reader.status, await reader.line()]).toEqual([200, {}]);
      await streams.expectDenied(await streams.openAs(await tokens.with(allBut([acl])), `topic=${one}`));
    });

    const managed = [
      '*',
      'ACLToken',
      'ACLPolicy',
      'ACLRole',
      'NodePool',
      'Unknown',
      ...(nomad ? [] : ['CSIVolume']),
    ];
    test.each(managed)('%s needs a token of management', async (one) => {
      proves('`*`, `ACLToken`, `ACLPolicy`, `ACLRole` and `NodePool` need management');
      await streams.expectDenied(await streams.openAs(await tokens.with(allBut([])), `topic=${one}`));
      expect(await (await open(`topic=${one}&index=${future}`)).line()).toEqual({});
    });

    test('all topics and all namespaces have to be allowed; no topic is all of them', async () => {
      proves('`namespace` selects events; `*` needs the right to all');
      proves('without a topic all are told, which needs management');
      const team = await tokens.namespace();
      const token = await tokens.with({ namespace: { [team]: { policy: 'read' } }, ...node });
      const allowed = await streams.openAs(token, `topic=Job&namespace=${team}&topic=Node`);
      expect([allowed.status, await allowed.line()]).toEqual([200, {}]);
      for (const query of [
        'topic=Job',
        'topic=Job&namespace=*',
        `topic=Job&namespace=${team}&topic=ACLToken`,
        `namespace=${team}`,
      ]) {
        await streams.expectDenied(await streams.openAs(token, query));
      }
      await streams.expectDenied(await streams.openAs({ SecretID: 'unknown' }, 'topic=Node'));
    });

    test('tells nothing more when its token loses the right or is deleted, and not before', async () => {
      const right = just([nomad ? 'namespace:csi-read-volume' : 'namespace:read-job']);
      const name = await tokens.policy(right);
      const [changed, deleted] = [await tokens.of([name]), await tokens.with(right)];
      const query = `topic=${topic}&index=${future}`;
      const [mine, gone] = [await streams.openAs(changed, query), await streams.openAs(deleted, query)];
      const witness = await open(query);
      for (const reader of [mine, gone, witness]) await reader.line();

      const tellsNothingMore = async (reader: EventReader): Promise<void> => {
        await streams.expectOver(reader);
        const isTold = async (): Promise<boolean> => {
          const key = await changeIn('default');
          await witness.eventsTo(is(key));
          return reader.hasHeardOf(key);
        };
        // Nomad may look at its rights before the change is stored, and then not again until the next change of any rights.
        const isSilent = async (): Promise<boolean> => {
          await change();
          return !(await isTold()) && !(await isTold());
        };
        if (!reader.hasEnded) await until('nothing more is told', isSilent);
        expect(await isTold()).toBe(false);
      };

      await tokens.policy({ ...right, agent: { policy: 'read' } }, name);
      await bench.client.delete(`/v1/acl/token/${deleted.AccessorID}`);
      await tellsNothingMore(gone);
      await mine.eventsTo(is(await changeIn('default')));

      await tokens.policy({ agent: { policy: 'read' } }, name);
      await tellsNothingMore(mine);
    });

    test.each([
      { query: 'index=x', says: 'Unable to parse index: strconv.Atoi: parsing "x": invalid syntax' },
      { query: 'topic=a:b:c', says: 'Invalid key value pair for topic, topic: a:b:c' },
    ])('?$query is 400, whoever asks', async ({ query, says }) => {
      const reader = await streams.openAs({ SecretID: 'unknown' }, query);
      expect([reader.status, await reader.end()]).toEqual([400, expect.stringContaining(says)]);
    });

    test('is read with GET only', async () => {
      const answer = await bench.client.post('/v1/event/stream', undefined);
      expect([answer.status, answer.text]).toEqual([405, 'Invalid method']);
    });
  });
}
