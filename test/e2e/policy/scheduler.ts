// The scheduler of one life under a policy: the embedded one of that life, or the real one at SCHEDULER_ADDR
// (with SCHEDULER_TOKEN, a management token, and SCHEDULER_PLUGIN).
import type { SchedulerDialectName } from '../../../src/api/dialects.ts';
import { connection, secret, snapshot, volume, type Spec } from '../../support/manifests.ts';
import { serve, Service } from '../../support/service.ts';

export interface SchedulerRules {
  readonly namespace?: Readonly<Record<string, { readonly capabilities: readonly string[] }>>;
  readonly plugin?: { readonly policy: string };
}

const { SCHEDULER_ADDR, SCHEDULER_TOKEN = '', SCHEDULER_PLUGIN = 'hostpath' } = process.env;
export const realScheduler = SCHEDULER_ADDR;
/** A real server may hold what earlier runs left behind. */
const volumeID = `policy-${Math.random().toString(36).slice(2, 8)}`;

export class SchedulerOfLife {
  readonly #service: Service;
  #accessor: string | undefined;

  constructor(service: Service) {
    this.#service = service;
  }

  static async open(dialect: SchedulerDialectName | 'real'): Promise<SchedulerOfLife> {
    if (dialect !== 'real') return new SchedulerOfLife(await serve(dialect));
    return new SchedulerOfLife(new Service(SCHEDULER_ADDR ?? '', 'nomad', SCHEDULER_TOKEN));
  }

  /** What the token, when there is one, connects with. */
  connection(token: string): readonly Spec[] {
    return [connection(this.#service), secret('system', 'scheduler', { token })];
  }

  declared(turn: 'a' | 'b'): { readonly stays: readonly Spec[]; readonly leaves: readonly Spec[] } {
    const more = {
      externalName: volumeID,
      pluginID: SCHEDULER_PLUGIN,
      create: { capacity: { min: '1Mi' }, parameters: { turn } },
      replacePolicy: 'WhenUnused',
      deletionPolicy: 'Delete',
    };
    return { stays: [volume('data', more)], leaves: [snapshot('nightly', { deletionPolicy: 'Delete' })] };
  }

  /** A token with these rights. */
  async token(rules: SchedulerRules): Promise<string> {
    const Rules = JSON.stringify(rules);
    await this.#service.call('PUT', `/v1/acl/policy/${volumeID}`, { Name: volumeID, Rules });
    const body = { Name: volumeID, Type: 'client', Policies: [volumeID] };
    const made = await this.#service.call<{ readonly AccessorID: string; readonly SecretID: string }>(
      'PUT',
      '/v1/acl/token',
      body,
    );
    this.#accessor = made.AccessorID;
    return made.SecretID;
  }

  /** Somebody deregisters the volume. */
  async disturb(): Promise<void> {
    await this.#service.call('DELETE', `/v1/volume/csi/${volumeID}?namespace=default`);
  }

  async isThere(): Promise<boolean> {
    return (await this.#service.volumes()).some(({ ID }) => ID === volumeID);
  }

  async close(): Promise<void> {
    if (this.#accessor !== undefined) await this.#service.call('DELETE', `/v1/acl/token/${this.#accessor}`);
    await this.#service.call('DELETE', `/v1/acl/policy/${volumeID}`);
    if (await this.isThere()) {
      await this.#service.call('DELETE', `/v1/volume/csi/${volumeID}/delete?namespace=default`);
    }
  }
}
