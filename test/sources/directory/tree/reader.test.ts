// What a healthy tree declares.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { documentsIn } from '../../../../src/sources/directory/yaml/documents.ts';
import { diskText, look, treeOf } from './support.ts';

describe('a tree', () => {
  test('declares its objects with key, place, requests and spec, for the engine and for people', async () => {
    const tree = treeOf({
      'shop/disks.yaml': `# two of them\n${diskText('a')}---\n\n${diskText('b', '{size: 2, tags: {constructor: x}}', ', annotations: {holdfast.dev/rotate: "7", other/note: none}')}`,
      'site.yml':
        'apiVersion: holdfast.dev/v1alpha1\nkind: Site\nmetadata: {name: here}\nspec: {city: Bern}\n',
    });
    const pass = await tree.reader().read();
    expect(pass).toMatchObject({ installation: 'lab', problems: [], files: 3 });
    expect([...pass.objects.keys()]).toEqual(['Disk/shop/a', 'Disk/shop/b', 'Site/here']);
    expect(pass.objects.get('Disk/shop/b')).toEqual({
      key: { kind: 'Disk', namespace: 'shop', name: 'b' },
      origin: 'shop/disks.yaml',
      place: { file: 'shop/disks.yaml', line: 8, column: 1 },
      requests: { rotate: '7' },
      spec: { size: 2, tags: { constructor: 'x' } },
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test('skips what is hidden and what is no manifest, so that notes and version control may stand beside', async () => {
    const tree = treeOf({
      '.git/config.yaml': 'not: ours',
      'a/.draft.yaml': 'not: ours',
      'README.md': '# not: ours',
      'a/disk.yaml.bak': 'not: ours',
      'a/empty.yaml': '# nothing yet\n---\n# still nothing\n---\nnull\n',
    });
    expect(await tree.reader().read()).toMatchObject({ problems: [], files: 2 });
  });

  test('puts an object that names no namespace into default, as Kubernetes does', async () => {
    const tree = treeOf({ 'a.yaml': diskText('a').replace(', namespace: shop', '') });
    expect([...(await tree.reader().read()).objects.keys()]).toEqual(['Disk/default/a']);
  });

  test('lets the event loop turn while it reads, so that probes are answered', async () => {
    const many = Array.from({ length: 1000 }, (_, i) => diskText(`d${i}`)).join('---\n');
    const tree = treeOf({ 'many.yaml': many });
    let turns = 0;
    let reading = true;
    const turn = (): void => {
      turns += 1;
      if (reading) setImmediate(turn);
    };
    setImmediate(turn);
    const { objects } = await tree.reader().read();
    reading = false;
    expect(objects.size).toBe(1000);
    expect(turns).toBeGreaterThan(1);
  });

  test('is read in the order of its paths, whichever file is parsed first', async () => {
    const long = Array.from({ length: 200 }, (_, i) => diskText(`d${i}`)).join('---\n');
    const tree = treeOf({ 'a.yaml': `${long}---\n${diskText('x')}`, 'b.yaml': diskText('x', '{size: 2}') });
    const bad = diskText('z', '{size: 0}');
    for (const name of ['c', 'd', 'e', 'f', 'g']) tree.write(`${name}.yaml`, `${'#\n'.repeat(9_000)}${bad}`);
    const { objects, problems } = await tree.reader().read();
    expect(objects.get('Disk/shop/x')).toMatchObject({ origin: 'a.yaml', spec: { size: 1 } });
    expect(problems.map(({ origin }) => origin)).toEqual([
      'b.yaml',
      'c.yaml',
      'd.yaml',
      'e.yaml',
      'f.yaml',
      'g.yaml',
    ]);
    expect(problems[1]).toMatchObject({ place: { line: 9_004, column: 14 }, excerpt: 'spec: {size: 0}' });
  });

  test('with a file that takes too long to parse still counts without it, and the event loop turns', async () => {
    const endless = `${'&a '.repeat(80_000)}\n---\n`.repeat(4);
    const tree = treeOf({ 'a.yaml': diskText('a'), 'b.yaml': endless, 'c.yaml': diskText('c') });
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 1);
    const { lines, objects } = await look(tree, { parsingMsMax: 800 });
    clearInterval(counting);
    expect(lines).toEqual(["b.yaml: can't be parsed: no answer within 0.8 s"]);
    expect(objects).toEqual(['Disk/shop/a', 'Disk/shop/c']);
    expect(turns).toBeGreaterThan(10);
  });
});

const hashOf = async (text: string): Promise<string | undefined> => {
  const { objects } = await treeOf({ 'a.yaml': text }).reader().read();
  return objects.get('Disk/shop/a')?.hash;
};

describe('the hash of an object', () => {
  const plain = diskText('a', '{size: 1, owner: ann}');

  test.each([
    { why: 'order is not meaning', text: diskText('a', '{owner: ann, size: 1}') },
    { why: 'style is not meaning', text: diskText('a', '\n  owner: "ann"\n  # who\n  size: 0x1') },
    {
      why: 'the notes of others are no input',
      text: diskText('a', '{size: 1, owner: ann}', ', annotations: {x: z}'),
    },
  ])('stays the same: $why', async ({ text }) => {
    expect(await hashOf(text)).toBe(await hashOf(plain));
  });

  test.each([
    { why: 'a field', text: diskText('a', '{size: 2, owner: ann}') },
    { why: 'a field that is gone', text: diskText('a', '{size: 1}') },
    { why: 'labels', text: diskText('a', '{size: 1, owner: ann}', ', labels: {x: z}') },
    {
      why: 'a request',
      text: diskText('a', '{size: 1, owner: ann}', ', annotations: {holdfast.dev/rotate: x}'),
    },
  ])('changes with $why, so that the edit is noticed', async ({ text }) => {
    expect(await hashOf(text)).toMatch(/^[0-9a-f]{64}$/);
    expect(await hashOf(text)).not.toBe(await hashOf(plain));
  });
});

describe('YAML', () => {
  /** What `stringify` leaves unquoted although kubectl reads it otherwise: refused (kubectl.test.ts). */
  const misread = /^([yn]|yes|no|on|off|[-+]?[_.]*[0-9][0-9a-f_xo.+-]*)$/i;
  const key = fc
    .string({ maxLength: 8 })
    .filter((name) => name !== '__proto__' && name !== '<<' && !misread.test(name));
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc
        .string({ unit: 'binary' })
        .filter(
          (text) => text.isWellFormed() && !/[\0\r\u0085\u2028\u2029]/.test(text) && !misread.test(text),
        ),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.double({ min: -1e9, max: 1e9, noNaN: true }).map((x) => (x === 0 ? 0 : x)),

      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(key, tie('json'), { maxKeys: 4 }),
    ),
  }));
  const map = fc.dictionary(key, json, { minKeys: 1, maxKeys: 4 });

  test('means the JSON that it was written from, document by document, each at its own line', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(map, fc.boolean()), { maxLength: 5 }), (documents) => {
        const texts = documents.map(([value, flow]) =>
          flow ? `${JSON.stringify(value)}\n` : stringify(value, { aliasDuplicateObjects: false }),
        );
        const read = [...documentsIn(texts.map((text) => `---\n${text}`).join(''))];
        expect(read.map(({ value, fault }) => fault ?? value)).toEqual(documents.map(([value]) => value));
        let line = 1;
        for (const [i, text] of texts.entries()) {
          expect(read[i]?.start).toEqual({ line: line + 1, column: 1 });
          line += text.split('\n').length;
        }
      }),
    );
  });
});
