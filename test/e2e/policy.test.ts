// `holdfast policy`: all goes well under exactly what it prints, and each line is needed. A line too many is a right that nobody
// asked for; one too few is found in production. On the embedded services, or on real ones (docs/real-servers.md).
import { expect, test } from 'vitest';
import { realScheduler } from './policy/scheduler.ts';
import { realSecrets } from './policy/secrets.ts';
import { isDenied, Site, siteOf, type Left, type Policy, type Services } from './policy/site.ts';

const real: Pick<Services, 'scheduler' | 'secrets'> = {
  scheduler: realScheduler === undefined ? 'nomad' : 'real',
  secrets: realSecrets === undefined ? 'vault' : 'real',
};

const cases: readonly Services[] =
  realScheduler === undefined && realSecrets === undefined
    ? [
        { scheduler: 'cluster', secrets: 'secrets', isNamespaced: false },
        { scheduler: 'nomad', secrets: 'vault', isNamespaced: true },
      ]
    : [false, true].map((isNamespaced) => ({ ...real, isNamespaced }));

const leftsOf = (policies: readonly Policy[]): readonly Left[] =>
  policies.flatMap(({ rules }): readonly Left[] => [
    ...Object.values(rules.namespace ?? {}).flatMap(({ capabilities }) =>
      capabilities.map((namespace) => ({ namespace })),
    ),
    ...(rules.plugin ? [{ level: 'plugin' }] : []),
    ...Object.keys(rules.path ?? {}).map((path) => ({ path })),
  ]);

test.for(cases)(
  '$scheduler and $secrets, in a namespace: $isNamespaced: all goes well under what is printed, and without any line of it something is denied',
  { timeout: 900_000 },
  async (services) => {
    const site = await siteOf(services);
    const policies = await site.policies();
    await site.grant(policies);
    const whole = await site.life('30', () => site.quietThenDisturbed());
    expect(whole.code, whole.stdout).toBe(0);
    await site.ended();

    const lefts = leftsOf(policies);
    expect(lefts.length).toBeGreaterThan(8);
    for (const left of lefts) {
      const without = await Site.open(services);
      await without.grant(policies, left);
      const ended = await without.life('4');
      await without.close();
      expect(ended.code, `${JSON.stringify(left)} is not needed`).toBe(3);
      expect(isDenied(ended), `${JSON.stringify(left)}: ${ended.stdout}`).toBe(true);
    }
  },
);
