import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { keyText } from '../../../../src/core/resource.ts';
import { volume } from './data.ts';
import { kill, openState, startChild, tempFolder } from './support.ts';

const childTimeoutMs = 20_000;
const limits = { timeout: 30_000 };

describe('a process that is killed while it writes', () => {
  test.each([1, 2, 3, 10, 51])(
    'has lost nothing that it was told is done, and left nothing half done: %i lines',
    limits,
    async (count) => {
      const file = join(tempFolder(), 'state.sqlite');
      const { child, lines } = startChild('write', file);
      await expect
        .poll(() => lines.length, { timeout: childTimeoutMs, interval: 1 })
        .toBeGreaterThanOrEqual(count);
      await kill(child);

      const state = await openState(file); // and its lock is free
      expect(state.installation).toBe('test');
      for (const line of lines) {
        const [what, turn] = line.split(' ');
        const a = state.rows.get(keyText(volume(`a${turn}`)));
        const b = state.rows.get(keyText(volume(`b${turn}`)));
        expect([a?.object.uid, b?.object.uid]).toEqual([`uid-a${turn}`, `uid-b${turn}`]);
        if (what === 'held') expect(a?.object.held).toBe(true);
      }
      // One turn is one transaction: never one of the two without the other.
      expect(state.rows.size % 2).toBe(0);
    },
  );
});
