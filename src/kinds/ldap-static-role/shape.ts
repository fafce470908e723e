// LDAPStaticRole: checks that a response is a role, or an allocation. PURE.
import * as z from 'zod';
import type { AllocationStub } from '../../api/scheduler/wire.ts';
import type { RoleRead } from '../../api/secrets/wire.ts';
import { fits } from '../../schema/problems.ts';

const name = z.string().max(1_024).nullish();
const task = z.looseObject({
  State: name,
  Restarts: z.number().nullish(),
  LastRestart: name,
  Events: z.array(z.looseObject({ Type: z.string(), Time: z.number() })).nullish(),
});
const shape = z.looseObject({
  DesiredStatus: name,
  ClientStatus: name,
  TaskStates: z.record(z.string(), task).nullish(),
});

export const isAllocation = (answer: AllocationStub): boolean => fits(shape, answer);

export const isWhole = ({ username, dn, rotation_period }: RoleRead): boolean =>
  [username, dn].every((text: unknown) => typeof text === 'string') && Number.isFinite(rotation_period);
