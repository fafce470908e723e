// A program that serves until it is killed.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '../../support/poll.ts';

const startMs = 120_000;

/** A process, and the end of what it said. */
export class Program {
  readonly #path: string;
  readonly #process: ChildProcess;
  readonly #over: Promise<unknown>;
  #said = '';

  constructor(path: string, flags: readonly string[], cwd: string) {
    const env = { ...process.env, GOGC: '400' }; // a fifth less CPU
    const child = spawn(path, flags, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#path = path;
    this.#process = child;
    this.#over = once(child, 'exit').catch(() => undefined); // or it could not be started
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-4_000);
    });
  }

  kill(): void {
    this.signal('SIGKILL');
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.#isOver) return;
    this.#process.kill(signal);
    await this.#over;
  }

  /** Waits until it answers. @throws Error if it ends instead */
  async ready(answers: () => Promise<boolean>): Promise<void> {
    const seen = () => this.#said;
    const look = async () => this.#isOver || (await answers().catch(() => false));
    await eventually(`${this.#path} answers`, look, { withinMs: startMs, seen });
    if (this.#isOver) throw new Error(`${this.#path} ended: ${this.#said}`);
  }

  get #isOver(): boolean {
    const { exitCode, signalCode, pid } = this.#process;
    return exitCode !== null || signalCode !== null || pid === undefined;
  }
}
