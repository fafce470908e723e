// Objects that are edited step by step, side by side, each beside others that are declared for the first time.
import * as z from 'zod';
import { meaningOf, check } from '../../src/sources/directory/tree/document.ts';
import { declarations } from '../../src/runtime/kinds/lookup.ts';
import { put, absent } from '../schema/corpus/case.ts';
import type { Spec } from '../support/manifests.ts';
import type { Patch, Place, Subject } from './subject.ts';
import { liveOf } from './live.ts';
import type { World } from './world.ts';

/** A spec, written for an object at any place. */
export type Written = (place: Place) => Spec;

/** @param patch `undefined` takes a field out; `<name>` stands for the name of the object */
export const patched =
  (written: Written, patch: Patch): Written =>
  (place) =>
    Object.entries(patch).reduce<Spec>(
      (spec, [at, value]) => put(spec, at, value === undefined ? absent : placed(value, place)),
      written(place),
    );

const placed = (value: unknown, { name }: Place): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll('<name>', name));

export const documentOf = ({ kind }: Subject, name: string, written: Written): Spec => ({
  apiVersion: 'holdfast.dev/v1alpha1',
  kind,
  metadata: { namespace: 'shop', name },
  spec: written({ name }),
});

/** Whether it may be declared after that, or where nothing was. */
export const isValid = (subject: Subject, written: Written, before?: Written): boolean =>
  isTaken(documentOf(subject, 'a', written), before?.({ name: 'a' }));

/** @param before its spec until then */
export function isTaken(document: Spec, before?: Spec): boolean {
  const meaning = meaningOf(JSON.parse(JSON.stringify(document)), 'a.yaml', declarations);
  return meaning.is === 'object' && !('errors' in check(meaning.object, before));
}

/** What became of what was declared last. */
export interface Outcome {
  readonly live: string;
  /** Why it is not as declared, by the program's word; absent: it says that it is. */
  readonly why?: string;
  /** It can be used. */
  readonly isReady: boolean;
}

export function outcomeOf(world: World, { kind }: Subject, name: string, spec: Spec): Outcome {
  const { conditions, problems } = world.said(`${kind}/shop/${name}`);
  const externalName = typeof spec['externalName'] === 'string' ? spec['externalName'] : name;
  const live = liveOf(world, kind, name, externalName);
  const [problem] = problems;
  const isReady = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  if (problem !== undefined) return { live, isReady, why: `refused: ${problem}` };
  const unwell = conditions.find(({ type, status }) => unwellBy.has(type) && status === unwellBy.get(type));
  return unwell ? { live, isReady, why: `${unwell.reason}: ${unwell.message}` } : { live, isReady };
}

/** By which status a condition says that something is not as declared. */
const unwellBy: ReadonlyMap<string, string> = new Map([
  ['Stalled', 'True'],
  ['Ready', 'False'],
  ['Synced', 'False'],
  ['FieldsKept', 'True'],
]);

/** The fields of a spec, as pointers. */
export const shapeOf = (spec: z.ZodType): readonly string[] =>
  spec instanceof z.ZodObject ? Object.keys(spec.shape).map((name) => `/${name}`) : [];
