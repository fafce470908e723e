// What the provider says of a disk is shown, and costs nothing: no request, no change of the plan.
import { expect, test } from 'vitest';
import { noStatus, type Status } from '../../../src/core/status.ts';
import { csiVolume } from '../../../src/kinds/csi-volume/kind.ts';
import { client, connectionTo, never, serve } from '../../api/servers.ts';
import { declared, existing, key, nonce, startMs, uid } from './situation.ts';
import { momentAt } from '../../support/moment.ts';

const told = { type: 'Abnormal', status: 'True', reason: 'ProviderReports', message: 'bad blocks' } as const;
const before: Status<never> = {
  ...noStatus,
  conditions: [{ ...told, observedGeneration: 1, lastTransitionTime: '2026-11-20T00:00:00Z' }],
};

async function look(
  noted: readonly (readonly [string, string])[] | undefined,
  memory: Status<never> = noStatus,
) {
  const { url, seen } = await serve((_, response) => response.end(JSON.stringify(existing)));
  const read = client([url]);
  if (noted) read.disks.note('ebs', new Map(noted));
  const object = { key, uid, generation: 1, deleting: false, held: true, requests: {}, spec: declared };
  const around = { object, memory, read, resolved: new Map(), connection: connectionTo([url]), nonce };
  const looked = await csiVolume.open(object, {}).look(around, never);
  const shown = looked.report().conditions.filter(({ type }) => type === told.type);
  return { shown, plan: looked.plan(momentAt(startMs)), requests: seen.length };
}

test.for([
  { why: 'nothing is known', noted: undefined, memory: noStatus, expected: [] },
  { why: 'nothing is wrong', noted: [], memory: before, expected: [] },
  { why: 'another is not well', noted: [['vol-2', 'bad blocks']], memory: noStatus, expected: [] },
  { why: 'it is not well', noted: [['vol-1', 'bad blocks']], memory: noStatus, expected: [told] },
  { why: 'it was not well, and nobody has listed yet', noted: undefined, memory: before, expected: [told] },
] as const)('$why', async ({ noted, memory, expected }) => {
  const { shown, plan, requests } = await look(noted, memory);
  expect(shown).toEqual(expected);
  expect(requests).toBe(1);
  expect(plan).toEqual((await look(undefined)).plan);
});
