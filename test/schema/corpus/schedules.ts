// The fields of schedules of snapshots.
import { absent, valuesOf, type Case } from './case.ts';
import { nightly } from './documents.ts';

const x = (count: number): string => 'x'.repeat(count);

export const scheduleCases: readonly Case[] = [
  ...valuesOf(nightly, '/spec/volumeRef', {
    valid: [{ name: 'a' }],
    invalid: [{}, { name: '../a' }, { name: 'a', namespace: 'blog' }, 'orders', absent],
  }),
  ...valuesOf(nightly, '/spec/schedule', {
    valid: ['* * * * *', '*/5 0-6,12 1 JAN MON-FRI', '0 0 * * MON#1', '61 * * * *'],
    invalid: ['', '@daily', '0 3 * *', '0 0 3 * * *', ' 0 3 * * *', '0 3 * * *\n', '0  3 * * *', 5, absent],
  }),
  ...valuesOf(nightly, '/spec/timeZone', {
    valid: ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+1', 'Mars/Olympus', absent],
    invalid: ['', '+01:00', 'Europe//Berlin', '/etc/localtime', '../x', x(65), 1],
  }),
  ...(['jitter', 'startingDeadline'] as const).flatMap((field) =>
    valuesOf(nightly, `/spec/${field}`, { valid: ['10m', absent], invalid: ['0s', '10', '-1m', 600] }),
  ),
  ...valuesOf(nightly, '/spec/concurrencyPolicy', {
    valid: ['Forbid', 'Allow', absent],
    invalid: ['Replace', '', true],
  }),
  ...valuesOf(nightly, '/spec/retention', {
    valid: [
      {},
      { count: 1, hourly: 1, daily: 1_000, weekly: 1, monthly: 1, maxAge: '720h', minReady: 1 },
      absent,
    ],
    invalid: [
      { count: 0 },
      { daily: 1_001 },
      { minReady: 0 },
      { minReady: 1.5 },
      { maxAge: '30d' },
      { yearly: 1 },
      [],
    ],
  }),
  ...valuesOf(nightly, '/spec/template', {
    valid: [
      {},
      { metadata: { labels: { app: '', 'example.com/team': 'shop' }, annotations: { note: 'a b\nc' } } },
      { metadata: { labels: { [`a-1.example.com/${'a'.repeat(63)}`]: '' } } },
      { spec: { deletionPolicy: 'Delete', parameters: { tier: 'cold' } } },
      { spec: { secrets: { 'a.b': { name: 'ebs', key: 'key' } } } },
      absent,
    ],
    invalid: [
      { metadata: { labels: { 'holdfast.dev/schedule': 'mine' } } },
      { metadata: { annotations: { 'holdfast.dev/generated-by': 'CSISnapshotSchedule/shop/other' } } },
      { metadata: { labels: { app: 'a b' } } },
      { metadata: { labels: { '': 'a' } } },
      { metadata: { labels: { 'a/b/c': 'a' } } },
      { metadata: { labels: { ['a'.repeat(64)]: 'a' } } }, // the API server would refuse each snapshot
      { metadata: { annotations: { 'a..b/x': 'a' } } },
      { metadata: { name: 'x' } },
      { metadata: { ownerReferences: [] } },
      { spec: { deletionPolicy: 'Deregister' } },
      { spec: { volumeRef: { name: 'other' } } },
      { spec: { managementPolicy: 'ObserveOnly' } },
    ],
  }),
  ...valuesOf(nightly, '/spec/drill', {
    valid: [
      { every: '168h' },
      { every: '24h', timeout: '2h', volume: {} },
      { every: '24h', volume: { capacity: '10Gi', parameters: { tier: 'cold' } } },
      { every: '24h', volume: { secrets: { 'a.b': { name: 'ebs', key: 'key' } } } },
      {
        every: '24h',
        volume: { capabilities: [{ accessMode: 'single-node-writer', attachmentMode: 'block-device' }] },
        verify: {
          selector: { job: 'checks', group: 'g' },
          exec: { task: 'main', command: ['check', '$(VOLUME)'], timeout: '1h', expectedExitCodes: [0, 1] },
        },
      },
      absent,
    ],
    invalid: [
      {},
      { every: '7d' },
      { every: '24h', timeout: '0s' },
      { every: '24h', verify: {} },
      { every: '24h', verify: { job: { id: 'check' } } },
      { every: '24h', verify: { selector: {}, exec: { task: 'main', command: ['true'] } } },
      { every: '24h', verify: { selector: { job: 'checks' } } },
      { every: '24h', verify: { selector: { job: 'checks' }, exec: { task: 'main', command: [] } } },
      { every: '24h', volume: { capabilities: [] } },
      { every: '24h', volume: { capacity: '1.5Gi' } },
      { every: '24h', volume: { deletionPolicy: 'Retain' } },
      { every: '24h', volume: { snapshotRef: { name: 'x' } } },
    ],
  }),
  ...valuesOf(nightly, '/spec/suspend', { valid: [true, false, absent], invalid: ['yes', 1] }),
];
