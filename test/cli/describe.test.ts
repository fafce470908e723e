// What `describe` tells of what a person has asked: a permission that nobody sees would be used without a question.
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { describe as shown } from '../../src/cli/commands/describe.ts';
import { tableOf } from '../../src/cli/output/objects.ts';
import { Terminal } from '../../src/cli/output/terminal.ts';
import type { DeclaredObject } from '../../src/core/resource.ts';
import type { Entry } from '../../src/core/source/source.ts';
import { noStatus, type Condition, type Status } from '../../src/core/status/status.ts';
import { standard } from '../support/inside.ts';

const entry = (kind: string, more: Partial<DeclaredObject>, status: Status = noStatus): Entry => ({
  object: {
    key: { kind, namespace: 'shop', name: 'x' },
    uid: 'u',
    generation: 1,
    deleting: false,
    held: true,
    requests: {},
    spec: undefined,
    ...more,
  },
  status,
});

function terminalOf() {
  const out = new PassThrough();
  const stream = standard(out);
  return { terminal: new Terminal(stream, stream), text: () => String(out.read() ?? '') };
}

async function text(row: Entry): Promise<string> {
  const { kind, namespace, name } = row.object.key;
  const shownIn = terminalOf();
  const place = {
    namespace,
    list: async () => ({ rows: [row], read: () => undefined }),
    watch: async () => {},
    nextVisit: async () => 'off' as const,
    isUnattended: () => true,
    request: async () => '',
  };
  await shown(`${kind}/${namespace}/${name}`, place, shownIn.terminal);
  return shownIn.text();
}

const described = async (row: Entry): Promise<string> => /^Asked: +(.*)$/m.exec(await text(row))?.[1] ?? '';

const ann = 'ann, 2026-11-20T11:00Z';

test.for([
  {
    why: 'a hold, with who asked for it',
    row: entry('CSISnapshot', {
      requests: { 'retention-hold': 'audit' },
      byCommand: { 'retention-hold': ann },
    }),
    says: `retention-hold, by command (${ann}): audit`,
  },
  {
    why: 'a permission that waits for the deletion',
    row: entry('LDAPConfig', { requests: { 'abandon-root': 'the directory is gone', rotate: '7' } }),
    says: 'abandon-root, by annotation: the directory is gone',
  },
  {
    why: 'all that stand',
    row: entry('LDAPConfig', {
      requests: { 'abandon-root': 'gone', 'force-orphan': 'moved' },
      byCommand: { 'force-orphan': '' },
    }),
    says: 'force-orphan, by command: moved; abandon-root, by annotation: gone',
  },
  { why: 'nothing where nothing stands', row: entry('LDAPConfig', { requests: { rotate: '7' } }), says: '' },
])('tells what stands: $why', async ({ row, says }) => {
  expect(await described(row)).toBe(says);
});

test('what asks nothing of a person is not among what to do: the bind password of a Secret stood there', async () => {
  const conditions = (['PasswordFromSecret', 'Rejected'] as const).map((reason): Condition => ({
    type: 'RootPasswordOwned',
    status: 'False',
    reason,
    message: '',
    observedGeneration: 1,
    lastTransitionTime: '2026-11-20T11:00:00Z',
  }));
  const [, todo = ''] = (await text(entry('LDAPConfig', {}, { ...noStatus, conditions }))).split(
    'What to do',
  );
  expect(todo).toContain('Rejected: ');
  expect(todo).not.toContain('PasswordFromSecret');
});

test('the wide table tells what is held, and why', () => {
  const { titles, cells } = tableOf(terminalOf().terminal, { kind: undefined, wide: true, wallMs: 0 });
  const row = entry('CSISnapshot', { requests: { 'retention-hold': 'audit' } });
  expect(cells(row)[titles.findIndex((title) => title.includes('HELD'))]).toBe('audit');
});

test('an object that is refused in its file has no generation that could be reconciled', async () => {
  expect(await text(entry('CSISnapshot', { generation: 0 }))).not.toMatch(/Generation|not reconciled/);
});

test('the size of a snapshot is told as manifests write sizes, not as a long number of bytes', () => {
  const { terminal } = terminalOf();
  const { titles, cells } = tableOf(terminal, { kind: 'CSISnapshot', wide: false, wallMs: 0 });
  const row = entry('CSISnapshot', {}, { ...noStatus, observed: { sizeBytes: 10 * 2 ** 30 } });
  expect(cells(row)[titles.findIndex((title) => title.includes('SIZE'))]).toBe('10Gi');
});
