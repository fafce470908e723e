// Rotates the passwords of static roles and of the bind entry: on request, on creation, and by a ticker
// (services.md#rotation). Guarantee: a new password is on disk before the directory gets it, except the first password
// of a new role. After a crash at any point, the service has the directory's password or sets it again. A failed
// rotation keeps the stored password.
import { DirectoryError, type Directory, type EntryRef } from './directory.ts';
import { embeddedURL } from './embedded-directory.ts';
import { below, keyIn, type ConfigRow, type RoleRow } from '../store/model.ts';
import { generate, parsePolicy, plainRules } from './passwords.ts';
import { StorageError } from '../../../core/errors.ts';
import { principalName, userAttributes } from '../../../core/text/user-attributes.ts';
import type { State } from '../state.ts';
import { accessOf, numberOf, schemaOf, textOf } from './config.ts';

const tickMs = 5_000;
const backoffMs = 10_000;
const lengthDefault = 64;
const racfLengthMax = 8;

/** The password could not be changed. The message is sent to clients. */
export class RotationError extends Error {
  override readonly name = 'RotationError';
}

export class Rotations {
  readonly #state: State;
  readonly #embedded: Directory;
  readonly #real: Directory;
  readonly #retryMs = new Map<string, number>();
  /** When roles are due that were made without a rotation: not stored, and forgotten with a change, as in OpenBao. */
  readonly #firstMs = new Map<string, number>();
  #cancel = () => {};
  #ticking = false;
  #stopped = false;

  readonly #onBug: (error: unknown) => void;

  constructor(state: State, embedded: Directory, real: Directory, onBug: (error: unknown) => void) {
    this.#state = state;
    this.#onBug = onBug;
    this.#embedded = embedded;
    this.#real = real;
  }

  start(): void {
    this.#cancel = this.#state.clock.after(tickMs, () => {
      this.start();
      void this.#tick();
    });
  }

  /** Stops the ticker and the directories. Resolves when no rotation is running. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    this.#embedded.close();
    this.#real.close();
    await this.#state.mutex.idle();
  }

  /** The first rotation of a role that was just made is due after its period. */
  keep({ mount, name, periodSeconds }: RoleRow): void {
    this.#firstMs.set(below(mount, name), this.#state.clock.nowMs() + periodSeconds * 1_000);
  }

  /** When a role that has rotated is due, in Unix milliseconds. */
  static nextMs(lastRotationMs: number, { periodSeconds }: RoleRow): number {
    return lastRotationMs + periodSeconds * 1_000;
  }

  /** Must run under the mount's mutex. @returns the stored row with its new password. @throws RotationError */
  async rotate(role: RoleRow): Promise<RoleRow> {
    try {
      return await this.rotateFirst(role, false);
    } catch (error) {
      this.#retryMs.set(below(role.mount, role.name), this.#state.clock.nowMs() + backoffMs);
      throw error;
    }
  }

  /** Rotates without a retry. A new role is stored only with its first password. @throws RotationError */
  async rotateFirst(role: RoleRow, isNew = true): Promise<RoleRow> {
    const state = this.#state;
    const key = below(role.mount, role.name);
    const config = this.#config(role.mount);
    const { pending = this.#newPassword(role.mount, config), ...settled } = role;
    if (!isNew) state.store.commit(state.roles.put(key, { ...settled, pending }));
    const entry = role.dn === '' ? { username: role.username } : { dn: role.dn };
    try {
      await this.#change(role.mount, entry, pending);
    } catch (error) {
      const wasRefused = error instanceof DirectoryError && error.failure !== 'unreachable';
      if (wasRefused && !isNew) state.store.commit(state.roles.put(key, settled));
      throw rotationError(error);
    }
    const lastRotationMs = state.clock.nowMs();
    const rotated = { ...settled, password: pending, lastPassword: role.password, lastRotationMs };
    state.store.commit(state.roles.put(key, rotated));
    this.#retryMs.delete(key);
    state.tally.count('rotations', `${role.mount}/${role.name}`);
    return rotated;
  }

  async rotateRoot(mount: string): Promise<void> {
    const { configs, store, clock, tally } = this.#state;
    const config = this.#config(mount);
    const password = config.pendingBindPassword ?? this.#newPassword(mount, config);
    store.commit(configs.put(mount, { ...config, pendingBindPassword: password }));
    try {
      await this.#change(mount, { dn: textOf(config, 'binddn') }, password);
    } catch (error) {
      const wasRefused = error instanceof DirectoryError && error.failure !== 'unreachable';
      if (wasRefused) store.commit(configs.put(mount, config));
      throw rotationError(error);
    }
    const values = { ...config.values, bindpass: password };
    store.commit(configs.put(mount, { values, lastBindRotationMs: clock.nowMs() }));
    tally.count('rootRotations', mount);
  }

  async #change(mount: string, entry: EntryRef, password: string): Promise<void> {
    const { configs, store, clock } = this.#state;
    const config = this.#config(mount);
    const pending = config.pendingBindPassword;
    try {
      await this.#changeAs(config, textOf(config, 'bindpass'), entry, password);
    } catch (error) {
      const mayHaveMoved = error instanceof DirectoryError && error.failure === 'bind';
      if (!mayHaveMoved || pending === undefined) throw error;
      await this.#changeAs(config, pending, entry, password);
      const values = { ...config.values, bindpass: pending };
      // The directory had accepted the pending password.
      store.commit(configs.put(mount, { values, lastBindRotationMs: clock.nowMs() }));
    }
  }

  #changeAs(config: ConfigRow, bindPassword: string, entry: EntryRef, password: string): Promise<void> {
    const declared = accessOf(config, bindPassword);
    const isEmbedded = declared.urls.length === 1 && declared.urls[0]?.replace(/\/$/, '') === embeddedURL;
    const directory = isEmbedded ? this.#embedded : this.#real;
    if (!this.#state.behaviour.usesPrincipalNames) return directory.changePassword(declared, entry, password);
    const { userAttribute } = declared;
    if (!userAttributes.has(userAttribute))
      throw new RotationError(`unsupported userattr ${JSON.stringify(userAttribute)}`);
    const domain = textOf(config, 'upndomain');
    const bindDN = domain === '' ? declared.bindDN : `${declared.bindDN}@${domain}`;
    const isPrincipal = 'dn' in entry && userAttribute === principalName;
    const sought = isPrincipal ? { username: `${entry.dn}@${domain}` } : entry;
    return directory.changePassword({ ...declared, bindDN }, sought, password);
  }

  #config(mount: string): ConfigRow {
    const config = this.#state.configs.get(mount);
    if (!config) throw new RotationError('the config is currently unset');
    return config;
  }

  #newPassword(mount: string, config: ConfigRow): string {
    const { passwordPolicies, randomBytes, mounts } = this.#state;
    const name = textOf(config, 'password_policy');
    const isRacf = schemaOf(config) === 'racf';
    if (name === '') {
      const length = numberOf(config, 'length') || (isRacf ? racfLengthMax : lengthDefault);
      if (isRacf && length > racfLengthMax) throw tooLong(length);
      return generate(plainRules(length), randomBytes);
    }
    const policy = passwordPolicies.get(keyIn(mounts.get(mount)?.namespace ?? '', name));
    if (!policy) throw new RotationError(`unable to generate password: password policy "${name}" not found`);
    const rules = parsePolicy(policy.text);
    if (typeof rules === 'string') throw new RotationError(`unable to generate password: ${rules}`);
    if (isRacf && rules.length > racfLengthMax) throw tooLong(rules.length);
    return generate(rules, randomBytes);
  }

  async #tick(): Promise<void> {
    if (this.#ticking) return; // the last tick still runs, because the directory is slow
    this.#ticking = true;
    const due = this.#state.roles.rows().filter(([key, role]) => this.#isDue(key, role));
    for (const [key, { mount }] of due) {
      await this.#state.mutex
        .take(mount, () => this.#rotateIfDue(key))
        .catch((error: unknown) => {
          // A rotation or storage error is retried (`#retryMs`).
          if (!(error instanceof RotationError || error instanceof StorageError)) this.#onBug(error);
        });
    }
    this.#ticking = false;
  }

  async #rotateIfDue(key: string): Promise<void> {
    const role = this.#state.roles.get(key);
    if (role && this.#isDue(key, role)) await this.rotate(role);
  }

  #isDue(key: string, role: RoleRow): boolean {
    const { isSealed, standby, clock } = this.#state;
    if (isSealed || standby) this.#firstMs.clear(); // what becomes active begins anew
    if (isSealed || standby || this.#stopped) return false;
    return (this.#retryMs.get(key) ?? this.#nextMs(key, role)) <= clock.nowMs();
  }

  #nextMs(key: string, role: RoleRow): number {
    const { pending, lastRotationMs } = role;
    if (pending !== undefined) return 0;
    return lastRotationMs === undefined
      ? (this.#firstMs.get(key) ?? 0)
      : Rotations.nextMs(lastRotationMs, role);
  }

  /** When the role was due or is tried again: it is deleted, made or changed. */
  forget({ mount, name }: Pick<RoleRow, 'mount' | 'name'>): void {
    this.#retryMs.delete(below(mount, name));
    this.#firstMs.delete(below(mount, name));
  }
}

const tooLong = (length: number): RotationError =>
  new RotationError(
    `unable to generate password: length ${length} is more than the ${racfLengthMax} that racf takes`,
  );

/** Turns an error of the directory into a RotationError, and returns any other error unchanged. */
const rotationError = (error: unknown): unknown =>
  error instanceof DirectoryError ? new RotationError(error.message) : error;
