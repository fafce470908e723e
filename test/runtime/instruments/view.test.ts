// What the status page is told of an object.
import { expect, test } from 'vitest';
import { Graph } from '../../../src/controller/index/references.ts';
import type { DeclaredObject } from '../../../src/core/resource.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { OperatorView, type Parts } from '../../../src/runtime/instruments/view.ts';

const name = 'CSIVolume/shop/data';
const connection = 'SchedulerConnection/main';

test('an object behind a suspended connection is shown as suspended with it: nothing is done there', () => {
  const common = { uid: 'u', generation: 1, deleting: false, held: true, spec: {} };
  const objects: Readonly<Record<string, DeclaredObject>> = {
    [name]: { ...common, key: { kind: 'CSIVolume', namespace: 'shop', name: 'data' }, requests: {} },
    [connection]: {
      ...common,
      key: { kind: 'SchedulerConnection', namespace: '', name: 'main' },
      requests: { suspend: 'true' },
    },
  };
  const read = (key: string) => objects[key] && { object: objects[key], status: noStatus };
  const graph = new Graph();
  graph.set(name, { uid: 'u', generation: 1, deleting: false, references: [], connection });
  const parts = { source: { read }, graph, controller: {}, queue: {} };
  // oxlint-disable-next-line no-unsafe-type-assertion -- all that is asked for one object
  const view = new OperatorView(() => parts as unknown as Parts, '1', { nowMs: () => 0, wallMs: () => 0 });
  expect(view.object(name)?.suspension).toEqual({ by: 'annotation', connection: objects[connection]?.key });
});
