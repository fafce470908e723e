// docs/embedded.md: the commands in it, run on fresh embedded services whose clock and chances are always the same.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { startScheduler } from '../../src/embedded/scheduler/server.ts';
import { startSecrets } from '../../src/embedded/secrets/server.ts';
import { root } from '../coverage/sources.ts';
import { ManualClock } from '../embedded/manual-clock.ts';

export const embeddedPage = 'docs/embedded.md';
const token = 'holdfast-dev';
const blocks = /^```console\n([\s\S]*?)^```$/gm;
/** A command goes on while its quote is open or its line ends in a backslash. */
const command = /^\$ (?:'[^']*'|"[^"]*"|\\\n|[^'"\\\n]|\\.)*$/gm;

export const pageText = (): string => readFileSync(`${root}/${embeddedPage}`, 'utf8');

/** The page with what its commands answer now. */
export async function rerun(page: string): Promise<string> {
  const services = await start();
  try {
    const answered = new Map<string, string>();
    for (const [block, body = ''] of page.matchAll(blocks)) {
      let now = '';
      for (const [line] of body.matchAll(command)) now += `${line}\n${await services.run(line.slice(2))}`;
      answered.set(block, `\`\`\`console\n${now}\`\`\``);
    }
    return page.replaceAll(blocks, (block) => answered.get(block) ?? block);
  } finally {
    await services.stop();
  }
}

async function start() {
  const clock = new ManualClock();
  const scheduler = await startScheduler({ dialect: 'cluster', token, clock, random: chances() });
  const random = chances();
  const randomBytes = (size: number) => Buffer.from(Array.from({ length: size }, () => random() * 256));
  const secrets = await startSecrets({ dialect: 'secrets', token, clock, randomBytes });
  const env = {
    ...process.env,
    no_proxy: '*',
    S: scheduler.url,
    T: `X-Cluster-Token: ${token}`,
    V: secrets.url,
    U: `X-Secrets-Token: ${token}`,
  };
  return {
    /** What it prints, whole lines. */
    run: (line: string) =>
      new Promise<string>((resolve) => {
        execFile('sh', ['-c', line], { env, timeout: 10_000 }, (_, out) => {
          clock.advance(1_000);
          resolve(out === '' || out.endsWith('\n') ? out : `${out}\n`);
        });
      }),
    stop: () => Promise.all([scheduler.stop(), secrets.stop()]),
  };
}

/** In [0, 1), always in the same order. */
function chances(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
