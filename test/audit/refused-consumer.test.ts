// The task of one consumer is misspelt. The other one was told ten minutes later: the visit that was refused was not followed by another.
import { expect, test } from 'vitest';
import { Bench, roleKey, well } from '../e2e/rotation-bench.ts';
import { eventually } from '../support/poll.ts';

test('a consumer whose call is refused kept the others from being told', async () => {
  const at = await Bench.embedded();
  const job = { connectionRef: { name: 'main' }, id: 'shop', action: 'Signal' };
  at.role({ consumers: [{ job: { ...job, task: 'sever' } }, { job: { ...job, task: 'server' } }] });
  well(await at.apply());
  const run = at.run();
  await run.says(/"msg":"running"/);
  well(await at.command('rotate', roleKey));
  await eventually('the other one is told', async () => at.signals().every((times) => times === 1));
  expect(await at.works()).toBe(true);
  await run.stop();
  await at.stop();
});
