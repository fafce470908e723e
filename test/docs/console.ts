// Pages whose commands are run: each block ```console has commands after `$ `, and what they print. They are run in order, in one
// shell, in a folder that has a copy of examples/ and `holdfast` on its path, as in a checkout.
import { spawn, type ChildProcess } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../coverage/sources.ts';
import { eventually } from '../support/poll.ts';
import { freePort } from '../support/port.ts';
import { alike, Likeness } from './likeness.ts';

export interface Told {
  readonly command: string;
  readonly output: string;
}

const blocks = /^( *)```console\n([\s\S]*?)^ *```$/gm;
/** To the end of its line, or of the last one where a quote, a backslash or a here-document goes on. */
const command =
  /^\$ (?:<<'EOF'[\s\S]*?\nEOF$|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\\n|[^'"\\\n<]|\\.|<(?!<'EOF'))*/gm;

/** @param indent of the block, in a list */
function toldIn(indent: string, text: string): readonly Told[] {
  const body = text.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
  const starts = [...body.matchAll(command)];
  return starts.map((start, i) => ({
    command: start[0].slice(2),
    output: body.slice(start.index + start[0].length + 1, starts[i + 1]?.index),
  }));
}

export const commandsOf = (page: string): readonly Told[] =>
  [...page.matchAll(blocks)].flatMap(([, indent = '', body = '']) => toldIn(indent, body));

/** These change nothing, so they are asked again until they tell what is expected, or the same for a while. */
const looking =
  /^(holdfast (get|describe|plan|unmanaged)|grep|tail|cat|ls|diff|journalctl|curl -s)\b(?!.*(?:;|&&|>|-X))/;
const withinMs = 30_000;
/** Printed after each command. */
const end = '\u0001';
const settledMs = 4_000;

/**
 * The page with what its commands tell now; what is alike stays as it is.
 * @param anew what has settled is written, though the page says something else
 */
export async function rerunPage(page: string, anew = false): Promise<string> {
  const session = await Session.start(anew);
  try {
    const told: string[] = [];
    for (const [, indent = '', body = ''] of page.matchAll(blocks)) {
      let now = '```console\n';
      for (const one of toldIn(indent, body)) now += `$ ${one.command}\n${await session.tell(one)}`;
      told.push(`${now}\`\`\``.replaceAll(/^(?=.)/gm, indent));
    }
    return page.replaceAll(blocks, () => told.shift() ?? '');
  } finally {
    await session.stop();
  }
}

/** The page's and today's. */
type Ports = readonly (readonly [string, string])[];

class Session {
  readonly #shell: ChildProcess;
  readonly #folder: string;
  readonly #like: Likeness;
  readonly #anew: boolean;
  #told = '';

  private constructor(folder: string, ports: Ports, anew: boolean) {
    this.#folder = folder;
    this.#anew = anew;
    this.#like = new Likeness(folder, ports);
    const PATH = [join(folder, 'bin'), dirname(process.execPath), process.env['PATH'] ?? ''].join(':');
    this.#shell = spawn('sh', [], {
      cwd: join(folder, 'work'),
      env: {
        PATH,
        PORTS: ports.map((pair) => pair.join('=')).join(' '),
        HOME: join(folder, 'home'),
        LC_ALL: 'C',
        no_proxy: '*',
        NODE_COMPILE_CACHE: join(tmpdir(), 'holdfast-test-compiled'),
      },
      stdio: ['pipe', 'pipe', 'inherit'],
      detached: true, // so that what it starts can be ended with it
    });
    this.#shell.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#told += text));
    this.#shell.stdin?.write('exec 2>&1\n');
  }

  static async start(anew: boolean): Promise<Session> {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-docs-'));
    for (const name of ['bin', 'home', 'work']) await mkdir(join(folder, name));
    for (const name of ['examples', 'deploy'])
      await cp(join(root, name), join(folder, 'work', name), { recursive: true });
    await symlink(join(root, 'src/cli/holdfast.mjs'), join(folder, 'bin/holdfast'));
    for (const name of ['gh', 'journalctl', 'sudo', 'systemctl'])
      await symlink(join(root, 'test/docs/stand-ins', name), join(folder, 'bin', name));
    const ports = await Promise.all(
      [4646, 8200, 8484].map(async (port) => [String(port), String(await freePort())] as const),
    );
    return new Session(folder, ports, anew);
  }

  /** What a command prints now, or what the page says if that is alike. */
  async tell({ command: line, output }: Told): Promise<string> {
    const once = async () => this.#like.shown(await this.#run(this.#like.actual(line)), output);
    let last = await once();
    if (!looking.test(line) || last === output) return last;
    let since = performance.now();
    await eventually(
      line,
      async () => {
        const now = await once();
        if (alike(now) !== alike(last)) since = performance.now();
        last = now;
        return last === output || (this.#anew && performance.now() - since > settledMs);
      },
      { withinMs, seen: () => last },
    ).catch(() => undefined); // the page then differs, which says more
    return last;
  }

  async #run(line: string): Promise<string> {
    this.#told = '';
    this.#shell.stdin?.write(`{ ${line}\n} </dev/null\necho '${end}'\n`);
    await eventually(line, () => this.#told.endsWith(`${end}\n`), {
      withinMs: 60_000,
      seen: () => this.#told,
    });
    const told = this.#told.slice(0, -end.length - 1);
    return told === '' || told.endsWith('\n') ? told : `${told}\n`;
  }

  async stop(): Promise<void> {
    const { pid } = this.#shell;
    const ended = new Promise((resolve) => this.#shell.once('close', resolve));
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    await ended;
    await rm(this.#folder, { recursive: true, force: true });
  }
}
