// What a connection to the embedded services is told where it can't use them: people do next what it says.
import { expect, test } from 'vitest';
import { EffectGate } from '../../src/api/effect.ts';
import type { Connection } from '../../src/core/connection.ts';
import { Secret } from '../../src/core/secret.ts';
import { dialects, type DialectsName, type RunningEmbedded } from '../../src/runtime/embedded/running.ts';
import { connect } from '../../src/runtime/services.ts';
import { connectionTo } from '../kinds/ldap-static-role/surroundings.ts';

type Of = Pick<Connection, 'service' | 'dialect'>;

/** What a read of the connection fails with. */
async function refusal(of: Of, embedded: RunningEmbedded | undefined): Promise<string> {
  const gate = new EffectGate({ nowMs: () => performance.now() });
  const connection = { ...connectionTo('local'), ...of, addresses: ['embedded'] };
  const { reader } = connect(connection, { gate, embedded: () => embedded });
  const error: unknown = await reader
    .read('plugin.list', {}, AbortSignal.timeout(1000))
    .catch((e: unknown) => e);
  return error instanceof Error ? error.message : 'none';
}

function embeddedIn(name: DialectsName): RunningEmbedded {
  const { scheduler, secrets } = dialects[name];
  const url = 'http://127.0.0.1:1';
  const token = Secret.of('token', '', 'canary');
  return { scheduler: { url, dialect: scheduler }, secrets: { url, dialect: secrets }, token };
}

const plain = '`holdfast dev`';
const real = '`holdfast dev --dialect nomad`';

test.each<[Of, string]>([
  [{ service: 'scheduler', dialect: 'cluster' }, plain],
  [{ service: 'scheduler', dialect: 'nomad' }, real],
  [{ service: 'secrets', dialect: 'secrets' }, plain],
  [{ service: 'secrets', dialect: 'vault' }, real],
])('who needs %o is told how to start it: it speaks another dialect by default', async (of, start) => {
  const { service, dialect } = of;
  expect(await refusal(of, undefined)).toBe(`no embedded ${service} service is running: start ${start}`);
  const other = embeddedIn(start === real ? 'cluster' : 'nomad');
  // A plan serves itself what was there last: nobody runs what it would say is of another dialect.
  const still = await refusal(of, { ...other, isStill: true });
  expect(still).toBe(`no embedded ${service} service that speaks ${dialect} is running: start ${start}`);
  const speaks = `the embedded ${service} service speaks ${other[service].dialect}, the connection says ${dialect}`;
  const mend = `change the connection, or end \`holdfast dev\` and start ${start}`;
  expect(await refusal(of, other)).toBe(`${speaks}: ${mend}`);
});
