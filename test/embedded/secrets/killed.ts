// A secrets service in a process of its own, so that a test can kill it: prints its URL and serves from the file it is
// given. Its clock does not tick: what a kill leaves behind is for the next process.
import { startSecrets } from '../../../src/embedded/secrets/server.ts';

const clock = { nowMs: () => Date.now(), after: () => () => {} };
const { url } = await startSecrets({ dialect: 'vault', file: process.argv[2] ?? '', clock });
process.stdout.write(`${url}\n`);
