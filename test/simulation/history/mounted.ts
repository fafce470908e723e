// What is declared at the mounts of the secrets service, and what others do there: configurations of login methods, login
// roles and providers of key stores.

export type MountedKind = 'OIDCConfig' | 'OIDCRole' | 'KMSProvider';

/** Each name is one object, of one kind, at one mount. */
export const mountedSlots = {
  staff: { kind: 'OIDCConfig', mount: 'oidc' },
  machines: { kind: 'OIDCConfig', mount: 'jwt' },
  people: { kind: 'OIDCRole', mount: 'oidc' },
  admins: { kind: 'OIDCRole', mount: 'oidc' },
  guests: { kind: 'OIDCRole', mount: 'oidc' },
  invoices: { kind: 'KMSProvider', mount: 'keymgmt' },
  orders: { kind: 'KMSProvider', mount: 'keymgmt' },
} as const satisfies Readonly<Record<string, { readonly kind: MountedKind; readonly mount: string }>>;

export type MountedSlot = keyof typeof mountedSlots;

export const isMountedSlot = (slot: string): slot is MountedSlot => Object.hasOwn(mountedSlots, slot);

/** Fields by a short name; what is not there is not declared. */
export type MountedFields = Readonly<Record<string, string>>;

/** The fields that are drawn, per kind. The first of each always has a value. */
export const fieldsOf = {
  OIDCConfig: { issuer: ['one', 'two'], defaultRole: ['people', 'admins'], boundIssuer: ['one', 'two'] },
  OIDCRole: { user: ['sub', 'email'], groups: ['groups', 'teams'], policies: ['read', 'write'] },
  KMSProvider: { collection: ['keys-a', 'keys-b'] },
} as const satisfies Readonly<Record<MountedKind, Readonly<Record<string, readonly string[]>>>>;

export interface MountedWish {
  readonly shown: MountedFields;
  /** What the Secret beside it says; absent: there is no Secret. Of no meaning for a role. */
  readonly secret?: string;
  /** Of a provider only. */
  readonly environment?: string;
  readonly deletion?: 'Delete' | 'Retain';
  readonly adoption?: 'Fail' | 'AdoptIfIdentical' | 'Adopt';
  readonly suspended: boolean;
  readonly observed: boolean;
}

/** Changes single fields; `undefined`: it is not declared any more. */
export interface MountedPatch {
  readonly shown?: Readonly<Record<string, string | undefined>>;
  readonly secret?: string | undefined;
  readonly environment?: string | undefined;
  readonly deletion?: MountedWish['deletion'] | undefined;
  readonly adoption?: MountedWish['adoption'] | undefined;
  readonly suspended?: boolean;
  readonly observed?: boolean;
}

export interface MountedSetup {
  readonly declared: readonly { readonly slot: MountedSlot; readonly wish: MountedWish }[];
  /** What somebody else made before. */
  readonly existing: readonly { readonly slot: MountedSlot; readonly wish: MountedWish }[];
}

export type OnMountedTree =
  | { readonly do: 'declare at mount'; readonly slot: MountedSlot; readonly wish: MountedWish }
  | { readonly do: 'edit at mount'; readonly slot: MountedSlot; readonly patch: MountedPatch }
  | { readonly do: 'undeclare at mount'; readonly slots: readonly MountedSlot[] };

/** What others do: a write, a removal, or both. A configuration goes with its mount only, and so do the roles there. */
export interface OnMount {
  readonly do: 'meddle at mount';
  readonly what: 'write' | 'remove' | 'make anew';
  readonly slot: MountedSlot;
  readonly wish: MountedWish;
}

function pruned<T extends object>(all: T): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is undefined is absent
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as T;
}

export const patchedAtMount = (wish: MountedWish, patch: MountedPatch): MountedWish =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is undefined is gone
  pruned({ ...wish, ...patch, shown: pruned({ ...wish.shown, ...patch.shown }) }) as MountedWish;
