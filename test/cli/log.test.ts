// The log of a running operator: every status of thousands of objects in it would bury what was done outside.
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { effectLines } from '../../src/cli/output/log.ts';
import type { EffectInfo } from '../../src/core/effect.ts';

function logged(info: EffectInfo): boolean {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  effectLines(log)(info, 1.6, false);
  return lines.length > 0;
}

test.for<readonly [why: string, is: boolean, EffectInfo['port'], op: string, EffectInfo['mutates']?]>([
  ['a call to a service', true, 'scheduler', 'volume.create'],
  ['a read', false, 'scheduler', 'volume.read', false],
  ['an output in a directory', true, 'output', 'output.write'],
  ['an output in a cluster', true, 'kubernetes', 'secrets.create'],
  ['a restart', true, 'kubernetes', 'daemonsets.patch'],
  ['a restart that is only tried', false, 'kubernetes', 'daemonsets.patch', false],
  ['the state of a directory', false, 'state', 'state.commit'],
  ['a status in a cluster', false, 'kubernetes', 'csivolumes.status'],
  ['a finalizer', false, 'kubernetes', 'csivolumes.patch'],
  ['a Lease', false, 'kubernetes', 'leases.replace'],
  ['the status of a connection', false, 'kubernetes', 'secretsconnections.status'],
])('%s is in the log of effects: %s', ([, is, port, op, mutates = 'findable']) =>
  expect(logged({ port, op, mutates })).toBe(is),
);
