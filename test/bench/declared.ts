// What an operator at work has declared besides volumes (input.ts): connections to both services, a directory, roles.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { embeddedBindDN, embeddedBindPassword } from '../../src/embedded/secrets/fixtures/seed.ts';
import { token } from './input.ts';

/** URLs of the services. */
export interface Addresses {
  readonly scheduler: string;
  readonly secrets: string;
}

export const roleName = (number: number): string => `role-${String(number).padStart(4, '0')}`;
export const roleDN = (number: number): string => `uid=${roleName(number)},ou=services,dc=example,dc=org`;

const head = (kind: string, name: string, namespace?: string): string => `apiVersion: holdfast.dev/v1alpha1
kind: ${kind}
metadata: { name: ${name}${namespace === undefined ? '' : `, namespace: ${namespace}`} }
spec:
`;

const connections = ({ scheduler, secrets }: Addresses): string => `${head('SchedulerConnection', 'bench')}
  addresses: ['${scheduler}']
  dialect: nomad
  auth: { tokenSecretRef: { namespace: bench, name: services, key: token } }
  access: [{ namespaces: [bench] }]
---
${head('SecretsConnection', 'bench')}
  addresses: ['${secrets}']
  dialect: vault
  auth: { tokenSecretRef: { namespace: bench, name: services, key: token } }
  access: [{ namespaces: [bench] }]
---
apiVersion: v1
kind: Secret
metadata: { name: services, namespace: bench }
stringData: { token: ${token} }
`;

const directory = `${head('LDAPConfig', 'directory', 'bench')}
  connectionRef: { name: bench }
  mount: ldap
  urls: ['ldap://embedded']
  bindDN: ${embeddedBindDN}
  bindPasswordSecretRef: { name: directory, key: password }
---
apiVersion: v1
kind: Secret
metadata: { name: directory, namespace: bench }
stringData: { password: ${embeddedBindPassword} }
`;

const role = (number: number): string => `---
${head('LDAPStaticRole', roleName(number), 'bench')}
  configRef: { name: directory }
  username: ${roleName(number)}
  dn: ${roleDN(number)}
  rotationPeriod: 24h
  onCreate: Rotate
  output: { secretName: ${roleName(number)} }
`;

/** Points the tree at both services. */
export function connectBoth(tree: string, addresses: Addresses): void {
  writeFileSync(join(tree, 'connections.yaml'), connections(addresses));
}

/** Declares a directory and so many roles in it. */
export function writeRoles(tree: string, roles: number): void {
  const all = Array.from({ length: roles }, (_, i) => role(i));
  writeFileSync(join(tree, 'roles.yaml'), directory + all.join(''));
}
