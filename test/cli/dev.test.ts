// `dev` is stopped by whoever watches it, at any moment.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dev } from '../../src/cli/commands/dev.ts';
import { inside } from '../support/inside.ts';

test('whoever stops it while it still reconciles is not told to press Ctrl-C', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const manifests = join(folder, 'manifests');
  cpSync(new URL('../../examples/quickstart', import.meta.url), manifests, { recursive: true });
  const options = { output: 'text', dialect: 'cluster', listen: 'off', timeout: 60 } as const;
  const place = { stateDir: join(folder, 'state'), port: 0, secretsPort: 0 };
  const asked = { asking: AbortSignal.abort(), asked: Promise.resolve() };
  const { stdout } = await inside((terminal, process) =>
    dev(manifests, { ...options, ...place }, terminal, { ...process, ...asked }),
  );
  expect(stdout).toMatch(/\d of 7 ready/);
  expect(stdout).not.toContain('Ctrl-C');
});
