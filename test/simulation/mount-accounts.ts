// Small accounts to judge of what is at the mounts of the secrets service: a role, a provider, and what may become of them.
import { A, declared, gone, keeper, told, tree, type Told } from './accounts.ts';
import type { Actor, Declared, Held, MountAct, Place } from './oracle/record.ts';

export const held = (shown: Held['shown'], hidden: Held['hidden'] = {}): Held => ({ shown, hidden });
export const at = (namespace: string, id: string): Place => ({ scheduler: 'secrets', namespace, id });
export const object = (kind: string, place: Place, what: Held, more: Partial<Declared> = {}): Declared => ({
  ...declared,
  key: `${kind}/shop/${place.id}`,
  place,
  source: { create: { parameters: {}, required: '' } },
  held: what,
  ...more,
});

export const sub = held({ user: 'sub', groups: 'groups' });
export const teams = held({ user: 'sub', groups: 'teams' });
export const keys = held({ collection: 'keys-a' }, { secret: 'one' });
export const otherKeys = held({ collection: 'keys-b' }, { secret: 'one' });
export const otherSecret = held({ collection: 'keys-a' }, { secret: 'two' });
export const [role, provider] = [at('auth/oidc/role', 'people'), at('keymgmt/kms', 'invoices')];
export const people = object('OIDCRole', role, sub);
export const asForeign = {
  ...told('A'),
  key: people.key,
  conditions: [{ type: 'Ready', status: 'False', reason: 'AdoptionRefused', message: '' }],
};
export const invoices = object('KMSProvider', provider, keys);
export const stranger: Actor = { stranger: 'x' };

export const by = (when: number, who: Actor) => ({ at: when, sentAt: when, by: who, unanswered: false });
export const wrote = (place: Place, after: Held, when: number, before?: Held, who: Actor = A): MountAct => ({
  ...by(when, who),
  is: 'written',
  place,
  ...(before && { before }),
  after,
});
export const removed = (place: Place, before: Held, when: number, who: Actor = A): MountAct => ({
  ...by(when, who),
  is: 'removed',
  place,
  before,
});
export const lost = (act: MountAct): MountAct => ({ ...act, unanswered: true });
export const since = (from: number, ...objects: readonly Declared[]) => tree(from, [keeper, ...objects]);

export const theirs = wrote(role, teams, 50, undefined, stranger);
export const own = wrote(role, sub, 100);
export const madeKeys = wrote(provider, keys, 100);
export const left = [since(0, people, invoices), since(gone, invoices)];
export const endsWith = (place: Place, what: Held, one: Declared) => ({
  held: [{ place, held: what }],
  told: [{ ...told('A'), key: one.key }],
});

export interface Row extends Omit<Told, 'entries'> {
  readonly why: string;
  readonly mountActs: readonly MountAct[];
  readonly breaks?: string;
}
