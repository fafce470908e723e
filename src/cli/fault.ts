// The fault point of the tests: HOLDFAST_FAULT=kill:before:17 ends the process as SIGKILL does, right before (or
// after) its 17th effect that changes something.
import type { GateOptions } from '../api/effect.ts';
import { UsageError } from '../core/errors.ts';

export function faultFrom(text: string | undefined): Pick<GateOptions, 'fault'> {
  if (text === undefined || text === '') return {};
  const [, at, count] = /^kill:(before|after):([1-9][0-9]{0,8})$/.exec(text) ?? [];
  if (at === undefined)
    throw new UsageError(`HOLDFAST_FAULT: expected kill:before:N or kill:after:N, got ${text}`);
  let left = Number(count);
  return {
    fault(info, phase) {
      if (info.mutates === false || phase !== at) return;
      left--;
      if (left === 0) process.kill(process.pid, 'SIGKILL');
    },
  };
}
