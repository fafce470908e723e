// The common parts of the schemas of connections: addresses, security, access and limits.
import * as z from 'zod';
import type { Rule } from '../declaration.ts';
import { adoptionPolicy, clusterSecretKeyRef, drift, line, text } from '../parts.ts';
import type { ReferenceRule } from '../references.ts';

/** Narrower than `isURL` of the API server, which accepts any number as a port, and `1.2.3.999` as a name. */
const octet = '25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9]';
const host = [
  String.raw`\[[0-9A-Fa-f:.]+\]`,
  String.raw`(${octet})(\.(${octet})){3}`,
  String.raw`([A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?\.)*[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?\.?`,
].join('|');
const port = '[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]';

const address = text(
  new RegExp(`^(embedded|https?://(${host})(:(${port}))?)$`),
  300,
  '"embedded", or http(s)://host:port without user, path, query and trailing slash, and a port from 1 to 65535',
);

export const addresses = (service: string) =>
  z
    .array(address.describe('"embedded", or http(s)://host:port.'))
    .min(1)
    .max(8)
    .describe(`Where ${service} is; the first that answers is used.`);

export const tls = () =>
  z
    .strictObject({
      caSecretRef: clusterSecretKeyRef().describe('PEM of the authorities to trust.').exactOptional(),
      clientCertificateSecretRef: clusterSecretKeyRef()
        .describe('PEM of the client certificate.')
        .exactOptional(),
      clientKeySecretRef: clusterSecretKeyRef()
        .describe("PEM of the client certificate's key.")
        .exactOptional(),
      serverName: line(253).describe("Name that the server's certificate must hold.").exactOptional(),
    })
    .describe('How the connection is secured.');

const pattern = text(/^([-._/A-Za-z0-9]+\*?|\*)$/, 128, 'a name or prefix*, up to 128 characters');

const patterns = (one: string) => z.array(pattern.describe(one)).max(64);

/** @param more fields for one kind of service only */
export const access = <S extends z.ZodRawShape>(more: S) =>
  z
    .array(
      z
        .strictObject({
          namespaces: patterns('A namespace, or prefix*.')
            .describe('Namespaces of the objects that may use it. Absent: all.')
            .exactOptional(),
          kinds: patterns('A kind, or prefix*.')
            .describe('Kinds of objects that may use it. Absent: all.')
            .exactOptional(),
          externalNames: patterns('An external name, or prefix*.')
            .describe(
              'Names of external objects that may be managed, and IDs of disks and snapshots, and mounts of key stores, that may be used. Absent: all.',
            )
            .exactOptional(),
          ...more,
        })
        .describe('Who may use the connection, and for what. Every condition of an entry must hold.'),
    )
    .max(64)
    .describe('Who may use the connection. Absent or empty: nobody.');

export const probeHosts = () =>
  z
    .array(line(253).describe('A host name or address.'))
    .max(64)
    .describe('Hosts that Holdfast itself may contact to check what it configures. Absent: none.');

export const defaults = () =>
  z
    .strictObject({
      adoptionPolicy: adoptionPolicy().exactOptional(),
      drift: drift('that of the kind').exactOptional(),
    })
    .describe('Policies of objects that do not set their own.');

const deletions = z
  .strictObject({
    perHour: z
      .int()
      .min(0)
      .max(1_000_000)
      .describe('Objects that may be deleted per hour without approval. Default: 20.')
      .exactOptional(),
    percent: z
      .int()
      .min(0)
      .max(100)
      .describe(
        "Percentage of the connection's objects that may be deleted at once without approval, from six objects on. Default: 30.",
      )
      .exactOptional(),
  })
  .describe('How much may be deleted before a person has to approve it.');

export const limits = () =>
  z
    .strictObject({
      maxConcurrent: z
        .int()
        .min(1)
        .max(256)
        .describe('Maximum number of concurrent requests. Default: 32.')
        .exactOptional(),
      deletions: deletions.exactOptional(),
    })
    .describe('Limits on concurrency.');

export const backendID = (service: string) =>
  line(128).describe(
    `What identifies ${service} whatever its addresses are. Default: the origin of the first address.`,
  );

export const tlsReferences: readonly ReferenceRule[] = [
  { field: '/tls/caSecretRef', to: 'secret', namespace: 'given' },
  { field: '/tls/clientCertificateSecretRef', to: 'secret', namespace: 'given' },
  { field: '/tls/clientKeySecretRef', to: 'secret', namespace: 'given' },
];

export const connectionRules: readonly Rule[] = [
  {
    rule: "!('embedded' in self.addresses) || self.addresses.size() == 1",
    message: 'embedded must be the only address',
    fieldPath: '.addresses',
  },
  {
    rule: "self.addresses.all(a, a == 'embedded' || isURL(a))",
    message: 'every address must be "embedded" or a valid URL: check the host',
    fieldPath: '.addresses',
  },
  {
    rule: '!has(self.tls) || has(self.tls.clientCertificateSecretRef) == has(self.tls.clientKeySecretRef)',
    message: 'a client certificate and its key go together',
    fieldPath: '.tls',
  },
];
