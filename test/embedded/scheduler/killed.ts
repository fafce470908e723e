// A scheduler in a process of its own, so that a test can kill it: prints its URL and serves from the file it is given.
import { startScheduler } from '../../../src/embedded/scheduler/server.ts';

const { url } = await startScheduler({ dialect: 'nomad', file: process.argv[2] ?? '' });
process.stdout.write(`${url}\n`);
