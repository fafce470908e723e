// What a person asks of an object by command: either it does what it says, or it is refused and says what does.
import { describe, expect, test } from 'vitest';
import { generatedBy, retentionHold } from '../../../src/core/effect.ts';
import { parseKey } from '../../../src/core/resource.ts';
import { carryOut, type Target } from '../../../src/runtime/place/requests.ts';
import type { Asked } from '../../../src/runtime/place/answers.ts';

const volume = 'CSIVolume/shop/data';
const snapshot = 'CSISnapshot/shop/nightly-20261120-0200';
const config = 'LDAPConfig/shop/directory';
const connection = 'SchedulerConnection/local';

type Shown = Omit<Asked, 'key'>;
const plain: Shown = { deleting: false, requests: {}, spec: {} };
const made: Shown = { ...plain, requests: { [generatedBy]: 'CSISnapshotSchedule/shop/nightly' } };

function keyOf(text: string): Asked['key'] {
  const key = parseKey(text);
  if (key) return key;
  throw new Error(text);
}

/**
 * Asks something of an object.
 * @param token `undefined` takes the request back
 * @param after the object once that was written
 * @param links what leads to its connection
 */
async function asked(
  object: Shown | undefined,
  key: string,
  name: string,
  token?: string,
  after = object,
  links: Readonly<Record<string, Shown>> = {},
) {
  const written: (string | undefined)[][] = [];
  const whole = (shown: Shown | undefined, at = key) => shown && { key: keyOf(at), ...shown };
  const target: Target = {
    toDelete: 'remove its manifest',
    approve: async () => [],
    trust: async () => false,
    read: () => whole(written.length === 0 ? object : after),
    readLink: (at) => whole(links[at], at),
    overlay: async (...[at, what, value]) => void written.push([at, what, value]),
  };
  const command = { do: 'request', key, name, ...(token !== undefined && { token }) };
  return { ...(await carryOut(command, target, 'ann')), written };
}

describe('a hold', () => {
  test('keeps what a schedule made', async () => {
    const { ok, message, written } = await asked(made, snapshot, retentionHold, 'audit');
    expect({ ok, message }).toEqual({ ok: true, message: `${snapshot} is kept until that is taken back` });
    expect(written).toEqual([[snapshot, retentionHold, 'audit']]);
  });

  test.for([
    {
      why: 'no schedule made it: its disk was destroyed though it was said to be kept',
      object: plain,
      says: 'was not made by a schedule, so it does not expire: to keep what is outside when its manifest goes, declare deletionPolicy: Retain, or run holdfast suspend',
    },
    {
      why: 'it goes already',
      object: { ...made, deleting: true },
      says: 'is being deleted already, which hold does not stop: holdfast suspend',
    },
  ])('is refused where it would keep nothing: $why', async ({ object, says }) => {
    const { ok, message, written } = await asked(object, volume, retentionHold, 'audit');
    expect(ok).toBe(false);
    expect(message).toContain(`${volume} ${says} ${volume}`);
    expect(written).toEqual([]);
  });

  test('is taken back in its own words, also of what no schedule made: earlier versions accepted that', async () => {
    const { message, written } = await asked(plain, volume, retentionHold);
    expect(message).toBe(`${volume} is not held any more`);
    expect(written).toEqual([[volume, retentionHold, undefined]]);
  });
});

test.for([
  { key: snapshot, object: made, name: retentionHold },
  { key: volume, object: { ...plain, deleting: true }, name: 'force-orphan' },
  { key: config, object: { ...plain, deleting: true }, name: 'abandon-root' },
])('$name without a reason is refused: nobody could tell later why', async ({ key, object, name }) => {
  for (const empty of ['', '  ']) {
    const { ok, message, written } = await asked(object, key, name, empty);
    expect([ok, message]).toEqual([false, `${key}: expected a reason that says why`]);
    expect(written).toEqual([]);
  }
});

describe('what only counts for a deletion', () => {
  test.for([
    { key: config, name: 'abandon-root' },
    { key: volume, name: 'force-orphan' },
  ])('$name is refused before that: it would count at some later one, without a question', async (row) => {
    const { ok, message, written } = await asked(plain, row.key, row.name, 'gone');
    expect([ok, message]).toEqual([false, `${row.key} is not being deleted: remove its manifest first`]);
    expect(written).toEqual([]);
  });

  test('is accepted during it', async () => {
    const { message } = await asked({ ...plain, deleting: true }, config, 'abandon-root', 'gone');
    expect(message).toBe(`${config} may be deleted with its bind password`);
  });
});

test.for([
  { key: volume, token: 'true', says: 'is suspended' },
  { key: connection, token: 'true', says: 'is suspended, and with it all objects that use it' },
  { key: volume, token: undefined, says: 'is resumed' },
])('who suspends or resumes $key reads how far that goes', async ({ key, token, says }) => {
  expect((await asked(plain, key, 'suspend', token)).message).toBe(`${key} ${says}`);
});

describe('what is asked of an object that is suspended waits: it was said to be done', () => {
  const role = 'LDAPStaticRole/shop/web';
  const secrets = 'SecretsConnection/local';
  const spec = {
    configRef: { name: 'directory' },
    username: 'web',
    rotationPeriod: '1h',
    onCreate: 'Keep',
  };
  const directory = { connectionRef: { name: 'local' }, mount: 'ldap', bindDN: 'cn=holdfast' };
  const byCommand = { requests: { suspend: 'true' }, byCommand: { suspend: 'ann' } };
  const links = (shared: object, own: object = {}) => ({
    [config]: { ...plain, spec: directory, ...own },
    [secrets]: { ...plain, ...shared },
  });
  const waits = 'that waits while it is suspended';
  const resumed = `with ${secrets}, by command (ann); holdfast resume ${secrets} ends it`;

  test.for([
    { why: 'nothing is', says: 'will be rotated' },
    {
      why: 'the object itself',
      more: byCommand,
      says: `will be rotated; ${waits} by command (ann); holdfast resume ${role} ends it`,
    },
    { why: 'its connection', shared: byCommand, says: `will be rotated; ${waits} ${resumed}` },
    {
      why: 'its connection, by the spec of that',
      shared: { spec: { suspend: true } },
      says: `will be rotated; ${waits} with ${secrets}, by its spec; removing suspend from it ends it`,
    },
    { why: 'its configuration, which suspends no role', own: byCommand, says: 'will be rotated' },
  ])('rotate: $why', async ({ more, shared = {}, own, says }) => {
    const object = { ...plain, spec, ...more };
    const { ok, message, written } = await asked(object, role, 'rotate', 't', object, links(shared, own));
    expect([ok, message]).toEqual([true, `${role} ${says}`]);
    expect(written).toEqual([[role, 'rotate', 't']]);
  });

  test.for([
    { key: config, name: 'rotate-root', says: 'will be rotated' },
    { key: config, name: 'adopt', says: 'will be adopted if it is identical' },
  ])('$name', async ({ key, name, says }) => {
    const object = { ...plain, spec: directory };
    const { message } = await asked(object, key, name, 't', object, links(byCommand));
    expect(message).toBe(`${key} ${says}; ${waits} ${resumed}`);
  });

  test.for(['reconcile', 'suspend'])('%s does not wait', async (name) => {
    const object = { ...plain, spec: directory };
    const { message } = await asked(object, config, name, 'true', object, links(byCommand));
    expect(message).not.toContain('waits');
  });
});

describe('what the manifest asks for, no command takes back: it was said to be resumed and stayed suspended', () => {
  const suspended = { ...plain, spec: { suspend: true } };
  const byCommand = { requests: { suspend: 'true' }, byCommand: { suspend: '' } };
  const bySpec = 'stays suspended by its spec (/spec/suspend';
  test.for([
    {
      why: 'the spec of a file',
      before: { ...suspended, origin: 'shop/data.yaml' },
      says: `${bySpec} in shop/data.yaml); removing suspend from it ends it`,
    },
    { why: 'a spec of the cluster', before: suspended, says: `${bySpec}); removing suspend from it ends it` },
    {
      why: 'the spec, after a command was taken back',
      before: { ...suspended, ...byCommand },
      after: suspended,
      says: `${bySpec}); removing suspend from it ends it`,
    },
    {
      why: 'an annotation of a file',
      before: { ...plain, requests: { suspend: 'true' }, origin: 'shop/data.yaml' },
      says: 'stays suspended by annotation holdfast.dev/suspend (in shop/data.yaml); removing it ends it',
    },
  ])('resume: $why', async ({ before, after, says }) => {
    const { ok, message, written } = await asked(before, volume, 'suspend', undefined, after);
    expect([ok, message]).toEqual([false, `${volume} ${says}`]);
    expect(written).toEqual([[volume, 'suspend', undefined]]);
  });

  test('unhold: an annotation of a file', async () => {
    const held = { ...made, requests: { ...made.requests, [retentionHold]: 'audit' }, origin: 'kept.yaml' };
    const { ok, message } = await asked(held, snapshot, retentionHold);
    const says = 'stays held by annotation holdfast.dev/retention-hold (in kept.yaml); removing it ends it';
    expect([ok, message]).toEqual([false, `${snapshot} ${says}`]);
  });

  test('suspend: what the manifest suspends already is suspended, as it says', async () => {
    const { ok, message } = await asked(suspended, volume, 'suspend', 'true');
    expect([ok, message]).toEqual([true, `${volume} is suspended`]);
  });
});

test.for([
  {
    why: 'in one namespace',
    namespaces: ['shop'],
    expires: false,
    says: 'approved: 12 objects may be deleted or replaced: ',
  },
  {
    why: 'of children by their parents, which stay themselves',
    namespaces: ['shop'],
    expires: true,
    says: 'approved: what 12 objects let expire may be deleted: ',
  },
  {
    why: 'in several, which are all named: whoever works on one may not know of the others',
    namespaces: ['shop', 'crew', 'team'],
    expires: false,
    says: 'approved: 12 objects in 3 namespaces (crew, shop, team) may be deleted or replaced: ',
  },
])('who approves reads how far that goes: $why', async ({ namespaces, expires, says }) => {
  const keys = Array.from(
    { length: 12 },
    (_, i) => `CSIVolume/${namespaces[Math.max(0, i - 9)] ?? 'shop'}/v${i}`,
  );
  const target: Target = {
    toDelete: '',
    approve: async () => keys.map((key) => ({ key, expires })),
    trust: async () => false,
    read: () => undefined,
    readLink: () => undefined,
    overlay: async () => {},
  };
  const { message } = await carryOut({ do: 'approve', digest: 'd' }, target, 'ann');
  expect(message).toBe(`${says}${keys.slice(0, 10).join(', ')}, …`);
});

test('an object that is not there is refused by what stores objects, not here', async () => {
  expect((await asked(undefined, volume, 'suspend', 'true')).written).toHaveLength(1);
});
