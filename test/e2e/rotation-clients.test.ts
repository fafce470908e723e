// A rotation as those see it who log in: a hundred clients of a real directory, each with the password that it read last. They
// are told by a signal and read the new one some logins later; two never do, and those are named where that can be seen.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/embedded/clock.ts';
import { startScheduler } from '../../src/embedded/scheduler/server.ts';
import { eventually } from '../support/poll.ts';
import { ldapConfig, secretsConnection, serveSecrets, staticRole } from '../support/secrets.ts';
import { Service, serviceToken } from '../support/service.ts';
import { hasSlapd, startSlapd, type Slapd } from '../support/slapd.ts';
import { report } from './report.ts';
import { Operator } from './running.ts';

const count = 100;
const names = Array.from({ length: count }, (_, n) => `c${n}`);
/** Its task never comes back from the restart that it is told. */
const hanging = 'c7';
/** A program that ignores the signal. Nobody but the directory can see that. */
const deaf = 'c8';
const dnOf = (name: string) => `uid=${name},ou=services,dc=example,dc=org`;

class Client {
  readonly name: string;
  /** Logins that failed before it was told, and from then on until it read the new password. */
  failed = { before: 0, late: 0, after: 0 };
  logins = 0;
  readonly #read: () => Promise<string>;
  readonly #lateBy: number;
  #password = '';
  #told = 0;
  #roundsLeft: number | undefined;
  reloaded = false;

  /** @param lateBy logins from when it is told until it reads again */
  constructor(name: string, lateBy: number, read: () => Promise<string>) {
    this.name = name;
    this.#lateBy = lateBy;
    this.#read = read;
  }

  async load(): Promise<void> {
    this.#password = await this.#read();
  }

  /** @param told how often it was told so far */
  async login(directory: Slapd, told: number): Promise<void> {
    if (told > this.#told) this.#roundsLeft = this.#lateBy;
    this.#told = told;
    if (this.#roundsLeft === 0) {
      await this.load();
      this.reloaded = true;
    }
    if (this.#roundsLeft !== undefined) this.#roundsLeft--;
    this.logins++;
    if (await directory.bind(dnOf(this.name), this.#password)) return;
    this.failed[this.reloaded ? 'after' : told > 0 ? 'late' : 'before']++;
  }
}

async function world() {
  let aheadMs = 0;
  const nowMs = () => systemClock.nowMs() + aheadMs;
  const directory = await startSlapd({ services: names });
  onTestFinished(() => directory.stop());
  const secrets = await serveSecrets('vault', { clock: { ...systemClock, nowMs } });
  const scheduler = await startScheduler({ dialect: 'nomad', token: serviceToken });
  onTestFinished(() => scheduler.stop());
  const service = new Service(scheduler.url, 'nomad');
  const operator = await Operator.on(service);
  operator.tree.connect(service, { access: [{ namespaces: ['*'], actions: ['Signal', 'Restart'] }] });
  operator.tree.put('secrets.yaml', ...secretsConnection(secrets));
  operator.tree.put('directory.yaml', ...ldapConfig(directory, { requestTimeout: '5s' }));
  const roles = names.map((name) => {
    const action = name === hanging ? { action: 'Restart' } : { action: 'Signal', signal: 'SIGHUP' };
    const consumers = [{ job: { connectionRef: { name: 'main' }, id: name, ...action } }];
    const more = { username: name, dn: dnOf(name), output: { secretName: name }, drift: { interval: '5s' } };
    return { ...staticRole({ ...more, consumers }), metadata: { namespace: 'shop', name } };
  });
  operator.tree.put('roles.yaml', ...roles);
  for (const ID of names) {
    const Tasks = [{ Name: 'server', RestartMs: ID === hanging ? 86_400_000 : 100 }];
    await service.call('POST', '/setup/jobs', { ID, Groups: [{ Tasks }] });
  }
  const allDue = () => void (aheadMs = 25 * 3_600_000);
  return { directory, secrets, scheduler, operator, allDue };
}

describe.skipIf(!hasSlapd)('a hundred clients of slapd (skipped without slapd)', () => {
  test('logins fail from the rotation until a client reads again, and never after; who never does is named', async () => {
    const { directory, secrets, scheduler, operator, allDue } = await world();
    await operator.start();
    const clients = names.map((name, at) => {
      const path = join(operator.cwd, '.holdfast/outputs/shop', name, 'password');
      const lateBy = name === deaf || name === hanging ? Infinity : at % 4;
      return new Client(name, lateBy, () => readFile(path, 'utf8'));
    });
    await Promise.all(clients.map((client) => client.load()));
    const round = async () => {
      const { jobs } = scheduler.tallies();
      for (const client of clients) {
        const { signals = 0, restarts = 0 } = jobs[`default/${client.name}`] ?? {};
        await client.login(directory, signals + restarts);
      }
    };
    await round();
    expect(clients.filter(({ failed }) => failed.before > 0)).toEqual([]);
    await secrets.resetCounters();
    allDue();
    const reloading = clients.filter(({ name }) => name !== deaf && name !== hanging);
    await eventually(
      'all that read again have done so',
      async () => {
        await round();
        return reloading.every(({ reloaded }) => reloaded);
      },
      { withinMs: 180_000, seen: () => `${reloading.filter((one) => !one.reloaded).length} left` },
    );
    await round();

    const sum = (of: (client: Client) => number) => clients.reduce((all, client) => all + of(client), 0);
    const late = sum(({ failed }) => failed.late);
    report(
      `100 roles rotated: of ${sum(({ logins }) => logins)} logins ${sum(({ failed }) => failed.before)} failed before the client was told, ${late} while it was late, ${sum(({ failed }) => failed.after)} after`,
    );
    // What a client was told of is published: the first login with it succeeds.
    expect(clients.filter(({ failed }) => failed.after > 0)).toEqual([]);
    expect(clients.filter(({ name, failed }) => name === deaf && failed.late === 0)).toEqual([]);
    const { rotations, writes } = await secrets.counters();
    expect([writes, names.filter((name) => rotations[`ldap/${name}`] !== 1)]).toEqual([0, []]);
    const { jobs } = scheduler.tallies();
    const told = names.map(
      (name) => (jobs[`default/${name}`]?.signals ?? 0) + (jobs[`default/${name}`]?.restarts ?? 0),
    );
    expect(new Set(told)).toEqual(new Set([1])); // each once
    expect(await operator.condition(`LDAPStaticRole/shop/${hanging}`, 'ConsumersNotified')).toMatchObject({
      status: 'False',
      message: `job ${hanging}`,
    });
    const notified = await Promise.all(
      reloading.map(({ name }) => operator.condition(`LDAPStaticRole/shop/${name}`, 'ConsumersNotified')),
    );
    expect(notified.filter((one) => one?.status !== 'True')).toEqual([]);
  });
});
