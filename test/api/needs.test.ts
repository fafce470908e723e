// A refusal names what the token lacks. `snapshot.delete` once named csi-write-volume alone, which the token had: Nomad wants
// plugin:read beside it, and people looked for the fault elsewhere.
import { expect, test } from 'vitest';
import { schedulerDialects, type SchedulerDialectName } from '../../src/api/dialects.ts';
import { permissionsFor } from '../../src/api/permissions.ts';
import { routes } from '../../src/api/routes.ts';
import { documentedRights, enforcedRights } from '../../src/embedded/scheduler/acl/rights.ts';

const asked = { cluster: documentedRights, nomad: enforcedRights } as const;
const names: readonly SchedulerDialectName[] = ['cluster', 'nomad'];
const calls = names.flatMap((dialect) => Object.entries(routes).map((call) => [dialect, ...call] as const));

test('both dialects are asked for', () => {
  expect(Object.keys(schedulerDialects).toSorted()).toEqual(names);
});

test.for(calls)('in %s, %s says everything that the service asks for', ([dialect, op, { method, path }]) => {
  const free = new Set(['none', 'token']);
  const needs = (asked[dialect].get(`${method} ${path}`) ?? []).filter(
    (any) => !any.some((one) => free.has(one)),
  );
  const said = new Set(permissionsFor(op, dialect));
  expect(needs.filter((any) => !any.some((one) => said.has(one)))).toEqual([]);
});
