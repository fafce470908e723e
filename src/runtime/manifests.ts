// Checks manifests offline, without services or secret values. Works on directories and on single files.
import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { yielding } from '../controller/queue/yielding.ts';
import { mayUse, type Access } from '../core/connection.ts';
import { expired, generatedBy, retentionHold } from '../core/effect.ts';
import { UsageError } from '../core/errors.ts';
import { isRecord } from '../core/json.ts';
import { otherInstallation } from '../sources/directory/identity.ts';
import { installationFile } from '../sources/directory/tree/document.ts';
import { withEmptied } from '../sources/directory/tree/emptied.ts';
import { located, type Pointing } from '../sources/directory/tree/locate.ts';
import type { Declared, Scan } from '../sources/directory/tree/scan.ts';
import { isManifest, TreeReader } from '../sources/directory/tree/reader.ts';
import { nearest } from '../core/text/nearest.ts';
import type { Problem } from '../core/text/problem.ts';
import { keyText } from '../core/resource.ts';
import { isBlank } from '../core/secret.ts';
import { adoptIdentical, requestPrefix } from '../core/source/request.ts';
import { referencesIn } from '../schema/references.ts';
import { curlyQuoted, curlyQuotes, isCurlyQuoted, meantSecret } from './mistyped.ts';
import { declarationOf, declarations, requestsOf } from './kinds/lookup.ts';
import { readSnapshot } from './place/state-file.ts';

/** The tree of manifests that a path stands for. */
export interface ManifestTree {
  readonly root: string;
  /** The one file that was named, by its path in the tree. Absent: the whole tree. */
  readonly only?: string;
}

/** The tree of a file begins at the nearest `holdfast.yaml` above it. @throws UsageError if the path does not exist */
export function treeOf(path: string): ManifestTree {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return { root: path };
  if (!found) throw new UsageError(`${path}: expected a directory or a file of manifests, and there is none`);
  if (!isManifest(path)) throw new UsageError(`${path}: expected a file that ends with .yaml, .yml or .json`);
  const file = resolve(path);
  const root = treeAround(dirname(file)) ?? dirname(file);
  return { root, only: relative(root, file).replaceAll('\\', '/') };
}

/** @param directory need not exist yet @returns the nearest one, it or above it, with a `holdfast.yaml` */
export function treeAround(directory: string): string | undefined {
  if (existsSync(join(directory, installationFile))) return directory;
  const above = dirname(directory);
  return above === directory ? undefined : treeAround(above);
}

export interface Read {
  readonly root: string;
  readonly scan: Scan;
  /** No errors, but perhaps unintended. */
  readonly warnings: readonly Problem[];
  /** The state belongs to another installation. */
  readonly foreign?: Problem;
}

/**
 * Reads each tree once, even if several of its files are named. A state of the same installation shows what a file that
 * is now empty declared.
 * @param onUnread called if the state can't be read or trusted, and is left out. Absent: that is an error
 * @throws UsageError if a path does not exist, or the state can't be read or trusted
 */
export async function readManifests(
  paths: readonly string[],
  stateDir: string,
  onUnread?: (error: UsageError) => void,
): Promise<readonly Read[]> {
  const trees = Map.groupBy(paths.map(treeOf), ({ root }) => resolve(root));
  const snapshot = await readSnapshot(stateDir).catch((error: unknown) => {
    if (!onUnread || !(error instanceof UsageError)) throw error;
    onUnread(error);
    return undefined;
  });
  return await Promise.all(
    [...trees.values()].map(async (all) => {
      const { root } = all[0] ?? { root: '' };
      const named = all.flatMap(({ only }) => only ?? []);
      const only = named.length < all.length ? undefined : new Set(named);
      const others: string[] = [];
      const which = only ? { only } : { skipped: (origin: string) => void others.push(origin) };
      const read = await new TreeReader({ root, declarations, ...which }).read();
      if (only) {
        const problems = read.problems.filter(({ origin }) => only.has(origin));
        return {
          root,
          scan: { ...read, problems },
          warnings: located(root, ofEach(read)),
        };
      }
      const [recorded, declared] = [snapshot?.installation, read.installation];
      const foreign =
        recorded === undefined || declared === undefined
          ? undefined
          : otherInstallation(recorded, declared)?.problem;
      const known = recorded === declared ? (snapshot?.rows ?? []) : [];
      // A hook of git may validate amid a merge, so what git is doing is no problem here.
      const scan = withEmptied(read, known);
      return {
        root,
        scan,
        warnings: [
          ...located(root, [...dangling(scan), ...denied(scan), ...ofEach(scan)]),
          ...skipped(others),
        ],
        ...(foreign && { foreign }),
      };
    }),
  );
}

/**
 * Warns of references to objects that the tree does not declare, unless the missing object has a problem itself. A Secret may
 * come from elsewhere, but one that stands in the tree has all its entries there.
 */
function dangling({ objects, secrets, problems }: Scan): readonly Pointing[] {
  const broken = new Set(problems.map(({ key }) => key));
  const referred = new Set(
    [...objects.values()].flatMap((object) => referencesOf(object).map(({ target }) => keyText(target))),
  );
  return [...objects.values()].flatMap((object) =>
    referencesOf(object).flatMap((reference) => {
      const { field, target } = reference;
      const text = keyText(target);
      if (reference.to === 'secret') {
        const entries = secrets.get(text)?.entries;
        const value = entries?.get(reference.entry);
        if (value !== undefined && isBlank(value))
          return [pointing(object, field, `${text}: its entry ${reference.entry} is empty`, 'key')];
        if (value !== undefined && isCurlyQuoted(value))
          return [pointing(object, field, `${text}: its entry ${reference.entry}: ${curlyQuotes}`, 'key')];
        if (!entries) {
          const meant = meantSecret(target, secrets, (one) => referred.has(one));
          const what = `${text} is not declared here; did you mean ${meant}, to which nothing refers?`;
          return meant === undefined ? [] : [pointing(object, field, what)];
        }
        if (value !== undefined) return [];
        const near = nearest(reference.entry, [...entries.keys()]);
        const hint = near === undefined ? '' : `; did you mean ${near}?`;
        return [pointing(object, field, `${text} has no entry ${reference.entry}${hint}`, 'key')];
      }
      if (objects.has(text) || broken.has(text)) return [];
      return [pointing(object, field, `${text} is not declared here`)];
    }),
  );
}

/** Warns of objects that their connection gives no access to, whatever their external names are. */
function denied({ objects }: Scan): readonly Pointing[] {
  return [...objects.values()].flatMap((object) =>
    referencesOf(object).flatMap(({ field, target }) => {
      const { key } = object;
      const connection = objects.get(keyText(target));
      if (field !== '/connectionRef' || !connection) return [];
      if (mayUse(linesOf(connection.spec['access']), key, '')) return [];
      const why = `gives no access to ${key.kind} from namespace ${key.namespace}`;
      return [pointing(object, field, `${keyText(target)} ${why}`)];
    }),
  );
}

/** Warns of what asks for nothing, which no status shows. @param root of the tree that was scanned */
export const requestWarnings = (root: string, { objects }: Scan): readonly Problem[] =>
  located(root, [...objects.values()].flatMap(ineffective));

/** Tells of each of these once, scan after scan, and again if it comes back. */
export function tellRequestWarnings(
  root: string,
  tell: (warning: Problem) => void,
): (scan: Pick<Scan, 'objects'>) => Promise<void> {
  let told: ReadonlySet<string> = new Set();
  return async ({ objects }) => {
    const found: Pointing[] = [];
    await yielding(objects.values(), (object) => void found.push(...ineffective(object)));
    const now = new Map(found.map((one) => [`${one.object.origin} ${one.key} ${one.message}`, one]));
    const fresh = [...now].flatMap(([line, one]) => (told.has(line) ? [] : [one]));
    told = new Set(now.keys());
    for (const warning of located(root, fresh)) tell(warning);
  };
}

/** What can be told of each object without the others. */
const ofEach = ({ objects }: Scan): readonly Pointing[] =>
  [...objects.values()].flatMap((object) => [
    ...ineffective(object),
    ...doubted(object),
    ...curlyQuoted(object),
  ]);

const ineffective = (object: Declared): readonly Pointing[] => [
  ...holding(object),
  ...unheard(object),
  ...ignoringNothing(object),
];

/** Warns of paths of `drift.ignore` that lead to no field that is compared: its drift would be corrected all the same. */
function ignoringNothing(object: Declared): readonly Pointing[] {
  const { key, spec } = object;
  const ignored = isRecord(spec['drift']) ? spec['drift']['ignore'] : undefined;
  if (!Array.isArray(ignored)) return [];
  const fields = Object.keys(declarationOf.get(key.kind)?.fields ?? {});
  const paths = new Set(fields.flatMap((field) => [field, field.replace(/(?<=.)\/.*/, '')]));
  return ignored.map(String).flatMap((path, index) => {
    if (fields.some((field) => field === path || field.startsWith(`${path}/`))) return [];
    const whole = fields.find((field) => path.startsWith(`${field}/`));
    const near = nearest(path.replace(/^\/spec(?=\/)/, ''), paths); // as messages name fields
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    const why = whole === undefined ? `no such field${hint}` : `${whole} as a whole`;
    const pointer = `/spec/drift/ignore/${index}`;
    const message = `${pointer}: ignores nothing: ${key.kind} compares ${why}`;
    return [{ object, pointer, message, key: keyText(key) }];
  });
}

function doubted(object: Declared): readonly Pointing[] {
  const doubt = declarationOf.get(object.key.kind)?.doubt?.(object.spec);
  if (doubt === undefined) return [];
  const pointer = `/spec${doubt.slice(0, doubt.indexOf(':'))}`;
  return [{ object, pointer, message: `/spec${doubt}`, key: keyText(object.key) }];
}

/** Warns of a hold on what no schedule made, which does not expire. The command refuses it, and so does Kubernetes. */
function holding(object: Declared): readonly Pointing[] {
  const { requests } = object;
  if (requests[retentionHold] === undefined || requests[generatedBy] !== undefined) return [];
  const pointer = pointerOf(retentionHold);
  const instead = 'to keep what is outside when its manifest goes, declare deletionPolicy: Retain';
  const message = `${pointer}: keeps nothing: no schedule made this object, so it does not expire; ${instead}`;
  return [{ object, pointer, message, key: keyText(object.key) }];
}

/** Names under our prefix that no person writes into a manifest, but `kubectl get -o yaml` prints. */
const recorded: ReadonlySet<string> = new Set([
  'approve',
  'drill',
  expired,
  generatedBy,
  'intent',
  'scheduled-at',
]);

/** Warns of requests that ask for nothing: a misspelt `suspend`, or one that says `yes`, would suspend nothing. */
function unheard(object: Declared): readonly Pointing[] {
  return Object.entries(object.requests).flatMap(([name, value]) => {
    const why = whyUnheard(object.key.kind, name, value);
    if (why === undefined) return [];
    const pointer = pointerOf(name);
    return [{ object, pointer, message: `${pointer}: ${why}`, key: keyText(object.key) }];
  });
}

function whyUnheard(kind: string, name: string, value: string): string | undefined {
  if (name === 'suspend' && value !== 'true' && value !== 'false')
    return `suspends nothing: expected "true" or "false", got ${JSON.stringify(value)}`;
  if (name === 'adopt' && value !== adoptIdentical)
    return `adopts nothing: expected "${adoptIdentical}", got ${JSON.stringify(value)}`;
  const names = requestsOf(kind).map((request) => request.name);
  if (names.includes(name) || recorded.has(name)) return undefined;
  const near = nearest(name, names);
  const hint = near === undefined ? `it has ${names.join(', ')}` : `did you mean ${near}?`;
  return `asks for nothing: ${kind} has no request ${name}; ${hint}`;
}

/** Of the annotation that makes a request. */
const pointerOf = (request: string): string =>
  `/metadata/annotations/${requestPrefix.replace('/', '~1')}${request}`;

const referencesOf = ({ key, spec }: Declared) =>
  referencesIn(declarationOf.get(key.kind)?.references ?? [], spec, key);

const pointing = (object: Declared, field: string, what: string, at: 'name' | 'key' = 'name'): Pointing => ({
  object,
  pointer: `/spec${field}/${at}`,
  message: `/spec${field}: ${what}`,
  key: keyText(object.key),
});

/** The access rules, but for external names. */
const linesOf = (access: unknown): readonly Access[] =>
  (Array.isArray(access) ? access : [])
    .filter((line) => isRecord(line))
    .map(({ namespaces, kinds }) => ({
      ...(Array.isArray(namespaces) && { namespaces: namespaces.map(String) }),
      ...(Array.isArray(kinds) && { kinds: kinds.map(String) }),
    }));

/** Warns of files that look like manifests and are not read. */
const skipped = (origins: readonly string[]): readonly Problem[] =>
  origins
    .filter((origin) => /\.(ya?ml|json)$/i.test(origin))
    .map((origin) => {
      const why = isManifest(origin)
        ? 'it is hidden by a dot'
        : 'expected a name that ends with .yaml, .yml or .json';
      return { origin, message: `is not read: ${why}` };
    });
