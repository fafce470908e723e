// A file, link or directory that can't be read is said once, and harms nothing else.
import { execFileSync } from 'node:child_process';
import { chmodSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { diskText, installation, look, treeOf, type Tree } from './support.ts';

describe('a file that is wrong is one line, and the healthy one beside it counts', () => {
  test.each([
    {
      why: 'a binary file',
      spoil: (tree: Tree) => tree.write('bad.yaml', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0])),
      line: 'bad.yaml: is not text in UTF-8',
    },
    {
      why: 'another encoding',
      spoil: (tree: Tree) => tree.write('bad.yaml', Buffer.from('name: Zürich', 'latin1')),
      line: 'bad.yaml: is not text in UTF-8',
    },
    {
      why: '50 MB',
      spoil: (tree: Tree) => {
        tree.write('bad.yaml', '');
        truncateSync(join(tree.root, 'bad.yaml'), 50_000_000);
      },
      line: 'bad.yaml: is too large: 47.7 MiB; the limit is 1 MiB',
    },
    {
      why: 'a pipe, which would never end',
      spoil: ({ root }: Tree) => execFileSync('mkfifo', [join(root, 'bad.yaml')]),
      line: 'bad.yaml: is not a regular file',
    },
    {
      why: 'a link out of the tree',
      spoil: ({ root }: Tree) => symlinkSync('/etc/hostname', join(root, 'bad.yaml')),
      line: 'bad.yaml: symbolic link leads out of the tree and is not followed',
    },
    {
      why: 'a link to a directory out of the tree',
      spoil: ({ root }: Tree) => symlinkSync('/etc', join(root, 'bad')),
      line: 'bad: symbolic link leads out of the tree and is not followed',
    },
    {
      why: 'a link to nothing',
      spoil: ({ root }: Tree) => symlinkSync('nothing', join(root, 'bad.yaml')),
      line: "bad.yaml: symbolic link can't be followed: no such file or directory",
    },
    {
      why: 'a link to itself',
      spoil: ({ root }: Tree) => symlinkSync('bad.yaml', join(root, 'bad.yaml')),
      line: "bad.yaml: symbolic link can't be followed: too many symbolic links encountered",
    },
    {
      why: 'a link to the directory that it is in, which would never end',
      spoil: ({ root }: Tree) => symlinkSync('.', join(root, 'bad')),
      line: 'bad: symbolic link leads to a directory that is read anyway, or around in a loop; it is not followed',
    },
    {
      why: 'a link around through a hidden directory, which would never end',
      spoil: ({ root, write }: Tree) => {
        write('.data/inner.txt', '');
        symlinkSync('../.data', join(root, '.data/bad'));
        symlinkSync('.data', join(root, 'in'));
      },
      line: 'in/bad: symbolic link leads to a directory that is read anyway, or around in a loop; it is not followed',
    },
    {
      why: 'directories that are nested without end',
      spoil: (tree: Tree) => tree.write(`${'d/'.repeat(34)}bad.yaml`, diskText('deep')),
      line: `${'d/'.repeat(33).slice(0, -1)}: is nested too deeply: at most 32 directories are entered`,
    },
    {
      why: 'a name that would play with the terminal',
      spoil: (tree: Tree) => tree.write('\u001b[2Jbad.yaml', 'x: ['),
      line: /^\ufffd\[2Jbad\.yaml:1:5: invalid YAML/,
    },
    {
      why: 'a file of kustomize, which mostly has neither apiVersion nor kind',
      spoil: (tree: Tree) => tree.write('base/kustomization.yaml', 'resources: [disk.yaml]\n'),
      line: /^base\/kustomization\.yaml:1:1: \/: kustomize is not run here: commit what/,
    },
    {
      why: 'an installation in the wrong place',
      spoil: (tree: Tree) => tree.write('sub/holdfast.yaml', installation),
      line: 'sub/holdfast.yaml:2:1: /kind: an Installation stands in holdfast.yaml at the top of the tree',
    },
  ])('$why', async ({ spoil, line }) => {
    const tree = treeOf({ 'good.yaml': diskText('good') });
    spoil(tree);
    const { objects, lines } = await look(tree);
    expect(objects).toEqual(['Disk/shop/good']);
    expect(lines).toEqual([typeof line === 'string' ? line : expect.stringMatching(line)]);
  });

  test.each([{ what: 'bad.yaml' }, { what: 'bad' }])(
    '$what is unreadable for this user: said, without the path of the machine',
    async ({ what }) => {
      const tree = treeOf({
        'bad.yaml': diskText('a'),
        'bad/b.yaml': diskText('b'),
        'good.yaml': diskText('good'),
      });
      chmodSync(join(tree.root, what), 0);
      onTestFinished(() => chmodSync(join(tree.root, what), 0o755));
      const { objects, lines } = await asNobody(() => look(tree));
      expect(objects).toContain('Disk/shop/good');
      expect(objects).toHaveLength(2);
      const subject = what === 'bad' ? 'bad: the directory' : 'bad.yaml:';
      expect(lines).toEqual([`${subject} can't be read: permission denied`]);
    },
  );
});

/** The superuser may read everything, so for the while of the test it is somebody else. */
async function asNobody<T>(act: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return act();
  process.seteuid?.(65_534);
  try {
    return await act();
  } finally {
    process.seteuid?.(0);
  }
}
