// Whatever lies among the manifests is read as one of them, and committed with them. Published passwords must not be.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { outputDirOf } from '../../src/runtime/machine.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('outputs are not put among the manifests, whichever option leads them there', () => {
  const root = folder();
  const outputDir = join(root, 'outputs');
  expect(() => outputDirOf({ stateDir: join(root, '.holdfast'), outputDir }, root)).toThrow(
    `--output-dir ${outputDir}: expected a directory outside`,
  );
  const stateDir = join(root, 'state');
  expect(() => outputDirOf({ stateDir }, root)).toThrow(
    `--state-dir ${stateDir}: expected a directory outside of the manifests, or a hidden one`,
  );
});

test.for<{ why: string; places: (root: string) => Parameters<typeof outputDirOf>[0]; in: string }>([
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
  expect(outputDirOf(places(root), root)).toBe(join(root, where));
});
