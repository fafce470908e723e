// Logs each change of an object once. An unchanged status is not logged. A lost connection is logged once: its objects,
// which may be thousands, are logged at debug level only.
import type { Logger } from 'pino';
import type { Visit } from '../../controller/reconcile/endings.ts';
import { isOutage } from '../../core/errors.ts';
import { conditionOf, isTrue } from '../../core/status/condition.ts';
import { explanationOf } from '../../core/status/reasons.ts';
import type { Condition, Status } from '../../core/status/status.ts';
import type { Entry } from '../../core/source/source.ts';
import { managedKinds } from '../../runtime/kinds/lookup.ts';
import type { Commanded } from '../../runtime/place/requests.ts';

/** The last logged state of an object. */
interface Logged {
  readonly conditions: readonly Condition[];
  readonly deleting: boolean;
  readonly requests: Readonly<Record<string, string>>;
}

type Level = 'error' | 'warn' | 'info' | 'debug';

const managed: ReadonlySet<string> = new Set(managedKinds);
const isConnection = (key: string): boolean => !managed.has(key.slice(0, key.indexOf('/')));
const nothing: Logged = { conditions: [], deleting: false, requests: {} };

export class Journal {
  readonly #log: Logger;
  readonly #read: (key: string) => Entry | undefined;
  readonly #logged = new Map<string, Logged>();

  /** @param read reads an object from its source */
  constructor(log: Logger, read: (key: string) => Entry | undefined) {
    this.#log = log;
    this.#read = read;
  }

  /** Treats recorded statuses as logged. @returns the number of objects, and the numbers of unready ones by reason */
  begin(keys: Iterable<string>) {
    let objects = 0;
    const unready: Record<string, number> = {};
    for (const key of keys) {
      const entry = this.#read(key);
      if (!entry) continue;
      objects++;
      this.#logged.set(key, loggedOf(entry, entry.status));
      const ready = conditionOf(entry.status.conditions, 'Ready');
      const reason = ready?.reason ?? 'Pending';
      if (ready?.status !== 'True') unready[reason] = (unready[reason] ?? 0) + 1;
    }
    return { objects, ...(Object.keys(unready).length > 0 && { notReady: unready }) };
  }

  visited({ key, ending, status, done }: Visit): void {
    if (ending.is === 'conflict') return;
    if (ending.is === 'gone') {
      const wasDeleting = this.#logged.get(key)?.deleting ?? true;
      this.#logged.delete(key);
      const because = done.length === 0 && { because: ending.because };
      this.#log.info({ key, ...because }, wasDeleting ? 'deletion ended' : 'no longer managed');
      return;
    }
    const before = this.#logged.get(key) ?? nothing;
    const entry = this.#read(key);
    this.#declaration(key, before, entry);
    // Lines of the connection say that it is lost, and that it is back.
    const isOfMany =
      !isConnection(key) && (ending.is === 'parked' || (ending.is === 'failed' && isOutage(ending.error)));
    if (isOfMany) {
      const { reason, message } = conditionOf(status.conditions, 'Synced') ?? {};
      this.#log.debug({ key, reason, message }, 'waits for its connection');
    } else this.#conditions(key, before.conditions, status);
    const logged = loggedOf(entry, status);
    this.#logged.set(key, isOfMany ? { ...logged, conditions: before.conditions } : logged);
  }

  /** Logs a command that a user sent to the running process. */
  commanded({ command, reply, by }: Commanded): void {
    const { do: what, digest, key, name, token } = command;
    const asked =
      what === 'request' ? { request: name, ...(token !== undefined && { value: token }) } : { digest };
    this.#log[reply.ok ? 'info' : 'warn'](
      { ...(key !== undefined && { key }), ...asked, by, message: reply.message },
      reply.ok ? 'command' : 'command refused',
    );
    if (!reply.ok || key === undefined || name === undefined) return;
    const logged = this.#logged.get(key) ?? nothing;
    const { [name]: _before, ...others } = logged.requests;
    this.#logged.set(key, {
      ...logged,
      requests: token === undefined ? others : { ...others, [name]: token },
    });
  }

  #declaration(key: string, before: Logged, entry: Entry | undefined): void {
    if (!entry) return;
    const { deleting, requests } = entry.object;
    if (deleting && !before.deleting) this.#log.info({ key }, 'deletion begun');
    if (!deleting && before.deleting) this.#log.info({ key }, 'deletion withdrawn: it is declared again');
    for (const [request, value] of Object.entries(requests))
      if (before.requests[request] !== value) this.#log.info({ key, request, value }, 'request');
    for (const request of Object.keys(before.requests))
      if (requests[request] === undefined) this.#log.info({ key, request }, 'request withdrawn');
  }

  #conditions(key: string, before: Logged['conditions'], { conditions }: Status): void {
    const news = conditions.filter((one) => textOf(named(before, one.type)) !== textOf(one));
    const together = Map.groupBy(news, ({ reason, message }) => `${reason}\0${message}`);
    for (const group of together.values()) {
      const [{ reason, message } = { reason: '', message: '' }] = group;
      const states = Object.fromEntries(group.map(({ type, status }) => [type, status]));
      const { level, what } = wordsOf(key, group, before);
      const said = { ...(message !== '' && { message }), ...remedyFor(level, reason) };
      this.#log[level]({ key, ...states, reason, ...said }, what);
    }
    if (news.length > 0) return;
    for (const type of ['Stalled', 'Reconciling'] as const)
      if (conditionOf(before, type) && !isTrue(conditions, type))
        this.#log.info({ key, [type]: 'False' }, 'changed');
  }
}

const loggedOf = (entry: Entry | undefined, { conditions }: Status): Logged => ({
  conditions,
  deleting: entry?.object.deleting ?? false,
  requests: entry?.object.requests ?? {},
});

const named = (conditions: readonly Condition[], type: string): Condition | undefined =>
  conditions.find((one) => one.type === type);

const textOf = (condition: Condition | undefined): string | undefined =>
  condition && `${condition.status} ${condition.reason} ${condition.message}`;

/** The remedy for a reason, because readers of the log may not have the page that explains reasons. */
function remedyFor(level: Level, reason: string) {
  const known = level === 'error' || level === 'warn' ? explanationOf(reason) : undefined;
  return known && { remedy: known.remedy };
}

/** Conditions that report a problem if they are True. */
const bad: ReadonlySet<string> = new Set(['Stalled', 'Abnormal', 'LoginAtRisk']);

/** Conditions that report a state which is neither good nor bad. */
const neutral: ReadonlySet<string> = new Set([
  'CredentialsWritten',
  'EventStream',
  'RootPasswordOwned',
  'SnapshotReady',
]);

/** error: a person has to act. warn: something is wrong. info: nothing is wrong. debug: as info, reported first. */
function wordsOf(
  key: string,
  group: readonly Condition[],
  before: Logged['conditions'],
): { readonly level: Level; readonly what: string } {
  const is = (type: string) => group.find((one) => one.type === type)?.status;
  const wasReady = conditionOf(before, 'Ready')?.status;
  if (is('Stalled') === 'True') return { level: 'error', what: 'stalled' };
  if (is('Ready') === 'True') {
    const isBack = isConnection(key) && wasReady !== undefined && wasReady !== 'True';
    return { level: 'info', what: isBack ? 'connection is back' : 'ready' };
  }
  if (is('Ready') !== undefined) {
    const isLost = isConnection(key) && wasReady === 'True';
    return { level: 'warn', what: isLost ? 'connection lost' : 'not ready' };
  }
  const isWrong = group.some(({ type, status }) => (bad.has(type) ? status === 'True' : status !== 'True'));
  if (isWrong && !group.every(({ type }) => neutral.has(type))) return { level: 'warn', what: 'changed' };
  const isFirst = group.every(({ type }) => !named(before, type));
  return { level: isFirst ? 'debug' : 'info', what: 'changed' };
}
