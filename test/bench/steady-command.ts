// `npm run bench -- steady`: its options, and what it found as a table: a column for each service.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { say, type Benchmark } from './benchmark.ts';
import { whole } from './numbers.ts';
import { load } from './report.ts';
import { runSteady, type Asked, type Case, type Found } from './steady.ts';
import { tableOf, type Row } from './table.ts';

const options = {
  n: { type: 'string', default: '1000' },
  roles: { type: 'string', default: '100' },
  minutes: { type: 'string', default: '30' },
} as const;

export const steady: Benchmark = {
  usage: `  --n <number>         volumes (default 1000)
  --roles <number>     static roles of one directory (default 100)
  --minutes <number>   how long it is watched; what is done every ten minutes needs some (default 30)`,
  understand(args) {
    const { values } = parseArgs({ args: [...args], options });
    const kase = {
      volumes: whole('n', values.n, 1),
      roles: whole('roles', values.roles, 1),
      minutes: whole('minutes', values.minutes, 1),
    };
    return async (directory) => {
      const loadBefore = load();
      say(`${JSON.stringify(kase)}: load before ${loadBefore.toFixed(2)}`);
      const found = await runSteady(join(directory, 'run'), kase);
      return tableOf(servicesOf(kase, found), ({ name }) => name, rowsOf(kase, found, loadBefore));
    };
  },
};

/** What was asked of one service. */
interface Service {
  readonly name: string;
  readonly objects: number;
  readonly loaded: Asked;
  readonly bare: Asked;
}

const servicesOf = ({ volumes, roles }: Case, { loaded, bare }: Found): readonly Service[] => [
  { name: `scheduler, ${volumes} volumes`, objects: volumes, loaded: loaded.scheduler, bare: bare.scheduler },
  {
    name: `secrets service, ${roles} roles and their directory`,
    objects: roles + 1,
    loaded: loaded.secrets,
    bare: bare.secrets,
  },
];

const sum = ({ routes }: Asked): number => Object.values(routes).reduce((all, count) => all + count, 0);

function rowsOf({ minutes }: Case, { loaded, bare }: Found, loadBefore: number): readonly Row<Service>[] {
  const hours = minutes / 60;
  return [
    {
      name: '**requests per object-hour beyond the fixed cost**',
      target: '≤ 0.01 (scheduler)',
      of: (service) =>
        `**${((sum(service.loaded) - sum(service.bare)) / service.objects / hours).toFixed(4)}**`,
    },
    { name: '**writes**', target: '0', of: (service) => `**${service.loaded.writes}**` },
    {
      name: 'fixed cost: requests per hour and connection',
      target: '≤ 1000',
      of: (service) => (sum(service.bare) / hours).toFixed(0),
    },
    { name: 'requests seen; of which fixed', of: (s) => `${sum(s.loaded)}; ${sum(s.bare)}` },
    { name: 'each of these: seen; of which fixed', of: each },
    {
      name: 'commits of the state’s file (both services): seen; of which fixed',
      target: '0',
      of: () => `${loaded.commits}; ${bare.commits}`,
    },
    { name: 'minutes', of: () => String(minutes) },
    { name: 'load of the machine before', of: () => loadBefore.toFixed(2) },
  ];
}

function each({ loaded, bare }: Service): string {
  const routes = new Set([...Object.keys(loaded.routes), ...Object.keys(bare.routes)]);
  const counts = Array.from(
    routes,
    (route) => `${route}: ${loaded.routes[route] ?? 0}; ${bare.routes[route] ?? 0}`,
  );
  return counts.join(', ');
}
