// Does what an event says, where it can be done.
import type { Action, MachineAction, OperatorName, TreeAction } from '../history/events.ts';
import type { OnMountedTree } from '../history/mounted.ts';
import { later, nowMs } from '../machine/time.ts';
import type { Fact, Place } from '../oracle/record.ts';
import { commit, rest } from './commits.ts';
import { copyOf, keyOf } from './manifests.ts';
import type { Network } from './network.ts';
import type { Others } from './others.ts';
import type { Site } from './site.ts';
import type { Traps } from './traps.ts';

export interface DeedsOptions {
  readonly sites: Map<OperatorName, Site>;
  readonly others: Others;
  readonly network: Network;
  readonly traps: Traps;
  readonly fact: (fact: Fact) => void;
  readonly second: () => Site;
  /** Where others know what is there. */
  readonly known: (place: Place) => Place;
}

export class Deeds {
  readonly #o: DeedsOptions;

  constructor(options: DeedsOptions) {
    this.#o = options;
  }

  do(action: Action): void {
    if (action.on === 'cluster') return this.#o.others.do(action);
    const begins = action.do === 'start' || action.do === 'state';
    const site = this.#o.sites.get(action.op) ?? (begins ? this.#second(action.op) : undefined);
    if (!site) return;
    if (action.on === 'tree') commit(site, action);
    else this.#toMachine(site, action);
  }

  /** All trouble is over, and everybody is there. */
  heal(): void {
    const { network, traps, others, sites } = this.#o;
    network.calm();
    traps.calm();
    others.heal();
    for (const site of sites.values()) {
      site.memory.trouble = undefined;
      site.files.trouble = undefined;
      site.hear();
      rest(site);
      site.start();
    }
  }

  #second(name: OperatorName): Site {
    const site = this.#o.second();
    this.#o.sites.set(name, site);
    return site;
  }

  #toMachine(site: Site, action: MachineAction): void {
    const { network, traps } = this.#o;
    switch (action.do) {
      case 'approve':
        return site.approve(action.old);
      case 'ask':
        return site.ask(keyOf(action.slot), action.name, action.token);
      case 'network': {
        const { op: operator, nth: left, fault, writes } = action;
        return network.arm({ operator, left, fault, writes });
      }
      case 'disk':
        return this.#spoil(site, action);
      case 'outputs':
        site.files.trouble = action.trouble;
        return later(action.forMs, () => (site.files.trouble = undefined));
      case 'crash':
        return traps.crash(action.op, action.phase, action.nth, action.downMs);
      case 'between':
        return traps.between(action.op, action.nth, action.only, (place) =>
          this.do(action.about ? about(action.action, place && this.#o.known(place)) : action.action),
        );
      case 'clock':
        site.clock.aheadMs += action.ms;
        site.clock.wasSetBack ||= action.ms < 0;
        return;
      case 'state':
        return this.#changeState(site, action);
      case 'start':
        return site.start();
      case 'stop':
        return site.stop();
      case 'meddle':
        return site.meddle(action.what, keyOf(action.slot), action.copy && copyOf(action.slot, action.copy));
      case 'freeze':
        return site.freeze(action.forMs);
      case 'slow tree':
        return site.slow(action.slowestMs, action.deaf);
    }
  }

  #spoil(site: Site, { trouble, forMs }: Extract<MachineAction, { do: 'disk' }>): void {
    site.memory.trouble = trouble;
    this.#fact(site, 'disturbed');
    later(forMs, () => {
      site.memory.trouble = undefined;
      this.#fact(site, 'calm');
    });
  }

  #changeState(site: Site, action: Extract<MachineAction, { do: 'state' }>): void {
    site.kill();
    if (site.upset(action, this.#o.sites.get('A') ?? site)) this.#fact(site, action.what);
    later(action.downMs, () => site.start());
  }

  #fact(site: Site, is: Exclude<Fact['is'], 'approved' | 'asked' | 'gone'>): void {
    this.#o.fact({ at: nowMs(), operator: site.name, is });
  }
}

const isAtMount = (action: TreeAction): action is Extract<TreeAction, OnMountedTree> =>
  action.do.endsWith(' at mount');

/** Under such an ID a disk is destroyed: whoever claims volumes by their names does not know it (docs/decisions/0015). */
const retired = /^holdfast-retired-/;

/** The same, of the volume at that place; slots and volumes go by one name. */
function about(action: Action, place: Place | undefined): Action {
  if (!place || retired.test(place.id)) return action;
  const { scheduler, namespace, id } = place;
  const isScheduler = scheduler === 's1' || scheduler === 's2';
  if (action.on === 'cluster' && 'id' in action && isScheduler)
    return { ...action, scheduler, namespace, id };
  if (action.on !== 'tree' || isAtMount(action)) return action;
  if ('slots' in action) return { ...action, slots: [id] };
  return 'slot' in action ? { ...action, slot: id } : action;
}
