// Closes what a step opened outside (core/kind/kind.ts, `open`), such as a frozen workload. It works from the recorded status
// alone, so it also works while the declaration is invalid, suspended or being deleted, and after access to the connection
// was withdrawn.
import type { Open } from '../../core/kind/kind.ts';
import { ApiError } from '../../core/errors.ts';
import { blocked, stalled, type Step } from '../../core/planning/plan.ts';
import { keyText } from '../../core/resource.ts';
import type { Ending } from '../../core/status/outcome.ts';
import type { Status } from '../../core/status/status.ts';
import { distrusting } from './destruction.ts';
import type { Opened } from '../connections/connections.ts';
import type { Ports } from './ports.ts';
import type { Subject } from './decision.ts';

interface Tried<E> {
  readonly status: Status;
  readonly step?: Step<E>;
  /** How the visit ends because something is still open. Absent: nothing is. */
  readonly left?: Ending;
}

const stepOf = <E>({ summary, effect }: Open<E>): Step<E> => ({ verb: 'act', summary, changes: [], effect });

export class Closing<E, Reader> {
  readonly #ports: Ports<E, Reader>;
  /** Never aborted: a process that shuts down still closes what it opened. */
  readonly #signal = new AbortController().signal;
  #cancel: (() => void) | undefined;
  #late = false;
  /** The close that was sent at the deadline, while the visit waited for another call. */
  #early: Promise<unknown> = Promise.resolve();
  /** Set once this visit has tried to close and failed. */
  #left: Ending | undefined;

  constructor(ports: Ports<E, Reader>) {
    this.#ports = ports;
  }

  openIn({ object: { key }, status }: Pick<Subject, 'object' | 'status'>): Open<E> | undefined {
    return this.#ports.kinds.get(key.kind)?.openIn(status);
  }

  /** From now on, what is open is closed at its deadline, even while the visit waits for another call. */
  watch(subject: Subject): void {
    const open = this.#cancel ? undefined : this.openIn(subject);
    if (!open) return;
    const { setTimer, wallMs } = this.#ports;
    this.#late = false;
    this.#cancel = setTimer(Math.max(0, open.untilMs - wallMs()), () => {
      this.#late = true;
      const through = this.#through(open);
      if ('service' in through)
        this.#early = through.service.perform(open.effect, subject.key, this.#signal).catch(() => {});
    });
  }

  /** Closes what is open, at most once per visit. Reports a failure in `left`; never throws for it. */
  async close(subject: Subject): Promise<Tried<E>> {
    if (this.#left) return { status: subject.status, left: this.#left };
    const tried = await this.#close(subject);
    this.#left = tried.left;
    return tried;
  }

  async #close(subject: Subject): Promise<Tried<E>> {
    const { status } = subject;
    const open = this.openIn(subject);
    this.#cancel?.();
    this.#cancel = undefined;
    if (!open) return { status };
    const doubt = distrusting({ step: { changes: [] } }, this.#ports);
    if (doubt) return { status, left: { is: 'blocked', plan: doubt } };
    const through = this.#through(open);
    if (!('service' in through)) return { status, left: through };
    await this.#early;
    try {
      return await this.#send(subject, open, through);
    } catch (error) {
      return { status, left: { is: 'failed', error } };
    }
  }

  async #send(
    { key, object, status }: Subject,
    open: Open<E>,
    { service }: Opened<E, Reader>,
  ): Promise<Tried<E>> {
    const { kinds, wallMs, onStep } = this.#ports;
    const askedMs = wallMs();
    const how = { late: this.#late || askedMs >= open.untilMs, wallMs: askedMs };
    const step = stepOf(open);
    const kind = kinds.get(object.key.kind);
    onStep?.(key, step, undefined);
    const looking = kind?.closing(status, service.reader, this.#signal).catch(() => undefined);
    const outcome = await service.perform(open.effect, key, this.#signal);
    onStep?.(key, step, outcome);
    const seen = await looking;
    const told = {
      ...how,
      ...(outcome.is === 'done' && outcome.reply !== undefined && { reply: outcome.reply }),
      ...(seen !== undefined && { seen }),
    };
    const after = (await kind?.closed(status, told, service.reader, this.#signal)) ?? status;
    const left = kind?.openIn(after);
    if (!left) return { status: after, step };
    const { againMs: retryAfterMs } = left;
    const { reason, message } = left.unanswered;
    const why = outcome.is === 'done' ? message : `${message}: ${outcome.error.message}`;
    const error = new ApiError('waiting', reason, why, { retryAfterMs });
    return { status: after, step, left: { is: 'failed', error } };
  }

  /**
   * The connection through which it was opened, whether or not that is healthy or still allowed. It must lead to the same
   * backend: elsewhere the same IDs name other objects.
   */
  #through({ connection, backend, unanswered }: Open<E>): Opened<E, Reader> | Ending {
    const { connections, source } = this.#ports;
    const name = keyText(connection);
    const found = connections.opened(name);
    const { reason, message } = unanswered;
    if (!found && source.read(name)) {
      const usable = connections.get(name);
      return { is: 'parked', message, early: 'early' in usable && usable.early };
    }
    if (!found)
      return {
        is: 'blocked',
        plan: blocked(reason, `${message}: ${name} does not exist`, { on: 'object' }),
      };
    if (found.connection.backend === backend) return found;
    const where = `${message}: ${name} leads to ${found.connection.backend}, and no more to ${backend}`;
    return { is: 'blocked', plan: stalled('BackendChanged', where, { on: 'object' }) };
  }
}
