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

test.for<{ why: string; info: EffectInfo; is: boolean }>([
  {
    why: 'a call to a service',
    info: { port: 'scheduler', op: 'volume.create', mutates: 'findable' },
    is: true,
  },
  { why: 'a read', info: { port: 'scheduler', op: 'volume.read', mutates: false }, is: false },
  {
    why: 'an output in a directory',
    info: { port: 'output', op: 'output.write', mutates: 'repeatable' },
    is: true,
  },
  {
    why: 'an output in a cluster',
    info: { port: 'kubernetes', op: 'secrets.create', mutates: 'findable' },
    is: true,
  },
  {
    why: 'the state of a directory',
    info: { port: 'state', op: 'state.commit', mutates: 'repeatable' },
    is: false,
  },
  {
    why: 'a status in a cluster',
    info: { port: 'kubernetes', op: 'csivolumes.status', mutates: 'findable' },
    is: false,
  },
  {
    why: 'a finalizer',
    info: { port: 'kubernetes', op: 'csivolumes.patch', mutates: 'findable' },
    is: false,
  },
  {
    why: 'a Lease',
    info: { port: 'kubernetes', op: 'leases.replace', mutates: 'findable' },
    is: false,
  },
  {
    why: 'the status of a connection',
    info: { port: 'kubernetes', op: 'secretsconnections.status', mutates: 'findable' },
    is: false,
  },
])('$why is in the log of effects: $is', ({ info, is }) => expect(logged(info)).toBe(is));
