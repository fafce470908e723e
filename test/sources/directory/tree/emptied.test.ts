// Whether a manifest that declares nothing any more is a problem, case by case: one that is passed over lets disks go, one
// too many stops every deletion.
import { describe, expect, test } from 'vitest';
import { keyText } from '../../../../src/core/resource.ts';
import { withEmptied } from '../../../../src/sources/directory/tree/emptied.ts';
import type { Hollow, Scan } from '../../../../src/sources/directory/tree/scan.ts';
import { declared, volume } from '../state/data.ts';

const pass: Scan = {
  installation: 'test',
  objects: new Map(),
  secrets: new Map(),
  problems: [],
  hollow: new Map(),
  files: 1,
};
const hollow = (what: Hollow, ...origins: readonly string[]): Partial<Scan> => ({
  hollow: new Map(origins.map((origin) => [origin, what])),
});

/** Declared before, in shop.yaml unless it says where. */
function known(name: string, more: { readonly origin?: string; readonly deleting?: boolean } = {}) {
  const { origin = 'shop.yaml', deleting = false } = more;
  const key = volume(name);
  const of = { uid: `uid-${name}`, generation: 1, requests: {}, spec: {}, held: true };
  return [keyText(key), { object: { ...of, key, origin, deleting } }] as const;
}

const lost = (name: string): string =>
  `holds nothing, and declared CSIVolume/shop/${name}: remove it to remove that one`;
const standing = declared(volume('a'));
const told = { origin: 'other.yaml', message: 'wrong', key: 'CSIVolume/shop/a' };

describe('a manifest without a declaration is no problem', () => {
  test.for<{ why: string; found: Partial<Scan>; before: readonly ReturnType<typeof known>[] }>([
    { why: 'there is none', found: {}, before: [known('a')] },
    { why: 'it never declared anything', found: hollow('empty', 'shop.yaml'), before: [] },
    {
      why: 'what it declared stands elsewhere now',
      found: { ...hollow('empty', 'shop.yaml'), objects: new Map([['CSIVolume/shop/a', standing]]) },
      before: [known('a')],
    },
    {
      why: 'another problem tells of what it declared',
      found: { ...hollow('empty', 'shop.yaml'), problems: [told] },
      before: [known('a')],
    },
    {
      why: 'all that is gone was declared in another one, which is gone, too',
      found: hollow('empty', 'shop.yaml'),
      before: [known('a', { origin: 'other.yaml' })],
    },
  ])('where $why', ({ found, before }) => {
    const read = { ...pass, ...found };
    expect(withEmptied(read, before)).toBe(read);
  });
});

describe('a manifest that declared something and declares nothing is a problem that says', () => {
  test.for<{ says: string; what?: Hollow; names: readonly string[] }>([
    { says: 'holds nothing, and declared CSIVolume/shop/a: remove it to remove that one', names: ['a'] },
    {
      says: 'is a directory, and was a file that declared CSIVolume/shop/a: remove it to remove that one',
      what: 'directory',
      names: ['a'],
    },
    {
      says: 'is a directory, and was a file that declared CSIVolume/shop/a: remove it to remove that one',
      what: 'bare',
      names: ['a'],
    },
    {
      says: 'holds nothing, and declared CSIVolume/shop/a, CSIVolume/shop/b, CSIVolume/shop/c: remove it to remove them',
      names: ['c', 'a', 'b'],
    },
    {
      says: 'holds nothing, and declared CSIVolume/shop/a, CSIVolume/shop/b, CSIVolume/shop/c and 1 more: remove it to remove them',
      names: ['d', 'c', 'b', 'a'],
    },
  ])('$says', ({ says, what = 'empty', names }) => {
    const before = names.map((name) => known(name));
    const { problems } = withEmptied({ ...pass, ...hollow(what, 'shop.yaml') }, before);
    expect(problems).toEqual([{ origin: 'shop.yaml', message: says }]);
  });

  test('what is its own, beside all other problems; the rest of what was read stays', () => {
    const other = { origin: 'broken.yaml', message: 'invalid YAML' };
    const read = { ...pass, ...hollow('empty', 'shop.yaml', 'notes.yaml', 'more.yaml'), problems: [other] };
    const before = [known('a'), known('b', { origin: 'more.yaml' })];
    expect(withEmptied(read, before)).toEqual({
      ...read,
      problems: [
        other,
        { origin: 'shop.yaml', message: lost('a') },
        { origin: 'more.yaml', message: lost('b') },
      ],
    });
  });

  test('of what leaves already: who put its file back meant to keep it', () => {
    const before = [known('a', { deleting: true })];
    const { problems } = withEmptied({ ...pass, ...hollow('empty', 'shop.yaml') }, before);
    expect(problems).toEqual([{ origin: 'shop.yaml', message: lost('a') }]);
  });
});

/** An object that was declared in this file, and is gone, with the directories that are empty now. */
function left(origin: string, bare: readonly string[], deleting = false) {
  return withEmptied({ ...pass, ...hollow('bare', ...bare) }, [known('a', { origin, deleting })]).problems;
}

const unmounted =
  'is an empty directory, and held files that declared CSIVolume/shop/a: remove it to remove that one';

describe('a mount that went away takes no disk with it: an empty directory is a problem', () => {
  test.for<readonly [bare: string, origin: string]>([
    ['volumes', 'volumes/shop.yaml'],
    ['volumes/shop', 'volumes/shop/web.yaml'],
    ['volumes', 'volumes/shop/web/data.yaml'],
  ])('%s, where %s declared something', ([bare, origin]) => {
    expect(left(origin, ['notes', bare])).toEqual([{ origin: bare, message: unmounted }]);
  });

  test('which says what was in it, and not what was declared in a file beside it', () => {
    const before = [known('b', { origin: 'beside.yaml' }), known('a', { origin: 'volumes/shop.yaml' })];
    const { problems } = withEmptied({ ...pass, ...hollow('bare', 'volumes') }, before);
    expect(problems).toEqual([{ origin: 'volumes', message: unmounted }]);
  });
});

describe('an empty directory holds nothing up where', () => {
  test('what was in it was to leave before: its file was removed on purpose, and perhaps was the last', () => {
    expect(left('volumes/shop.yaml', ['volumes'], true)).toEqual([]);
  });

  test.for<readonly [bare: string, origin: string]>([
    ['volume', 'volumes/shop.yaml'],
    ['shop', 'volumes/shop/web.yaml'],
    ['volumes/sho', 'volumes/shop/web.yaml'],
  ])('only its name is like that of another one: %s beside %s', ([bare, origin]) => {
    expect(left(origin, [bare])).toEqual([]);
  });

  test('it is a file by now: who put it there removed the directory', () => {
    const read = { ...pass, ...hollow('empty', 'volumes.yaml') };
    expect(withEmptied(read, [known('a', { origin: 'volumes.yaml/shop.yaml' })])).toBe(read);
  });
});
