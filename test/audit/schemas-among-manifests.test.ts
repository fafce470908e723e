// `holdfast init` and `holdfast schema`, as they stand, in one directory: `.json` is read as a manifest there.
import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { folder, holdfast } from '../support/cli.ts';

test(
  '`schema` put its files among the manifests: each was a problem, and nothing was removed any more',
  { timeout: 60_000 },
  async () => {
    const cwd = await folder();
    const ran = async (...args: readonly string[]) => holdfast(args, { cwd });
    await ran('init');
    const there = await readdir(cwd, { recursive: true });
    const refused = await ran('schema');
    expect(await ran('validate', '.')).toMatchObject({
      code: 0,
      stdout: '2 objects in 2 files, no problems\n',
    });
    expect(await readdir(cwd, { recursive: true })).toEqual(there);
    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'holdfast: --directory schemas: expected a directory outside of the manifests, or a hidden one: .json is read there\n',
    });
    expect(await ran('schema', '--directory', '.schemas')).toMatchObject({ code: 0 });
    expect(await ran('validate', '.')).toMatchObject({ code: 0 });
  },
);
