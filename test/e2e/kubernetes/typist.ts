// Who types commands about a cluster, and reads what they say: never a secret.
import { expect } from 'vitest';
import { Holdfast, holdfast, type Ended } from '../../support/cli.ts';
import { eventually } from '../../support/poll.ts';
import type { Cluster } from './cluster.ts';

/** Values of the quickstart's Secrets, and what the users log in with. */
const canaries = ['not-a-secret-in-this-example', 'holdfast-dev-bind', 'admin-token', 'reader-token'].flatMap(
  (value) => [value, Buffer.from(value).toString('base64')],
);

export class Typist {
  readonly #cwd: string;
  readonly #env: Readonly<Record<string, string>>;

  constructor(cluster: Cluster, cwd: string) {
    this.#cwd = cwd;
    this.#env = { KUBECONFIG: cluster.kubeconfig, HOME: cwd };
  }

  async typed(line: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const ended = await holdfast(line.split(' '), { cwd: this.#cwd, env: { ...this.#env, ...env } });
    const all = ended.stdout + ended.stderr;
    const seen = canaries.filter((value) => all.includes(value));
    expect({ line, seen }).toEqual({ line, seen: [] });
    return ended;
  }

  /** As an administrator. @returns standard output */
  async said(line: string): Promise<string> {
    const { code, stdout, stderr } = await this.typed(`${line} --context admin`);
    expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: '' });
    return stdout;
  }

  /** @returns the one line that says why */
  async refused(line: string): Promise<string> {
    const { code, stdout, stderr } = await this.typed(line);
    expect({ line, code, stdout }).toEqual({ line, code: 1, stdout: '' });
    expect(stderr.trimEnd()).not.toContain('\n');
    return stderr;
  }

  async reads(line: string, pattern: RegExp): Promise<void> {
    let last = '';
    const look = async () => pattern.test((last = await this.said(line)));
    await eventually(`${line}: ${pattern}`, look, { seen: () => last });
  }

  /** The embedded services, for as long as the test runs. */
  async serve(): Promise<void> {
    await this.#operate('dev').says(/secrets/);
  }

  /** And an operator. */
  async operate(): Promise<Holdfast> {
    await this.serve();
    const operator = this.#operate('run', '--source', 'kubernetes', '--no-lease');
    await operator.says(/"msg":"running"/);
    return operator;
  }

  /** A command that goes on. */
  start(...args: readonly string[]): Holdfast {
    return new Holdfast(args, { cwd: this.#cwd, env: this.#env });
  }

  #operate(...args: readonly string[]): Holdfast {
    const common = ['--listen', 'off', '--state-dir', 'state'];
    return new Holdfast([...args, ...common], { cwd: this.#cwd, env: this.#env });
  }
}
