// The parts that specs are built from. Each says in words what it expects, is bounded, and survives the conversion to a
// CRD.
import * as z from 'zod';
import { durationMeant, sizeMeant, type Meant } from './meant.ts';
import type { Policy, PolicyChoice } from '../core/planning/policy.ts';

/**
 * Text that matches a pattern. Errors show `expected`. Text that is too long is not matched at all.
 * @param meant what another input may mean, which errors show if it is of this form
 */
export const text = (pattern: RegExp, max: number, expected: string, meant?: Meant) =>
  z
    .string({ error: ({ input }) => wording(input, pattern, expected, meant) })
    .max(max, { abort: true })
    .regex(pattern);

function wording(input: unknown, pattern: RegExp, expected: string, meant?: Meant): string {
  const of = typeof input === 'string' || isScalar(input) ? meant?.(String(input)) : undefined;
  if (of !== undefined && pattern.test(of)) return `${expected} (did you mean ${of}?)`;
  return isScalar(input) && !meant ? `${expected}, in quotes` : expected;
}

/** Values that YAML reads as another type unless they are quoted. */
const isScalar = (input: unknown): boolean => typeof input === 'number' || typeof input === 'boolean';

export const line = (max: number) => text(/^\P{Cc}+$/u, max, `one line of 1 to ${max} characters`);

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

export const name = text(label, 63, 'a DNS label: a-z, 0-9 and - inside, up to 63 characters');
export const namespace = text(label, 63, 'a namespace: a-z, 0-9 and - inside, up to 63 characters');

const secretName = text(
  subdomain,
  253,
  'the name of a Secret: a-z, 0-9, - and . inside, up to 253 characters',
);
/** Kubernetes also refuses `.` and keys that start with `..`: keys become file names. */
const secretKey = text(
  /^\.?[-_a-zA-Z0-9][-._a-zA-Z0-9]*$/,
  253,
  'a key of a Secret: letters, digits, -, _ and ., up to 253 characters',
);
const secretEntry = {
  name: secretName.describe('Name of the Secret.'),
  key: secretKey.describe('Key within the Secret.'),
};

/** An entry of a Secret in the object's own namespace. */
export const secretKeyRef = () => z.strictObject(secretEntry);

/** For cluster-scoped kinds, which have no namespace. */
export const clusterSecretKeyRef = () =>
  z.strictObject({ namespace: namespace.describe('Namespace of the Secret.'), ...secretEntry });

/** A service account of the cluster that a cluster-scoped object is declared in. */
export const clusterServiceAccountRef = () =>
  z.strictObject({
    namespace: namespace.describe('Namespace of the service account.'),
    name: text(
      subdomain,
      253,
      'the name of a service account: a-z, 0-9, - and . inside, up to 253 characters',
    ).describe('Name of the service account.'),
    audiences: z
      .array(line(256).describe('An audience.'))
      .min(1)
      .max(8)
      .describe('Whom the token is meant for. Default: the API server.')
      .exactOptional(),
  });

/** Another declared object, in the same namespace or cluster-scoped. */
export const objectRef = () => z.strictObject({ name: name.describe('Name of the object.') });

interface MapLimits {
  readonly entries: number;
  /** Longest key, in characters. */
  readonly key: number;
  /** The form of keys, and its wording in errors. */
  readonly form?: { readonly pattern: RegExp; readonly expected: string };
}

/**
 * A map with users' keys. zod's JSON Schema covers neither the keys nor the number of entries, so both are repeated for
 * the CRD.
 */
export function mapOf<V extends z.ZodType>(value: V, { entries, key, form }: MapLimits) {
  const size = `k.size() >= 1 && k.size() <= ${key} && k != '__proto__'`;
  const rule = form === undefined ? size : `${size} && k.matches(r'${form.pattern.source}')`;
  const expected = `a key of 1 to ${key} characters`;
  const bounded = z.string(expected).min(1).max(key);
  return z
    .record(form === undefined ? bounded : bounded.regex(form.pattern, form.expected), value)
    .check(({ value: map, issues }) => {
      if (Object.keys(map).length <= entries) return;
      issues.push({ code: 'too_big', origin: 'map', maximum: entries, inclusive: true, input: map });
    })
    .meta({
      maxProperties: entries,
      'x-kubernetes-validations': [
        { rule: `self.all(k, ${rule})`, message: `expected ${form?.expected ?? expected}` },
      ],
    });
}

/** Kubernetes' suffixes: their bytes, and the number of digits that certainly stays below 2^53. */
const suffixes: ReadonlyMap<string, { readonly bytes: number; readonly digits: number }> = new Map([
  ['', { bytes: 1, digits: 15 }],
  ['k', { bytes: 1e3, digits: 12 }],
  ['M', { bytes: 1e6, digits: 9 }],
  ['G', { bytes: 1e9, digits: 6 }],
  ['T', { bytes: 1e12, digits: 3 }],
  ['P', { bytes: 1e15, digits: 0 }],
  ['Ki', { bytes: 2 ** 10, digits: 12 }],
  ['Mi', { bytes: 2 ** 20, digits: 9 }],
  ['Gi', { bytes: 2 ** 30, digits: 6 }],
  ['Ti', { bytes: 2 ** 40, digits: 3 }],
  ['Pi', { bytes: 2 ** 50, digits: 0 }],
]);

/** One more digit fits if it starts with 1 to 7: `7Pi`, `7168Ti`. */
const quantityPattern = new RegExp(
  `^(${[...suffixes]
    .map(([suffix, { digits }]) => {
      const more = digits === 0 ? '[1-7]' : `([1-9][0-9]{0,${digits - 1}}|[1-7][0-9]{${digits}})`;
      return more + suffix;
    })
    .join('|')})$`,
);
const quantityExpected =
  'a size in bytes of up to 7Pi: a whole number, alone or with k, M, G, T, P, Ki, Mi, Gi, Ti or Pi';

/** A size in bytes, `10Gi` or a whole number: Kubernetes quantities without fractions and exponents. */
export const quantity = () =>
  z
    .union(
      [
        z
          .int(quantityExpected)
          .min(1)
          .max(7 * 2 ** 50),
        text(quantityPattern, 16, quantityExpected, sizeMeant),
      ],
      quantityExpected,
    )
    .meta({ 'x-kubernetes-int-or-string': true });

/** Bytes of a size that `quantity()` accepts; at most 7Pi. @throws RangeError for a text that is not a quantity */
export function bytes(size: string | number): number {
  if (typeof size === 'number') return size;
  const [, digits, suffix = ''] = /^([0-9]+)([A-Za-z]*)$/.exec(size) ?? [];
  const unit = suffixes.get(suffix);
  if (digits === undefined || !unit) throw new RangeError(`${JSON.stringify(size)} is not a quantity`);
  return Number(digits) * unit.bytes;
}

/** At least a second, less than twelve years. */
export const duration = () =>
  text(
    /^([1-9][0-9]{0,4}h([0-9]{1,5}m)?([0-9]{1,5}s)?|[1-9][0-9]{0,4}m([0-9]{1,5}s)?|[1-9][0-9]{0,4}s)$/,
    18,
    'a duration such as 90s, 10m or 1h30m',
    durationMeant,
  );

const unitsMs: ReadonlyMap<string, number> = new Map([
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
]);

/** Milliseconds of a duration that `duration()` accepts. */
export const toMs = (span: string): number =>
  [...span.matchAll(/([0-9]+)([hms])/g)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (unitsMs.get(unit) ?? 0),
    0,
  );

export const pointer = text(/^(\/[^/]+)+$/, 256, 'a JSON pointer into the spec, such as /topology');

/** Inserted into a URL path unescaped: no `/`, no `..`. */
const externalName = text(
  /^[A-Za-z0-9](\.?[-_A-Za-z0-9])*\.?$/,
  128,
  'a name of letters, digits, -, _ and single dots, up to 128 characters',
);

/** Inserted into a URL path and a header unescaped: no `..`, no slash at either end. */
export const segments = (what: string) =>
  text(
    /^[A-Za-z0-9](\.?[-_A-Za-z0-9])*(\/[A-Za-z0-9](\.?[-_A-Za-z0-9])*)*$/,
    128,
    `${what}: letters, digits, -, _ and single dots, in parts separated by /, up to 128 characters`,
  );

/**
 * The secrets service lower-cases names of roles (services.md#secrets-requests). Any other spelling would read back
 * differently.
 */
export const roleName = text(
  /^[a-z0-9_](\.?-*[a-z0-9_])*$/,
  128,
  'a name of a-z, 0-9 and _, with - and single dots inside, up to 128 characters',
);

export const adoptionPolicy = () =>
  z
    .enum(['Fail', 'AdoptIfIdentical', 'Adopt'])
    .describe('What to do with an external object that exists and was not made by Holdfast. Default: Fail.');

/** @param interval the default, for the description */
export const drift = (interval: string) =>
  z
    .strictObject({
      mode: z
        .enum(['Correct', 'Warn', 'Ignore'])
        .describe(
          'Write back what was changed outside, report it, or hide it. Edits are always written. Default: Correct.',
        )
        .exactOptional(),
      interval: duration()
        .describe(`Maximum age of the last observation. Default: ${interval}.`)
        .exactOptional(),
      ignore: z
        .array(pointer.describe('JSON pointer into the spec; everything below it is included.'))
        .max(32)
        .describe('Fields whose drift is neither corrected nor reported.')
        .exactOptional(),
    })
    .describe('What happens when the external object differs from what was last written.');

const removals: Readonly<Record<Policy['deletion'], string>> = {
  Retain: 'the external object stays as it is',
  Deregister: 'its registration is removed, the disk stays',
  Delete: 'it is deleted with its data',
};

/**
 * The start of every managed kind's spec. It has no defaults: object, connection and kind are merged on use, so nothing
 * is written back into a declaration.
 * @param deletion the policies of the kind; the default comes first
 * @param interval the default of `drift.interval`, for its description
 */
export const envelope = <D extends Policy['deletion']>(deletion: readonly [D, ...D[]], interval = '10m') => ({
  connectionRef: objectRef().describe('The connection through which the service is reached. Never changes.'),
  externalName: externalName
    .describe("Name of the external object. Default: the object's own name. Never changes.")
    .exactOptional(),
  managementPolicy: z
    .enum(['Full', 'ObserveOnly'])
    .describe('ObserveOnly: the external object is observed and reported, never written. Default: Full.')
    .exactOptional(),
  adoptionPolicy: adoptionPolicy().exactOptional(),
  deletionPolicy: z
    .enum(deletion)
    .describe(
      `When this object is deleted: ${deletion.map((d) => `${d}: ${removals[d]}`).join('; ')}. Default: ${deletion[0]}.`,
    )
    .exactOptional(),
  replacePolicy: z
    .enum(['Never', 'WhenUnused'])
    .describe(
      "Whether the external object may be replaced, once unused, to change a field that can't be changed in place. Default: Never.",
    )
    .exactOptional(),
  drift: drift(interval).exactOptional(),
  suspend: z
    .boolean()
    .describe('Nothing outside is changed while this is true; status is still refreshed. Default: false.')
    .exactOptional(),
});

interface Chosen {
  readonly managementPolicy?: Policy['management'];
  readonly adoptionPolicy?: Policy['adoption'];
  readonly deletionPolicy?: Policy['deletion'];
  readonly replacePolicy?: Policy['replace'];
  readonly drift?: z.infer<ReturnType<typeof drift>>;
  readonly suspend?: boolean;
}

/** The policy of a spec, or of a connection's `defaults`. Omitted parts stay absent. */
export function policyOf(chosen: Chosen): PolicyChoice {
  const { managementPolicy: management, adoptionPolicy: adoption, suspend } = chosen;
  const { deletionPolicy: deletion, replacePolicy: replace } = chosen;
  const { interval, ...others } = chosen.drift ?? {};
  return {
    ...(management !== undefined && { management }),
    ...(adoption !== undefined && { adoption }),
    ...(deletion !== undefined && { deletion }),
    ...(replace !== undefined && { replace }),
    ...(chosen.drift !== undefined && {
      drift: { ...others, ...(interval !== undefined && { intervalMs: toMs(interval) }) },
    }),
    ...(suspend !== undefined && { suspend }),
  };
}
