// Objects that between them need everything that a page can show, with names as long as names may be.
import {
  condition,
  keyOf,
  memoryOf,
  objectView,
  ready,
  stalled,
  withConditions,
  type FakeView,
} from './fake-view.ts';

export const long = 'anunbreakablename'.repeat(14);
const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

/** One of everything that a page can show. */
export function fill(view: FakeView): void {
  const through = 'SchedulerConnection/production';
  const list = { index: 48_213, atMs: Date.now() - 240_500 };
  view.set(
    objectView(keyOf('production', 'SchedulerConnection', ''), { connection: { watch: 'live', list } }),
  );
  view.set(objectView(keyOf('data'), { through, nextVisitMs: Date.now() + 330_000 }));
  view.set({ ...withConditions(keyOf(long), stalled('Refused', `why: ${long}`)), through });
  view.set(withConditions(keyOf('waits'), [condition('Ready', 'False', 'Waits', 'for a snapshot')]));
  view.set(
    objectView(keyOf('off'), {
      suspension: { by: 'spec' },
      deleting: true,
      waitsFor: [{ field: '/snapshotRef', target: keyOf(long), state: 'missing', message: 'not there' }],
      timeline: [
        { at: ago(5_400_500), what: 'rotate', done: true },
        { what: 'publish', done: false },
        { what: 'verified', done: false },
      ],
      status: memoryOf({
        conditions: ready,
        externalRef: { backend: `https://${long}.example.com` },
        observed: { [long]: [long] },
        history: [
          { at: ago(259_300_500), verb: 'update', what: 'expand to 20Gi', fields: ['/capacity/max'] },
        ],
        drift: {
          summary: '2 fields',
          detectedAt: ago(90_500),
          fields: [
            { path: '/mountOptions/mountFlags', desired: ['noatime'], live: [long], cause: 'drift' },
            { path: '/capacity/max', desired: '20Gi', live: '32Gi', cause: 'edit' },
          ],
        },
      }),
    }),
  );
}

export const detailPath = '/objects/CSIVolume/shop/off';
