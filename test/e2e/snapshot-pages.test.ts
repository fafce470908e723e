// A provider with a thousand snapshots lists fifty at a time, and has others at each page. Those that are there all the time
// are found, each once: by who asks what nobody declares, and by who looks for its own among them.
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../src/embedded/http/server.ts';
import { openScheduler } from '../../src/embedded/scheduler/server.ts';
import { folder, holdfast } from '../support/cli.ts';
import { snapshot, Tree } from '../support/manifests.ts';
import { serviceToken } from '../support/service.ts';

const count = 1_000;
const stable = Array.from({ length: count }, (_, n) => `snap-${String(n).padStart(4, '0')}`);
const pluginID = 'many';
const size = { PluginID: pluginID, SourceID: 'vol', SizeBytes: 1, CreateTime: 1, ReadyAtMs: 0 };
const ready = { IsReady: true, Parameters: {}, Secrets: {}, InUse: false, IsCorrupt: false };

const at = (page: number, where: string) => `snap-${where}-of-${page}`;

/** @param expired so many tokens are refused */
async function provider(expired = 0) {
  let pages = 0;
  const open = openScheduler({
    dialect: 'cluster',
    token: serviceToken,
    seed: {
      nodes: [{ name: 'node-a' }],
      plugins: [{ id: pluginID, capabilities: ['LIST_SNAPSHOTS'], pageMax: 50, expiredTokens: expired }],
      snapshots: stable.map((id) => ({ pluginID, id })),
    },
    onRequest({ method, pattern }) {
      if (method === 'GET' && pattern === '/v1/volumes/snapshot') change();
      return 'none';
    },
  });
  const { snapshots } = open.state;
  /** Before each page some go and others come: before, between and behind what was listed. */
  const change = (): void => {
    pages += 1;
    for (const where of ['0000', '0500', '0999']) {
      const old = snapshots.get(pluginID, at(pages - 1, where));
      if (old) snapshots.lose(old);
      snapshots.put({ ...size, ...ready, ID: at(pages, where), Name: at(pages, where) });
    }
  };
  const running = await serve(open.service, '127.0.0.1', 0);
  onTestFinished(async () => {
    await running.stop();
    open.close();
  });
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree')).connect({ url: running.url, dialect: 'cluster' });
  return { cwd, tree, pages: () => pages };
}

const unmanaged = async (cwd: string) => {
  const { code, stdout, stderr } = await holdfast(['unmanaged', 'tree', '--output', 'json'], { cwd });
  const rows: readonly { readonly kind: string; readonly name: string }[] =
    code === 0 ? JSON.parse(stdout) : [];
  const found = rows.filter(({ kind }) => kind === 'CSISnapshot').map(({ name }) => name);
  return { code, stderr, found: found.filter((name) => !name.includes('-of-')).toSorted() };
};
const each = stable.map((id) => `${pluginID}/${id}`);

test('what is there all the time is unmanaged once, whatever comes and goes between the pages', async () => {
  const { cwd, pages } = await provider();
  const { code, found } = await unmanaged(cwd);
  expect(code).toBe(0);
  expect(found).toEqual(each);
  expect(pages()).toBeGreaterThan(count / 50);
});

test('a token that expired midway: the list is begun again, and nothing is told twice', async () => {
  const { cwd } = await provider(2);
  const { code, found } = await unmanaged(cwd);
  expect(code).toBe(0);
  expect(found).toEqual(each);
});

test('tokens that always expire: it ends, and says what could not be listed', async () => {
  const { cwd, pages } = await provider(1_000);
  const { code, stderr } = await unmanaged(cwd);
  expect(code).toBe(1);
  expect(stderr).toContain('CSISnapshot through SchedulerConnection/main: not listed: ');
  expect(stderr).toContain('invalid starting token');
  expect(pages()).toBe(6); // two pages each of three lists
});

test('its own is found among them, on whatever page it is, and of none is said that it is absent', async () => {
  const { cwd, tree } = await provider(1);
  for (const [name, snapshotID] of [
    ['first', 'snap-0000'],
    ['last', 'snap-0999'],
    ['none', 'snap-9999'],
  ] as const) {
    const spec = { volumeRef: undefined, snapshotID, pluginID, adoptionPolicy: 'Adopt' };
    tree.put(`${name}.yaml`, snapshot(name, spec));
  }
  const { stdout } = await holdfast(['apply', 'tree', '--timeout', '5'], { cwd });
  const linesOf = (name: string) =>
    stdout.split('\n').filter((line) => line.includes(`CSISnapshot/shop/${name}`));
  for (const name of ['first', 'last'])
    expect(linesOf(name).join('\n')).not.toMatch(/ExternalNotFound|ListUnstable/);
  // Of a list that never stands still nothing is said to be absent.
  expect(linesOf('none').join('\n')).toContain('ListUnstable');
});
