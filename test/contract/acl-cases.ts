// ACL policies and tokens: what each operation needs, in which namespace, and what becomes of tokens.
import { afterAll, describe, expect, test } from 'vitest';
import { schedulerRoutes } from '../../src/api/scheduler/routes.ts';
import { proves } from '../coverage/proves.ts';
import { Allocations, nobody } from './allocations.ts';
import type { Bench } from './bench.ts';
import { until, type Answer } from './client.ts';
import { judgedElsewhere, operationCases, type OperationCase } from './operation-cases.ts';
import { allBut, just, ways } from './rules.ts';
import { Tokens } from './tokens.ts';

const said = ({ status, text }: Answer) => [status, text];
const no = [403, 'Permission denied'];

/** Of what a list has in namespaces whose name begins so. */
const idsOf = (answer: Answer, namespace: string): readonly string[] =>
  answer
    .json()
    .filter((one: { readonly Namespace: string }) => one.Namespace.startsWith(namespace))
    .map((one: { readonly ID: string }) => one.ID);

export function aclCases(bench: Bench): void {
  const { target } = bench;
  const tokens = new Tokens(bench);
  const of = new Allocations(bench);
  const served = new Set(Object.values(schedulerRoutes).map(({ method, path }) => `${method} ${path}`));
  const possible = operationCases.filter(
    (one) =>
      served.has(one.route) && (target.embedded || !one.embedded) && (target.job !== undefined || !one.job),
  );
  const needsOf = ({ cluster, nomad }: OperationCase) =>
    target.dialectName === 'nomad' ? (nomad ?? cluster) : cluster;

  describe.skipIf(target.token === undefined)('tokens', () => {
    afterAll(() => tokens.forget());

    test('each operation of the route table has its case', () => {
      proves('each operation needs what the documents name, and nothing more');
      const judged = new Set([...operationCases.map(({ route }) => route), ...judgedElsewhere]);
      expect([...served].filter((route) => !judged.has(route))).toEqual([]);
    });

    test.each(possible)(
      '$route: who lacks just what it needs is denied, and nothing happens',
      async (one) => {
        proves('each operation needs what the documents name, and nothing more');
        const { method, path, body } = await one.request(bench, of);
        const request = { method, path, ...(body !== undefined && { body }) };
        const before = await one.unchanged?.(bench, of, request);
        const refusal = target.dialectName === 'nomad' ? one.refusal?.nomad : undefined;
        const [status, text] = refusal ?? [403, /^Permission denied$/];
        for (const missing of needsOf(one)) {
          const answer = await tokens.send(await tokens.with(allBut(missing)), method, path, request);
          expect(said(answer)).toEqual([status, expect.stringMatching(text)]);
        }
        expect(said(await tokens.send(undefined, method, path, request))[0]).toBe(status);
        expect(await one.unchanged?.(bench, of, request)).toEqual(before);
      },
    );

    test.each(possible)('$route: who has just what it needs passes', async (one) => {
      proves('each operation needs what the documents name, and nothing more');
      for (const way of ways(needsOf(one))) {
        const { method, path, body } = await one.request(bench, of);
        const token = await tokens.with(just(way));
        const answer = await tokens.send(token, method, path, { body });
        expect(said(answer).join(' '), `with ${way.join(' and ')}`).toMatch(one.passes ?? /^200 /);
        if (one.route.endsWith('/restart')) await until('it runs again', () => isRunning(of));
      }
    });

    test('the body says in which namespace a volume is written, the query where it is not said', async () => {
      proves('the body says the namespace, otherwise the query');
      const team = await tokens.namespace();
      const needs = { capabilities: ['csi-write-volume'] };
      const token = await tokens.with({ namespace: { [team]: needs }, plugin: { policy: 'read' } });
      const create = (query: string, more: object) => {
        const ID = bench.fresh('v');
        const body = bench.body({ ID, Name: ID, ...more });
        return tokens.send(token, 'PUT', `/v1/volume/csi/${ID}/create${query}`, { body });
      };
      expect(said(await create('', {}))).toEqual(no);
      expect(said(await create(`?namespace=${team}`, { Namespace: 'default' }))).toEqual(no);
      expect((await create(`?namespace=${team}`, {})).status).toBe(200);
      expect((await create('?namespace=default', { Namespace: team })).status).toBe(200);
    });

    test('whoever has no right there is told in a read of one volume before whether it is there', async () => {
      const token = await tokens.with({ namespace: { other: { policy: 'write' } } });
      expect(said(await tokens.get(token, '/v1/volume/csi/absent'))).toEqual(no);
    });

    test('an allocation that is not there is not there for everybody', async () => {
      const token = await tokens.with({ node: { policy: 'read' } });
      const answer = await tokens.get(token, `/v1/allocation/${nobody}`);
      expect(said(answer)).toEqual([404, 'alloc not found']);
      const body = { Signal: 'SIGHUP' };
      const signal = await tokens.send(token, 'POST', `/v1/client/allocation/${nobody}/signal`, { body });
      expect(said(signal)).toEqual([404, expect.stringContaining('Unknown allocation')]);
      const unknown = await tokens.get({ SecretID: nobody }, `/v1/allocation/${nobody}`);
      expect(said(unknown)).toEqual(no);
    });

    test('a list of everything has what may be read of it: none of it is an empty list', async () => {
      proves('`namespace=*` lists the allocations of all namespaces that may be read');
      const some = await tokens.with({ namespace: { 'default*': { policy: 'read' } } });
      const elsewhere = await tokens.with({ namespace: { 'no-such-team': { policy: 'read' } } });
      const nowhere = await tokens.with({ node: { policy: 'read' } });
      for (const path of ['/v1/allocations', '/v1/jobs']) {
        await until('it has all of them', async () => {
          const all = idsOf(await bench.client.get(`${path}?namespace=*`), 'default');
          const mine = idsOf(await tokens.get(some, `${path}?namespace=*`), '');
          return String(mine) === String(all); // replacements of other cases may come in between
        });
        expect(said(await tokens.get(elsewhere, `${path}?namespace=*`))).toEqual([200, '[]']);
        expect(said(await tokens.get(elsewhere, path))).toEqual(no);
        expect(said(await tokens.get(nowhere, `${path}?namespace=*`))).toEqual(no);
      }
    });

    test('the list of volumes everywhere has them all, or those that may be read, by dialect', async () => {
      proves('`namespace` is by default `default`; a list takes `*` for all');
      const team = await tokens.namespace();
      const mine = bench.fresh('v');
      await bench.create(mine, { Namespace: team });
      const other = await bench.created();
      const token = await tokens.with({ namespace: { [team]: { policy: 'read' } } });
      const answer = await tokens.get(token, '/v1/volumes?type=csi&namespace=*');
      const ids = answer.json().map((one: { readonly ID: string }) => one.ID);
      expect([ids.includes(mine), ids.includes(other.ID)]).toEqual([true, target.dialectName === 'nomad']);
    });

    test('namespaces are told to who has any right there', async () => {
      const [team, denied] = [await tokens.namespace(), await tokens.namespace()];
      const rules = { [team]: { capabilities: ['list-jobs'] }, [denied]: { policy: 'deny' } };
      const answer = await tokens.get(await tokens.with({ namespace: rules }), '/v1/namespaces');
      expect(answer.json().map((one: { readonly Name: string }) => one.Name)).toEqual([team]);
    });

    test('policies are looked up with each request: who is changed, denied or deleted notices at once', async () => {
      proves('the policies of the token decide, as they are at the request');
      const name = await tokens.policy({ namespace: { default: { policy: 'read' } } });
      const token = await tokens.of([name, 'no-such-policy']);
      const list = async () => (await tokens.get(token, '/v1/jobs')).status;
      expect(await list()).toBe(200);
      await tokens.policy({ node: { policy: 'read' } }, name);
      expect(await list()).toBe(403);
      await tokens.policy({ namespace: { '*': { policy: 'write' }, default: { policy: 'deny' } } }, name);
      expect(await list()).toBe(403);
      await tokens.policy({ namespace: { '*': { capabilities: ['list-jobs'] } } }, name);
      expect(await list()).toBe(200);
      await bench.client.delete(`/v1/acl/token/${token.AccessorID}`);
      expect(await list()).toBe(403);
    });

    test('who sends no token has what the policy named anonymous gives', async () => {
      expect(said(await tokens.get(undefined, '/v1/nodes'))).toEqual(no);
      await tokens.policy({ node: { policy: 'read' } }, 'anonymous');
      expect((await tokens.get(undefined, '/v1/nodes')).status).toBe(200);
      await bench.client.delete('/v1/acl/policy/anonymous');
      expect(said(await tokens.get(undefined, '/v1/nodes'))).toEqual(no);
    });

    test('a token reads itself and its policies; others and their secrets are for management', async () => {
      const rules = { node: { policy: 'read' } };
      const [one, other] = [await tokens.with(rules), await tokens.with(rules)];
      const self = await tokens.get(one, '/v1/acl/token/self');
      expect(self.json()).toMatchObject({
        AccessorID: one.AccessorID,
        Name: one.Name,
        Policies: one.Policies,
      });
      expect((await tokens.get(one, `/v1/acl/token/${one.AccessorID}`)).json()).toMatchObject(self.json());
      expect(said(await tokens.get(one, `/v1/acl/token/${other.AccessorID}`))).toEqual(no);
      expect(said(await tokens.get(one, '/v1/acl/tokens'))).toEqual(no);
      const own = (await tokens.get(one, '/v1/acl/policies')).json();
      expect(own.map((policy: { readonly Name: string }) => policy.Name)).toEqual(one.Policies);
      const policy = (await tokens.get(one, `/v1/acl/policy/${own[0].Name}`)).json();
      expect(policy.Rules).toBe(JSON.stringify(rules));
      expect(said(await tokens.get(one, `/v1/acl/policy/${other.Policies[0] ?? ''}`))).toEqual(no);
      for (const what of ['token', `token/${other.AccessorID}`, `policy/${other.Policies[0] ?? ''}`]) {
        const answer = await tokens.send(one, 'PUT', `/v1/acl/${what}`, { body: {} });
        expect([403, 400]).toContain(answer.status); // a body is looked at first by real servers
      }
      const list = await bench.client.get('/v1/acl/tokens');
      expect(list.text).toContain(one.AccessorID);
      expect(list.text).not.toContain(one.SecretID);
    });

    test.each([
      { body: { Type: 'client' }, says: 'client token missing policies or roles', why: 'it has rights' },
      { body: { Type: 'root' }, says: 'token type must be client or management', why: 'it has a type' },
      {
        body: { Type: 'management', Policies: ['a'] },
        says: 'cannot be associated',
        why: 'it has all rights',
      },
      {
        body: { Type: 'management', ExpirationTTL: '1s' },
        says: 'expiration time cannot be less than 1m0s',
        why: 'it lives a minute',
      },
      {
        body: { Type: 'management', ExpirationTTL: '25h' },
        says: 'expiration time cannot be more than 24h0m0s',
        why: 'and no longer than a day',
      },
    ])('400 "$says": $why', async ({ body, says }) => {
      const answer = await bench.client.put('/v1/acl/token', { Name: 'bad', ...body });
      expect(said(answer)).toEqual([400, expect.stringContaining(says)]);
    });

    test('rules that mean nothing are refused, a name that is not the one of the path too', async () => {
      const put = (Name: string, rules: object) =>
        bench.client.put('/v1/acl/policy/bad', { Name, Rules: JSON.stringify(rules) });
      const wrong = { namespace: { default: { capabilities: ['fly'] } } };
      expect(said(await put('bad', wrong))).toEqual([400, expect.stringContaining("capability 'fly'")]);
      expect(said(await put('bad', { node: { policy: 'list' } }))).toEqual([
        400,
        expect.stringContaining('Invalid node policy'),
      ]);
      expect(said(await put('good', { node: { policy: 'read' } }))).toEqual([
        400,
        'ACL policy name does not match request path',
      ]);
      expect((await bench.client.get('/v1/acl/policy/bad')).status).toBe(404);
    });

    test('a token is changed and deleted by its accessor, and keeps its secret', async () => {
      const token = await tokens.with({ node: { policy: 'read' } });
      const path = `/v1/acl/token/${token.AccessorID}`;
      const named = { ...token, Name: 'renamed', Type: 'client' };
      expect((await bench.client.post(path, named)).json()).toMatchObject({
        Name: 'renamed',
        SecretID: token.SecretID,
      });
      expect((await bench.client.post(path, { ...named, AccessorID: nobody })).status).toBe(400);
      expect((await bench.client.delete(path)).status).toBe(200);
      expect(said(await bench.client.get(path))).toEqual([404, 'ACL token not found']);
      expect((await bench.client.delete(path)).status).toBe(400);
    });

    test.runIf(target.embedded)(
      'one that was set up has the secret that was chosen, until it expires',
      async () => {
        const secret = bench.fresh('chosen');
        const policy = await tokens.policy({ node: { policy: 'read' } });
        const spec = { secretID: secret, name: 'short', type: 'client', policies: [policy] };
        await bench.client.post('/setup/tokens', { ...spec, expirationTTL: '1h' });
        expect((await tokens.get({ SecretID: secret }, '/v1/nodes')).status).toBe(200);
        await bench.client.post('/setup/tokens', { ...spec, expirationTTL: '1ns' });
        expect(said(await tokens.get({ SecretID: secret }, '/v1/nodes'))).toEqual(no);
        const noise = await bench.client.get('/setup/requests?limit=1000');
        expect(noise.text + (await bench.client.get('/setup/counters')).text).not.toContain(secret);
      },
    );

    test.runIf(target.embedded)('setting up is for management', async () => {
      const token = await tokens.with(allBut([]));
      expect(said(await tokens.get(token, '/setup/counters'))).toEqual(no);
    });
  });
}

async function isRunning(of: Allocations): Promise<boolean> {
  return of.running().then(
    () => true,
    () => false,
  );
}
