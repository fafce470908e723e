// The life of a role whose password is rotated, published, and told to those who use it.
import type { Spec } from '../../support/manifests.ts';
import { staticRole } from '../../support/secrets.ts';
import { both, type Journey, type Life } from './journey.ts';
import type { World } from '../world/world.ts';

type Annotations = Readonly<Record<string, string>>;

const job = { connectionRef: { name: 'main' }, id: 'shop', task: 'server' };
const signalled = { job: { ...job, action: 'Signal', signal: 'SIGHUP' } };
const restarted = { job: { ...job, action: 'Restart' } };
const login = { secretName: 'shop-login' };

const role: Spec = { deletionPolicy: 'Delete', consumers: [signalled] };
const weekly: Spec = { ...role, rotationPeriod: '168h' };
const adopted: Spec = { deletionPolicy: 'Delete', adoptionPolicy: 'Adopt' };

const declares =
  (spec: Spec = role, annotations: Annotations = {}) =>
  (world: World) =>
    world.declare(staticRole(spec, annotations));
/** Nobody reads it, and nobody is told. */
const declaresUnpublished = (spec: Spec) =>
  declares({ deletionPolicy: 'Delete', output: undefined, ...spec });
const undeclares = (world: World) => world.undeclare();
const asked = { 'holdfast.dev/rotate': 'one' };

/** What every journey stands on: the engine, and a role that is not its business. */
function base(world: World): void {
  world.configure();
  const dn = 'uid=billing,ou=services,dc=example,dc=org';
  const spec = { deletionPolicy: 'Delete', username: 'billing', dn, output: { secretName: 'billing-login' } };
  world.tree.put('kept.yaml', { ...staticRole(spec), metadata: { namespace: 'shop', name: 'billing' } });
}

const from = (act: (world: World) => void) => (world: World) => {
  base(world);
  act(world);
};

const byHand = (world: World) =>
  world.secrets.call<void>('POST', '/v1/ldap/static-role/shop', {
    username: 'shop',
    dn: 'uid=shop,ou=services,dc=example,dc=org',
    rotation_period: 86_400,
  });
const lost = (world: World) => world.secrets.call<void>('DELETE', '/v1/ldap/static-role/shop');
const rotatedByHand = (world: World) => world.secrets.call<void>('POST', '/v1/ldap/rotate-role/shop');

const making: readonly Journey[] = [
  { part: 'create', dialects: both, start: base, act: declares(), edit: declares(weekly) },
  {
    part: 'create',
    variant: 'keeping its password',
    dialects: ['cluster'],
    start: base,
    act: declaresUnpublished({ onCreate: 'Keep' }),
  },
  {
    part: 'create',
    variant: 'to be kept',
    dialects: ['nomad'],
    start: base,
    act: declares({ ...role, deletionPolicy: 'Retain' }),
  },
  {
    part: 'adopt',
    dialects: both,
    start: base,
    meanwhile: byHand,
    act: declares({ ...adopted, rotationPeriod: '168h' }),
  },
  {
    part: 'adopt',
    variant: 'identical',
    dialects: ['cluster'],
    start: base,
    meanwhile: byHand,
    act: declares({ ...adopted, adoptionPolicy: 'AdoptIfIdentical' }),
  },
  { part: 'adopt', variant: 'refused', dialects: ['nomad'], start: base, meanwhile: byHand, act: declares() },
];

const changing: readonly Journey[] = [
  { part: 'update', dialects: both, start: from(declares()), act: declares(weekly), edit: declares() },
  {
    part: 'update',
    variant: 'another output',
    dialects: ['nomad'],
    start: from(declares()),
    act: declares({ ...role, output: { secretName: 'other-login' } }),
    edit: declares(),
  },
  {
    part: 'update',
    variant: 'other entries of its output',
    dialects: ['cluster'],
    start: from(declares()),
    act: declares({ ...role, output: { ...login, data: { 'login.txt': '{{ username }}:{{ dn }}' } } }),
  },
  {
    part: 'update',
    variant: 'no output any more',
    dialects: ['nomad'],
    start: from(declares()),
    act: declaresUnpublished({}),
  },
  {
    part: 'revive',
    dialects: both,
    start: from(declares()),
    meanwhile: lost,
    act: declares(),
    edit: declares(weekly),
  },
  {
    part: 'revive',
    variant: 'keeping its password',
    dialects: ['nomad'],
    start: from(declaresUnpublished({ onCreate: 'Keep' })),
    meanwhile: lost,
    act: declaresUnpublished({ onCreate: 'Keep' }),
  },
];

const rotating: readonly Journey[] = [
  {
    part: 'rotate',
    dialects: both,
    start: from(declares()),
    act: declares(role, asked),
    edit: declares(weekly, asked),
  },
  {
    part: 'rotate',
    variant: 'restarting those who use it',
    dialects: ['cluster'],
    start: from(declares({ ...role, consumers: [restarted] })),
    act: declares({ ...role, consumers: [restarted] }, asked),
  },
  {
    part: 'rotate',
    variant: 'by somebody else',
    dialects: ['nomad'],
    start: from(declares()),
    meanwhile: rotatedByHand,
    act: declares(),
    edit: declares(weekly),
  },
  {
    part: 'rotate',
    variant: 'a password that was kept',
    dialects: ['nomad'],
    start: from(declaresUnpublished({ onCreate: 'Keep' })),
    act: declares({ deletionPolicy: 'Delete', onCreate: 'Keep' }, asked),
    edit: declares({ deletionPolicy: 'Delete', onCreate: 'Keep' }, { 'holdfast.dev/rotate': 'two' }),
  },
];

const leaving: readonly Journey[] = [
  { part: 'delete', dialects: both, start: from(declares()), act: undeclares },
  {
    // Nobody is told here: cut off between the role and its output, those who use the old password have to be.
    part: 'delete',
    variant: 'and declared again',
    dialects: both,
    start: from(declares({ ...role, consumers: undefined })),
    act: undeclares,
    edit: declares({ ...role, consumers: undefined }),
  },
  {
    part: 'delete',
    variant: 'letting it go',
    dialects: ['nomad'],
    start: from(declares({ ...role, deletionPolicy: 'Retain' })),
    act: undeclares,
    edit: declares({ ...role, deletionPolicy: 'Retain' }),
  },
];

export const ldapStaticRoleLife: Life = {
  kind: 'LDAPStaticRole',
  journeys: [...making, ...changing, ...rotating, ...leaving],
  without: { replace: 'what can be changed is written in place; username and dn never change' },
};
