// Everything that the secrets service's handlers work on, opened once from the store.
import { secretsDialect, type SecretsDialect, type SecretsDialectName } from '../../api/dialects.ts';
import type { Clock } from '../clock.ts';
import type { Reply } from '../http.ts';
import { rootPolicy } from './acl.ts';
import { Tally } from './counters.ts';
import type {
  AuthRoleRow,
  ConfigRow,
  EntryRow,
  MountRow,
  PasswordPolicyRow,
  PolicyRow,
  RoleRow,
  TokenRow,
} from './model.ts';
import { enveloped, noStore, type Envelope } from './replies.ts';
import { Store, type Shelf } from './store.ts';
import { Turns } from './turns.ts';

/** So many random bytes. */
export type RandomBytes = (size: number) => Uint8Array;

export interface StateOptions {
  readonly dialect: SecretsDialectName;
  readonly file?: string;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

export class State {
  readonly dialect: SecretsDialect;
  readonly dialectName: SecretsDialectName;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly store: Store;
  readonly mounts: Shelf<MountRow>;
  readonly policies: Shelf<PolicyRow>;
  readonly tokens: Shelf<TokenRow>;
  readonly authRoles: Shelf<AuthRoleRow>;
  readonly passwordPolicies: Shelf<PasswordPolicyRow>;
  readonly configs: Shelf<ConfigRow>;
  readonly roles: Shelf<RoleRow>;
  readonly entries: Shelf<EntryRow>;
  readonly tally = new Tally();
  /** Whatever changes what a mount holds takes its turn there. */
  readonly turns = new Turns();
  /** Of this process: starting it unseals it. */
  sealed = false;
  /** `activeURL`: where requests are sent that must not be forwarded. */
  standby: { readonly activeURL: string } | undefined;
  /** What every write that has nothing to say says instead. */
  warning = '';

  constructor({ dialect, file, clock, randomBytes }: StateOptions) {
    this.dialect = secretsDialect(dialect);
    this.dialectName = dialect;
    this.clock = clock;
    this.randomBytes = randomBytes;
    this.store = new Store(file);
    this.mounts = this.store.shelf('mount');
    this.policies = this.store.shelf('policy');
    this.tokens = this.store.shelf('token');
    this.authRoles = this.store.shelf('auth-role');
    this.passwordPolicies = this.store.shelf('password-policy');
    this.configs = this.store.shelf('ldap-config');
    this.roles = this.store.shelf('ldap-role');
    this.entries = this.store.shelf('entry');
  }

  hex(bytes: number): string {
    return Buffer.from(this.randomBytes(bytes)).toString('hex');
  }

  /** Like a UUID (version 4). */
  uuid(): string {
    const hex = this.hex(16);
    return [0, 8, 12, 16, 20].map((at, i) => hex.slice(at, [8, 12, 16, 20, 32][i])).join('-');
  }

  policiesOf(token: TokenRow): readonly PolicyRow[] {
    return token.policies.flatMap((name) =>
      name === rootPolicy ? { name, rules: [] } : (this.policies.get(name) ?? []),
    );
  }

  /** 200 with an envelope. */
  reply(envelope: Envelope): Reply {
    return { status: 200, headers: noStore, body: { json: enveloped(this.uuid(), envelope) } };
  }

  /** 200 with an envelope that shows its data at the top, too. */
  replyTwice(data: Readonly<Record<string, unknown>>): Reply {
    const json = { ...data, ...enveloped(this.uuid(), { data }) };
    return { status: 200, headers: noStore, body: { json } };
  }

  /** A write that has nothing to say: 204, or 200 with a warning. */
  done(): Reply {
    return this.warning === '' ? { status: 204, headers: noStore } : this.reply({ warnings: [this.warning] });
  }
}
