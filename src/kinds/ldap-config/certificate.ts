// LDAPConfig: the certificate of the directory. It is sent from a Secret, which plans can't read. So what the service answers
// is compared with what it answered first after it was sent. PURE.
import type { LDAPConfigBody, LDAPConfigRead } from '../../api/secrets/wire.ts';
import type { Json } from '../../core/secret.ts';
import { unlessSet } from './body.ts';
import type { Own, Root } from './root.ts';
import type { Spec } from './schema.ts';

const textMax = 65_536;

/** What is read of it, or shown in a status. */
interface Seen {
  readonly certificate?: Json | undefined;
  readonly request_timeout?: Json | undefined;
}

/** Empty: there is none. `undefined`: the service does not tell. */
const seenIn = (live: Seen): string | undefined => {
  const seen = unlessSet(live, live.certificate, '');
  return typeof seen === 'string' ? seen : undefined;
};

/** For a status: neither empty nor too long. */
export function shownCertificate(live: LDAPConfigRead): string | undefined {
  const seen = seenIn(live);
  return seen === undefined || seen === '' || seen.length > textMax ? undefined : seen;
}

type Recorded = Pick<Own, 'certificate'>;

/** What was read first since it was sent or adopted. One that is too long is not recorded, so it is not compared. */
export function certificateRead(
  { caSecretRef }: Spec,
  own: Recorded | undefined,
  live: LDAPConfigRead,
): Recorded {
  const certificate = own?.certificate ?? seenIn(live);
  const isRecorded = caSecretRef !== undefined && certificate !== undefined && certificate.length <= textMax;
  return isRecorded ? { certificate } : {};
}

/** Whether the service trusts another certificate by now than the one that was read first. */
export function isSwapped(own: Recorded | undefined, live: Seen): boolean {
  const seen = seenIn(live);
  return own?.certificate !== undefined && seen !== undefined && seen !== own.certificate;
}

/** What is recorded with a step. A certificate that the step sends is read anew. */
export const ownAfter = (root: Root, own: Recorded | undefined, body: LDAPConfigBody = {}): Own =>
  own?.certificate === undefined || body['certificate'] !== undefined
    ? root
    : { ...root, certificate: own.certificate };
