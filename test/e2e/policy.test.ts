// `holdfast policy`: all goes well under exactly what it prints, and each right is needed. One too many is a right that nobody asked
// for; one too few is found in production. On the embedded services, or on real ones (docs/real-servers.md).
import { expect, test } from 'vitest';
import { drawn } from '../support/kills.ts';
import { realScheduler } from './policy/scheduler.ts';
import { realSecrets } from './policy/secrets.ts';
import { deniedIn, Site, type Left, type Policy, type Services } from './policy/site.ts';

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
  policies.flatMap(({ rules: { namespace = {}, path = {}, plugin } }): readonly Left[] => [
    ...capabilitiesIn('namespace', namespace),
    ...(plugin ? [{ on: 'plugin', name: 'plugin' } as const] : []),
    ...capabilitiesIn('path', path),
  ]);

const capabilitiesIn = (on: 'namespace' | 'path', all: NonNullable<Policy['rules']['path']>) =>
  Object.entries(all).flatMap(([name, { capabilities }]): readonly Left[] =>
    capabilities.map((capability) => ({ on, name, capability })),
  );

test.for(cases)(
  '$scheduler and $secrets, in a namespace: $isNamespaced: all goes well under what is printed, and without any right of it something is denied',
  { timeout: 900_000 },
  async (services) => {
    const site = await Site.open(services);
    const [policies, reasons] = [await site.policies(), await site.reasons()];
    await site.grant(policies);
    const whole = await site.life('30', () => site.quietThenDisturbed());
    expect(whole.code, whole.stdout).toBe(0);
    await site.ended();
    await site.close();

    const lefts = leftsOf(policies);
    expect(lefts.length).toBeGreaterThan(18);
    for (const left of drawn(lefts, 4, (one) => `${services.scheduler} ${JSON.stringify(one)}`)) {
      const without = await Site.open(services);
      await without.grant(policies, left);
      const ended = await without.life('4');
      await without.close();
      expect(ended.code, `${JSON.stringify(left)} is not needed`).toBe(3);
      const needy = reasons.get(left.name) ?? [];
      const named = deniedIn(ended).filter((key) => needy.includes(key));
      expect(named, `${JSON.stringify(left)}: ${ended.stdout}`).not.toEqual([]);
    }
  },
);
