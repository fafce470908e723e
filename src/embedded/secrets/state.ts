// The state that the handlers of the secrets service share, opened once from the store.
import { secretsDialect, type SecretsDialect, type SecretsDialectName } from '../../api/dialects.ts';
import type { Clock } from '../clock.ts';
import type { Reply } from '../http/server.ts';
import { rootPolicy } from './acl/capabilities.ts';
import { Lockout } from './auth/lockout.ts';
import { behaviours, switchesDefault, type Behaviour, type Switches } from './behaviour.ts';
import { Tally } from './fixtures/counters.ts';
import {
  keyIn,
  type AuthRoleRow,
  type ConfigRow,
  type EntryRow,
  type KMSKeyRow,
  type KMSProviderRow,
  type MountRow,
  type NamespaceRow,
  type OIDCConfigRow,
  type OIDCRoleRow,
  type PasswordPolicyRow,
  type PolicyRow,
  type RoleRow,
  type TokenRow,
} from './store/model.ts';
import { enveloped, noStore, type Envelope } from './http/replies.ts';
import { Store, type Shelf, type Write } from './store/store.ts';
import { KeyedMutex } from './keyed-mutex.ts';

export type RandomBytes = (size: number) => Uint8Array;

/** A login by browser that has begun and is not completed. */
export interface BegunLogin {
  readonly mount: string;
  readonly role: string;
  readonly redirect: string;
  readonly nonce: string;
  /** The code verifier of PKCE. */
  readonly verifier: string;
  /** The nonce of the client that began the login; empty: none. */
  readonly clientNonce: string;
  readonly untilMs: number;
}

export interface Standby {
  /** The redirect target of requests that must not be forwarded. */
  readonly activeURL: string;
  /** The kind of standby that health reports: plain, one that serves reads, or one for disaster recovery. */
  readonly kind: 'plain' | 'performance' | 'recovery';
}

export interface StateOptions {
  readonly dialect: SecretsDialectName;
  readonly file?: string;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly switches?: Partial<Switches>;
}

export class State {
  readonly dialect: SecretsDialect;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly store: Store;
  readonly namespaces: Shelf<NamespaceRow>;
  readonly mounts: Shelf<MountRow>;
  readonly policies: Shelf<PolicyRow>;
  readonly tokens: Shelf<TokenRow>;
  readonly authRoles: Shelf<AuthRoleRow>;
  readonly passwordPolicies: Shelf<PasswordPolicyRow>;
  readonly configs: Shelf<ConfigRow>;
  readonly roles: Shelf<RoleRow>;
  readonly oidcConfigs: Shelf<OIDCConfigRow>;
  readonly oidcRoles: Shelf<OIDCRoleRow>;
  readonly kmsProviders: Shelf<KMSProviderRow>;
  readonly kmsKeys: Shelf<KMSKeyRow>;
  readonly entries: Shelf<EntryRow>;
  readonly behaviour: Behaviour;
  readonly tally = new Tally();
  /** Aborts requests to issuers. */
  readonly ended = new AbortController();
  /** Logins by browser, by their OAuth state. Not stored, as in the real services. */
  readonly oidcLogins = new Map<string, BegunLogin>();
  /** Of logins by AppRole. */
  readonly lockout = new Lockout();
  switches: Switches;
  /** Held per mount by LDAP writes and rotations, OIDC configuration writes and unmounts. */
  readonly mutex = new KeyedMutex();
  /** Not stored: a restart unseals the service. */
  sealed = false;
  standby: Standby | undefined;
  /** If not empty, added to each reply that would be a 204. */
  warning = '';

  constructor({ dialect, file, clock, randomBytes, switches }: StateOptions) {
    this.behaviour = behaviours[dialect];
    this.switches = { ...switchesDefault, ...switches };
    this.dialect = secretsDialect(dialect);
    this.clock = clock;
    this.randomBytes = randomBytes;
    this.store = new Store(file);
    this.namespaces = this.store.shelf('namespace');
    this.mounts = this.store.shelf('mount');
    this.policies = this.store.shelf('policy');
    this.tokens = this.store.shelf('token');
    this.authRoles = this.store.shelf('auth-role');
    this.passwordPolicies = this.store.shelf('password-policy');
    this.configs = this.store.shelf('ldap-config');
    this.roles = this.store.shelf('ldap-role');
    this.oidcConfigs = this.store.shelf('oidc-config');
    this.oidcRoles = this.store.shelf('oidc-role');
    this.kmsProviders = this.store.shelf('kms-provider');
    this.kmsKeys = this.store.shelf('kms-key');
    this.entries = this.store.shelf('entry');
  }

  /** Sealed or not initialised: only routes with `needs: 'sealed'` are served. */
  get isSealed(): boolean {
    return this.sealed || !this.switches.initialized;
  }

  hex(bytes: number): string {
    return Buffer.from(this.randomBytes(bytes)).toString('hex');
  }

  uuid(): string {
    const hex = this.hex(16);
    return [0, 8, 12, 16, 20].map((at, i) => hex.slice(at, [8, 12, 16, 20, 32][i])).join('-');
  }

  dropsOf(mount: string): readonly Write[] {
    const { configs, roles, oidcConfigs, oidcRoles, kmsProviders, kmsKeys, authRoles, mounts } = this;
    const shelves: readonly Shelf<unknown>[] = [
      mounts,
      configs,
      roles,
      oidcConfigs,
      oidcRoles,
      kmsProviders,
      kmsKeys,
      authRoles,
    ];
    return shelves.flatMap((shelf) =>
      shelf.rows().flatMap(([key]) => (`${key}\n`.startsWith(`${mount}\n`) ? shelf.drop(key) : [])),
    );
  }

  policiesOf({ policies, namespace = '' }: TokenRow): readonly PolicyRow[] {
    return policies.flatMap((name) =>
      name === rootPolicy ? { name, rules: [] } : (this.policies.get(keyIn(namespace, name)) ?? []),
    );
  }

  /** 200 with an envelope. */
  reply(envelope: Envelope): Reply {
    return { status: 200, headers: noStore, body: { json: enveloped(this.uuid(), envelope) } };
  }

  /** 200 with an envelope that repeats its data at the top level. */
  replyTwice(data: Readonly<Record<string, unknown>>): Reply {
    const json = { ...data, ...enveloped(this.uuid(), { data }) };
    return { status: 200, headers: noStore, body: { json } };
  }

  /** 204, or 200 with a warning. */
  done(): Reply {
    return this.warning === '' ? { status: 204, headers: noStore } : this.reply({ warnings: [this.warning] });
  }
}
