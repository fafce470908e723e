// What is declared in a tree: as text for the program, and as plain facts for the oracle.
import { embeddedBindDN, embeddedBindPassword } from '../../../src/embedded/secrets/fixtures/seed.ts';
import type { Copy, RoleWish, Wish } from '../history/events.ts';
import type { Declared, Limits } from '../oracle/record.ts';
import { addresses, addressOf, rootToken, tokenOf } from './services.ts';
import {
  declaredAtMount,
  mountedDocuments,
  mountedFile,
  mountedKey,
  type MountedWishes,
} from './mounted-manifests.ts';
import { storedDocuments, storedVolume, storedWish, type Storage } from './storage-manifests.ts';

export interface Connected {
  readonly scheduler: 's1' | 's2';
  readonly namespace: string;
  /** By which of its names. */
  readonly address: number;
  readonly nomad: boolean;
  readonly narrow: boolean;
  readonly limits: Limits;
  /** It has to do with the directory, too. */
  readonly roles: boolean;
}

/** One file: what it says, and what that means. */
export interface ManifestFile {
  readonly text: string;
  readonly objects: readonly Declared[];
  /** Declared here before, and not to be read as it stands. */
  readonly broken: readonly string[];
  /** It is empty, so that what was declared here is known by the state only. */
  readonly emptied?: true;
  /** It can be read, and says whose it is, but not be used. */
  readonly refused?: true;
}

/** Everything that is declared: a commit of the repository, so to speak. */
export interface Repository {
  readonly connected: Connected;
  readonly volumes: ReadonlyMap<string, Wish>;
  readonly roles: ReadonlyMap<string, RoleWish>;
  readonly storage?: Storage;
  readonly mounted?: MountedWishes;
  readonly spoilt: ReadonlyMap<string, 'empty' | 'broken'>;
}

const apiVersion = 'holdfast.dev/v1alpha1';
export const space = 'shop';
/** What is copied elsewhere is copied there. */
export const otherSpace = 'blog';

export const keyOf = (slot: string): string => `CSIVolume/${space}/${slot}`;
/** Of a copy. */
export const copyOf = (slot: string, copy: Copy): string =>
  copy === 'renamed' ? keyOf(`${slot}-copy`) : `CSIVolume/${otherSpace}/${slot}`;
const fileOf = (slot: string): string => `volumes/${slot}.yaml`;

const between = '\n---\n';

/** JSON is YAML. */
const text = (...documents: readonly unknown[]): string =>
  documents.map((document) => JSON.stringify(document)).join(between);

export function filesOf({
  connected,
  volumes,
  roles,
  storage,
  mounted,
  spoilt,
}: Repository): ReadonlyMap<string, ManifestFile> {
  const files = new Map<string, ManifestFile>([
    ['holdfast.yaml', plain(text({ apiVersion, kind: 'Installation', metadata: { name: 'shop' } }))],
    ['connection.yaml', plain(connectionText(connected))],
  ]);
  const hasRoles = roles.size > 0 || connected.roles;
  if (hasRoles || mounted) files.set('secrets.yaml', plain(secretsText(connected)));
  if (hasRoles) files.set('directory.yaml', plain(directoryText()));
  for (const [file, said] of mountedFiles(mounted, spoilt)) files.set(file, said);
  for (const [slot, wish] of roles) {
    const objects = [declaredRole(slot, wish)];
    files.set(`roles/${slot}.yaml`, { text: roleText(slot, wish), objects, broken: [] });
  }
  if (storage) {
    const objects = [declaredOf(storedVolume, storedWish, connected)];
    files.set(fileOf(storedVolume), { text: volumeText(storedVolume, storedWish), objects, broken: [] });
    for (const { file, document, declared } of storedDocuments(storage))
      files.set(file, { text: text(document), objects: [declared], broken: [] });
  }
  for (const [slot, wish] of volumes) {
    const how = spoilt.get(slot);
    const declared = declaredOf(slot, wish, connected);
    // A disk that is registered only can't be deleted with it: that is refused, whatever stood there before.
    const isRefused = wish.register !== undefined && wish.deletion === 'Delete';
    if (how === undefined && isRefused) {
      files.set(fileOf(slot), {
        text: volumeText(slot, wish),
        objects: [],
        broken: [declared.key],
        refused: true,
      });
    } else if (how === undefined) {
      files.set(fileOf(slot), { text: volumeText(slot, wish), objects: [declared], broken: [] });
    } else {
      files.set(fileOf(slot), spoiltFile(volumeText(slot, wish), declared.key, how));
    }
  }
  return files;
}

const plain = (said: string): ManifestFile => ({ text: said, objects: [], broken: [] });

const mount = 'ldap';

function* mountedFiles(
  mounted: MountedWishes = new Map(),
  spoilt: Repository['spoilt'],
): Generator<readonly [string, ManifestFile]> {
  for (const [slot, wish] of mounted) {
    const said = text(...mountedDocuments(slot, wish));
    const how = spoilt.get(slot);
    const file: ManifestFile =
      how === undefined
        ? { text: said, objects: [declaredAtMount(slot, wish)], broken: [] }
        : spoiltFile(said, mountedKey(slot), how);
    yield [mountedFile(slot), file];
  }
}

/** It stands there and declares nothing, or none of its documents can be parsed. */
const spoiltFile = (said: string, key: string, how: 'empty' | 'broken'): ManifestFile => ({
  text: how === 'empty' ? '# nothing here\n' : `${said.replaceAll(between, `\n  ]: [${between}`)}\n  ]: [`,
  objects: [],
  broken: [key],
  ...(how === 'empty' && { emptied: true as const }),
});

function secretsText({ nomad, limits }: Connected): string {
  return text(
    {
      apiVersion,
      kind: 'SecretsConnection',
      metadata: { name: 'vault' },
      spec: {
        addresses: [addresses.secrets[0]],
        dialect: nomad ? 'vault' : 'secrets',
        auth: { tokenSecretRef: { namespace: 'holdfast-system', name: 'vault', key: 'token' } },
        access: [{ namespaces: [space] }],
        limits: { deletions: limits },
      },
    },
    secret('holdfast-system', 'vault', { token: rootToken }),
  );
}

function directoryText(): string {
  return text(
    {
      apiVersion,
      kind: 'LDAPConfig',
      metadata: { name: 'directory', namespace: space },
      spec: {
        connectionRef: { name: 'vault' },
        adoptionPolicy: 'Adopt', // so that the roles go on when the state is lost
        mount,
        urls: ['ldap://embedded'],
        bindDN: embeddedBindDN,
        bindPasswordSecretRef: { name: 'directory', key: 'password' },
      },
    },
    secret(space, 'directory', { password: embeddedBindPassword }),
  );
}

const secret = (namespace: string, name: string, stringData: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace },
  stringData,
});

/** Where the password of a role is published, below the folder of outputs. */
export const publishedAt = (slot: string): string => `${space}/${slot}-login/password`;
export const accountOf = (username: string): string => `uid=${username},ou=services,dc=example,dc=org`;
export const roleKeyOf = (slot: string): string => `LDAPStaticRole/${space}/${slot}`;

const roleText = (slot: string, { username, deletion, adoption, rotate }: RoleWish): string =>
  text({
    apiVersion,
    kind: 'LDAPStaticRole',
    metadata: {
      name: slot,
      namespace: space,
      ...(rotate !== undefined && { annotations: { 'holdfast.dev/rotate': rotate } }),
    },
    spec: {
      configRef: { name: 'directory' },
      username,
      dn: accountOf(username),
      rotationPeriod: '24h',
      onCreate: 'Rotate',
      deletionPolicy: deletion,
      adoptionPolicy: adoption,
      output: { secretName: `${slot}-login` },
    },
  });

const declaredRole = (slot: string, { username, deletion, adoption, rotate }: RoleWish): Declared => ({
  key: roleKeyOf(slot),
  place: { scheduler: 'secrets', namespace: mount, id: slot },
  plugin: '',
  source: { create: { parameters: { username }, required: '' } },
  deletion,
  replace: 'Never',
  adoption: adoption ?? 'Fail',
  suspended: false,
  observed: false,
  ...(rotate !== undefined && { rotate }),
});

function connectionText(connected: Connected): string {
  const { namespace, nomad, narrow, limits } = connected;
  return text(
    {
      apiVersion,
      kind: 'SchedulerConnection',
      metadata: { name: 'main' },
      spec: {
        addresses: [addressOf(connected.scheduler, connected.address)],
        dialect: nomad ? 'nomad' : 'cluster',
        namespace,
        auth: { tokenSecretRef: { namespace: 'holdfast-system', name: 'scheduler', key: 'token' } },
        access: [{ namespaces: [space, otherSpace], actions: ['Restart', 'Signal', 'Stop'] }],
        limits: { deletions: limits },
      },
    },
    secret('holdfast-system', 'scheduler', { token: narrow ? tokenOf(namespace) : rootToken }),
  );
}

const segments = (zone: string | undefined) => (zone === undefined ? undefined : [{ zone }]);

function volumeText(slot: string, wish: Wish): string {
  const { externalName, plugin, register, parameters, required, preferred } = wish;
  const topology = { required: segments(required), preferred: segments(preferred) };
  return text({
    apiVersion,
    kind: 'CSIVolume',
    metadata: { name: slot, namespace: space },
    spec: {
      connectionRef: { name: 'main' },
      externalName,
      pluginID: plugin,
      capabilities: [
        {
          accessMode: wish.writers === 'single' ? 'single-node-writer' : 'multi-node-multi-writer',
          attachmentMode: 'file-system',
        },
      ],
      ...(register === undefined
        ? { create: { capacity: { min: '1Gi' }, parameters: { class: parameters } } }
        : { register: { externalID: register } }),
      ...(required !== undefined || preferred !== undefined ? { topology } : {}),
      deletionPolicy: wish.deletion,
      replacePolicy: wish.replace,
      adoptionPolicy: wish.adoption,
      suspend: wish.suspended,
      managementPolicy: wish.observed ? 'ObserveOnly' : undefined,
    },
  });
}

function declaredOf(slot: string, wish: Wish, { scheduler, namespace }: Connected): Declared {
  const { externalName = slot, plugin, register, parameters, required = '' } = wish;
  return {
    key: keyOf(slot),
    place: { scheduler, namespace, id: externalName },
    plugin,
    source:
      register === undefined ? { create: { parameters: { class: parameters }, required } } : { register },
    deletion: wish.deletion,
    replace: wish.replace,
    adoption: wish.adoption ?? 'Fail',
    suspended: wish.suspended,
    observed: wish.observed,
  };
}
