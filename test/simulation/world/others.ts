// What others do at the services: jobs that claim volumes, people with tokens of their own, and what fails by itself.
import { Refusal } from '../../../src/embedded/http/server.ts';
import { askInProcess } from '../../../src/embedded/http/in-process.ts';
import { addAllocation, changeAllocation } from '../../../src/embedded/scheduler/fixtures/allocations.ts';
import { pairKey } from '../../../src/embedded/scheduler/store/model.ts';
import { changePlugin } from '../../../src/embedded/scheduler/fixtures/plugins.ts';
import type { ClusterAction } from '../history/events.ts';
import { inWorld, later, nowMs } from '../machine/time.ts';
import type { Ledger } from './ledger.ts';
import { accountOf } from './manifests.ts';
import { storedPlugin } from './storage-manifests.ts';
import type { MountStrangers } from './mount-strangers.ts';
import { foundDisks, plugins, rootToken, serviceNames, type ServiceName, type Services } from './services.ts';

/** A stopped task that goes on ends after that. */
const lingerMs = 10 * 60_000;

interface Claim {
  readonly scheduler: 's1' | 's2';
  readonly id: string;
}

type Strange = Extract<ClusterAction, { do: 'stranger' }>;

export class Others {
  readonly #services: Services;
  readonly #ledger: Ledger;
  readonly #atMounts: MountStrangers;
  /** Oldest first. */
  readonly #claims: Claim[] = [];
  readonly #outages: { readonly of: ServiceName; readonly at: number; readonly isDown: boolean }[] = [];

  constructor(services: Services, ledger: Ledger, atMounts: MountStrangers) {
    this.#services = services;
    this.#atMounts = atMounts;
    this.#ledger = ledger;
  }

  outages(of: ServiceName): readonly { readonly from: number; readonly to: number }[] {
    const changes = this.#outages.filter((one) => one.of === of);
    return changes.flatMap(({ at, isDown }, i) =>
      isDown ? [{ from: at, to: changes[i + 1]?.at ?? Number.POSITIVE_INFINITY }] : [],
    );
  }

  do(action: ClusterAction): void {
    switch (action.do) {
      case 'claim':
        return this.#claim(action.scheduler, action.namespace, action.id);
      case 'end claim':
        return this.#end(action.how);
      case 'stranger':
        return this.#meddle(action);
      case 'strange snapshot':
        return this.#cut(action.name);
      case 'role made anew':
        return this.#makeRole(action.slot, action.username);
      case 'down':
        this.#down(action.service, true);
        return later(action.forMs, () => this.#down(action.service, false));
      case 'meddle at mount':
        return this.#atMounts.do(action);
      case 'issuer down':
        this.#services.issuersDown = true;
        return later(action.forMs, () => (this.#services.issuersDown = false));
      case 'plugin fails':
        this.#plugin(action.plugin, true);
        return later(action.forMs, () => this.#plugin(action.plugin, false));
    }
  }

  /** All services work, and no job runs. */
  heal(): void {
    for (const name of serviceNames) this.#down(name, false);
    this.#services.issuersDown = false;
    for (const plugin of plugins) this.#plugin(plugin, false);
    for (const claim of this.#claims.splice(0)) this.#complete(claim);
  }

  #down(name: (typeof serviceNames)[number], isDown: boolean): void {
    const service = this.#services.named(name);
    if (!service || service.down === isDown) return;
    service.down = isDown;
    this.#outages.push({ of: name, at: nowMs(), isDown });
  }

  #plugin(id: string, fails: boolean): void {
    for (const { state } of [this.#services.s1, this.#services.s2]) {
      changePlugin(state, { FailsWith: fails ? 'rpc error: the backend is out of order' : '' }, id);
    }
  }

  #claim(scheduler: 's1' | 's2', namespace: string, id: string): void {
    const { state } = this.#services.scheduler(scheduler);
    const asked = { JobID: 'shop', Namespace: namespace, Volumes: [{ ID: id }] };
    try {
      this.#claims.push({ scheduler, id: addAllocation(state, asked, 'claim').ID });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error; // the service would not place it
    }
  }

  #end(how: 'complete' | 'stop'): void {
    const claim = this.#claims.shift();
    if (!claim) return;
    if (how === 'complete') return this.#complete(claim);
    changeAllocation(this.#services.scheduler(claim.scheduler).state, { DesiredStatus: 'stop' }, claim.id);
    later(lingerMs, () => this.#complete(claim));
  }

  #complete({ scheduler, id }: Claim): void {
    const ended = { ClientStatus: 'complete', DesiredStatus: 'stop' };
    this.#ask(scheduler, 'PUT', `/setup/allocations/${id}`, ended);
  }

  #meddle({ what, scheduler, namespace, id }: Strange): void {
    const at = `/v1/volume/csi/${id}`;
    const where = `?namespace=${namespace}`;
    const disks = [...this.#services.s1.state.provider.disks.rows()];
    switch (what) {
      case 'deregister':
        return this.#ask(scheduler, 'DELETE', `${at}${where}`);
      case 'delete':
        return this.#ask(scheduler, 'DELETE', `${at}/delete${where}`);
      case 'create':
        return this.#ask(scheduler, 'PUT', `${at}/create${where}`, {
          Volumes: [{ ...volume(id, namespace), RequestedCapacityMin: 1024 ** 3 }],
        });
      case 'lose': {
        // What is taken of a disk that is gone would be tried for ever.
        const disk = disks.find(({ Name, PluginID }) => Name !== '' && PluginID !== storedPlugin);
        const lose = () => disk && this.#services.s1.state.provider.lose(disk);
        this.#ledger.during({ by: { stranger: 'provider' }, sentAt: nowMs() }, lose);
        return;
      }
      case 'register': {
        // Another descriptor of the volume's disk, or of one that an operator has made.
        const registered = this.#services.scheduler(scheduler).state.volumes.get(pairKey(namespace, id));
        const disk = registered ?? disks.at(-1);
        const more = { ExternalID: disk?.ExternalID ?? foundDisks[0], PluginID: disk?.PluginID ?? 'plain' };
        const Volumes = [{ ...volume(`${id}-too`, namespace), ...more }];
        return this.#ask(scheduler, 'PUT', `/v1/volume/csi/${id}-too${where}`, { Volumes });
      }
    }
  }

  #cut(Name: string): void {
    const { snapshots, provider, clock } = this.#services.s1.state;
    const disk = [...provider.disks.rows()].find(({ PluginID }) => PluginID === storedPlugin);
    if (!disk) return;
    const CreateTime = Math.floor(clock.nowMs() / 1_000);
    const ID = `strange-${nowMs()}`;
    const cut = {
      PluginID: storedPlugin,
      ID,
      Name,
      SourceID: disk.ExternalID,
      SizeBytes: disk.CapacityBytes,
    };
    const whole = { ...cut, CreateTime, ReadyAtMs: 0, IsReady: true, Parameters: {}, Secrets: {} };
    snapshots.put({ ...whole, InUse: false, IsCorrupt: false });
  }

  #makeRole(slot: string, username: string): void {
    const path = `/v1/ldap/static-role/${slot}`;
    const headers = { 'x-vault-token': rootToken, 'x-secrets-token': rootToken };
    const client = { closed: false, once: () => {} };
    const { service } = this.#services.secrets;
    const ask = (method: string, body: string) =>
      this.#ledger.role({ by: { stranger: 'somebody' }, sentAt: nowMs() }, method, path, () =>
        inWorld(() => askInProcess(service, { method, url: path, headers, body }, client)),
      );
    const role = { username, dn: accountOf(username), rotation_period: '24h' };
    void ask('DELETE', '').then(() => ask('POST', JSON.stringify(role)));
  }

  /** As somebody who may do everything. */
  #ask(scheduler: 's1' | 's2', method: string, url: string, body?: object): void {
    const { service } = this.#services.scheduler(scheduler);
    const headers = { 'x-nomad-token': rootToken, 'x-cluster-token': rootToken };
    const request = { method, url, headers, body: body ? JSON.stringify(body) : '' };
    const client = { closed: false, once: () => {} };
    const asking = { by: { stranger: 'somebody' }, sentAt: nowMs(), creates: url.includes('/create') };
    void this.#ledger.during(asking, () => inWorld(() => askInProcess(service, request, client)));
  }
}

const volume = (id: string, namespace: string) => ({
  ID: id,
  Name: id,
  Namespace: namespace,
  PluginID: 'plain',
  RequestedCapabilities: [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }],
});
