// Snapshots and actions: invariants 14 to 17, by the scheduler's own records and what was declared.
import { operatorOf, type Act, type Violation } from './record.ts';
import { isDeclared, type Timeline } from './timeline.ts';

const lookMs = 1_500;
/** A request that arrives later than that after it was given up is not reckoned with (docs/decisions/0030). */
const settleMs = 5_000;
/** So long an operator that runs undisturbed may need: as often as it tried in vain before, it waits. */
const thawedWithinMs = 6 * 60_000;
const forgot = ['lost', 'restored', 'copied'] as const;
/** An object that is there when its namespace is deleted may take a snapshot then. */
const lastMs = 60_000;
const child = /^nightly-/;
/** Of a declared snapshot: what follows the name was drawn. */
const slotOf = (name: string): string => name.replace(/-[^-]*$/, '');

type Deleted = Extract<Act, { is: 'snapshot deleted' }>;
type Acted = Extract<Act, { is: 'acted' }>;

export function* judgeStorage(time: Timeline): Generator<Violation> {
  const { acts } = time.account;
  for (const operator of time.operators) {
    // What belongs to an operator that goes on from another's state is judged for disks.
    if (time.facts(operator, 'copied').length > 0) continue;
    const mine = acts.filter(({ by }) => operatorOf(by) === operator);
    const cut = new Map(mine.flatMap((act) => (act.is === 'cut' ? [[act.snapshot, act.name] as const] : [])));
    // What a schedule made goes with its namespace, as its template declares.
    const emptied = time.facts(operator, 'emptied').map((fact) => fact.at);
    const went = new Set(
      mine.flatMap((act) =>
        act.is === 'cut' && emptied.some((at) => at > act.at - lastMs) ? [act.snapshot] : [],
      ),
    );
    for (const act of mine)
      if (act.is === 'snapshot deleted' && !(child.test(act.name) && went.has(act.snapshot)))
        yield* judgeDeleted(operator, act, cut, time);
    yield* judgeActions(operator, mine.filter(isActed), time);
    yield* judgeFrozen(operator, mine.filter(isActed), time);
  }
}

const isActed = (act: Act): act is Acted => act.is === 'acted';

function* judgeDeleted(
  operator: string,
  { at, sentAt, snapshot, name, ready }: Deleted,
  cut: ReadonlyMap<string, string>,
  time: Timeline,
): Generator<Violation> {
  const say = (invariant: string, message: string): Violation => ({
    invariant,
    at,
    message: `${operator} deleted snapshot ${snapshot} (${name}): ${message}`,
  });
  if (!cut.has(snapshot)) return yield say('I15', 'it had not taken it');
  if (child.test(name)) {
    const left = ready.filter((id) => child.test(cut.get(id) ?? ''));
    if (left.length === 0) yield say('I14', 'none of the schedule is left that is ready');
    return;
  }
  const key = `CSISnapshot/shop/${slotOf(name)}`;
  if (!time.known(operator, key, sentAt).some(({ deletion }) => deletion === 'Delete'))
    yield say('I15', 'it was to be kept');
  const isGone = time
    .stretches(operator, key)
    .some(({ from, to, declared }) => from <= sentAt && to > sentAt - lookMs && declared === undefined);
  if (!isGone && !isGoing(operator, key, sentAt, time)) yield say('I15', 'it was declared');
}

/** It had left while all could be read, and was declared again while it went. */
const isGoing = (operator: string, key: string, sentAt: number, time: Timeline): boolean =>
  time
    .stretches(operator, key)
    .some(
      ({ from, to, declared }) =>
        declared === undefined && from > 0 && to <= sentAt && time.surelySeen(operator, from, to),
    );

/** Each allocation is met once for each time that the action was declared. */
function* judgeActions(operator: string, acts: readonly Acted[], time: Timeline): Generator<Violation> {
  const done = new Map<string, number>();
  const sent = new Set<string>();
  for (const { at, sentAt, does, allocation, job } of acts) {
    const slot = /^job-(.*)$/.exec(job)?.[1];
    const request = `${allocation} ${does} ${sentAt}`;
    if (slot === undefined || sent.has(request)) continue; // one that the network doubled was asked for once
    sent.add(request);
    const count = (done.get(allocation) ?? 0) + 1;
    done.set(allocation, count);
    const may = declaredTimes(operator, `AllocationAction/shop/${slot}`, sentAt, time);
    if (count <= may) continue;
    const message = `${operator} met ${allocation} of ${job} ${count} times (${does}), and the action was declared ${may} times`;
    yield { invariant: 'I16', at, message };
  }
}

/** How often it came into the tree; where a state went, what was declared is another object. */
function declaredTimes(operator: string, key: string, until: number, time: Timeline): number {
  const stretches = time.stretches(operator, key).filter(({ from }) => from <= until);
  const came = stretches.filter(
    ({ declared }, i) => isDeclared(declared) && !isDeclared(stretches[i - 1]?.declared),
  );
  const anew = forgot.flatMap((is) => time.facts(operator, is)).filter(({ at }) => at <= until);
  return came.length === 0 ? 0 : came.length + anew.length;
}

/** Its connection leads to another address: nobody is thawed elsewhere by the same ID, and a snapshot says who is not. */
const leadsElsewhere = (operator: string, job: string, { account }: Timeline): boolean =>
  account.end.told.some(
    (one) =>
      one.operator === operator &&
      one.key.startsWith('CSISnapshot/') &&
      one.conditions.some(
        ({ type, reason, message }) =>
          type === 'Ready' &&
          reason === 'BackendChanged' &&
          message.includes(` of job ${job} `) &&
          message.includes(' not thawed yet'),
      ),
  );

/** When its connection led to another address than at that time: nobody is thawed through that one. */
const ledElsewhere = (operator: string, at: number, time: Timeline) =>
  time
    .snapshots(operator)
    .map((one, i, all) => ({ ...one, from: one.at, to: all[i + 1]?.at ?? time.account.end.at }))
    .filter(({ from, address }) => from > at && address !== time.at(operator, at)?.address);

/** Who was asked to freeze is asked to thaw, at the deadline at the latest, as soon as the operator can. */
function* judgeFrozen(operator: string, acts: readonly Acted[], time: Timeline): Generator<Violation> {
  const { end, outages, deadlineMs } = time.account;
  const isForgotten = (at: number): boolean =>
    forgot.some((is) => time.facts(operator, is).some((fact) => fact.at > at));
  const sent = new Set<string>();
  for (const frozen of acts) {
    // What the network doubles may arrive when all is over: nobody knows that it was asked for again.
    const request = `${frozen.allocation} ${frozen.does} ${frozen.sentAt}`;
    if (sent.has(request)) continue;
    sent.add(request);
    if (frozen.does !== 'SIGUSR1' || frozen.at > frozen.sentAt + settleMs || isForgotten(frozen.at)) continue;
    const thaw = acts.find(
      (one) => one.does === 'SIGUSR2' && one.allocation === frozen.allocation && one.at >= frozen.at,
    );
    const until = thaw?.at ?? end.at;
    const dueAt = frozen.sentAt + deadlineMs;
    const away = [...outages, ...ledElsewhere(operator, frozen.sentAt, time)];
    const from = Math.max(dueAt, ...away.filter((one) => one.from < until).map((one) => one.to));
    if (!time.surelySeen(operator, from, until, thawedWithinMs)) continue;
    if (!thaw && leadsElsewhere(operator, frozen.job, time)) continue;
    const message = `${operator} froze ${frozen.allocation}, and ${thaw ? `thawed it ${Math.round((thaw.at - dueAt) / 1_000)} s after the deadline` : 'never thawed it'}`;
    yield { invariant: 'I17', at: frozen.at, message };
  }
}
