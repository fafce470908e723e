// The services of a simulated world: two schedulers whose plugins are those of one storage provider, and a secrets service.
import type { SchedulerDialectName, SecretsDialectName } from '../../../src/api/dialects.ts';
import type { ServiceOptions } from '../../../src/embedded/http/server.ts';
import { openScheduler, type OpenScheduler } from '../../../src/embedded/scheduler/server.ts';
import type { Seed } from '../../../src/embedded/scheduler/fixtures/seed.ts';
import { openSecrets, type OpenSecrets } from '../../../src/embedded/secrets/server.ts';
import { defaultSeed as secretsSeed } from '../../../src/embedded/secrets/fixtures/seed.ts';
import { randomOf } from '../machine/random.ts';
import { trueClock } from '../machine/time.ts';

export const rootToken = 'root-token';
export const namespaces = ['team-a', 'team-b'] as const;

/** One that may only be seen from its own namespace. */
export const tokenOf = (namespace: string): string => `token-${namespace}`;

/** Under which each service is reached: the first scheduler by two names. */
export const addresses = {
  s1: ['http://127.0.0.1:4646', 'http://localhost:4646'],
  s2: ['http://127.0.0.1:4647'],
  secrets: ['http://127.0.0.1:8200'],
} as const;
/** @param n how often it was changed */
export function addressOf(scheduler: 's1' | 's2', n: number): string {
  const names = addresses[scheduler];
  return names[n % names.length] ?? '';
}
export const serviceNames = ['s1', 's2', 'secrets'] as const;
export type ServiceName = (typeof serviceNames)[number];
export const plugins = ['attaching', 'plain', 'zoned', 'cutting'] as const;

const all = ['CREATE_DELETE_VOLUME', 'LIST_VOLUMES', 'EXPAND_VOLUME', 'GET_VOLUME', 'VOLUME_CONDITION'];

/** Disks that nobody made through the API. */
export const foundDisks = ['vol-found-1', 'vol-found-2'] as const;

const seed: Seed = {
  namespaces: namespaces.map((name) => ({ name })),
  nodes: [
    { id: '0b5f2a6e-3c1d-4e7a-9f10-5a2b8c7d6e01', name: 'node-a', topology: { zone: 'a' } },
    { id: '7d1c9e44-82b6-4f35-a6d2-1e0f3b5a9c02', name: 'node-b', topology: { zone: 'b' } },
  ],
  plugins: [
    { id: 'attaching', capabilities: [...all, 'PUBLISH_UNPUBLISH_VOLUME'] },
    { id: 'plain', capabilities: all },
    { id: 'zoned', capabilities: [...all, 'PUBLISH_UNPUBLISH_VOLUME'], requiresTopologies: true },
    { id: 'cutting', capabilities: [...all, 'CREATE_DELETE_SNAPSHOT', 'LIST_SNAPSHOTS'] },
  ],
  policies: namespaces.map((name) => ({
    name,
    rules: JSON.stringify({
      namespace: { [name]: { policy: 'write' } },
      plugin: { policy: 'read' },
      agent: { policy: 'read' },
      node: { policy: 'read' },
    }),
  })),
  tokens: namespaces.map((name) => ({ secretID: tokenOf(name), type: 'client', policies: [name] })),
};

const disks = foundDisks.map((externalID) => ({ pluginID: 'plain', externalID }));

interface Service {
  readonly name: ServiceName;
  readonly options: ServiceOptions;
  down: boolean;
}

export class Services {
  readonly s1: OpenScheduler;
  readonly s2: OpenScheduler;
  readonly secrets: OpenSecrets;
  /** No issuer answers the secrets service. */
  issuersDown = false;
  readonly #byOrigin = new Map<string, Service>();

  private constructor(s1: OpenScheduler, s2: OpenScheduler, secrets: OpenSecrets) {
    this.s1 = s1;
    this.s2 = s2;
    this.secrets = secrets;
    const found: readonly Service[] = [
      { name: 's1', options: s1.service, down: false },
      { name: 's2', options: s2.service, down: false },
      { name: 'secrets', options: secrets.service, down: false },
    ];
    for (const service of found) {
      for (const origin of addresses[service.name]) this.#byOrigin.set(origin, service);
    }
  }

  static async open(
    text: string,
    dialect: { readonly scheduler: SchedulerDialectName; readonly secrets: SecretsDialectName },
    onBug: (error: unknown) => void,
  ): Promise<Services> {
    const common = { token: rootToken, clock: trueClock, onBug };
    const of = (name: string, drawn = randomOf(`${text} ${name}`)) => ({
      ...common,
      dialect: dialect.scheduler,
      random: () => drawn.next(),
    });
    const s1 = openScheduler({ ...of('s1'), seed: { ...seed, disks } });
    const s2 = openScheduler({ ...of('s2'), seed, provider: s1.state.provider });
    const random = randomOf(`${text} secrets`);
    const secrets = await openSecrets(
      {
        ...common,
        dialect: dialect.secrets,
        seed: secretsSeed,
        randomBytes: (size) => Buffer.from(Array.from({ length: size }, () => random.below(256))),
      },
      () => addresses.secrets[0],
    );
    return new Services(s1, s2, secrets);
  }

  at(origin: string): Service | undefined {
    return this.#byOrigin.get(origin);
  }

  named(name: ServiceName): Service | undefined {
    return this.#byOrigin.get(addresses[name][0]);
  }

  scheduler(name: string): OpenScheduler {
    return name === 's2' ? this.s2 : this.s1;
  }

  /** Rotates passwords that are due from now on. */
  start(): void {
    this.secrets.start();
  }

  async close(): Promise<void> {
    this.s1.close();
    this.s2.close();
    await this.secrets.close();
  }
}
