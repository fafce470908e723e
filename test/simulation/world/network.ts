// Between operators and services: latency, and whatever can befall a request and its answer. What it does to the services
// is written down.
import type { Reply } from '../../../src/embedded/http/server.ts';
import { askInProcess } from '../../../src/embedded/http/in-process.ts';
import type { DiskTrouble } from '../machine/disk.ts';
import type { Place } from '../oracle/record.ts';
import type { Exchange, Sent } from '../machine/line.ts';
import { inWorld, later, nowMs, type Life } from '../machine/time.ts';
import type { Acts } from './acts.ts';
import type { Ledger } from './ledger.ts';
import { mountPlace, type MountLedger } from './mount-ledger.ts';
import type { Services } from './services.ts';

export const networkFaults = [
  'lost before',
  'lost after',
  'late',
  'doubled',
  'throttled',
  'unavailable before',
  'error after',
  'garbled',
  'slow',
] as const;
export type NetworkFault = (typeof networkFaults)[number];

/** The nth request from now on that it is about. */
interface Armed {
  readonly fault: NetworkFault;
  readonly operator: string;
  readonly writes: boolean;
  left: number;
}

/** What may happen right before a request is carried out, and right after. @returns false: its sender died */
export interface NetworkHooks {
  readonly before: (life: Life, passing: Passing) => boolean;
  readonly after: (life: Life, passing: Passing) => boolean;
}

/** What an operator is about to do, or has done. */
export interface Passing {
  readonly is: 'read' | 'write' | 'removal' | 'commit';
  readonly place?: Place;
}

/** Where what the services do is written down. */
export interface Ledgers {
  readonly disks: Ledger;
  readonly acts: Acts;
  readonly mounts: MountLedger;
}

/** Whether it asks a cluster for something to be stored. */
export const isStored = ({ method, url }: Pick<Sent, 'method' | 'url'>): boolean =>
  method !== 'GET' && !url.includes('reviews');

/** An API server, and whoever is behind it. */
export interface Cluster {
  readonly origin: string;
  readonly trouble: DiskTrouble | undefined;
  readonly slowestMs: number;
  handle(request: Pick<Sent, 'method' | 'url' | 'headers' | 'body'>, client: Exchange): Reply;
}

const latencyMs = 10;
/** A lost request arrives that late at the most. */
const lateMs = 20_000;

export class Network {
  /** Requests that changed something, or could have, as `METHOD url by whom`; those that were refused did not. */
  readonly writes: string[] = [];
  /** All that were sent. */
  requests = 0;
  readonly #services: Services;
  readonly #ledger: Ledger;
  readonly #acts: Acts;
  readonly #mounts: MountLedger;
  readonly #hooks: NetworkHooks;
  readonly #clusters = new Map<string, Cluster>();
  #armed: Armed[] = [];

  constructor(services: Services, ledgers: Ledgers, hooks: NetworkHooks) {
    this.#services = services;
    this.#ledger = ledgers.disks;
    this.#acts = ledgers.acts;
    this.#mounts = ledgers.mounts;
    this.#hooks = hooks;
  }

  arm(armed: Armed): void {
    this.#armed.push({ ...armed });
  }

  calm(): void {
    this.#armed = [];
  }

  /** From now on it is reached at its origin. */
  serve(cluster: Cluster): void {
    this.#clusters.set(cluster.origin, cluster);
  }

  carry(sent: Sent): void {
    const cluster = this.#clusters.get(sent.origin);
    if (cluster)
      return later(1 + sent.life.random.below(cluster.slowestMs), () => this.#reach(cluster, sent));
    this.requests += 1;
    const sentAt = nowMs();
    later(1 + sent.life.random.below(latencyMs), () => this.#arrive(sent, sentAt));
  }

  #arrive(sent: Sent, sentAt: number): void {
    const { exchange, life, method } = sent;
    const service = this.#services.at(sent.origin);
    if (!service || service.down) return exchange.fail('ECONNREFUSED');
    const isWrite = method !== 'GET' && !sent.url.startsWith('/v1/sys/capabilities-self'); // that only asks
    const is = method === 'DELETE' ? 'removal' : isWrite ? 'write' : 'read';
    const place = placeOf(service.name, sent.url);
    const passing = { is, ...(place && { place }) } as const;
    if (!this.#hooks.before(life, passing)) return;
    const fault = this.#due(life.name, isWrite);
    const at = isWrite && fault ? mountPlace(sent.url) : undefined;
    if (at) this.#mounts.befell(at, { by: { operator: life.name }, sentAt, unanswered: true }, fault);
    const act = async () => {
      const reply = await this.#act(sent, sentAt, fault !== undefined);
      if (isWrite && reply.status < 400)
        this.writes.push(`${method} ${sent.url.slice(0, 120)} by ${life.name}`);
      return reply;
    };
    const back = (deliver: () => void) => {
      if (this.#hooks.after(life, passing)) later(1 + life.random.below(latencyMs), deliver);
    };
    this.#befall(fault, sent, act, back);
  }

  /** As `#arrive`: what is written there is a commit of what the operator remembers. */
  #reach(cluster: Cluster, sent: Sent): void {
    const { exchange, life } = sent;
    const writes = isStored(sent);
    if (!this.#hooks.before(life, { is: writes ? 'commit' : 'read' })) return;
    const act = (): Promise<Reply> => Promise.resolve(inWorld(() => cluster.handle(sent, exchange)));
    const back = (deliver: () => void): void => {
      if (this.#hooks.after(life, { is: writes ? 'commit' : 'read' }))
        later(1 + life.random.below(latencyMs), deliver);
    };
    if (!writes || cluster.trouble === undefined)
      return this.#befall(this.#due(life.name, writes), sent, act, back);
    if (cluster.trouble === 'slow') return this.#befall('slow', sent, act, back);
    if (cluster.trouble === 'too many open files') return exchange.fail('ECONNREFUSED');
    exchange.text(500, JSON.stringify({ kind: 'Status', code: 500, message: 'etcdserver: no space' }));
  }

  #befall(
    fault: NetworkFault | undefined,
    { exchange, url, life }: Sent,
    act: () => Promise<Reply>,
    back: (deliver: () => void) => void,
  ): void {
    switch (fault) {
      case 'lost before':
        return exchange.fail('ECONNRESET');
      case 'throttled':
        return exchange.text(429, 'rate limited', { 'Retry-After': '2' });
      case 'unavailable before':
        return exchange.text(503, 'service unavailable');
      case 'late':
        later(life.random.below(lateMs), () => void act());
        return exchange.fail('ECONNRESET');
      case 'lost after':
        void act().then(() => back(() => exchange.fail('ECONNRESET')));
        return;
      case 'doubled':
        later(life.random.below(1_000), () => void act());
        break;
      case 'error after':
        void act().then(() => back(() => exchange.text(500, 'rpc error: connection lost')));
        return;
      case 'garbled':
        void act().then(({ status }) => back(() => exchange.text(status, '{"Volumes": [{"ID": "')));
        return;
      case 'slow':
        void act().then((reply) => later(life.random.below(60_000), () => exchange.answer(reply, url)));
        return;
      case undefined:
    }
    void act().then((reply) => back(() => exchange.answer(reply, url)));
  }

  #due(operator: string, isWrite: boolean): NetworkFault | undefined {
    for (const armed of this.#armed) {
      if (armed.operator !== operator || (armed.writes && !isWrite)) continue;
      armed.left -= 1;
      if (armed.left >= 0) continue;
      this.#armed = this.#armed.filter((one) => one !== armed);
      return armed.fault;
    }
    return undefined;
  }

  /** What is done is done when this returns; the answer may come later. */
  #act({ origin, life, exchange, ...request }: Sent, sentAt: number, unanswered: boolean): Promise<Reply> {
    const service = this.#services.at(origin);
    if (!service) throw new Error(`nobody is at ${origin}`);
    const ask = () => inWorld(() => askInProcess(service.options, request, clientOf(exchange)));
    if (request.method === 'GET') return ask();
    const by = { operator: life.name };
    if (service.name === 'secrets') {
      const { method, url } = request;
      const at = mountPlace(url);
      if (!at) return this.#ledger.role({ by, sentAt }, method, url, ask);
      const checks = at.id === 'config' && this.#services.issuersDown;
      return this.#mounts.during({ by, sentAt, unanswered }, at, method, checks ? issuerIsDown : ask);
    }
    const place = placeOf(service.name, request.url);
    const creates = /\/create(\?|$)/.test(request.url);
    return this.#acts.during({ by, sentAt }, () =>
      this.#ledger.during({ by, sentAt, creates, ...(place && { place }) }, ask),
    );
  }
}

/** As the service answers then; `https://embedded` itself always answers. */
const issuerIsDown = (): Promise<Reply> =>
  Promise.resolve({ status: 400, body: { json: { errors: ['error checking oidc discovery URL'] } } });

/** A request that came late has nobody who waits for it, and does its work all the same. */
const clientOf = (exchange: Exchange) => exchange;

function placeOf(scheduler: string, url: string): Place | undefined {
  const { pathname, searchParams } = new URL(url, 'http://service');
  const [, id] = /^\/v1\/volume\/csi\/([^/]+)/.exec(pathname) ?? [];
  if (id === undefined) return undefined;
  return { scheduler, namespace: searchParams.get('namespace') ?? 'default', id: decodeURIComponent(id) };
}
