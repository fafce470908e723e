// Writes down what was done to login configurations, login roles and providers, by comparing the secrets service's own rows
// before and after each request to one of them.
import type { Reply } from '../../../src/embedded/http/server.ts';
import type { State } from '../../../src/embedded/secrets/state.ts';
import {
  below,
  type KMSProviderRow,
  type OIDCConfigRow,
  type OIDCRoleRow,
} from '../../../src/embedded/secrets/store/model.ts';
import { mountedSlots, isMountedSlot } from '../history/mounted.ts';
import { nowMs } from '../machine/time.ts';
import type { Actor, Held, MountAct, Place } from '../oracle/record.ts';
import { issuerAt, mountedPlace } from './mounted-manifests.ts';

interface Asking {
  readonly by: Actor;
  readonly sentAt: number;
  /** Something befell the request or its answer. */
  readonly unanswered: boolean;
}

const paths = [
  /^\/v1\/(?<namespace>auth\/[^/]+)\/(?<id>config)$/,
  /^\/v1\/(?<namespace>auth\/[^/]+\/role)\/(?<id>[^/]+)$/,
  /^\/v1\/(?<namespace>[^/]+\/kms)\/(?<id>[^/]+)$/,
];

/** `undefined`: the request is about none of them. */
export function mountPlace(url: string): Place | undefined {
  const path = url.split('?', 1)[0] ?? '';
  for (const pattern of paths) {
    const { namespace, id } = pattern.exec(path)?.groups ?? {};
    if (namespace !== undefined && id !== undefined) return { scheduler: 'secrets', namespace, id };
  }
  return undefined;
}

const all = Object.keys(mountedSlots).filter(isMountedSlot).map(mountedPlace);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export class MountLedger {
  readonly acts: MountAct[] = [];
  readonly #secrets: State;

  constructor(secrets: State) {
    this.#secrets = secrets;
  }

  /** What it is done to is what is at this place, or what is at any where a mount goes. */
  async during(
    asking: Asking,
    place: Place | undefined,
    method: string,
    act: () => Promise<Reply>,
  ): Promise<Reply> {
    const about = place ? [place] : all;
    const before = about.map((one) => this.#held(one));
    const reply = await act();
    const common = { ...asking, at: nowMs() };
    if (place && reply.status >= 400)
      this.acts.push({ ...common, is: 'refused', place, why: this.#why(reply) });
    about.forEach((one, i) => {
      const [old, now] = [before[i], this.#held(one)];
      if (now === undefined && old !== undefined)
        this.acts.push({ ...common, is: 'removed', place: one, before: old });
      // What says the same as before is a write, too.
      const isWrite = place !== undefined && method !== 'DELETE' && reply.status < 400;
      if (now !== undefined && (isWrite || JSON.stringify(now) !== JSON.stringify(old)))
        this.acts.push({
          ...common,
          is: 'written',
          place: one,
          ...(old && { before: old }),
          after: now,
        });
    });
    return reply;
  }

  /** A write met with something, so that whoever sent it may not know what came of it. */
  befell(place: Place, asking: Asking, fault = ''): void {
    this.acts.push({ ...asking, at: nowMs(), is: 'refused', place, why: fault });
  }

  /** What is at each of the places, now. */
  held(): readonly { readonly place: Place; readonly held: Held }[] {
    return all.flatMap((place) => {
      const held = this.#held(place);
      return held ? [{ place, held }] : [];
    });
  }

  #why({ body }: Reply): string {
    return body !== undefined && 'json' in body ? JSON.stringify(body.json) : '';
  }

  #held({ namespace, id }: Place): Held | undefined {
    const mount = namespace.replace(/\/(role|kms)$/, '');
    if (id === 'config') return configHeld(this.#secrets.oidcConfigs.get(mount));
    if (namespace.endsWith('/role')) return roleHeld(this.#secrets.oidcRoles.get(below(mount, id)));
    return providerHeld(this.#secrets.kmsProviders.get(below(mount, id)));
  }
}

/** Without those that are not set. */
const set = (fields: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, value]],
    ),
  );

function configHeld(row: OIDCConfigRow | undefined): Held | undefined {
  if (!row) return undefined;
  const { values } = row;
  return {
    shown: set({
      issuer: textOf(values['oidc_discovery_url']).replace(issuerAt(''), ''),
      defaultRole: textOf(values['default_role']),
      boundIssuer: textOf(values['bound_issuer']),
    }),
    hidden: set({ secret: textOf(values['oidc_client_secret']) }),
  };
}

function roleHeld(row: OIDCRoleRow | undefined): Held | undefined {
  if (!row) return undefined;
  const { values } = row;
  const policies: unknown = values['token_policies'];
  return {
    shown: set({
      user: textOf(values['user_claim']),
      groups: textOf(values['groups_claim']),
      policies: Array.isArray(policies) ? policies.join() : '',
    }),
    hidden: {},
  };
}

const providerHeld = (row: KMSProviderRow | undefined): Held | undefined =>
  row && {
    shown: { collection: row.keyCollection },
    hidden: set({ secret: row.credentials['client_secret'], environment: row.credentials['environment'] }),
  };
