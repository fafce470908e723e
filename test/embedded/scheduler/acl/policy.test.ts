import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Granted, rulesIn } from '../../../../src/embedded/scheduler/acl/policy.ts';
import { temporaryFile } from '../files.ts';
import { HttpClient } from '../../../contract/client.ts';
import { running } from '../running.ts';

const granted = (...rules: readonly object[]) =>
  new Granted(rules.map((one) => rulesIn(JSON.stringify(one))));
const lists = { capabilities: ['list-jobs'] };

describe('what policies give', () => {
  test.each([
    { rules: { default: lists }, namespace: 'default', may: true, why: 'a name is itself' },
    { rules: { default: lists }, namespace: 'default2', may: false, why: 'and nothing else' },
    { rules: { '*': lists }, namespace: 'any', may: true, why: 'a star is any text' },
    { rules: { 'a*': lists }, namespace: 'a', may: true, why: 'also none' },
    { rules: { 'a*b': lists }, namespace: 'ab-b', may: true, why: 'in the middle, too' },
    { rules: { 'a*b': lists }, namespace: 'ab-c', may: false, why: 'what follows it counts' },
    { rules: { 'ab*ba': lists }, namespace: 'aba', may: false, why: 'no letter counts twice' },
    { rules: { '*': lists, a: {} }, namespace: 'a', may: false, why: 'a name wins over patterns' },
    { rules: { '*': lists, 'a*': {} }, namespace: 'ab', may: false, why: 'the closest pattern wins' },
    { rules: { '*': {}, 'a*': lists }, namespace: 'ab', may: true, why: 'whatever it gives' },
    {
      rules: { a: { ...lists, policy: 'deny' } },
      namespace: 'a',
      may: false,
      why: 'deny beats what is given',
    },
    { rules: { a: lists, b: {} }, namespace: '*', may: true, why: 'anywhere is one of them' },
    { rules: { a: { policy: 'deny' } }, namespace: '*', may: false, why: 'or none' },
  ])('$rules in $namespace: $why', ({ rules, namespace, may }) => {
    expect(granted({ namespace: rules }).inNamespace('list-jobs', namespace)).toBe(may);
  });

  test('several policies add up, but for what one of them denies', () => {
    const two = [{ namespace: { a: lists } }, { namespace: { a: { capabilities: ['read-job'] } } }];
    expect(granted(...two).inNamespace('read-job', 'a')).toBe(true);
    expect(granted(...two).inNamespace('list-jobs', 'a')).toBe(true);
    expect(granted(...two, { namespace: { a: { policy: 'deny' } } }).inNamespace('any', 'a')).toBe(false);
  });

  test('any pattern matches as an expression would, and none is slow', () => {
    const name = fc.stringMatching(/^[ab*]{1,12}$/);
    fc.assert(
      fc.property(name, fc.stringMatching(/^[ab]{1,12}$/), (pattern, namespace) => {
        const expression = new RegExp(`^${pattern.replaceAll('*', '.*')}$`);
        const rules = granted({ namespace: { [pattern]: lists } });
        expect(rules.inNamespace('list-jobs', namespace)).toBe(expression.test(namespace));
      }),
    );
    const hostile = granted({ namespace: { [`${'*a'.repeat(63)}*b`]: lists } });
    expect(hostile.inNamespace('list-jobs', 'a'.repeat(100_000))).toBe(false);
  });

  test.each([
    { levels: ['read'], reads: true, lists: true, why: 'reading is listing, too' },
    { levels: ['list'], reads: false, lists: true, why: 'listing is not reading' },
    { levels: ['write'], reads: false, lists: false, why: 'the real service knows no write of plugins' },
    { levels: ['read', 'write'], reads: false, lists: false, why: 'which beats what is useful' },
    { levels: ['read', 'list'], reads: true, lists: true, why: 'the greater one counts' },
    { levels: ['deny', 'read'], reads: false, lists: false, why: 'deny counts first' },
  ])('plugins with $levels: $why', ({ levels, reads, lists: listing }) => {
    const rules = granted(...levels.map((policy) => ({ plugin: { policy } })));
    expect([rules.ofKind('plugin', 'read'), rules.ofKind('plugin', 'list')]).toEqual([reads, listing]);
  });

  test('write of nodes, agents and operators is read, too; nothing is given that is not said', () => {
    const rules = granted({ node: { policy: 'write' }, agent: { policy: 'read' } });
    const asked = ['node read', 'node write', 'agent read', 'agent write', 'operator read', 'x read'];
    expect(asked.filter((one) => rules.ofKind(one.split(' ')[0] ?? '', one.split(' ')[1] ?? ''))).toEqual([
      'node read',
      'node write',
      'agent read',
    ]);
  });

  test.each([
    { rules: 'namespace "default" { policy = "read" }', says: 'as JSON, not as HCL', why: 'one form' },
    { rules: '{}', says: 'no rules', why: 'a policy says something' },
    { rules: '{"namespace":{"a_b":{}}}', says: 'Invalid namespace name: a_b', why: 'names have a form' },
    {
      rules: '{"namespace":{"a":{"policy":"all"}}}',
      says: 'Invalid namespace policy: all',
      why: 'four words',
    },
    { rules: '{"plugin":{"policy":"scale"}}', says: 'Invalid plugin policy: scale', why: 'by kind' },
    { rules: '{"namespace":[]}', says: 'Rules.namespace: expected a map', why: 'by name' },
  ])('$rules is refused: $why', ({ rules, says }) => {
    expect(() => rulesIn(rules)).toThrow(says);
  });
});

describe('policies and tokens', () => {
  const seed = {
    policies: [{ name: 'nodes', rules: '{"node":{"policy":"read"}}' }],
    tokens: [{ secretID: 'chosen', name: 'of the seed', type: 'client', policies: ['nodes'] }],
  };

  test('outlive the process, and a token that expires does so on the clock of the server', async () => {
    const file = temporaryFile();
    const first = await running({ file, token: 'root', seed });
    const root = new HttpClient(first.server.url, { 'x-nomad-token': 'root' });
    const body = { Name: 'short', Type: 'client', Policies: ['nodes'], ExpirationTTL: '1h' };
    const short = (await root.put('/v1/acl/token', body)).json().SecretID;
    await root.close();
    await first.stop();
    const second = await running({ file, token: 'another root', seed: {} }, first.clock);
    const nodes = async (token: string) =>
      (await second.client.get('/v1/nodes', { headers: { 'x-nomad-token': token } })).status;
    expect([await nodes('chosen'), await nodes(short), await nodes('root')]).toEqual([200, 200, 403]);
    second.clock.advance(3_600_000);
    expect([await nodes('chosen'), await nodes(short)]).toEqual([200, 403]);
    await second.stop();
  });

  test('where no token is asked for, all may, and the ACL system says that it is off', async () => {
    const { client, stop } = await running({ seed });
    expect((await client.get('/v1/nodes', { headers: { 'x-nomad-token': 'unknown' } })).status).toBe(200);
    const answer = await client.get('/v1/acl/token/self');
    expect([answer.status, answer.text]).toEqual([400, 'ACL support disabled']);
    await stop();
  });
});
