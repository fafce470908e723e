// Reads and writes the file of a saved plan. A seal that only this state can make binds the plan to the state. The file
// holds no declared values: it names fields and holds digests.
import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import * as z from 'zod';
import { UsageError } from '../../core/errors.ts';
import { canonical } from '../../core/hash.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import type { Json } from '../../core/secret.ts';
import type { SavedObject } from '../../core/planning/saved-plan.ts';
import { isManifest } from '../../sources/directory/tree/reader.ts';
import type { VersionOf } from '../../sources/directory/identity.ts';
import type { PlannedOf } from '../dry-run.ts';
import { ownText, writeOwn } from '../embedded/own-files.ts';

const kind = 'holdfast saved plan';
const version = 1;
const bytesMax = 2 ** 26;

const text = z.string().max(4_096);
const step = z.strictObject({
  verb: z.enum(['create', 'adopt', 'revive', 'update', 'replace', 'detach', 'delete', 'destroy', 'act']),
  destroys: z.enum(['registration', 'data', 'credential']).exactOptional(),
  paths: z.array(text).max(1_024),
});
const object = z.strictObject({
  key: text,
  action: text,
  steps: z.array(step).max(64),
  after: z.literal(true).exactOptional(),
  going: text.exactOptional(),
  declared: text,
  remembered: text,
  planned: text,
});
const document = z.strictObject({
  kind: z.literal(kind),
  version: z.literal(version),
  installation: text,
  /** Identifies the state; empty: there was none. */
  state: text,
  manifests: text,
  namespace: text.exactOptional(),
  secretsDir: text.exactOptional(),
  objects: z.array(object),
  seal: text,
});

export interface SavedPlan {
  /** The directory or file that was planned, as the user named it. */
  readonly manifests: string;
  readonly namespace?: string;
  readonly secretsDir?: string;
  readonly objects: readonly SavedObject[];
}

/** Deterministic: the order of fields does not matter. */
export function digestOf(value: unknown): string {
  const json: Json = JSON.parse(JSON.stringify(value)); // a box serializes as the source of its value, and no more
  return createHash('sha256').update(canonical(json)).digest('base64url');
}

const saying = (versionOf: VersionOf | undefined, what: string, value: string): string =>
  versionOf ? versionOf('', 'saved-plan', what, value) : what === 'seal' ? digestOf(value) : '';

/** @throws UsageError */
export function savePlan(file: string, plan: SavedPlan, { installation, versionOf }: PlannedOf): void {
  const body = { kind, version, installation, state: saying(versionOf, 'state', ''), ...plan };
  const whole = { ...body, seal: saying(versionOf, 'seal', digestOf(body)) };
  const written = `${JSON.stringify(whole, undefined, 1)}\n`;
  if (Buffer.byteLength(written) > bytesMax)
    throw new UsageError(
      `${file}: this plan has more than ${bytesMax >> 20} MiB: plan a part of it, with -n`,
    );
  const found = statSync(file, { throwIfNoEntry: false });
  if (found && !found.isFile())
    throw new UsageError(
      `${file}: expected a file, got ${found.isDirectory() ? 'a directory' : 'something else'}`,
    );
  writeOwn(file, written);
}

export interface ReadPlan {
  readonly plan: SavedPlan;
  /** @throws UsageError unless the plan was saved from this state and has not been changed */
  readonly check: (of: PlannedOf) => void;
}

/** Whether the file is meant to be a plan, and no manifest. */
export function isPlan(file: string): boolean {
  if (!isManifest(file)) return true;
  if (!file.endsWith('.json') || statSync(file).size > bytesMax) return file.endsWith('.json');
  const value = parseJson(readFileSync(file, 'utf8'));
  return isRecord(value) && value['apiVersion'] === undefined;
}

/** @throws UsageError */
export function readPlan(file: string): ReadPlan {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile())
    throw new UsageError(`${file}: expected a directory, or a plan that was saved with plan --out`);
  if (found.size > bytesMax)
    throw new UsageError(`${file}: expected a saved plan, got more than ${bytesMax >> 20} MiB`);
  const value = parseJson(ownText(file, 'write') ?? '');
  if (!isRecord(value) || value['kind'] !== kind)
    throw new UsageError(`${file}: expected a plan that was saved with plan --out`);
  if (value['version'] !== version)
    throw new UsageError(
      `${file}: this plan has the version ${JSON.stringify(value['version'])?.slice(0, 20)}, expected ${version}: plan again with this version of Holdfast`,
    );
  const parsed = document.safeParse(value);
  if (!parsed.success) throw new UsageError(`${file}: this plan is not as it was saved: plan again`);
  const { seal, ...body } = parsed.data;
  const { kind: _kind, version: _version, installation, state, ...plan } = body;
  const check: ReadPlan['check'] = ({ installation: ours, versionOf }) => {
    if (installation !== ours)
      throw new UsageError(
        `${file}: this is a plan of the installation "${installation}", and this one is "${ours}"`,
      );
    if (state !== saying(versionOf, 'state', ''))
      throw new UsageError(
        `${file}: this plan was made ${state === '' ? 'before there was a state' : 'with another state'}: plan again`,
      );
    if (!isEqual(seal, saying(versionOf, 'seal', digestOf(body))))
      throw new UsageError(`${file}: this plan is not as it was saved: plan again`);
  };
  return { plan, check };
}

function isEqual(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}
