// The exit code of `apply` is what pipelines go by: what nobody looked at must not pass for ready.
import { expect, test } from 'vitest';
import type { LastVisit } from '../../src/controller/reconcile/endings.ts';
import { noStatus } from '../../src/core/status/status.ts';
import { converge } from '../../src/cli/commands/converge.ts';
import { Narrator } from '../../src/cli/output/narrator.ts';
import type { Terminal } from '../../src/cli/output/terminal.ts';
import type { Problem } from '../../src/core/text/problem.ts';
import { inside } from '../support/inside.ts';

const key = { kind: 'LDAPStaticRole', namespace: 'shop', name: 'web' };
const common = { observedGeneration: 1, lastTransitionTime: '', message: '' };
const conditions = [{ ...common, type: 'Ready', status: 'True' as const, reason: 'InSync' }];
const object = {
  key,
  uid: 'u',
  generation: 1,
  deleting: false,
  held: true,
  requests: {},
  spec: {},
  origin: 'role.yaml',
};
const message = '/configRef: SecretsConnection/secrets: no answer';

test.for<{ why: string; ending: LastVisit['ending']; code: number; shown: RegExp }>([
  {
    why: 'it was looked at and is as declared',
    ending: { is: 'rest', plan: { verdict: 'in-sync', drift: [] } },
    code: 0,
    shown: /shop\/web +True +InSync[^]*1 of 1 ready/,
  },
  {
    why: 'its connection could not be used',
    ending: { is: 'parked', message, early: false },
    code: 3,
    shown:
      /shop\/web +Unknown +ConnectionNotReady +\/configRef: SecretsConnection\/secrets: no answer[^]*0 of 1 ready/,
  },
])('an object that was ready before ends with $code where $why', async ({ ending, code, shown }) => {
  const ended = await inside((terminal) =>
    converge(
      {
        controller: { run: () => {}, last: () => ({ ending }) },
        settle: async () => true,
        approvals: { distrusted: undefined },
        source: {
          keys: () => ['LDAPStaticRole/shop/web'],
          read: () => ({ object, status: { ...noStatus, conditions } }),
          secret: async () => ({ is: 'pending' }),
        },
      },
      new Narrator(terminal, false, () => 0),
      terminal,
      { output: 'text', timeUp: new AbortController().signal, facts: () => ({}) },
    ),
  );
  expect(ended.stdout).toMatch(shown);
  expect(ended.code).toBe(code);
});

const ofNothing = (terminal: Terminal, problems: readonly Problem[] = []) =>
  converge(
    {
      controller: { run: () => {}, last: () => undefined },
      settle: async () => true,
      approvals: { distrusted: undefined },
      source: { keys: () => [], read: () => undefined, secret: async () => ({ is: 'pending' }) },
    },
    new Narrator(terminal, false, () => 0),
    terminal,
    {
      output: 'text',
      timeUp: new AbortController().signal,
      facts: () => ({}),
      problems: () => problems,
    },
  );

test.for([
  { why: 'there is nothing', problems: [], says: /^Nothing is declared\.$/m },
  {
    why: 'what there is can not be used',
    problems: [{ origin: 'holdfast.yaml', message: 'is missing' }],
    says: /^Nothing that is declared can be used\.\n\n0 of 0 ready, 1 invalid$/m,
  },
])('of no objects it is said whether $why', async ({ problems, says }) => {
  const ended = await inside((terminal) => ofNothing(terminal, problems));
  expect(ended.stdout).toMatch(says);
});

test.for([
  { above: [], of: 'a pass that changed nothing' },
  { above: ['token', ''], of: 'a pass that changed nothing, below a heading' },
  { above: ['token', '', '+ made'], of: 'progress' },
])('one empty line parts the result from what is above: below $of', async ({ above }) => {
  const ended = await inside((terminal) => {
    for (const line of above) terminal.line(line);
    return ofNothing(terminal);
  });
  const apart = above.length > 0 && above.at(-1) !== '' ? [''] : [];
  expect(ended.stdout.split('\n').slice(0, -3)).toEqual([...above, ...apart, 'Nothing is declared.']);
});
