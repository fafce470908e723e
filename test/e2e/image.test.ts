// The image, on a base that is made here: what is pulled at a release is larger, and of the same shape.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import about from '../../package.json' with { type: 'json' };
import { buildImage } from '../../deploy/image/build.ts';
import { documents, Layout, mediaTypes, parsed, type Descriptor } from '../../deploy/image/layout.ts';
import { tar } from '../../deploy/image/tar.ts';
import { read } from '../deploy/documents.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-image-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

const node = '/nodejs/bin/node';

/** A base for two platforms, and an attestation about one of them, as builders make them. */
function standIn(name: string, entrypoint: readonly string[] = [node]): string {
  const base = new Layout(at(name));
  base.create();
  mkdirSync(at(`${name}-files`));
  writeFileSync(join(at(`${name}-files`), 'node'), 'stand-in');
  const layer = base.write(mediaTypes.layer, tar(at(`${name}-files`), 'nodejs'));
  const image = (architecture: string): Descriptor => {
    const config = base.write(mediaTypes.config, {
      architecture,
      os: 'linux',
      config: { Entrypoint: entrypoint, Env: ['PATH=/nodejs/bin'], User: 'nonroot' },
      rootfs: { type: 'layers', diff_ids: [layer.digest] },
    });
    const manifest = { schemaVersion: 2, mediaType: mediaTypes.manifest, config, layers: [layer] };
    return { ...base.write(mediaTypes.manifest, manifest), platform: { architecture, os: 'linux' } };
  };
  const attestation = { ...image('unknown'), platform: { architecture: 'unknown', os: 'unknown' } };
  const manifests = [image('amd64'), image('arm64'), attestation];
  const index = base.write(mediaTypes.index, { schemaVersion: 2, mediaType: mediaTypes.index, manifests });
  base.publish({ schemaVersion: 2, manifests: [index] });
  return at(name);
}

const images = (layout: Layout): readonly Descriptor[] =>
  layout.index().flatMap((one) => parsed(documents.index, layout.read(one)).manifests);
const base = standIn('base');
let digest = '';
beforeAll(async () => {
  digest = await buildImage({ base, out: at('image') });
});

test('the same sources and base make the same image, so anybody can check a release', async () => {
  expect(await buildImage({ base, out: at('again') })).toBe(digest);
  const blobs = (name: string) => readdirSync(join(at(name), 'blobs/sha256'));
  expect(blobs('again')).toEqual(blobs('image'));
});

test('every blob is what its name and its descriptor say, and nothing else is in the layout', () => {
  const layout = new Layout(at('image'));
  const hash = (one: Descriptor): string => createHash('sha256').update(layout.read(one)).digest('hex');
  const seen = new Set<string>();
  for (const one of layout.index()) seen.add(hash(one));
  for (const one of images(layout)) {
    const { config, layers } = parsed(documents.manifest, layout.read(one));
    for (const blob of [one, config, ...layers]) seen.add(hash(blob));
  }
  expect(readdirSync(join(at('image'), 'blobs/sha256')).toSorted()).toEqual([...seen].toSorted());
  expect(JSON.parse(readFileSync(join(at('image'), 'oci-layout'), 'utf8'))).toEqual({
    imageLayoutVersion: '1.0.0',
  });
  expect(layout.index()[0]?.digest).toBe(digest);
});

test('each platform of the base gets the program, run by a user that Kubernetes can tell is not root', () => {
  const layout = new Layout(at('image'));
  expect(images(layout).map(({ platform }) => platform)).toEqual([
    { architecture: 'amd64', os: 'linux' },
    { architecture: 'arm64', os: 'linux' },
  ]);
  for (const one of images(layout)) {
    const { config, layers } = parsed(documents.manifest, layout.read(one));
    const { config: run, rootfs } = parsed(documents.config, layout.read(config));
    expect(run).toMatchObject({
      Entrypoint: [node, '/holdfast/holdfast.mjs'],
      Env: ['PATH=/nodejs/bin'],
      User: '65532:65532',
      Labels: { 'org.opencontainers.image.version': about.version },
    });
    expect(rootfs.diff_ids).toEqual(layers.map((layer) => layer.digest)); // none is compressed
    expect(layers).toHaveLength(2);
  }
});

test('a builder makes the same of it: user, place and entry point', () => {
  const text = read('deploy/Containerfile');
  expect(text).toContain('\nUSER 65532:65532\n');
  expect(text).toContain('\nCOPY dist /holdfast\n');
  expect(text).toContain(`\nENTRYPOINT ["${node}", "/holdfast/holdfast.mjs"]\n`);
});

describe('the layer', () => {
  const archive = at('layer.tar');
  beforeAll(() => {
    const layout = new Layout(at('image'));
    const [one] = images(layout);
    const layer = one && parsed(documents.manifest, layout.read(one)).layers.at(-1);
    if (layer) writeFileSync(archive, layout.read(layer));
  });

  test('is an archive that tar reads: sorted, owned by root, of no time', () => {
    const list = execFileSync('tar', ['--utc', '--numeric-owner', '-tvf', archive], { encoding: 'utf8' });
    const lines = list.trim().split('\n');
    const names = lines.map((line) => line.split(' ').at(-1) ?? '');
    expect(names).toEqual(expect.arrayContaining(['holdfast/', 'holdfast/main.mjs', 'holdfast/assets/']));
    expect(names).toEqual(names.toSorted());
    const rights = /^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x) 0\/0 +\d+ 1970-01-01 00:00 /;
    expect(lines.filter((line) => !rights.test(line))).toEqual([]);
  });

  test('is the program, which runs from there', () => {
    mkdirSync(at('root'));
    execFileSync('tar', ['-xf', archive, '-C', at('root')]);
    const program = join(at('root'), 'holdfast/holdfast.mjs');
    const run = (args: readonly string[]): string =>
      execFileSync(process.execPath, [program, ...args], { cwd: folder, encoding: 'utf8', env: {} });
    expect(run(['--version'])).toBe(`${about.version}\n`);
  });
});

const from = (path: string, baseDigest?: string): Promise<string> =>
  buildImage({ base: path, out: at('refused'), ...(baseDigest !== undefined && { baseDigest }) });

describe('a base is refused', () => {
  test('of another digest than the pinned one', async () => {
    const message = /expected the base sha256:0+, got sha256:/;
    await expect(from(base, `sha256:${'0'.repeat(64)}`)).rejects.toThrow(message);
  });

  test('of which a blob was changed', async () => {
    const path = standIn('changed');
    const [one] = new Layout(path).index();
    writeFileSync(join(path, 'blobs', (one?.digest ?? '').replace(':', '/')), '{}');
    await expect(from(path)).rejects.toThrow(/expected \d+ bytes of that digest/);
  });

  test('without an entry point: the program would be started by nothing', async () => {
    await expect(from(standIn('bare', []))).rejects.toThrow('expected a base whose entry point is Node');
  });

  test('of another format, with the command that converts it', async () => {
    const layout = new Layout(at('docker'));
    layout.create();
    const foreign = layout.write('application/vnd.docker.distribution.manifest.v2+json', {});
    layout.publish({ schemaVersion: 2, manifests: [foreign] });
    await expect(from(at('docker'))).rejects.toThrow(/skopeo copy --format oci/);
  });

  test('that is no layout', async () => {
    mkdirSync(at('none'));
    writeFileSync(join(at('none'), 'index.json'), '{"manifests": [{}]}');
    await expect(from(at('none'))).rejects.toThrow(z.ZodError);
  });
});

describe('the folder of the image', () => {
  test('is emptied of an earlier image', async () => {
    expect(await buildImage({ base, out: at('image') })).toBe(digest);
  });

  test('is not emptied of anything else, for nobody could have it back', async () => {
    mkdirSync(at('home'));
    writeFileSync(join(at('home'), 'thesis.txt'), 'mine');
    await expect(buildImage({ base, out: at('home') })).rejects.toThrow(/expected no folder, an empty one/);
    expect(readFileSync(join(at('home'), 'thesis.txt'), 'utf8')).toBe('mine');
  });

  test('is not the base', async () => {
    const same = standIn('same');
    await expect(buildImage({ base: same, out: join(same, '.') })).rejects.toThrow(/not the base/);
    expect(readdirSync(same)).toContain('index.json');
  });
});
