import { describe, expect, test } from 'vitest';
import { schedulerDialects } from '../../../../src/api/dialects.ts';
import { rowFilter } from '../../../../src/embedded/scheduler/filter/filter.ts';

const row = {
  ID: 'data-1',
  Name: 'shop data',
  PluginID: 'ebs',
  Version: '1.2',
  Capacity: 1_048_576,
  Ready: true,
  RequestedCapabilities: [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }],
  RequestedTopologies: null,
  Topologies: [{ zone: 'a' }],
  MountOptions: { FsType: 'ext4', MountFlags: ['noatime'] },
  Secrets: { token: 'canary' },
  Parameters: { type: 'fast', 'a key': 'v', 'x/y': 'z' },
  Context: {},
};
const { cluster, nomad } = schedulerDialects;

describe('filters', () => {
  test.each([
    { filter: 'PluginID == ebs', is: true, why: 'a bare value is a text' },
    { filter: 'PluginID=="ebs"', is: true, why: 'spaces around == are optional' },
    { filter: 'PluginID != `ebs`', is: false, why: 'back quotes quote' },
    { filter: 'Name == "shop\\u0020data"', is: true, why: 'double quotes have escapes' },
    { filter: 'Capacity == 1048576', is: true, why: 'numbers are compared as numbers' },
    { filter: 'Capacity == 1048576.0', is: true, why: 'however they are written' },
    { filter: 'Ready == t', is: true, why: 'booleans as Go reads them' },
    { filter: 'ID contains ata', is: true, why: 'texts contain parts' },
    { filter: '"nothing" in ID', is: false, why: 'or they do not' },
    { filter: 'noatime in MountOptions.MountFlags', is: true, why: 'lists contain elements' },
    { filter: 'MountOptions.MountFlags not contains noatime', is: false, why: 'negated' },
    { filter: '"a key" in Parameters', is: true, why: 'maps contain keys' },
    { filter: 'toString in Parameters', is: false, why: 'their own only' },
    { filter: 'Parameters["a key"] == v', is: true, why: 'keys with spaces are indexed' },
    { filter: 'Parameters.type == fast', is: true, why: 'others follow a dot' },
    { filter: '"/Parameters/x~1y" == z', is: true, why: 'a JSON pointer selects too' },
    { filter: 'Parameters.missing == fast', is: false, why: 'a missing key equals nothing' },
    { filter: 'Parameters.missing != fast', is: true, why: 'so it differs from everything' },
    { filter: 'Parameters.missing not matches "."', is: true, why: 'and matches nothing' },
    {
      filter: 'RequestedCapabilities.0.AccessMode matches "^single-.*r$"',
      is: true,
      why: 'expressions match',
    },
    { filter: 'ID not matches "^x"', is: true, why: 'negated' },
    { filter: 'Context is empty and Parameters is not empty', is: true, why: 'maps can be empty' },
    { filter: 'RequestedTopologies is empty', is: true, why: 'nothing is empty' },
    { filter: 'RequestedTopologies.Required.0.zone == a', is: false, why: 'nothing has no fields' },
    { filter: 'ID == x and ID == x or PluginID == ebs', is: true, why: 'and binds closer than or' },
    { filter: 'ID == x and (ID == x or PluginID == ebs)', is: false, why: 'parentheses bind closest' },
    { filter: 'not ID == x and PluginID == ebs', is: true, why: 'not binds to one match' },
    { filter: 'not (ID == x or PluginID == ebs)', is: false, why: 'or to parentheses' },
  ])('$filter is $is: $why', ({ filter, is }) => {
    expect(rowFilter(filter, cluster)(row)).toBe(is);
  });

  test('fields have the names and shapes of the dialect', () => {
    expect(rowFilter('MountOptions.FSType == ext4 and ProviderVersion == 1.2', nomad)(row)).toBe(true);
    expect(rowFilter('Topologies.0.Segments.zone == a', nomad)(row)).toBe(true);
    expect(rowFilter('Topologies.0.zone == a and MountOptions.FsType == ext4', cluster)(row)).toBe(true);
  });

  const syntax = 'failed to create result paginator: failed to read filter expression: ';
  test.each([
    { filter: 'ID ==', says: 'at the end', why: 'a value is missing' },
    { filter: '== x', says: '1:1 (0)', why: 'a selector is missing' },
    { filter: 'ID', says: 'expected an operator', why: 'nothing is asked' },
    { filter: 'ID == x y', says: 'expected the end', why: 'there is too much' },
    { filter: '(ID == x', says: 'expected ")"', why: 'it is open' },
    { filter: 'ID == aws-ebs', says: '1:10 (9)', why: 'bare values have no hyphens' },
    { filter: 'ID < 5', says: '1:3 (2)', why: 'there is no less' },
    { filter: 'ID is nil', says: 'expected "empty"', why: 'nil is not built' },
    { filter: '"x" == "x"', says: 'expected a selector', why: 'two values' },
    { filter: 'ID == "\\q"', says: 'invalid syntax', why: 'no such escape' },
    { filter: 'ID matches "("', says: 'error parsing pattern', why: 'no expression' },
    { filter: 'ID matches "(?=x)"', says: 'unsupported Perl syntax', why: 'RE2 looks not around' },
    { filter: `${'not '.repeat(100)}ID == x`, says: 'nested deeper than 64', why: 'depth is bounded' },
    { filter: `ID == "${'x'.repeat(5_000)}"`, says: 'longer than 4096', why: 'length is bounded' },
  ])('$says: $why', ({ filter, says }) => {
    expect(() => rowFilter(filter, cluster)).toThrow(syntax);
    expect(() => rowFilter(filter, cluster)).toThrow(says);
  });

  test.each([
    { filter: 'Colour == red', why: 'no such field' },
    { filter: 'MountOptions.Colour == red', why: 'nor below' },
    { filter: 'RequestedCapabilities.7.AccessMode == x', why: 'no such element' },
    { filter: 'Parameters == x', why: 'a map is no value' },
    { filter: 'Capacity == many', why: 'not a number' },
    { filter: 'Capacity is empty', why: 'numbers are not empty' },
    { filter: 'Capacity matches "1"', why: 'nor texts' },
    { filter: 'Secrets.token == canary', why: 'secrets are not to be guessed' },
    { filter: '"token" in Secrets', why: 'not even their names' },
    { filter: 'constructor.name == Object', why: 'fields are own fields' },
  ])('$filter fails on the first row, not before: $why', ({ filter }) => {
    const accepts = rowFilter(filter, cluster);
    expect(() => accepts(row)).toThrow('failed to read result page: ');
  });
});
