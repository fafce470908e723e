// Whatever lies among the manifests is read as one of them, and committed with them. Published passwords must not be, nor what
// the embedded services keep.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { judged, judgedForEmbedded } from '../../src/runtime/machine.ts';

type Directories = Parameters<typeof judged>[1];

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('outputs are not put among the manifests, whichever option leads them there, and nothing is made there', () => {
  const root = folder();
  const outputDir = join(root, 'outputs');
  expect(() => judged(root, { stateDir: join(root, '.holdfast'), outputDir })).toThrow(
    `--output-dir ${outputDir}: expected a directory outside`,
  );
  const stateDir = join(root, 'state');
  expect(() => judged(root, { stateDir })).toThrow(
    `--state-dir ${stateDir}: expected a directory outside of the manifests, or a hidden one`,
  );
  expect(readdirSync(root)).toEqual([]);
});

test('a folder whose name begins with two dots is inside like any other: passwords were published in it', () => {
  const root = folder();
  const outputDir = join(root, '..outputs');
  expect(() => judged(root, { stateDir: join(root, '.holdfast'), outputDir })).toThrow(
    `--output-dir ${outputDir}: expected a directory outside`,
  );
  expect(judged(root, { stateDir: join(root, '..state') })).toBe(join(root, '..state/outputs')); // hidden
  const beside = join(root, '../..outputs');
  expect(judged(root, { stateDir: join(root, '.holdfast'), outputDir: beside })).toBe(beside);
});

test('a link that leads to the manifests counts as what it leads to, also where the rest is not made yet', () => {
  const root = folder();
  const link = join(folder(), 'link');
  symlinkSync(root, link);
  expect(() => judged(root, { stateDir: join(link, 'not/yet') })).toThrow('outside of the manifests');
  expect(judged(link, { stateDir: join(root, '../not/yet') })).toBe(join(root, '../not/yet/outputs'));
  expect(readdirSync(root)).toEqual([]);
});

test.for<{ why: string; places: (root: string) => Directories; in: string }>([
  {
    why: 'a hidden state directory, which is not read',
    places: (root) => ({ stateDir: join(root, '.holdfast') }),
    in: '.holdfast/outputs',
  },
  {
    why: 'a state among the manifests, with outputs elsewhere',
    places: (root) => ({ stateDir: join(root, 'state'), outputDir: join(root, '../outputs') }),
    in: '../outputs',
  },
  {
    why: 'a state elsewhere',
    places: (root) => ({ stateDir: join(root, '../state') }),
    in: '../state/outputs',
  },
])('$why, is as good as before', ({ places, in: where }) => {
  const root = join(folder(), '.config/manifests');
  mkdirSync(root, { recursive: true });
  expect(judged(root, places(root))).toBe(join(root, where));
});

test('embedded services keep nothing among the manifests, wherever the outputs are: their token would be committed', () => {
  const root = folder();
  const outputDir = join(folder(), 'outputs');
  expect(() => judgedForEmbedded(root, { stateDir: join(root, 'state'), outputDir })).toThrow('their token');
  expect(() => judgedForEmbedded(root, { stateDir: join(root, '.holdfast') })).not.toThrow();
  const stateDir = join(root, '../state');
  expect(() => judgedForEmbedded(root, { stateDir, outputDir: join(root, 'outputs') })).toThrow(
    '--output-dir',
  );
});
