// A manifest means the same in a directory and in a cluster, or is refused.
import { describe, expect, test } from 'vitest';
import { documentsIn } from '../../../../src/sources/directory/yaml/documents.ts';
import { alike, misread } from './scalars.ts';

const faultOf = (text: string) => [...documentsIn(text)][0]?.fault;

describe('what kubectl reads differently is refused, at its place', () => {
  test.each(misread)('the value %s', (scalar) => {
    const fault = faultOf(`a:\n  b: ${scalar}\n`);
    expect(fault?.message).toMatch(
      /^invalid YAML: kubectl would read (true|false|another number) \(YAML 1\.1\): /,
    );
    expect(fault?.spot).toMatchObject({ line: 2, column: 6 });
  });

  test.each([...misread, '~', 'null', '0x10', '0o10', '1.50', '1e3', '12345678901234567890', '+1', '-0'])(
    'the key %s',
    (scalar) => {
      expect(faultOf(`a:\n  ${scalar}: b\n`)?.spot).toMatchObject({ line: 2, column: 3 });
    },
  );

  test.each(['!!int 010', '!!bool yes'])('a tag does not help: %s', (scalar) => {
    expect(faultOf(`a: ${scalar}\n`)?.message).toMatch(/^invalid YAML: /);
  });

  test.each(['\u0085', '\u2028', '\u2029', '\r'])('a line that only kubectl sees begin: %j', (end) => {
    const fault = faultOf(`# harmless${end}suspend: true\nkind: Disk\n`);
    expect(fault?.message).toMatch(/^invalid YAML: an end of line that only some readers know/);
  });

  test('no message shows the text: it may be a password', () => {
    const fault = faultOf('kind: Secret\nstringData: {password: 0755}\n');
    expect(JSON.stringify(fault)).not.toContain('0755');
  });
});

describe('what both read the same is taken', () => {
  test.each(alike)('the value %s', (scalar) => {
    expect(faultOf(`a:\n  b: ${scalar}\n`)).toBeUndefined();
  });

  test.each(['true', '80', '0', '-5', '2001-01-01', 'a.b/c', '"yes"', "'010'"])('the key %s', (scalar) => {
    expect(faultOf(`a:\n  ${scalar}: b\n`)).toBeUndefined();
  });

  test('Windows ends its lines in two characters', () => {
    expect(faultOf('a: b\r\nc: d\r\n')).toBeUndefined();
  });
});
