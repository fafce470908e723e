// One `run` on two services that a test spoils, and what a person learns of it: from the log alone, and from the page alone.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import type { Holdfast } from '../support/cli.ts';
import { secret, volume, type Spec, type Tree } from '../support/manifests.ts';
import { eventually } from '../support/poll.ts';
import {
  ldapConfig,
  secretsConnection,
  serveSecrets,
  staticRole,
  type SecretsService,
} from '../support/secrets.ts';
import { canMount, smallDisk } from '../support/small-disk.ts';
import { serviceToken, startService, type ServiceProcess } from '../support/service.ts';
import { embeddedBindDN, embeddedBindPassword } from '../../src/embedded/secrets/fixtures/seed.ts';
import { Operator } from './running.ts';

const operatorToken = 'canary-operator-token-6b0d';
const all = ['create', 'read', 'update', 'delete', 'list'];

/** What a person has to learn of a fault. */
export interface Named {
  /** Key of an object, or the file. */
  readonly object: string;
  readonly cause: RegExp;
  readonly remedy: RegExp;
  /** The part of the list that tells of it. Absent: the row of the object. */
  readonly part?: string;
}

export class FaultyDay {
  readonly scheduler: ServiceProcess;
  readonly secrets: SecretsService;
  readonly operator: Operator;
  /** That of the state. Absent: this user may mount none. */
  readonly disk = canMount ? smallDisk(8) : undefined;
  #run: Holdfast | undefined;
  #page: Page | undefined;
  #aside: Page | undefined;
  #url = '';

  private constructor(scheduler: ServiceProcess, secrets: SecretsService, operator: Operator) {
    this.scheduler = scheduler;
    this.secrets = secrets;
    this.operator = operator;
  }

  /** Everything is ready, and a browser shows the list. */
  static async begin(browser: Browser): Promise<FaultyDay> {
    const scheduler = await startService();
    const day = new FaultyDay(scheduler, await serveSecrets(), await Operator.on(scheduler.service));
    await day.grant();
    await day.secrets.call('POST', '/setup/tokens', {
      token: operatorToken,
      policies: ['default', 'operator'],
    });
    day.#declare();
    if (day.disk) symlinkSync(day.disk.directory, join(day.operator.cwd, '.holdfast'));
    const run = await day.operator.start('--listen', '127.0.0.1:0');
    day.#run = run;
    [, day.#url = ''] = await run.says(/"status":"(http:[^"]+)"/);
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    onTestFinished(() => context.close());
    context.setDefaultTimeout(60_000);
    day.#page = await context.newPage();
    day.#aside = await context.newPage();
    await day.#page.goto(day.#url);
    return day;
  }

  get tree(): Tree {
    return this.operator.tree;
  }

  #declare(): void {
    this.token();
    this.bindPassword();
    this.tree.put('secrets.yaml', ...secretsConnection(this.secrets, {}, operatorToken));
    this.tree.put('role.yaml', staticRole());
    this.key();
    this.tree.put('orders.yaml', volume('orders', { secrets: { key: { name: 'ebs', key: 'key' } } }));
    for (const name of ['cache', 'logs', 'media', 'spool']) this.tree.put(`${name}.yaml`, volume(name));
  }

  /** Of the scheduler, which lets three volumes go in an hour. */
  token(token = serviceToken): void {
    this.tree.connect(this.scheduler.service, {
      auth: { tokenSecretRef: { namespace: 'system', name: 'own', key: 'token' } },
      limits: { deletions: { perHour: 3, percent: 100 } },
    });
    this.tree.put('token.yaml', secret('system', 'own', { token }));
  }

  /** The Secret of a volume. */
  key(): void {
    this.tree.put('ebs.yaml', secret('shop', 'ebs', { key: 'canary-volume-key-19' }));
  }

  bindPassword(bindPassword: string = embeddedBindPassword): void {
    const at = { url: 'ldap://embedded', bindDN: embeddedBindDN, bindPassword };
    this.tree.put('directory.yaml', ...ldapConfig(at, { requestTimeout: '1s' }));
  }

  /** What the operator may do on the secrets service: everything, but for these paths. */
  grant(but: Spec = {}): Promise<void> {
    const rules = Object.entries({ 'ldap/*': all, ...but });
    const policy = {
      name: 'operator',
      rules: rules.map(([path, capabilities]) => ({ path, capabilities })),
    };
    return this.secrets.call('POST', '/setup/policies', policy);
  }

  /** Somebody deletes the role, and makes another of its name and account. */
  async remakeRole(dn = 'uid=shop,ou=services,dc=example,dc=org'): Promise<void> {
    const path = '/v1/ldap/static-role/shop';
    await this.secrets.call('DELETE', path);
    await this.secrets.call('POST', path, { username: 'shop', dn, rotation_period: '24h' });
  }

  /** Asks the operator something by its command line. */
  async command(...args: readonly string[]): Promise<void> {
    const { code, stdout, stderr } = await this.operator.command(...args);
    if (code !== 0) throw new Error(`${args.join(' ')}: ${stdout}${stderr}`);
  }

  /** How much of the log there is. */
  get mark(): number {
    return this.#run?.stdout.length ?? 0;
  }

  #linesSince(mark: number): readonly string[] {
    const text = this.#run?.stdout.slice(mark) ?? '';
    return text.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
  }

  /** One line names the object, the cause and the remedy. */
  async logNames(mark: number, { object, cause, remedy }: Named): Promise<void> {
    const isIt = (line: string) => {
      const { key, origin, message, problem, reason, remedy: help } = JSON.parse(line);
      const of: unknown = key ?? origin ?? message;
      return (
        String(of).includes(object) &&
        cause.test(`${reason}: ${message ?? problem}`) &&
        remedy.test(String(help))
      );
    };
    await eventually(`the log names ${object}`, () => this.#linesSince(mark).some(isIt), {
      seen: () => this.#linesSince(mark).join('\n'),
    });
  }

  /** A line says of the object that it is well. */
  async logSays(mark: number, object: string, well: RegExp): Promise<void> {
    const isIt = (line: string) => line.includes(object) && well.test(String(JSON.parse(line).msg));
    await eventually(`the log says that ${object} is well`, () => this.#linesSince(mark).some(isIt), {
      seen: () => this.#linesSince(mark).join('\n'),
    });
  }

  /** The list, which nobody loads again, names object and cause, and the remedy, or a link leads there. */
  async pageNames({ object, cause, remedy, part }: Named): Promise<void> {
    const row = this.page.locator(part ?? rowOf(object));
    await this.#shows(row, cause);
    if (part !== undefined) {
      await this.#shows(row, new RegExp(object));
      return await this.#shows(row, remedy);
    }
    const link = await row.locator('.reason a').getAttribute('href');
    await this.aside.goto(new URL(link ?? '', this.#url).href);
    await this.#shows(this.aside.locator('#detail'), cause);
    await this.#shows(this.aside.locator('#remedy'), remedy);
  }

  async pageIsWell({ object, part }: Named): Promise<void> {
    if (part === undefined) return void (await this.page.waitForSelector(`${rowOf(object)}.s-ready`));
    const isGone = async () => !(await this.page.locator(part).innerText()).includes(object);
    await eventually(`the page has nothing of ${object} any more`, isGone);
  }

  get page(): Page {
    if (!this.#page) throw new Error('not begun');
    return this.#page;
  }

  get aside(): Page {
    if (!this.#aside) throw new Error('not begun');
    return this.#aside;
  }

  async #shows(where: ReturnType<Page['locator']>, text: RegExp): Promise<void> {
    let last = '';
    const look = async () => {
      last = (await where.count()) === 1 ? await where.innerText() : 'not there';
      return text.test(last);
    };
    await eventually(`the page shows ${String(text)}`, look, { seen: () => last });
  }

  /** @returns the exit code */
  async end(): Promise<unknown> {
    return (await this.#run?.stop())?.code;
  }
}

const rowOf = (key: string): string => `tr[id="row:${key}"]`;
