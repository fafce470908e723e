// What becomes of a process that is asked, by Node's signal, to open an inspector.
import { request } from 'undici';
import type { Holdfast } from './cli.ts';

/** Its service answers a few requests after the signal, and then it is asked to stop. @returns what it said to the end */
export async function inspectedBy(dev: Holdfast): Promise<string> {
  const [, url = ''] = await dev.says(/secrets +(http:\/\/\S+)/);
  for (let again = 0; again < 3; again += 1) {
    dev.kill('SIGUSR1');
    for (let n = 0; n < 20; n += 1) await (await request(`${url}/v1/sys/health`)).body.dump();
  }
  const { stdout, stderr } = await dev.stop();
  return stdout + stderr;
}
