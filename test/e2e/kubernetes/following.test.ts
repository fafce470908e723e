// `get --watch` on a cluster: by watches of the API server, not by asking again and again. And what `resume` and `unmanaged` tell.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assets } from './assets.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { applyQuickstart, base, bound, kubectl, patch, paths } from './objects.ts';
import { Typist } from './typist.ts';

describe.skipIf(assets === undefined)('on a real Kubernetes (skipped where there is none)', () => {
  let cluster: Cluster;
  let typist: Typist;
  const cwd = mkdtempSync(join(tmpdir(), 'holdfast-following-'));
  const run = (...args: readonly string[]): Promise<string> => kubectl(cluster, args);
  beforeAll(async () => {
    cluster = await startCluster({ users: { warden: [] } });
    typist = new Typist(cluster, cwd);
    await run('create', 'namespace', 'shop');
    await run('apply', '-k', base);
    await applyQuickstart(cluster);
    const items = [bound('warden', 'holdfast-view', 'shop'), bound('warden', 'holdfast-connection-admin')];
    await kubectl(cluster, ['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  });
  afterAll(async () => {
    await cluster?.stop();
    rmSync(cwd, { recursive: true, force: true });
  });

  test('what changes is followed, by labels, until it is gone, and each row is told once', async () => {
    await typist.operate();
    const watching = typist.start('get', 'csivol,ldapconfig', '-l', 'watched', '-w', '--context', 'admin');
    await watching.says(/^KIND +NAME +READY/);
    await run('label', '-n', 'shop', 'csivolume/orders', 'watched=yes');
    await watching.says(/CSIVolume +shop\/orders +True +InSync +False /);
    await run('label', '-n', 'shop', 'csivolume/orders', 'watched-');
    await watching.says(/CSIVolume\/shop\/orders is no longer among them/);
    await run('label', '-n', 'shop', 'ldapconfig/directory', 'watched=yes');
    await watching.says(/LDAPConfig +shop\/directory/);
    const { code, stdout } = await watching.stop();
    expect(code).toBe(0);
    expect(stdout.match(/shop\/orders/g)?.length).toBeLessThanOrEqual(4); // it becomes ready meanwhile
    const asked = readFileSync(cluster.auditLog, 'utf8').match(/csivolumes\?[^"]*watch=true/g) ?? [];
    expect(asked.length).toBeGreaterThan(0);
  });

  test('what its spec suspends is not said to be resumed: it stayed suspended', async () => {
    const at = 'CSIVolume/shop/orders';
    await patch(cluster, 'admin', paths.volume, { spec: { suspend: true } });
    await typist.said(`suspend ${at}`);
    expect(await typist.refused(`resume ${at} --context admin`)).toBe(
      `holdfast: ${at} stays suspended by its spec (/spec/suspend); removing suspend from it ends it\n`,
    );
    await patch(cluster, 'admin', paths.volume, { spec: { suspend: false } });
    expect(await typist.said(`resume ${at}`)).toBe(`${at} is resumed\n`);
  });

  test('who may not read all namespaces is told why that is needed for what nobody declares', async () => {
    expect(await typist.refused('unmanaged --context warden --state-dir state')).toMatch(
      /^holdfast: \w+\.list: .* is forbidden: .*; what is outside can be declared in any of them\n$/,
    );
  });

  test('what is suspended with its connection, some references away, is not said to be resumed', async () => {
    const at = 'LDAPStaticRole/shop/web';
    await typist.said('suspend SecretsConnection/local');
    expect(await typist.said(`resume ${at}`)).toBe(
      `${at} itself is resumed, and stays suspended with SecretsConnection/local, by annotation holdfast.dev/suspend; removing it ends it\n`,
    );
    expect(await typist.said(`rotate ${at}`)).toBe(
      `${at} will be rotated; that waits while it is suspended with SecretsConnection/local, by annotation holdfast.dev/suspend; removing it ends it\n`,
    );
    await typist.said('resume SecretsConnection/local');
    expect(await typist.said(`resume ${at}`)).toBe(`${at} is resumed\n`);
    expect(await typist.said(`rotate ${at}`)).toBe(`${at} will be rotated\n`);
  });
});
