import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RequestLog } from '../../../src/embedded/http/request-counts.ts';

const kept = 1_000;
const seen = (n: number) => ({ method: 'GET', path: `/${n}`, status: 200 });

describe('the request log', () => {
  test('however many there were, the last ones are told, oldest first', () => {
    fc.assert(
      fc.property(fc.nat(3 * kept), fc.nat(kept + 10), (total, limit) => {
        const log = new RequestLog();
        for (let n = 0; n < total; n++) log.add(seen(n));
        const count = Math.min(total, kept, Math.max(1, limit));
        expect(log.recent(limit)).toEqual(Array.from({ length: count }, (_, i) => seen(total - count + i)));
      }),
      { numRuns: 20 },
    );
  });

  test('writes are what may change something through the API, whatever the method', () => {
    const log = new RequestLog();
    for (const key of [
      'GET /v1/a',
      'PUT /v1/a',
      'PUT /v1/a',
      'DELETE /v1/a',
      'POST /other',
      'POST /v1/sys/capabilities-self',
    ])
      log.count(key);
    expect(log.writes()).toBe(3);
    expect(log.counts()).toHaveProperty(['PUT /v1/a'], 2);
    log.reset();
    expect([log.writes(), log.counts(), log.recent(1)]).toEqual([0, {}, []]);
  });

  test('paths are cut: a log must not grow with what is sent', () => {
    const log = new RequestLog();
    log.add({ method: 'GET', path: 'x'.repeat(9_999), status: 200 });
    expect(log.recent(1)[0]?.path).toHaveLength(1_024);
  });
});
