// Secrets in a tree and beside it: decoded where they are right, and nowhere to be seen where they are wrong.
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { renderProblem } from '../../../../src/core/text/problem.ts';
import { readSecretsDir } from '../../../../src/sources/directory/secrets/files.ts';
import { diskText, treeOf } from './support.ts';

const canary = 'hunter2-canary';
const head = 'apiVersion: v1\nkind: Secret\nmetadata: {name: db, namespace: shop}\n';

describe('a Secret', () => {
  test('has the entries of data and stringData, the latter winning, as in Kubernetes', async () => {
    const wrapped = Buffer.from('long '.repeat(40)).toString('base64').replaceAll(/.{60}/g, '$&\n    ');
    const tree = treeOf({
      'db.yaml': `${head}type: Opaque\nimmutable: true\ndata:\n  user: YW5u\n  both: YW5u\n  __x__: ''\n  .long: |\n    ${wrapped}\nstringData: {both: bob}\n`,
      'site.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: {name: a.b}\n',
    });
    const { secrets, problems } = await tree.reader().read();
    expect(problems).toEqual([]);
    expect(secrets.get('Secret/shop/db')).toEqual({
      namespace: 'shop',
      name: 'db',
      origin: 'db.yaml',
      entries: new Map([
        ['user', 'ann'],
        ['both', 'bob'],
        ['__x__', ''],
        ['.long', 'long '.repeat(40)],
      ]),
    });
    expect(secrets.get('Secret/default/a.b')?.entries).toEqual(new Map());
  });

  test.each([
    {
      why: 'no base64',
      text: `${head}data: {password: ${canary}}\n`,
      message: '/data/password: expected base64 (plain text goes into stringData)',
    },
    {
      why: 'no text in it',
      text: `${head}data: {password: gICA}\n`,
      message: '/data/password: expected base64 of UTF-8',
    },
    {
      why: 'no string',
      text: `${head}stringData: {password: 20061208}\n`,
      message: '/stringData/password: expected text',
    },
    {
      why: 'a list',
      text: `${head}stringData: [${canary}]\n`,
      message: '/stringData: expected a map, got a list',
    },
    {
      why: 'an unknown field',
      text: `${head}strngData: {p: ${canary}}\n`,
      message: 'unknown field "strngData": did you mean "stringData"?',
    },
    {
      why: 'a bad key',
      text: `${head}stringData: {a/b: ${canary}}\n`,
      message: '/stringData/a~1b: expected a key',
    },
    {
      why: 'a bad name',
      text: `${head.replace('db', '../db')}stringData: {p: ${canary}}\n`,
      message: '/metadata/name: expected a name',
    },
    {
      why: 'no name',
      text: `${head.replace('name: db,', '')}stringData: {p: ${canary}}\n`,
      message: '/metadata/name: is required',
    },
    {
      why: 'another version',
      text: `${head.replace('v1', 'v2')}stringData: {p: ${canary}}\n`,
      message: '/apiVersion: expected v1',
    },
    {
      why: 'a kind that is mistyped',
      text: `${head.replace('Secret', 'Secrt')}stringData: {p: ${canary}}\n`,
      message: '/kind: expected one of',
    },
    { why: 'a kind that is missing', text: `stringData: {p: ${canary}}\n`, message: '/kind: is required' },
    {
      why: 'a quote that is left open',
      text: `${head}stringData: {p: "${canary}\n`,
      message: 'invalid YAML (',
    },
    {
      why: 'words that the parser would repeat',
      text: `${head}stringData:\n  p: a\n${canary} ${canary}\n`,
      message: 'invalid YAML (',
    },
    {
      why: 'a template',
      text: `${head}stringData: {p: {{ ${canary} }}}\n`,
      message:
        'invalid YAML: a template ({{ … }}) is not filled in here: put it in quotes, or commit what it renders',
    },
    {
      why: 'a space that is none to YAML',
      text: `${head}stringData:\n  o: x\n  p:\u00a0${canary}\n`,
      message: 'invalid YAML: a space or mark that YAML does not know (U+00A0)',
    },
    {
      why: 'an escape that does not exist',
      text: `${head}stringData: {p: "\\q${canary}"}\n`,
      message: 'invalid YAML (',
    },
    {
      why: 'an alias that does not exist',
      text: `${head}stringData: {p: *${canary}}\n`,
      message: 'invalid YAML',
    },
    { why: 'a tag', text: `${head}stringData: {p: !${canary} x}\n`, message: 'invalid YAML' },
    {
      why: 'a key twice',
      text: `${head}stringData: {${canary}: x, ${canary}: y}\n`,
      message: 'invalid YAML: duplicate key',
    },
    {
      why: 'no dashes between',
      text: `kind: Disk\n${head}stringData: {p: ${canary}}\n`,
      message: 'invalid YAML: duplicate key',
    },
  ])('that is wrong ($why) is said without its values', async ({ text, message }) => {
    const { problems, secrets } = await treeOf({ 'a.yaml': text }).reader().read();
    expect(secrets.size).toBe(0);
    expect(problems).toMatchObject([{ message: expect.stringContaining(message) }]);
    const shown = problems.map((p) => renderProblem(p, { color: false })).join();
    expect(`${shown}${inspect(problems, { depth: null })}`).not.toMatch(/canary|20061208/);
  });

  test('hides what follows it in its file: a value pasted at the margin may be cut at its own dashes', async () => {
    const text = `${diskText('a', '{size: big}')}---\n${head}stringData:\n  p: |\n    one\n---\n${canary}: [\n`;
    const { problems } = await treeOf({ 'a.yaml': text }).reader().read();
    expect(problems).toMatchObject([
      { message: '/spec/size: expected a whole number, got "big"', excerpt: 'spec: {size: big}' },
      { message: expect.stringMatching(/^invalid YAML \(/), place: { line: 13 } },
    ]);
    expect(inspect(problems, { depth: null })).not.toContain('canary');
  });

  test.each([
    { why: 'a field', text: `${head}${'x'.repeat(1000)}: y\n` },
    { why: 'a key', text: `${head}stringData: {${'x/'.repeat(400)}: y}\n` },
    { why: 'a name', text: head.replace('db', 'x/'.repeat(400)) },
  ])('is wrong in short words, however long $why is', async ({ text }) => {
    const { problems } = await treeOf({ 'a.yaml': text }).reader().read();
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message.length).toBeLessThan(300);
  });
});

const dirOf = (files: Readonly<Record<string, string | Uint8Array>>): string => {
  const { root } = treeOf();
  const dir = join(root, '..', 'secrets');
  mkdirSync(dir);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return dir;
};

describe('a directory of secrets', () => {
  test('holds one entry per file, as it stands, also in the layout of a mounted Secret', async () => {
    const dir = dirOf({
      'shop/db/user': 'ann\n',
      'shop/db/password': canary,
      'lab/ca/..2026/ca.crt': 'PEM',
    });
    symlinkSync('..2026', join(dir, 'lab/ca/..data'));
    symlinkSync('..data/ca.crt', join(dir, 'lab/ca/ca.crt'));
    const { secrets, problems } = readSecretsDir(dir);
    expect(problems).toEqual([]);
    expect([...secrets]).toMatchObject([
      ['Secret/lab/ca', { namespace: 'lab', name: 'ca', entries: new Map([['ca.crt', 'PEM']]) }],
      [
        'Secret/shop/db',
        {
          entries: new Map([
            ['password', canary],
            ['user', 'ann\n'],
          ]),
        },
      ],
    ]);
  });

  test('has keys that begin with a dot, as a Secret may, and none of what else is hidden there', async () => {
    const dir = dirOf({
      'shop/db/.token': canary,
      'shop/db/.password.swp': Buffer.from('b0VIM é', 'latin1'),
      'shop/db/.git/config': 'x',
      'shop/.notes': 'x',
      '.git/config': 'x',
      '.git/a/b': 'x',
      'lab/ca/..2026/.token': 'PEM',
      'lab/ca/..leftover': 'x',
    });
    symlinkSync('..2026', join(dir, 'lab/ca/..data'));
    symlinkSync('..data/.token', join(dir, 'lab/ca/.token'));
    symlinkSync('ann@machine.1', join(dir, 'shop/db/.#user'));
    symlinkSync('ann@machine.1', join(dir, 'shop/db/.user.lock'));
    const { secrets, problems } = readSecretsDir(dir);
    expect(problems).toEqual([]);
    expect(Array.from(secrets, ([key, { entries }]) => [key, [...entries]])).toEqual([
      ['Secret/lab/ca', [['.token', 'PEM']]],
      ['Secret/shop/db', [['.token', canary]]],
    ]);
  });

  test('of hidden files alone declares no Secret a second time: a .gitkeep keeps the directory', async () => {
    const tree = treeOf({ 'db.yaml': `${head}stringData: {user: ann}\n` });
    const secretsDir = dirOf({ 'shop/db/.gitkeep': '', 'shop/other/.token': canary });
    const { secrets, problems } = await tree.reader({ secretsDir }).read();
    expect(problems).toEqual([]);
    expect(Array.from(secrets, ([key, { entries }]) => [key, [...entries]])).toEqual([
      ['Secret/shop/db', [['user', 'ann']]],
      ['Secret/shop/other', [['.token', canary]]],
    ]);
  });

  test('says of a hidden key that it leads out: it was passed over, and the Secret was said to lack it', async () => {
    const dir = dirOf({ 'shop/db/user': 'ann', '../outside/.token': canary });
    symlinkSync('../../../outside/.token', join(dir, 'shop/db/.token'));
    symlinkSync('../../../outside', join(dir, 'shop/db/.git')); // a directory is no key
    expect(readSecretsDir(dir).problems).toEqual([
      {
        origin: join(dir, 'shop/db/.token'),
        message: 'symbolic link leads out of the tree and is not followed',
      },
    ]);
  });

  test('says what it can not use, without values, and uses the rest', async () => {
    const dir = dirOf({
      'shop/db/user': 'ann',
      'shop/stray': canary,
      'shop/db/deep/er': canary,
      'Shop/db/user': canary,
      'shop/D B/user': canary,
      'shop/db/a b': canary,
      'shop/db/latin': Buffer.from(`é${canary}`, 'latin1'),
      'shop/db/huge': '',
    });
    truncateSync(join(dir, 'shop/db/huge'), 50_000_000);
    const { secrets, problems } = readSecretsDir(dir);
    expect([...secrets.keys()]).toEqual(['Secret/shop/db']);
    expect(problems.map(({ origin, message }) => `${origin.slice(dir.length)}: ${message}`)).toEqual([
      expect.stringMatching('^/Shop/db/user: namespace: expected a name'),
      expect.stringMatching('^/shop/D B/user: name: expected a name'),
      expect.stringMatching('^/shop/db/a b: key: expected a key'),
      '/shop/db/deep/er: is not <namespace>/<name>/<key>',
      expect.stringMatching('^/shop/db/huge: is too large'),
      '/shop/db/latin: is not UTF-8 text',
      '/shop/stray: is not <namespace>/<name>/<key>',
    ]);
    expect(inspect(problems, { depth: null })).not.toContain('canary');
  });

  test('adds to the Secrets of the tree, which win', async () => {
    const secretsDir = dirOf({ 'shop/db/user': 'from files', 'shop/other/user': 'from files' });
    const tree = treeOf({ 'db.yaml': `${head}stringData: {user: from the tree}\n` });
    const { secrets, problems } = await tree.reader({ secretsDir }).read();
    expect(secrets.get('Secret/shop/db')?.entries.get('user')).toBe('from the tree');
    expect(secrets.get('Secret/shop/other')?.entries.get('user')).toBe('from files');
    expect(problems).toMatchObject([
      { message: 'Secret/shop/db is declared twice: the one at db.yaml:1 is used' },
    ]);
  });
});
