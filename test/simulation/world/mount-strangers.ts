// What somebody with a token of their own does at the mounts of the secrets service.
import { askInProcess } from '../../../src/embedded/http/in-process.ts';
import { wireValue } from '../../../src/embedded/secrets/http/wire-names.ts';
import { mountedSlots, type MountedSlot, type MountedWish, type OnMount } from '../history/mounted.ts';
import { inWorld, nowMs } from '../machine/time.ts';
import { mountPlace, type MountLedger } from './mount-ledger.ts';
import { callback, client, issuerAt, mountedPlace, tenant } from './mounted-manifests.ts';
import { rootToken, type Services } from './services.ts';

const headers = { 'x-vault-token': rootToken, 'x-secrets-token': rootToken };
const nobodyWaits = { closed: false, once: () => {} };

export class MountStrangers {
  readonly #services: Services;
  readonly #ledger: MountLedger;

  constructor(services: Services, ledger: MountLedger) {
    this.#services = services;
    this.#ledger = ledger;
  }

  /** As if it was there before anything else. */
  async make(slot: MountedSlot, wish: MountedWish): Promise<void> {
    await this.#write(slot, wish);
  }

  do({ what, slot, wish }: OnMount): void {
    if (what === 'write') void this.#write(slot, wish);
    else if (what === 'remove') void this.#remove(slot);
    else void this.#remove(slot).then(() => this.#write(slot, wish));
  }

  async #write(slot: MountedSlot, wish: MountedWish): Promise<void> {
    await this.#ask('POST', pathOf(slot), this.#bodyOf(slot, wish));
  }

  /** The service deletes no configuration: its method is mounted anew, without roles. */
  async #remove(slot: MountedSlot): Promise<void> {
    const { kind, mount } = mountedSlots[slot];
    if (kind !== 'OIDCConfig') return await this.#ask('DELETE', pathOf(slot));
    await this.#ask('DELETE', `/v1/sys/auth/${mount}`);
    await this.#ask('POST', `/v1/sys/auth/${mount}`, { type: mount });
  }

  async #ask(method: string, url: string, body?: object): Promise<void> {
    const { service } = this.#services.secrets;
    const asking = { by: { stranger: 'somebody' }, sentAt: nowMs(), unanswered: false };
    const request = { method, url, headers, body: body ? JSON.stringify(body) : '' };
    await this.#ledger.during(asking, mountPlace(url), method, () =>
      inWorld(() => askInProcess(service, request, nobodyWaits)),
    );
  }

  #bodyOf(slot: MountedSlot, { shown, secret = 'secret-of-somebody', environment }: MountedWish): object {
    switch (mountedSlots[slot].kind) {
      case 'OIDCConfig':
        return {
          oidc_discovery_url: issuerAt(shown['issuer'] ?? ''),
          oidc_client_id: client,
          oidc_client_secret: secret,
          default_role: shown['defaultRole'],
          bound_issuer: shown['boundIssuer'],
        };
      case 'OIDCRole':
        return {
          user_claim: shown['user'],
          groups_claim: shown['groups'] ?? '',
          token_policies: shown['policies'] === undefined ? [] : [shown['policies']],
          allowed_redirect_uris: [callback],
        };
      case 'KMSProvider': {
        const { dialect } = this.#services.secrets.state;
        const credentials = { tenant_id: tenant.tenant, client_id: tenant.client, client_secret: secret };
        return {
          provider: wireValue(dialect, 'provider', 'cloud_keystore'),
          key_collection: shown['collection'],
          credentials: { ...credentials, ...(environment !== undefined && { environment }) },
        };
      }
    }
  }
}

const pathOf = (slot: MountedSlot): string => {
  const { namespace, id } = mountedPlace(slot);
  return `/v1/${namespace}/${id}`;
};
