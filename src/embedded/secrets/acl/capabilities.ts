// Decides which capabilities policies grant on a path: an exact rule wins, then the most specific pattern
// (services.md#mounts-and-policies). PURE.
import type { Capability, PolicyRow, Rule } from '../store/model.ts';

/** A token with this policy may do everything. */
export const rootPolicy = 'root';

/** The policy `default` of each new namespace. Tokens have it, except root tokens and those created without it. */
export const defaultRules: readonly Rule[] = [
  { path: 'auth/token/lookup-self', capabilities: ['read'] },
  { path: 'auth/token/renew-self', capabilities: ['update'] },
  { path: 'auth/token/revoke-self', capabilities: ['update'] },
  { path: 'sys/capabilities-self', capabilities: ['update'] },
];

const all: readonly Capability[] = ['create', 'read', 'update', 'delete', 'list', 'sudo'];

/**
 * The capabilities on a path without slashes at its ends; none if a policy denies the path. For a list, rules for the
 * path with a trailing slash count too.
 */
export function allowed(
  policies: readonly PolicyRow[],
  path: string,
  isList = false,
): ReadonlySet<Capability> {
  if (policies.some((policy) => policy.name === rootPolicy)) return new Set(all);
  const rules = policies.flatMap((policy) => policy.rules);
  const paths = isList ? [`${path}/`, path] : [path];
  const best = exact(rules, paths) ?? mostSpecific(rules, paths);
  const given = new Set(
    rules.filter((rule) => rule.path === best).flatMap(({ capabilities }) => capabilities),
  );
  return given.has('deny') ? new Set() : given;
}

/** Whether the policies grant anything at or below a path. */
export function touches(policies: readonly PolicyRow[], path: string): boolean {
  return policies.some(
    (policy) =>
      policy.name === rootPolicy ||
      policy.rules.some(({ path: pattern, capabilities }) => {
        const cut = firstWildcard(pattern);
        const literal = cut < 0 ? pattern : pattern.slice(0, cut);
        const meets = `${literal}/`.startsWith(`${path}/`) || (cut >= 0 && path.startsWith(literal));
        return meets && !capabilities.includes('deny') && capabilities.length > 0;
      }),
  );
}

const exact = (rules: readonly Rule[], paths: readonly string[]): string | undefined =>
  paths.find((path) => rules.some((rule) => rule.path === path));

function mostSpecific(rules: readonly Rule[], paths: readonly string[]): string | undefined {
  const matching = rules.map((rule) => rule.path).filter((pattern) => paths.some((p) => matches(pattern, p)));
  return matching.toSorted(bySpecificity).at(-1);
}

function matches(pattern: string, path: string): boolean {
  const open = pattern.endsWith('*');
  const wanted = (open ? pattern.slice(0, -1) : pattern).split('/');
  const given = path.split('/');
  if (open ? given.length < wanted.length : given.length !== wanted.length) return false;
  return wanted.every((segment, i) => {
    const there = given[i] ?? '';
    if (segment === '+') return there !== '';
    return open && i === wanted.length - 1 ? there.startsWith(segment) : there === segment;
  });
}

const firstWildcard = (pattern: string): number => pattern.search(/\+|\*$/);

const plus = (pattern: string): number => pattern.split('/').filter((segment) => segment === '+').length;

function bySpecificity(a: string, b: string): number {
  return (
    firstWildcard(a) - firstWildcard(b) ||
    Number(b.endsWith('*')) - Number(a.endsWith('*')) ||
    plus(b) - plus(a) ||
    a.length - b.length ||
    (a < b ? -1 : 1)
  );
}
