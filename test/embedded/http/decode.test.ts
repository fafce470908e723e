import { describe, expect, test } from 'vitest';
import { Fields, limits } from '../../../src/embedded/http/decode.ts';

const reads: Readonly<Record<string, (f: Fields) => unknown>> = {
  text: (f) => f.text('x'),
  oneOf: (f) => f.oneOf('x', ['a', 'b'], 'a'),
  count: (f) => f.count('x'),
  flag: (f) => f.flag('x', false),
  texts: (f) => f.texts('x'),
  textMap: (f) => f.textMap('x'),
  object: (f) => f.object('x')?.text('y'),
};

describe('fields of untrusted JSON', () => {
  test.each([
    { read: 'text', value: undefined, says: 'at.x: expected a string, got nothing', why: 'it is required' },
    {
      read: 'text',
      value: 5,
      says: 'at.x: expected a string, got a number',
      why: 'the type is told, not the value',
    },
    {
      read: 'text',
      value: 'a'.repeat(5_000),
      says: 'at.x: longer than 4096 characters',
      why: 'texts are bounded',
    },
    {
      read: 'oneOf',
      value: 'c',
      says: 'at.x: expected one of a, b, got a string',
      why: 'choices are listed',
    },
    {
      read: 'count',
      value: -1,
      says: 'at.x: expected a whole number of at least 0, got a number',
      why: 'sizes',
    },
    {
      read: 'count',
      value: 1.5,
      says: 'at.x: expected a whole number of at least 0, got a number',
      why: 'are whole',
    },
    {
      read: 'count',
      value: '1',
      says: 'at.x: expected a whole number of at least 0, got a string',
      why: 'numbers',
    },
    {
      read: 'flag',
      value: 'yes',
      says: 'at.x: expected true or false, got a string',
      why: 'flags are no texts',
    },
    { read: 'texts', value: {}, says: 'at.x: expected a list, got an object', why: 'lists are no maps' },
    {
      read: 'texts',
      value: ['a', 1],
      says: 'at.x[1]: expected a string, got a number',
      why: 'the entry is named',
    },
    { read: 'texts', value: Array(1_001), says: 'at.x: more than 1000 entries', why: 'lists are bounded' },
    {
      read: 'textMap',
      value: [],
      says: 'at.x: expected a map of strings, got a list',
      why: 'maps are no lists',
    },
    {
      read: 'textMap',
      value: { a: null },
      says: 'at.x.a: expected a string, got null',
      why: 'the key is named',
    },
    {
      read: 'object',
      value: 'o',
      says: 'at.x: expected an object, got a string',
      why: 'objects are no texts',
    },
    { read: 'object', value: {}, says: 'at.x.y: expected a string, got nothing', why: 'places are nested' },
  ])('"$says": $why', ({ read, value, says }) => {
    expect(() => reads[read]?.(new Fields({ x: value }, 'at'))).toThrow(says);
  });

  test('maps are bounded', () => {
    const map = Object.fromEntries(Array.from({ length: limits.mapSize + 1 }, (_, i) => [`k${i}`, '']));
    expect(() => new Fields({ x: map }, '').textMap('x')).toThrow('x: more than 256 entries');
  });

  test('names are found in any case, and null is absent, as in the services that are embedded', () => {
    const f = new Fields({ FSTYPE: 'ext4', size: null }, '');
    expect([f.text('FsType'), f.count('Size', 7), f.has('Size')]).toEqual(['ext4', 7, false]);
  });

  test('a field that nobody asked for is told with those that are known', () => {
    const f = new Fields({ name: 'a', nmae: 'b' }, 'node');
    f.text('Name');
    expect(() => f.done()).toThrow('node.nmae: unknown field; known: Name');
  });

  test('keys of the prototype are keys like others', () => {
    const f = new Fields(JSON.parse('{"m":{"__proto__":"a","constructor":"b"}}'), '');
    expect(Object.entries(f.textMap('m'))).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
    expect(() => f.text('constructor')).toThrow('got nothing');
  });
});
