// Who asks for the date. A wait, a retry or a limit that went by it would stand still, or end, when somebody sets it: so
// each file that asks is named here, with what for (docs/decisions/0010-monotonic-time.md).
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const house = resolve(import.meta.dirname, '../..');

/** The machine's date itself. */
const date = /\bDate\.now\b|\bnew Date\(\)|(?<!new )\bDate\(\)/;
/** The date as it is passed in. */
const wall = /\bwallMs\b/;

const shown = 'it is shown';
const askDate: Readonly<Record<string, string>> = {
  'src/runtime/clock.ts': 'the real clock',
  'src/embedded/clock.ts': 'services of their own, as on another machine',
  'src/web/assets/live.js': 'the browser words instants relative to its own date',
};
const askWall: Readonly<Record<string, string>> = {
  'src/core/time/clock.ts': 'the port',
  'src/runtime/clock.ts': 'the real clock',
  'src/core/kind/kind.ts': 'handed to kinds that close what they opened',
  'src/core/kind/opened.ts': 'handed to plans',
  'src/core/planning/situation.ts': 'handed to plans',
  'src/controller/reconcile/transition-times.ts': 'handed to plans',
  'src/controller/reconcile/conclusion.ts': 'conditions',
  'src/controller/reconcile/reconciler.ts': 'history, when an effect began',
  'src/core/status/outcome.ts': 'conditions, history, drift',
  'src/kinds/allocation-action/plan.ts': 'its time limits outlive a process',
  'src/kinds/allocation-action/time.ts': 'formats a given instant',
  'src/kinds/ldap-static-role/body.ts': 'an instant that the service states',
  'src/kinds/ldap-static-role/kind.ts': 'an instant that the service states',
  'src/kinds/ldap-static-role/overdue.ts':
    'compares the instant of a rotation, or when it was first said that there was none, beside the monotonic clock',
  'src/kinds/ldap-static-role/own.ts':
    'hands on when a bind was rejected, and when an earlier rotation was noted',
  'src/kinds/ldap-static-role/publication.ts':
    'compares when an earlier rotation was noted with the age of the next, which the service tells',
  'src/kinds/ldap-static-role/rejection.ts':
    'binds are counted over processes, for a directory locks accounts; a date that was set costs one bind',
  'src/kinds/ldap-static-role/rotation.ts': 'hands on',
  'src/kinds/ldap-static-role/schedule.ts': 'compared with that instant, beside the monotonic clock',
  'src/kinds/csi-snapshot/quiesce.ts': 'a deadline that outlives a process',
  'src/controller/reconcile/closing.ts': 'compared with that deadline, beside a timer',
  'src/controller/reconcile/destruction.ts': 'compared with that deadline: from then on it may be disturbed',
  'src/kinds/csi-snapshot-schedule/drill.ts': 'when a drill is due, and whether it has taken too long',
  'src/kinds/csi-snapshot-schedule/plan.ts': 'cron, and ages of snapshots: both mean dates',
  'src/kinds/csi-snapshot-schedule/situation.ts': 'whether the time of a run has come',
  'src/api/identity/issuers.ts': 'how far the clock of an issuer is from that of this machine',
  'src/api/identity/remembered.ts': `when an issuer was asked: ${shown}`,
  'src/api/kubernetes/resources.ts': 'how the API server writes an instant',
  'src/api/kubernetes/server-date.ts': 'the date of the API server',
  'src/sources/kubernetes/events.ts': shown,
  'src/sources/kubernetes/lease.ts': 'others read the times of a Lease',
  'src/sources/kubernetes/source.ts': 'stands in for that date until there is an answer',
  'src/sources/kubernetes/recent-deletions.ts': 'other processes read when something left',
  'src/runtime/kubernetes/operator.ts': 'handed to what others read',
  'src/live/volumes.ts': `when a list was taken: ${shown}`,
  'src/runtime/place/requests.ts': 'who gave a command, and when',
  'src/runtime/place/state-file.ts': 'a backup says when it was made',
  'src/runtime/discovery/unmanaged.ts': 'a list says when it was made',
  'src/cli/commands/dev.ts': shown,
  'src/cli/output/narrator.ts': shown,
  'src/cli/commands/describe.ts': shown,
  'src/cli/commands/get.ts': shown,
  'src/cli/output/age.ts': shown,
  'src/cli/output/objects.ts': shown,
  'src/runtime/directory-operator.ts': `when an object was declared first: ${shown}`,
  'src/cli/commands/run.ts': shown,
  'src/cli/commands/run-kubernetes.ts': shown,
  'src/runtime/instruments/measures.ts': 'the age of the last verified restore',
  'src/runtime/instruments/view.ts': shown,
  'src/web/assets/live.js': shown,
  'src/web/pages/connections.ts': shown,
  'src/web/pages/detail.ts': shown,
  'src/web/pages/fields.ts': shown,
  'src/web/pages/layout.ts': shown,
  'src/web/pages/objects.ts': shown,
  'src/web/pages/scene.ts': shown,
  'src/web/pages/unmanaged.ts': shown,
  'src/web/reader.ts': shown,
  'src/web/route.ts': shown,
  'src/web/pages/rows.ts': shown,
  'src/web/server.ts': shown,
  'src/web/pages/format.ts': shown,
};

const files = globSync('src/**/*.{ts,js,mjs}', { cwd: house }).toSorted();
const using = (pattern: RegExp): readonly string[] =>
  files.filter((file) => pattern.test(readFileSync(resolve(house, file), 'utf8')));

test.for<{ what: string; pattern: RegExp; named: Readonly<Record<string, string>> }>([
  { what: 'the machine’s date', pattern: date, named: askDate },
  { what: 'the wall clock', pattern: wall, named: askWall },
])('only those who are named here ask for $what', ({ pattern, named }) => {
  expect(using(pattern)).toEqual(Object.keys(named).toSorted());
});

test.for<{ text: string; asks: boolean }>([
  { text: 'const now = Date.now();', asks: true },
  { text: 'const now = new Date();', asks: true },
  { text: 'const now = Date();', asks: true },
  { text: 'const now = globalThis.Date.now;', asks: true },
  { text: 'const at = new Date(ms).toISOString();', asks: false },
  { text: 'const at = Date.parse(text);', asks: false },
])('else it would not be seen: $text', ({ text, asks }) => {
  expect(date.test(text)).toBe(asks);
});
