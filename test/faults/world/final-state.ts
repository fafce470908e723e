// What a run left behind, in a form in which two runs can be compared: chance and time are taken out.
import { keyStores } from './key-stores.ts';
import type { World } from './world.ts';
import { isQuiesce } from './quiesces.ts';
import { isTrue } from '../../../src/core/status/condition.ts';
import type { Status } from '../../../src/core/status/status.ts';
import { undrawn } from '../../support/drawn.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Each part is a map, so that what is too much and what is missing can be told apart. */
export interface End {
  /** Made by a provider, by the name that was asked for. */
  readonly disks: Readonly<Record<string, Json>>;
  readonly volumes: Readonly<Record<string, Json>>;
  /** Taken by a provider, by the name that was asked for: of which disk. */
  readonly snapshots: Readonly<Record<string, Json>>;
  /** Signals and restarts of each job. */
  readonly jobs: Readonly<Record<string, Json>>;
  /** Configs, roles and key stores. */
  readonly secrets: Readonly<Record<string, Json>>;
  /** Files that were published; passwords as whether they are the right ones. */
  readonly outputs: Readonly<Record<string, Json>>;
  /** What Holdfast itself remembers. */
  readonly rows: Readonly<Record<string, Json>>;
}

const mount = 'ldap';

export async function endOf(world: World): Promise<End> {
  const { disks, volumes, snapshots } = await storage(world);
  const { secrets, passwords } = await engine(world);
  return {
    disks,
    volumes,
    snapshots,
    // How often they are thawed depends on where it is cut off: quiesces.ts judges that.
    jobs: world.ledger.some(isQuiesce) ? {} : told(world),
    secrets: { ...secrets, ...(await logins(world)), ...asJsons(await keyStores(world.secrets)) },
    outputs: await published(world, passwords),
    rows: await rowsOf(world),
  };
}

/** Signals and restarts of each job. What the proxy sent of its own accord is not the program's doing. */
function told(world: World): Record<string, Json> {
  const injected = (op: string) => world.ledger.filter((entry) => entry.injected && entry.op === op).length;
  const [signalled, restarted] = [injected('allocation.signal'), injected('allocation.restart')];
  return Object.fromEntries(
    Object.entries(world.tallies().jobs).map(([job, { signals, restarts }]) => [
      job,
      { signals: signals - signalled, restarts: restarts - restarted },
    ]),
  );
}

async function storage({ scheduler }: World): Promise<Pick<End, 'disks' | 'volumes' | 'snapshots'>> {
  const made = await scheduler.disks();
  const taken = await scheduler.snapshots();
  /** What was made has a random ID: here it goes by its name. */
  const ids = [
    ...made.map(({ externalID, name }) => [externalID, name] as const),
    ...taken.map(({ id, name }) => [id, name] as const),
  ];
  const named = (value: unknown): string =>
    undrawn(
      ids.reduce((text, [id, name]) => text.replaceAll(id, name), JSON.stringify(masked(value)) ?? 'null'),
    );
  const names = made.map(({ name }) => undrawn(name));
  const list = await scheduler.volumes();
  const whole = await Promise.all(
    list.map(async ({ ID, Namespace }) => {
      const volume = await scheduler.call<Sized>(
        'GET',
        `/v1/volume/csi/${encodeURIComponent(ID)}?namespace=${Namespace}`,
      );
      return [`${Namespace}/${undrawn(ID)}`, named(sized(volume))] as const;
    }),
  );
  // One that was kept, and is declared anew, is a second one of its name.
  const snapshots = taken.map(({ name }) => undrawn(name));
  const nth = (i: number) => snapshots.slice(0, i + 1).filter((name) => name === snapshots[i]).length;
  return {
    volumes: Object.fromEntries(whole),
    snapshots: Object.fromEntries(
      taken.map(({ pluginID, sourceID }, i) => [`${pluginID}/${snapshots[i]} ${nth(i)}`, named(sourceID)]),
    ),
    disks: Object.fromEntries(
      made.map(({ pluginID, externalID, capacityBytes, parameters }, i) => [
        // One object can have one disk: another of its name is too many.
        `${pluginID}/${names[i]}${names.indexOf(names[i] ?? '') === i ? '' : ` (${externalID})`}`,
        asJson({ capacityBytes, parameters }),
      ]),
    ),
  };
}

interface Sized {
  readonly Capacity?: number;
  readonly RequestedCapacityMin?: number;
}

/** Of what was registered again the scheduler tells no size, and what is asked for then is not made. */
const sized = ({ RequestedCapacityMin: asked, ...volume }: Sized): Sized =>
  volume.Capacity === 0 || asked === undefined ? volume : { ...volume, RequestedCapacityMin: asked };

/** Changes from run to run by itself. */
const passing =
  /index|^(last_|ttl$|expir|create_?time$|modify_?time$|time$|handled$|handledRequests$|history$|lastTransitionTime$|detectedAt$|revision$|observedGeneration$|tries$|version$)/i;

function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  return value === null || typeof value !== 'object' ? value : lastingIn(value);
}

const lastingIn = (value: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !passing.test(key))
      .map(([key, held]) => [key, masked(held)]),
  );

/** What is read, or the names of what there is. */
interface Answer {
  readonly data?: { readonly keys?: readonly string[] };
}

/** Of a role; some dialects wrap it. */
interface Login {
  readonly password?: string;
  readonly dn?: string;
}

/** The engine at `ldap`: its config and roles, and which passwords are the current ones. */
async function engine({ secrets }: World): Promise<{
  readonly secrets: Record<string, Json>;
  readonly passwords: ReadonlyMap<string, string>;
}> {
  const found: Record<string, Json> = {};
  const passwords = new Map<string, string>();
  const get = async (path: string) =>
    secrets.call<Answer>('GET', `/v1/${mount}/${path}`).catch(() => undefined);
  const config = await get('config');
  if (config?.data) {
    const works = await rotates(secrets);
    found[`${mount}/config`] = asJson({ ...lastingIn(config.data), works });
  }
  const roles = await get('static-role?list=true');
  for (const name of roles?.data?.keys ?? []) {
    const role = await get(`static-role/${name}`);
    const held = await secrets.call<Login & { data?: Login }>('GET', `/v1/${mount}/static-cred/${name}`);
    const { password, dn } = { ...held, ...held.data };
    if (password !== undefined) passwords.set(password, name);
    const binds = await secrets.binds(dn ?? '', password ?? '');
    found[`${mount}/static-role/${name}`] = asJson({ ...lastingIn(role?.data ?? {}), binds });
  }
  return { secrets: found, passwords };
}

/** The login methods: their configs and roles. */
async function logins({ secrets }: World): Promise<Record<string, Json>> {
  const found: Record<string, Json> = {};
  const get = async (path: string) => secrets.call<Answer>('GET', `/v1/${path}`).catch(() => undefined);
  for (const method of ['auth/oidc', 'auth/jwt']) {
    const roles = (await get(`${method}/role?list=true`))?.data?.keys ?? [];
    for (const path of [`${method}/config`, ...roles.map((name) => `${method}/role/${name}`)]) {
      const answer = await get(path);
      if (answer?.data) found[path] = asJson(lastingIn(answer.data));
    }
  }
  return found;
}

/** Whether the bind password is the right one, which nothing shows: it is tried on an account that nobody declared. */
async function rotates(secrets: World['secrets']): Promise<boolean> {
  const path = `/v1/${mount}/static-role/probe`;
  const dn = 'uid=reports,ou=services,dc=example,dc=org';
  const probe = { username: 'reports', dn, rotation_period: 86_400, skip_import_rotation: false };
  const done = secrets.call('POST', path, probe).then(() => true);
  const works = await done.catch(() => false);
  if (works) await secrets.call('DELETE', path);
  return works;
}

const asJsons = (values: Readonly<Record<string, unknown>>): Record<string, Json> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, asJson(value)]));

const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value ?? null));

/** What is published; passwords as whether they are the right ones. */
async function published(
  { source }: World,
  passwords: ReadonlyMap<string, string>,
): Promise<Record<string, Json>> {
  const found = Object.entries(await source.outputs()).map(([at, text]) => {
    const role = passwords.get(text);
    return [at, role === undefined ? text : `the password of ${role}`];
  });
  return Object.fromEntries(found);
}

/** Who is stuck half way may have got there by another way, and remember another. */
const remembered = ({ pending, identity, own, conditions }: Status<unknown>) =>
  isTrue(conditions, 'Ready')
    ? {
        pending: pending ? undrawn(pending) : null,
        identified: identity !== undefined,
        own: Object.keys(Object(own)).toSorted(),
      }
    : { pending: pending?.op ?? null };

/** What counts of the memory: not when and how often, but what is the case. */
async function rowsOf({ source }: World): Promise<Record<string, Json>> {
  const rows = [...(await source.rows())].map(([key, { held, deleting, status: memory }]): [string, Json] => [
    key,
    asJson({
      held,
      deleting,
      ...remembered(memory),
      applied: masked(memory.applied),
      handledRequests: Object.keys(memory.handledRequests).toSorted(),
      // What is said of the data depends on where it was cut off.
      conditions: memory.conditions
        .filter(({ type }) => type !== 'Consistent')
        .map(({ type, status, reason }) => `${type} ${status} ${reason}`)
        .toSorted(),
    }),
  ]);
  return Object.fromEntries(rows);
}
