// A world at rest in which everything belongs to somebody: to an object of Holdfast's, or to people who never asked it.
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { embeddedBindDN, embeddedBindPassword } from '../../../src/embedded/secrets/fixtures/seed.ts';
import { volume, type Spec } from '../../support/manifests.ts';
import { ldapConfig, staticRole } from '../../support/secrets.ts';
import { World } from './world.ts';

/** What is there, by a name that says what and whose. */
export type Belongings = ReadonlyMap<string, string>;

const at = { url: 'ldap://embedded', bindDN: embeddedBindDN, bindPassword: embeddedBindPassword };
const fileOf = (key: string): string => `${key.replaceAll('/', '-')}.yaml`;

const config = (name: string, mount: string): Spec => {
  const [declared = {}] = ldapConfig(at, { mount, deletionPolicy: 'Delete', requestTimeout: '1s' });
  return { ...declared, metadata: { namespace: 'shop', name } };
};

const dnOf = (user: string): string => `uid=${user},ou=services,dc=example,dc=org`;
function role(user: string): Spec {
  const output = { secretName: `${user}-login` };
  const spec = { username: user, dn: dnOf(user), deletionPolicy: 'Delete', output };
  const annotations = { 'holdfast.dev/rotate': 'now' };
  return { ...staticRole(spec), metadata: { namespace: 'shop', name: user, annotations } };
}

const registered = { deletionPolicy: 'Deregister', pluginID: 'nfs', register: { externalID: 'export' } };
const made = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused' };

/** Of each managed kind: two that are ours, and one that is refused, since somebody else's stands in its place. */
const declared: Readonly<Record<string, Spec>> = {
  'CSIVolume/shop/made': volume('made', made),
  'CSIVolume/shop/twin': volume('twin', made),
  'CSIVolume/shop/registered': volume('registered', registered),
  'CSIVolume/shop/refused': volume('refused', made),
  'LDAPConfig/shop/directory': config('directory', 'ldap'),
  'LDAPConfig/shop/second': config('second', 'second'),
  'LDAPConfig/shop/third': config('third', 'third'),
  'LDAPStaticRole/shop/shop': role('shop'),
  'LDAPStaticRole/shop/billing': role('billing'),
  'LDAPStaticRole/shop/reports': role('reports'),
};

/** With a disk of its own, so that it could be deleted. */
const byHand = (ID: string) => ({
  Volumes: [
    {
      ID,
      Name: `by-hand-${ID}`,
      Namespace: 'default',
      PluginID: 'hostpath',
      RequestedCapacityMin: 2 ** 30,
      RequestedCapabilities: [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }],
    },
  ],
});

/** @returns its folder, for `World.open` */
export async function atRest(): Promise<string> {
  const world = await World.open('nomad');
  const { scheduler, secrets, tree } = world;
  for (const path of ['second', 'third']) await secrets.call('POST', '/setup/mounts', { path, type: 'ldap' });
  const [, bindPassword = {}] = ldapConfig(at);
  tree.put('bind-password.yaml', bindPassword);
  const declare = (key: string) => tree.put(fileOf(key), declared[key] ?? {});
  declare('LDAPConfig/shop/directory');
  const first = await world.apply();
  if (first.code !== 0) throw new Error(`the engine is not configured: ${first.stdout}${first.stderr}`);
  await scheduler.call('PUT', '/v1/volume/csi/refused/create', byHand('refused'));
  await scheduler.call('PUT', '/v1/volume/csi/nobodys/create', byHand('nobodys'));
  await secrets.call('POST', '/v1/third/config', {
    binddn: at.bindDN,
    bindpass: at.bindPassword,
    url: at.url,
  });
  await secrets.call('POST', '/v1/ldap/static-role/reports', {
    username: 'reports',
    dn: dnOf('reports'),
    rotation_period: 86_400,
  });
  for (const key of Object.keys(declared)) declare(key);
  const { stdout, stderr } = await world.apply();
  const ready = stdout.includes(
    `${Object.keys(declared).length - 3 + 2} of ${Object.keys(declared).length + 2} ready`,
  );
  if (!ready) throw new Error(`the world does not come to rest: ${stdout}${stderr}`);
  await world.close(true);
  return world.cwd;
}

export const undeclare = ({ tree }: World, key: string): void => tree.remove(fileOf(key));

/** @returns the key of the object that it belongs to; `undefined`: it is none of Holdfast's business */
export function ownerOf(thing: string): string | undefined {
  const key = placeOf(thing);
  return key in declared && !/\/(refused|third|reports)$/.test(key) ? key : undefined;
}

/** @returns the key of the object in whose place it stands, whoever it belongs to */
export function placeOf(thing: string): string {
  const [what = '', name = ''] = thing.split(' ');
  const [first = '', second = ''] = name.split('/');
  const configs: Readonly<Record<string, string>> = { ldap: 'directory' };
  const keys: Readonly<Record<string, string>> = {
    volume: `CSIVolume/shop/${first}`,
    disk: `CSIVolume/shop/${/^(made|twin)-/.exec(first)?.[1] ?? ''}`,
    config: `LDAPConfig/shop/${configs[first] ?? first}`,
    role: `LDAPStaticRole/shop/${first}`,
    password: `LDAPStaticRole/shop/${first}`,
    output: `LDAPStaticRole/shop/${second.replace(/-login$/, '')}`,
  };
  return keys[what] ?? '';
}

/** All there is, by the services' own word and in files. */
export async function belongingsOf({ scheduler, secrets, cwd }: World): Promise<Belongings> {
  const found = new Map<string, string>();
  for (const { name, externalID, ...disk } of await scheduler.disks())
    found.set(`disk ${name}/${externalID}`, JSON.stringify(disk));
  for (const { ID } of await scheduler.volumes())
    found.set(`volume ${ID}`, JSON.stringify(await scheduler.volume(ID), lasting));
  const get = (path: string) => secrets.call<Data>('GET', path).catch((): Data => ({}));
  for (const mount of ['ldap', 'second', 'third']) {
    const { data } = await get(`/v1/${mount}/config`);
    if (data) found.set(`config ${mount}`, JSON.stringify(data, lasting));
  }
  const { data: roles } = await get('/v1/ldap/static-role?list=true');
  for (const name of [roles?.['keys'] ?? []].flat().map(String)) {
    found.set(`role ${name}`, JSON.stringify((await get(`/v1/ldap/static-role/${name}`)).data, lasting));
    found.set(`password ${name}`, JSON.stringify((await get(`/v1/ldap/static-cred/${name}`)).data, lasting));
  }
  const outputs = join(cwd, '.holdfast/outputs');
  for (const path of readdirSync(outputs, { recursive: true, encoding: 'utf8' })) {
    const place = join(outputs, path);
    // What is linked to is found under its own name; the marks are Holdfast's own.
    const isKey = !path.includes('..') && !lstatSync(place).isDirectory();
    if (isKey) found.set(`output ${path}`, readFileSync(place, 'utf8'));
  }
  return found;
}

interface Data {
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Without what changes by itself, or with every write. */
const lasting = (key: string, value: unknown): unknown =>
  /index$|^ttl$|^(create|modify)_?time$/i.test(key) ? undefined : value;
