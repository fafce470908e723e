// Small models of what a role stands on: a secrets service with one role, and a scheduler with the jobs that use it.
import { rejection } from '../../../src/api/identity/ldap.ts';
import type { AllocationRead, TaskEvent, TaskState } from '../../../src/api/scheduler/wire.ts';
import type { CredentialRead, RoleBody, RoleRead } from '../../../src/api/secrets/wire.ts';
import type { Effect } from '../../../src/api/routes.ts';
import { ApiError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';

export const canary = 'canary-ldap-3b7d';

interface Role {
  readonly username: string;
  readonly dn: string;
  readonly periodSeconds: number;
  /** When it was rotated; absent: never. */
  readonly rotatedMs?: number;
  /** Rises with every rotation. */
  readonly version: number;
}

const instantOf = (ms: number): string => new Date(ms).toISOString();

/** The service rotates by itself when the period is over, but not while a rotation is under way. */
export class Directory {
  role: Role | undefined;
  /** When somebody asked for a rotation and it happened, creation apart. */
  readonly rotations: number[] = [];
  /** Reads of the password. */
  reads = 0;
  /** Passwords that were tried out. */
  readonly binds: string[] = [];
  /** What a role says otherwise than it should. */
  says: Readonly<Record<string, unknown>> = {};
  /** Operations that fail, though the service is there. */
  readonly failing = new Set<string>();
  /** Operations that are refused, and why. */
  readonly refusing = new Map<string, ApiError>();
  /** The directory does not take any password. */
  rejectsBinds = false;
  /** The directory does not answer. */
  isSilent = false;
  /** The service does not rotate by itself, though its clock goes on. */
  isStuck = false;
  /** Called once something was changed. */
  changed: (() => void) | undefined;
  /**
   * The last rotation that somebody asked for and the last that was shown. Not one that came so late that another was taken
   * for it: nobody can know of that before looking.
   */
  made = '';
  shown = '';
  /** Those asked for while another was under way. */
  overlaps = 0;
  #later: { readonly atMs: number; readonly act: () => void; readonly after: string } | undefined;
  #nowMs = 0;
  /** Of any rotation, also of a role that is gone. */
  #lastMs = 0;
  #stale: { readonly op: string; readonly role: Role } | undefined;

  /** Time goes on. */
  at(nowMs: number): void {
    this.#nowMs = nowMs;
    if (this.#later && this.#later.atMs <= nowMs) {
      const { act, after } = this.#later;
      const { made } = this;
      const isAlone = after === this.instant;
      this.#later = undefined;
      act();
      if (!isAlone) this.made = made;
    }
    const due = (this.role?.rotatedMs ?? nowMs) + (this.role?.periodSeconds ?? 0) * 1_000;
    const isDue = this.role?.rotatedMs !== undefined && due <= nowMs && !this.isStuck;
    if (isDue && !this.#later) this.rotate();
  }

  /** What is read with this operation stays as it is, as on a standby that hangs behind. */
  freeze(op: string | undefined): void {
    this.#stale = op === undefined || !this.role ? undefined : { op, role: this.role };
  }

  later(atMs: number, act: () => void): void {
    if (this.#later) this.overlaps++;
    this.#later = { atMs, act, after: this.instant };
  }

  /** Why a call has no effect. */
  refusalOf(effect: Effect): ApiError | undefined {
    if (effect.op !== 'ldap.bind') return this.refusing.get(effect.op);
    if (this.isSilent) return new ApiError('unavailable', 'DirectoryUnreachable', 'ldap.bind: no answer');
    return this.rejectsBinds ? rejection(effect.dn) : undefined;
  }

  rotate(): void {
    if (!this.role) return;
    const rotatedMs = Math.max(this.#nowMs, this.#lastMs + 1);
    this.#lastMs = rotatedMs;
    this.role = { ...this.role, rotatedMs, version: this.role.version + 1 };
  }

  get instant(): string {
    const { rotatedMs } = this.role ?? {};
    return rotatedMs === undefined ? '' : instantOf(rotatedMs);
  }

  perform(effect: Effect): void {
    this.#perform(effect);
    this.changed?.();
  }

  #perform(effect: Effect): void {
    if (effect.op === 'ldap.role.write') this.#write(effect.body);
    else if (effect.op === 'ldap.role.delete') this.role = undefined;
    else if (effect.op === 'ldap.bind') this.binds.push(effect.password.version);
    else if (effect.op === 'ldap.role.rotate') {
      if (this.#later) this.overlaps++;
      this.rotate();
      this.made = this.instant;
      this.rotations.push(this.#nowMs);
    } else throw new Error(`${effect.op} is not for it`);
  }

  #write(body: RoleBody): void {
    const { username, dn = '', rotation_period: periodSeconds, skip_import_rotation } = body;
    if (this.role && skip_import_rotation !== undefined) throw new Error('it has no effect on updates');
    const isNew = this.role === undefined;
    this.role = { version: 0, ...this.role, username, dn, periodSeconds };
    if (!isNew || skip_import_rotation === true) return;
    this.rotate();
    this.made = this.instant;
  }

  answer(op: string): RoleRead | CredentialRead | undefined {
    const role = this.#stale?.op === op ? this.#stale.role : this.role;
    if (this.failing.has(op)) throw new ApiError('unavailable', 'Unavailable', `${op}: HTTP 500`);
    if (!role || op === 'mount.read') return undefined; // nothing is said of the mount
    const { username, dn, periodSeconds, version, rotatedMs } = role;
    const read: RoleRead = { username, dn, rotation_period: periodSeconds };
    const last = rotatedMs === undefined ? undefined : instantOf(rotatedMs).replace('Z', '000+00:00');
    if (op === 'ldap.role.read') this.shown = this.instant;
    if (op === 'ldap.role.read')
      return { ...read, ...(last !== undefined && { last_service_rotation: last }), ...this.says };
    if (op !== 'ldap.credential.read') throw new Error(`${op} is not for it`);
    this.reads++;
    const password = Secret.of('ldap/app', String(version), `${canary}-${version}`);
    const last_service_rotation = last ?? '0001-01-01T00:00:00Z';
    const ttl = Math.round((rotatedMs ?? 0) / 1_000 + periodSeconds - this.#nowMs / 1_000);
    return { ...read, password, last_service_rotation, ttl: Math.max(0, ttl) };
  }
}

interface Allocation {
  readonly job: string;
  readonly events: TaskEvent[];
  readonly toldMs: number[];
  restarts: number;
  /** Until then it is starting. */
  runsMs: number;
  ended: boolean;
  /** Its state while it does not run. Empty: it runs, as far as nothing else is said. */
  away: '' | 'pending' | 'unknown';
  /** Beside its server. */
  others: Readonly<Record<string, TaskState>>;
}

/** Restarting takes three seconds; in the first, the task still runs. */
const restartMs = 3_000;
const killMs = 1_000;

export class Jobs {
  readonly #nowMs: () => number;
  readonly #allocations = new Map<string, Allocation>();
  readonly #hanging = new Set<string>();
  lists = 0;
  /** Task or allocation → why calls of it are refused. */
  readonly refusing = new Map<string, ApiError>();
  /** How many were restarting at once, at most. */
  mostAtOnce = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  run(job: string, count: number): readonly string[] {
    const ids = Array.from({ length: count }, (_, i) => `${job}-${String(i).padStart(3, '0')}`);
    for (const id of ids)
      this.#allocations.set(id, {
        job,
        events: [],
        toldMs: [],
        restarts: 0,
        runsMs: 0,
        ended: false,
        away: '',
        others: {},
      });
    return ids;
  }

  /** Further tasks, none of which runs. */
  has(id: string, others: Readonly<Record<string, TaskState>>): void {
    this.#at(id).others = others;
  }

  shows(id: string, away: Allocation['away']): void {
    this.#at(id).away = away;
  }

  end(id: string): void {
    this.#at(id).ended = true;
  }

  /** Whether it comes back from restarts; if so, from the last one at once. */
  comesBack(id: string, does: boolean): void {
    if (does) this.#hanging.delete(id);
    else this.#hanging.add(id);
    if (does) this.#at(id).runsMs = this.#nowMs();
  }

  /** When each of the job's allocations was signalled or restarted. */
  told(job: string): Readonly<Record<string, readonly number[]>> {
    const all = [...this.#allocations].filter(([, a]) => a.job === job);
    return Object.fromEntries(all.map(([id, { toldMs }]) => [id, toldMs]));
  }

  /** Why a call has no effect. */
  refusalOf(effect: Effect): ApiError | undefined {
    if (effect.op !== 'allocation.signal' && effect.op !== 'allocation.restart') return undefined;
    return this.refusing.get(effect.body.Task ?? '') ?? this.refusing.get(effect.params.id);
  }

  perform(effect: Effect): void {
    if (effect.op !== 'allocation.signal' && effect.op !== 'allocation.restart')
      throw new Error(`${effect.op} is not for it`);
    const allocation = this.#at(effect.params.id);
    const nowMs = this.#nowMs();
    const isWhole = Object.keys(allocation.others).length === 0;
    if (effect.op === 'allocation.signal' && effect.body.Task === undefined && !isWhole)
      throw new Error('it fails at each task that does not run');
    const Type = effect.op === 'allocation.signal' ? 'Signaling' : 'Restart Signaled';
    allocation.events.push({ Type, Time: nowMs * 1e6 });
    allocation.toldMs.push(nowMs);
    if (effect.op === 'allocation.signal') return;
    allocation.restarts++;
    allocation.runsMs = this.#hanging.has(effect.params.id) ? Infinity : nowMs + restartMs;
    const starting = [...this.#allocations.values()].filter((a) => a.runsMs > nowMs).length;
    this.mostAtOnce = Math.max(this.mostAtOnce, starting);
  }

  answer(
    op: string,
    params: Readonly<Record<string, unknown>>,
  ): AllocationRead | readonly AllocationRead[] | undefined {
    if (op === 'allocation.list') {
      this.lists++;
      return [...this.#allocations.keys()].map((id) => this.#shown(id));
    }
    if (op !== 'allocation.read') throw new Error(`${op} is not for it`);
    const id = String(params['id']);
    return this.#allocations.has(id) ? this.#shown(id) : undefined;
  }

  #at(id: string): Allocation {
    const allocation = this.#allocations.get(id);
    if (!allocation) throw new Error(`no allocation ${id}`);
    return allocation;
  }

  #shown(id: string): AllocationRead {
    const { job, events, restarts, runsMs, ended, away, others } = this.#at(id);
    const isRestarting = runsMs > this.#nowMs();
    const starts = isRestarting && runsMs - restartMs + killMs <= this.#nowMs();
    return {
      ID: id,
      JobID: job,
      TaskGroup: 'web',
      DesiredStatus: 'run',
      ClientStatus: away !== '' ? away : ended ? 'complete' : starts ? 'pending' : 'running',
      TaskStates: {
        ...others,
        server: {
          State: ended ? 'dead' : starts ? 'pending' : 'running',
          Restarts: isRestarting ? restarts - 1 : restarts,
          Events: events,
        },
      },
    };
  }
}
