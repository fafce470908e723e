// Who may log in to the services, and what connections refer to.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { embeddedBindPassword } from '../../../src/embedded/secrets/fixtures/seed.ts';
import { makeCertificates } from '../../support/certificates.ts';
import { folder } from '../../support/cli.ts';
import { secret, type Spec } from '../../support/manifests.ts';
import { rootToken, type Seeded } from '../services.ts';
import { authority as otherAuthority } from '../subjects/certificates.ts';
import type { Identity } from './listeners.ts';
import { logins } from './subjects.ts';

/** By what somebody logs in, under the names by which it is referred to. */
export const words = {
  'scheduler-token': 'canary-connections-scheduler-one',
  'other-scheduler-token': 'canary-connections-scheduler-two',
  token: rootToken,
  'other-token': 'canary-connections-token-two',
  'secret-id': 'canary-connections-secret-id-one',
  'other-secret-id': 'canary-connections-secret-id-two',
  jwt: 'canary-connections-jwt-one',
  'other-jwt': 'canary-connections-jwt-two',
} as const;

const fileTexts = [
  'canary-connections-service-account-one',
  'canary-connections-service-account-two',
] as const;

const namespaces = ['team', 'other-team'];

const managing = (SecretID: string): Spec => ({ SecretID, Type: 'management' });
const role = (mount: string, name: string, accepts: string): Spec => ({
  mount,
  name,
  accepts,
  policies: ['root'],
  ttlSeconds: 3_600,
});
const mounted = (type: string, path: string): Spec => ({ path: `auth/${path}`, type });

export const accounts: NonNullable<Seeded['more']> = {
  scheduler: {
    namespaces: namespaces.map((name) => ({ name })),
    tokens: [managing(words['scheduler-token']), managing(words['other-scheduler-token'])],
  },
  secrets: {
    namespaces: namespaces.map((path) => ({ path })),
    tokens: [{ token: words['other-token'], policies: ['root'] }],
    authRoles: ['holdfast', 'other'].flatMap((name) => [
      ...['kubernetes', 'clusters', 'more-clusters'].map((mount) => role(mount, name, fileTexts[0])),
      ...['approle', 'machines', 'more-machines'].map((mount) => role(mount, name, words['secret-id'])),
      ...['jwt', 'people', 'more-people'].map((mount) => role(mount, name, words.jwt)),
    ]),
  },
};
/** For those who log in, and in each namespace for whoever uses a connection. @param names of connections */
export const mountsFor = (names: readonly string[]): readonly Spec[] => [
  ...['clusters', 'more-clusters'].map((path) => mounted('kubernetes', path)),
  ...['machines', 'more-machines'].map((path) => mounted('approle', path)),
  ...['people', 'more-people'].map((path) => mounted('jwt', path)),
  ...namespaces.flatMap((namespace) => names.map((path) => ({ namespace, path, type: 'ldap' }))),
];

export interface Credentials {
  readonly identity: Identity;
  /** Files with the token of a service account. */
  readonly files: readonly [string, string];
  readonly secrets: readonly Spec[];
}

const pem = (at: string, name: string): string => readFileSync(join(at, name), 'utf8');

/** Certificates of a client and of another one, that of the listeners, and what connections refer to. */
export async function credentials(): Promise<Credentials> {
  const [mine, others] = [await folder(), await folder()];
  for (const one of [mine, others]) makeCertificates(one);
  const files = fileTexts.map((text, i) => {
    writeFileSync(join(mine, `token-${i}`), text);
    return join(mine, `token-${i}`);
  });
  const [one = '', two = ''] = files;
  return {
    identity: {
      key: pem(mine, 'server.key'),
      cert: pem(mine, 'server.pem'),
      ca: [pem(mine, 'ca.pem'), pem(others, 'ca.pem')],
    },
    files: [one, two],
    secrets: [
      secret('shop', 'bind', { password: embeddedBindPassword }),
      secret('system', logins, {
        ...words,
        ca: pem(mine, 'ca.pem'),
        'other-ca': otherAuthority,
        client: pem(mine, 'client.pem'),
        'client-key': pem(mine, 'client.key'),
        'other-client': pem(others, 'client.pem'),
        'other-client-key': pem(others, 'client.key'),
      }),
    ],
  };
}
