// What clients may rely on, asked over HTTP: of the embedded scheduler in both dialects, or, unchanged, of a real server
// (see targets.ts). Cases that need the set-up API run on the embedded one only.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aclCases } from './acl-cases.ts';
import { allocationCases } from './allocation-cases.ts';
import { allocationShapeCases } from './allocation-shape-cases.ts';
import { Bench } from './bench.ts';
import { claimCases } from './claim-cases.ts';
import { conventionCases } from './convention-cases.ts';
import { documentCases } from './document-cases.ts';
import { eventCases } from './event-cases.ts';
import { eventPayloadCases } from './event-payload-cases.ts';
import { externalCases } from './external-cases.ts';
import { execCases } from './exec-cases.ts';
import { httpCases } from './http-cases.ts';
import { pluginCases } from './plugin-cases.ts';
import { readCases } from './read-cases.ts';
import { snapshotCases } from './snapshot-cases.ts';
import { stopCases } from './stop-cases.ts';
import { targets } from './targets.ts';
import { writeCases } from './write-cases.ts';

describe.each(targets)('scheduler, $name', (target) => {
  const bench = new Bench(target);
  beforeAll(() => bench.open());
  afterAll(() => bench.close());

  httpCases(bench);
  readCases(bench);
  writeCases(bench);
  claimCases(bench);
  allocationShapeCases(bench);
  allocationCases(bench);
  execCases(bench);
  stopCases(bench);
  pluginCases(bench);
  aclCases(bench);
  eventCases(bench);
  eventPayloadCases(bench);
  snapshotCases(bench);
  externalCases(bench);
  conventionCases(bench);
  documentCases(bench);

  test.runIf(target.embedded)('counters tell requests, writes and what really changed', async () => {
    await bench.client.post('/setup/counters/reset', {});
    const { ID } = await bench.created();
    await bench.create(ID); // changes nothing: an error, or an update with what is there
    await bench.client.delete(`/v1/volume/csi/${ID}`);
    expect((await bench.client.get('/setup/counters')).json()).toEqual({
      routes: {
        'DELETE /v1/volume/csi/{id}': 1,
        'GET /v1/volume/csi/{id}': 1,
        'PUT /v1/volume/csi/{id}/create': 2,
      },
      writes: 3,
      effects: 3, // a disk, a registration, its removal
    });
    const seen = (await bench.client.get('/setup/requests?limit=1')).json();
    expect(seen).toEqual([{ method: 'DELETE', path: `/v1/volume/csi/${ID}`, status: 200 }]);
  });
});
