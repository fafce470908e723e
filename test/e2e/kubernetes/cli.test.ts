// The command line on a cluster: what people type, and what they read.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { eventually } from '../../support/poll.ts';
import { freePort } from '../../support/port.ts';
import { assets } from './assets.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { applyQuickstart, base, bound, house, kubectl, patch, paths, volumes } from './objects.ts';
import { Typist } from './typist.ts';

const users = { reader: [], tenant: [], editor: [], keeper: [], nobody: [] };
const rights = [
  bound('reader', 'holdfast-view'),
  bound('tenant', 'holdfast-view', 'shop'),
  bound('editor', 'holdfast-view'),
  bound('editor', 'holdfast-edit', 'shop'),
  bound('keeper', 'holdfast-view'),
  bound('keeper', 'holdfast-connection-admin'),
];
const volume = (name: string, spec: object = {}) => ({
  apiVersion: 'holdfast.dev/v1alpha1',
  kind: 'CSIVolume',
  metadata: { name, namespace: 'shop' },
  spec: {
    connectionRef: { name: 'local' },
    pluginID: 'hostpath',
    create: { capacity: { min: '1Gi' } },
    capabilities: [{ accessMode: 'single-node-writer', attachmentMode: 'file-system' }],
    ...spec,
  },
});
const event = z.looseObject({ verb: z.string(), user: z.looseObject({ username: z.string() }) });

describe.skipIf(assets === undefined)(
  'the command line on a real Kubernetes (skipped where there is none)',
  () => {
    let cluster: Cluster;
    let typist: Typist;
    const cwd = mkdtempSync(join(tmpdir(), 'holdfast-cli-'));
    const typed = (line: string, env?: Readonly<Record<string, string>>) => typist.typed(line, env);
    const said = (line: string) => typist.said(line);
    const refused = (line: string) => typist.refused(line);
    const reads = (line: string, pattern: RegExp) => typist.reads(line, pattern);
    const run = (...args: readonly string[]): Promise<string> => kubectl(cluster, args);
    const apply = (...objects: readonly object[]): Promise<string> =>
      kubectl(
        cluster,
        ['apply', '-f', '-'],
        JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
      );
    const ready = (...names: readonly string[]): Promise<string> =>
      run('wait', '--for=condition=Ready', ...names, '-n', 'shop', '--timeout=60s');
    const setFlags = async (mountFlags: readonly string[]): Promise<void> => {
      const done = await patch(cluster, 'admin', paths.volume, { spec: { mountOptions: { mountFlags } } });
      expect(done).toBe('done');
    };
    const audited = () =>
      readFileSync(cluster.auditLog, 'utf8')
        .trim()
        .split('\n')
        .map((line) => event.parse(JSON.parse(line)));
    beforeAll(async () => {
      cluster = await startCluster({ users });
      typist = new Typist(cluster, cwd);
      await run('create', 'namespace', 'shop');
    });
    afterAll(async () => {
      await cluster?.stop();
      rmSync(cwd, { recursive: true, force: true });
    });

    const asked = 'get csivol;get csivol -w;get csivol/shop/a;suspend csivol/a;approve 1x9k2m7q'.split(';');
    test.for(asked)('before the definitions are installed, `%s` names one that is missing', async (line) => {
      expect(await refused(`${line} --context admin`)).toMatch(
        /^holdfast: the API server does not serve (\w+) of holdfast\.dev\/v1alpha1: is the CustomResourceDefinition \w+\.holdfast\.dev installed\?\n$/,
      );
    });

    test.for([
      {
        why: 'no kubeconfig',
        line: 'get --source kubernetes',
        env: { KUBECONFIG: '' },
        says: "no cluster: expected a current context in the kubeconfig, or a pod's service account",
      },
      {
        why: 'a kubeconfig that is not there',
        line: 'get --kubeconfig none-such',
        says: "kubeconfig none-such: ENOENT: no such file or directory, open 'none-such': check the path",
      },
      {
        why: 'a context that there is not',
        line: 'plan --context none-such',
        says: "no cluster: expected context none-such in the kubeconfig, or a pod's service account",
      },
      {
        why: 'neither a directory nor a cluster',
        line: 'plan',
        says: 'expected a directory of manifests, such as `.` for this one, or --source kubernetes for a cluster',
      },
      {
        why: 'both',
        line: 'plan manifests --context admin',
        says: 'manifests: on a cluster, what is declared there counts; give no directory',
      },
      {
        why: 'a name that would be another path',
        line: 'get CSIVolume/shop/.. --context admin',
        says: 'CSIVolume/shop/..: expected names of a-z, 0-9, - and . inside',
      },
    ])('$why: one line says so, and the exit code is 1', async ({ line, env, says }) => {
      const { code, stdout, stderr } = await typed(line, env);
      expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: `holdfast: ${says}\n` });
    });

    test('an API server that does not answer is named by what was asked of it, and nothing is shown', async () => {
      const text = readFileSync(cluster.kubeconfig, 'utf8');
      const gone = `https://127.0.0.1:${await freePort()}`;
      writeFileSync(join(cwd, 'gone'), text.replaceAll(cluster.url, gone));
      expect(await refused('get --kubeconfig gone CSIVolume')).toMatch(/^holdfast: csivolumes\.list: .+\n$/);
    });

    describe('with Holdfast installed', () => {
      beforeAll(async () => {
        await run('apply', '-k', base);
        await apply(...rights);
        await applyQuickstart(cluster);
      });

      test('objects are shown, planned, asked and released as those of a directory are', async () => {
        const operator = await typist.operate();
        await ready('csivolume/orders', 'ldapstaticrole/web');
        const table = await said('get -n shop');
        expect(table).toMatch(/^KIND +NAME +READY +REASON +SUSPENDED +AGE +LAST\n/);
        expect(table).toMatch(/^CSIVolume +shop\/orders +True +InSync +False +\d+s +create orders/m);
        expect(table).toMatch(/^SchedulerConnection +local +True +InSync/m);
        expect(await said('get CSIVolume')).not.toContain('SchedulerConnection');
        const alone = JSON.parse(await said('get csivol orders -n shop -o json'));
        expect(alone.spec).toMatchObject({ pluginID: 'ebs' });
        expect(JSON.parse(await said('get -o json -n shop')).items).toContainEqual(alone);
        const inSync = 'No changes; 5 in sync\n';
        expect(await said(`plan --state-dir state --detailed-exitcode`)).toBe(inSync);

        const web = 'LDAPStaticRole/shop/web';
        expect(await said(`rotate ${web}`)).toBe(`${web} will be rotated\n`);
        await reads(`get ${web} -o json`, /"handledRequests": \{\s+"rotate": "[-0-9a-f]{36}"/);
        expect(await said(`suspend CSIVolume/shop/orders`)).toBe('CSIVolume/shop/orders is suspended\n');
        await setFlags(['ro']);
        await reads('get CSIVolume/shop/orders -o json', /"reason": "Suspended"/);
        expect(await said('get csivol/shop/orders')).toMatch(/orders +\w+ +\w+ +by annotation /);
        expect(await said('describe csivol/shop/orders')).toMatch(
          /Suspended: +by annotation holdfast\.dev\/suspend[^]*\/mountOptions\/mountFlags\n +\+ ro\n[^]*SchedulerConnection\/local, ready/,
        );
        expect(await said(`resume CSIVolume/orders -n shop`)).toBe('CSIVolume/shop/orders is resumed\n');
        await reads('get CSIVolume/shop/orders -o json', /"mountFlags": \[\s+"ro"\s+\][^]*"verb": "update"/);
        expect(await said(`reconcile SchedulerConnection/local`)).toBe(
          'SchedulerConnection/local will be reconciled now\n',
        );
        expect(await refused(`orphan ${web} --reason moved --context admin`)).toBe(
          `holdfast: ${web} is not being deleted: delete it first\n`,
        );
        await operator.stop();
        await run('delete', '-n', 'shop', 'ldapstaticrole/web', '--wait=false');
        expect(await typed('plan --context admin --state-dir state --detailed-exitcode')).toMatchObject({
          code: 2,
          stdout: expect.stringMatching(/^LDAPStaticRole\/shop\/web\n {2}- .+\(destroys a credential\)/),
        });
        expect(await said(`orphan ${web} --reason moved`)).toBe(`${web} is released\n`);
        expect(await said('plan --state-dir state')).toContain(`${web}\n  - orphaned: moved\n`);
      });

      test('what waits for approval is approved on its connection, and adopted is what is identical', async () => {
        await typist.operate();
        const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
        await apply(...names.map((name) => volume(name, { deletionPolicy: 'Delete' })));
        await ready(...names.map((name) => `csivolume/${name}`));
        await run('delete', '-n', 'shop', 'csivolumes', ...names, '--wait=false');
        await reads('get CSIVolume/shop/a -o json', /holdfast approve \S+"/);
        const [, digest = ''] =
          /holdfast approve (\S+)"/.exec(await said('get CSIVolume/shop/a -o json')) ?? [];
        expect(await refused('approve 1x9k2m7q --context keeper')).toBe(
          `holdfast: 1x9k2m7q: nothing waits for approval under this digest; waiting: ${digest} (7 objects)\n`,
        );
        expect(await refused(`approve ${digest} --context reader`)).toMatch(
          /^holdfast: schedulerconnections\.patch: .* is forbidden: User "reader" cannot patch resource/,
        );
        expect(await typed(`approve ${digest} --context keeper`)).toEqual({
          code: 0,
          stdout: `approved: 7 objects may be deleted or replaced: ${names.map((name) => `CSIVolume/shop/${name}`).join(', ')}\n`,
          stderr: '',
        });
        await run(
          'wait',
          '--for=delete',
          '-n',
          'shop',
          ...names.map((name) => `csivolume/${name}`),
          '--timeout=60s',
        );

        await apply(volume('kept'));
        await ready('csivolume/kept');
        await run('delete', '-n', 'shop', 'csivolume/kept');
        await apply(
          volume('kept'),
          volume('grown', { externalName: 'kept', create: { capacity: { min: '2Gi' } } }),
        );
        await reads(
          'adopt',
          /^CSIVolume\/shop\/kept +identical\n\n1 of 1 identical; to adopt them, run this again/,
        );
        expect(await said('adopt --yes')).toMatch(/will be adopted if it is identical\n$/);
        await ready('csivolume/kept');
      });

      test('who may only read gets a plan and writes nothing; what may not be read is left out, or said', async () => {
        await typist.serve();
        await setFlags(['rw']);
        const before = audited().length;
        const planned = await typed('plan --context reader --state-dir state --detailed-exitcode -n shop');
        // The conflict that stands there needs a person.
        expect(planned).toMatchObject({ code: 1, stderr: '', stdout: expect.stringContaining('mountFlags') });
        expect(planned.stdout).not.toContain('/secrets');
        const verbs = audited()
          .slice(before)
          .flatMap(({ verb, user }) => (user.username === 'reader' ? [verb] : []));
        expect([...new Set(verbs)].toSorted()).toEqual(['get', 'list']);

        const seen = await typed('get --context tenant -n shop');
        expect(seen).toMatchObject({ code: 0, stdout: expect.stringContaining('shop/orders') });
        expect(seen.stdout).not.toContain('Connection');
        expect(seen.stderr).toMatch(/^left out: schedulerconnections\.list: .* is forbidden/m);
        expect(await refused('get --context tenant')).toMatch(/-n NAMESPACE looks into one namespace\n$/);
        expect(await refused('get CSIVolume/shop/orders --context nobody')).toMatch(
          /^holdfast: csivolumes\.get: .* cannot get resource/,
        );
      });

      test('a request that needs a verb of its own is refused with the name of the verb', async () => {
        let seen = '';
        const bites = async () =>
          (seen = await patch(cluster, 'editor', paths.config, {
            metadata: { annotations: { 'holdfast.dev/adopt': String(Math.random()) } },
          })).includes('needs the verb');
        await eventually('the policy is in force', bites, { seen: () => seen });
        expect(await refused('rotate LDAPConfig/shop/directory --context editor')).toMatch(
          /^holdfast: ldapconfigs\.patch: .* needs the verb rotate-root on the object\n$/,
        );
        expect((await typed('suspend LDAPConfig/shop/directory --context editor')).code).toBe(0);
      });

      test('a status that somebody forged can not move the cursor of who reads it', async () => {
        const status = {
          conditions: [
            {
              type: 'Ready',
              status: 'False',
              reason: '\u001b[2JInSync',
              message: '\u001b]0;x\u0007',
              observedGeneration: 1,
              lastTransitionTime: '2026-11-22T10:00:00Z',
            },
          ],
          awaits: { digest: '\u001b[2J', id: 'x' },
        };
        await apply(volume('forged'));
        const contentType = 'application/merge-patch+json';
        const path = `${volumes}/forged/status`;
        expect(await cluster.call('PATCH', path, { body: { status }, contentType })).toMatchObject({
          status: 200,
        });
        const shown = await typed('get --context admin -n shop');
        expect(shown.stdout).toContain('shop/forged');
        expect(shown.stdout + (await refused('approve x --context admin'))).not.toContain('\u001b');
      });

      test('kubectl has it as a plugin: it is about the cluster without a word, and says how it was called', async () => {
        const bin = join(cwd, 'bin');
        mkdirSync(bin);
        symlinkSync(join(house, 'src/cli/holdfast.mjs'), join(bin, 'kubectl-holdfast'));
        const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: cwd, KUBECONFIG: cluster.kubeconfig };
        const plugin = (...args: readonly string[]) =>
          promisify(execFile)(join(assets ?? '', 'kubectl'), ['holdfast', ...args], { cwd, env });
        expect((await plugin('get', 'CSIVolume', '-n', 'shop')).stdout).toMatch(/^CSIVolume +shop\/orders/m);
        expect((await plugin('suspend', 'CSIVolume/orders', '-n', 'shop')).stdout).toBe(
          'CSIVolume/shop/orders is suspended\n',
        );
        const help = (await plugin('get', '--help')).stdout;
        expect(help).toMatch(/^Usage: kubectl holdfast get /);
        expect(help).toContain('  $ kubectl holdfast get csivol -n shop\n');
      });
    });
  },
);
