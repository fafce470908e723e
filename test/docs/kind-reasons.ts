// Which kind may have which reason, by where in src it is written: in the folder of a kind; in a client of a service, for the kinds
// that call it; anywhere else, for all kinds.
import { globSync, readFileSync } from 'node:fs';
import { conditionTypes, reasons, type ConditionType, type Reason } from '../../src/core/status/reasons.ts';
import { registry } from '../../src/kinds/registry.ts';
import { root } from '../coverage/sources.ts';
import { callsOf } from './kind-calls.ts';

type Origin = 'kind' | 'service' | 'all';

const kindNames: readonly string[] = registry.map(({ kind }) => kind.name);

const folderOf = (kind: string): string =>
  `src/kinds/${kind.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '-').toLowerCase()}/`;

const sources = globSync('src/**/*.ts', { cwd: root })
  .filter((path) => path !== 'src/core/status/reasons.ts' && !/^src\/(embedded|cli|web)\//.test(path))
  .map((path) => ({ path, text: readFileSync(`${root}/${path}`, 'utf8') }));

const writing = (name: string): readonly string[] =>
  sources.filter(({ text }) => text.includes(`'${name}'`)).map(({ path }) => path);

const calls = new Map(kindNames.map((kind) => [kind, callsOf(kind).map(({ op }) => op)]));
const calling = (what: RegExp) => (kind: string) => calls.get(kind)?.some((op) => what.test(op)) ?? false;

const ofSecrets = calling(/^(ldap|oidc|kms)\./);

const importing = (file: string) => (kind: string) =>
  sources.some(({ path, text }) => path.startsWith(folderOf(kind)) && text.includes(`/${file}'`));

/** Code that serves some kinds: where it is, or what the reason is about. */
const shared: readonly (readonly [path: string, about: RegExp, serves: (kind: string) => boolean])[] = [
  ['src/api/scheduler/', /^(Allocation|Task|Command|NodeUn)/, calling(/^allocation\./)],
  ['src/api/scheduler/', /^(Stream|Events)/, (kind) => kind === 'SchedulerConnection'],
  ['src/api/scheduler/', /^(NoPath|Redirected|ServerError)/, calling(/^(allocation|volume|snapshot)\./)],
  ['src/api/scheduler/', /^/, calling(/^(volume|snapshot)\./)],
  ['src/api/secrets/', /^(Config|Directory|Entry|Password|Role)/, calling(/^ldap\./)],
  ['src/api/secrets/', /^Discovery/, calling(/^oidc\./)],
  ['src/api/secrets/', /^Keys/, calling(/^kms\./)],
  ['src/api/secrets/', /^/, (kind) => kind === 'SecretsConnection' || ofSecrets(kind)],
  ['src/core/kind/mount-type.ts', /^/, importing('core/kind/mount-type.ts')],
  ['src/schema/scheduler/csi-plugins.ts', /^/, calling(/^(volume|snapshot)\./)],
  ['src/api/identity/ldap.ts', /^/, (kind) => kind === 'LDAPStaticRole'], // it checks a password by a bind
  ['src/runtime/', /^Bind/, (kind) => kind === 'LDAPStaticRole'],
];

function originsAt(path: string, reason: string): readonly (readonly [kind: string, Origin])[] {
  if (path.startsWith('src/kinds/')) {
    const kind = kindNames.find((one) => path.startsWith(folderOf(one)));
    return kind === undefined ? [] : [[kind, 'kind']];
  }
  const some = shared.find(([folder, about]) => path.startsWith(folder) && about.test(reason));
  return some
    ? kindNames.filter(some[2]).map((kind) => [kind, 'service'])
    : kindNames.map((kind) => [kind, 'all']);
}

const rank: readonly Origin[] = ['all', 'service', 'kind'];

const widest = (origins: readonly Origin[]): Origin | undefined =>
  rank.find((origin) => origins.includes(origin));

export function reasonsOf(kind: string, origin: Origin): readonly Reason[] {
  const all = namesOf(reasons).filter((reason) => reasons[reason].conditions.length > 0);
  return all.filter((reason) => {
    const found = writing(reason).flatMap((path) => originsAt(path, reason));
    return widest(found.filter(([one]) => one === kind).map(([, at]) => at)) === origin;
  });
}

const common: readonly ConditionType[] = ['Ready', 'Synced', 'Reconciling', 'Stalled', 'FieldsKept'];

/** Those of every kind, and its own. */
export const conditionsOf = (kind: string): readonly ConditionType[] =>
  namesOf(conditionTypes).filter(
    (type) => common.includes(type) || writing(type).some((path) => path.startsWith(folderOf(kind))),
  );

// oxlint-disable-next-line no-unsafe-type-assertion -- Object.keys forgets the keys of a record that has no others
const namesOf = <K extends string>(record: Readonly<Record<K, unknown>>) => Object.keys(record) as K[];
