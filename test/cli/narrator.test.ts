// What `dev` and `apply` tell as it happens of the files.
import { expect, test } from 'vitest';
import { Narrator } from '../../src/cli/output/narrator.ts';
import { noStatus, type Condition } from '../../src/core/status/status.ts';
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

const startedAt = '2026-11-28T10:00:00.400Z';

/** What is told of one visit after the other, of an object that became so, or not, in the second of `since`. */
async function told(...visits: readonly (readonly [ready: Condition['status'], since: string])[]) {
  const { stdout } = await inside(async (terminal) => {
    const { hooks } = new Narrator(terminal, false, () => Date.parse(startedAt));
    for (const [status, lastTransitionTime] of visits) {
      const common = { status, reason: 'R', message: 'm', observedGeneration: 1, lastTransitionTime };
      hooks.onVisit({
        key: 'CSIVolume/shop/a',
        done: [],
        ending: { is: 'rest', plan: { verdict: 'in-sync', drift: [] } },
        status: { ...noStatus, conditions: ['Ready', 'Synced'].map((type) => ({ type, ...common })) },
        requeueMs: undefined,
      });
    }
    return 0;
  });
  return stdout
    .replaceAll(/^\S+ +/gm, '')
    .trim()
    .split('\n');
}

const before = '2026-11-28T09:59:59Z';
const sinceThen = '2026-11-28T10:00:00Z';
const ready = '✓ CSIVolume/shop/a  ready';
const waits = '! CSIVolume/shop/a  R: m';

test.each([
  {
    why: 'was so already: thousands of such lines would hide what changes',
    visits: [['True', before]],
    lines: [''],
  },
  { why: 'became so since', visits: [['True', sinceThen]], lines: [ready] },
  { why: 'is not: that must be seen, however old it is', visits: [['False', before]], lines: [waits] },
  {
    why: 'became so again: its loss was told',
    visits: [
      ['True', before],
      ['False', sinceThen],
      ['True', sinceThen],
    ],
    lines: [waits, ready],
  },
] as const)(
  'whether an object is ready is told once, and by what is new: it $why',
  async ({ visits, lines }) => {
    expect(await told(...visits)).toEqual(lines);
  },
);
