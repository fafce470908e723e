// Rules of policies in their JSON form, which real servers take like HCL, and those that give just what is needed.

export interface Rules {
  readonly namespace?: Readonly<
    Record<string, { readonly policy?: string; readonly capabilities?: readonly string[] }>
  >;
  readonly node?: { readonly policy: string };
  readonly agent?: { readonly policy: string };
  readonly plugin?: { readonly policy: string };
}

/** One of each list. */
export type Needs = readonly (readonly string[])[];

const inNamespace = 'namespace:';
const everything = [
  ...'list-jobs parse-job read-job submit-job dispatch-job read-logs read-fs alloc-exec'.split(' '),
  ...'alloc-node-exec alloc-lifecycle csi-register-plugin csi-write-volume csi-read-volume'.split(' '),
  ...'csi-list-volume csi-mount-volume list-scaling-policies read-scaling-policy scale-job'.split(' '),
].map((one) => `${inNamespace}${one}`);
const levels = ['node:write', 'agent:write', 'plugin:read'];

const kindOf = (one: string) => one.split(':')[0];

/** That give these and nothing else. */
export function just(given: readonly string[]): Rules {
  const capabilities = given.filter((one) => one.startsWith(inNamespace));
  const others = given.filter((one) => !capabilities.includes(one)).map((one) => one.split(':'));
  return {
    ...(capabilities.length > 0 && {
      namespace: { default: { capabilities: capabilities.map((one) => one.slice(inNamespace.length)) } },
    }),
    ...Object.fromEntries(others.map(([kind = '', policy]) => [kind, { policy }])),
  };
}

/** That give all but these. */
export function allBut(missing: readonly string[]): Rules {
  const kinds = new Set(missing.map(kindOf));
  return just([
    ...everything.filter((one) => !missing.includes(one)),
    ...levels.filter((one) => !kinds.has(kindOf(one))),
  ]);
}

/** Each way to have just what is needed. */
export const ways = (needs: Needs): readonly (readonly string[])[] =>
  needs.reduce<readonly (readonly string[])[]>(
    (found, anyOf) => found.flatMap((way) => anyOf.map((one) => [...way, one])),
    [[]],
  );
