// The fault point for tests. HOLDFAST_FAULT=kill:before:17 kills the process with SIGKILL before (during, after) its
// 17th mutation. HOLDFAST_FAULT=log:FILE logs each mutation before it happens.
import { appendFileSync } from 'node:fs';
import type { GateOptions } from '../api/effect.ts';
import type { EffectInfo } from '../core/effect.ts';
import { UsageError } from '../core/errors.ts';
import type { Process } from './process.ts';

const expected = 'kill:before:N, kill:during:N, kill:after:N or log:FILE';

export function faultOf({ env }: Process): Pick<GateOptions, 'fault'> {
  const text = env['HOLDFAST_FAULT'];
  if (text === undefined || text === '') return {};
  const [, log] = /^log:(.+)$/s.exec(text) ?? [];
  if (log !== undefined) {
    return {
      fault(info, phase) {
        if (info.mutates !== false && phase === 'before') appendFileSync(log, `${JSON.stringify(info)}\n`);
      },
    };
  }
  const [, at, count] = /^kill:(before|during|after):([1-9][0-9]{0,8})$/.exec(text) ?? [];
  if (at === undefined) throw new UsageError(`HOLDFAST_FAULT: expected ${expected}, got ${text}`);
  let left = Number(count);
  let aimed: EffectInfo | undefined; // other mutations may begin before this one ends
  return {
    fault(info, phase) {
      if (info.mutates === false) return;
      if (phase === 'before' && --left === 0) aimed = info;
      if (info === aimed && phase === at) process.kill(process.pid, 'SIGKILL');
    },
  };
}
