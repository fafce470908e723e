// The fields of snapshots, and of volumes that are made from one.
import { absent, put, valuesOf, type Case } from './case.ts';
import { cut, registered, volume } from './documents.ts';

const x = (count: number): string => 'x'.repeat(count);
const taken = put(
  put(put(cut, '/spec/volumeRef', absent), '/spec/volumeID', 'legacy'),
  '/spec/pluginID',
  'ebs',
);
const existing = put(put(taken, '/spec/volumeID', absent), '/spec/snapshotID', 'snap-1');

const snapshots: readonly Case[] = [
  ...valuesOf(cut, '/spec/volumeRef', {
    valid: [{ name: 'a' }],
    invalid: [{}, { name: '../a' }, { name: 'a', namespace: 'blog' }, 'orders', absent],
  }),
  ...valuesOf(cut, '/spec/volumeID', { invalid: ['legacy'] }),
  ...valuesOf(cut, '/spec/snapshotID', { invalid: ['snap-1'] }),
  ...valuesOf(cut, '/spec/pluginID', { invalid: ['ebs', ''] }),
  ...valuesOf(taken, '/spec/volumeID', {
    valid: ['a b', x(256)],
    invalid: ['', 'a\nb', x(257), 5, absent],
  }),
  ...valuesOf(taken, '/spec/pluginID', { valid: [x(128)], invalid: ['', x(129), absent] }),
  ...valuesOf(taken, '/spec/parameters', {
    valid: [{}, { tier: 'cold' }, absent],
    invalid: [{ '': 'a' }, { tier: 5 }, []],
  }),
  ...valuesOf(existing, '/spec/snapshotID', {
    valid: ['arn:aws:ec2:snapshot/1', x(256)],
    invalid: ['', x(257), absent],
  }),
  ...valuesOf(existing, '/spec/parameters', { valid: [absent], invalid: [{ tier: 'cold' }] }),
  ...valuesOf(existing, '/spec/pluginID', { invalid: [absent] }),
  ...valuesOf(cut, '/spec/secrets', {
    valid: [{}, { 'a.b': { name: 'ebs', key: 'key' } }],
    invalid: [{ 'a,b': { name: 'ebs', key: 'key' } }, { a: 'b' }, { a: { name: 'ebs' } }],
  }),
  ...valuesOf(cut, '/spec/replacePolicy', { invalid: ['Never', 'WhenUnused'] }),
];

const volumes: readonly Case[] = [
  ...valuesOf(volume, '/spec/create/snapshotRef', {
    valid: [{ name: 'nightly' }, absent],
    invalid: [{}, { name: 'a', namespace: 'blog' }, 'nightly'],
  }),
  ...valuesOf(volume, '/spec/create', {
    invalid: [{ capacity: { min: '1Gi' }, snapshotRef: { name: 'nightly' }, snapshotID: 'snap-1' }],
  }),
  ...valuesOf(registered, '/spec/create', {
    invalid: [{ capacity: { min: '1Gi' }, snapshotRef: { name: 'nightly' } }],
  }),
];

export const snapshotCases: readonly Case[] = [...snapshots, ...volumes];
