// What `dev` and `apply` tell as it happens of the files.
import { expect, test } from 'vitest';
import { Narrator } from '../../src/cli/output/narrator.ts';
import { inside } from '../support/inside.ts';

const problem = (origin: string, message: string) => ({ origin, message });

test('a file is said to be in order once, and not while anything is wrong with it: another problem took the place of the first', async () => {
  const two = [problem('v.yaml', '/spec/a'), problem('v.yaml', '/spec/b')];
  const empty = [problem('v.yaml', 'holds nothing')];
  const { stdout, stderr } = await inside(async (terminal) => {
    const { hooks } = new Narrator(terminal, false, () => 0);
    const of = { appeared: [], cleared: [], problems: [], waiting: 0 };
    hooks.onScan({ ...of, problems: empty, appeared: empty, cleared: two });
    hooks.onScan({ ...of, cleared: [...empty, problem('other.yaml', 'x'), problem('other.yaml', 'y')] });
    return 0;
  });
  expect(stderr).toBe('v.yaml: holds nothing\n');
  expect(stdout.replaceAll(/^\S+ +/gm, '')).toBe('✓ v.yaml  problem solved\n✓ other.yaml  problem solved\n');
});
