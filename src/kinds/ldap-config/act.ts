// LDAPConfig: rotates and reseeds the bind password. PURE.
import type { FieldChange } from '../../core/status/status.ts';
import type { SecretsEffect } from '../../api/routes.ts';
import { stalled, type Change, type InSync, type Plan, type Step } from '../../core/planning/plan.ts';
import { publicOf } from '../../core/secret.ts';
import { accountsOf } from './accounts.ts';
import { bindPasswordOf, changedBody, type ConfigSituation, type Live } from './body.ts';
import { lookingAgain, ownAfter, ownAfterWrite } from './certificate.ts';
import { astrayFrom, astrayText, type Astray } from './destination.ts';
import { asked, baseline, bindsAsAnother, byService, rootOf, rotationOf, type Root } from './root.ts';

type S = ConfigSituation;

const change = (step: Step<SecretsEffect>): Change<SecretsEffect> => ({ verdict: 'change', steps: [step] });

export function act(s: S, live: Live, differing: readonly FieldChange[], usual: InSync): Plan<SecretsEffect> {
  const rest = { ...usual, ...lookingAgain(s.status.own, live) };
  const root = rootOf(s.status, live);
  const noted = note(s, root);
  if (noted) return change(noted);
  const reseeding = reseed(s, live, differing, rest);
  if (reseeding) return reseeding;
  if (differing.length > 0) return rest; // fields are written first
  const token = asked(s, 'rotate-root');
  if (token !== undefined) return refusal(s, live) ?? change(rotate(s, live, token));
  return root.root === 'unknown' ? unknown(s) : rest;
}

/** Records what is newly known about the bind password, in a step of its own, before anything else is sent. */
function note(s: S, root: Root): Step<SecretsEffect> | undefined {
  const { status } = s;
  const { pending } = status;
  const common = { verb: 'act' as const, changes: [], own: ownAfter(root, status.own) };
  if (pending?.op === 'rotate-root') {
    const summary =
      root.root === 'service'
        ? 'record that the bind password was rotated'
        : 'record that the bind password may have been rotated';
    return { ...common, summary, handledRequests: { 'rotate-root': pending.token } };
  }
  const isAsked = (asked(s, 'rotate-root') ?? asked(s, 'reseed-root')) !== undefined;
  if (status.externalRef === undefined && isAsked) {
    return { ...common, summary: 'record what is there', handledRequests: baseline(s) };
  }
  if ((status.own?.root ?? 'declared') === root.root) return undefined;
  return { ...common, summary: 'record that the service has rotated the bind password' };
}

/** Sends the declared password with all other changes and the DN that it belongs to, also where drift leaves that as found. */
function reseed(
  s: S,
  live: Live,
  differing: readonly FieldChange[],
  { applied }: InSync,
): Plan<SecretsEffect> | undefined {
  const token = asked(s, 'reseed-root');
  if (token === undefined) return undefined;
  const { mount = '' } = s.ref;
  const password = bindPasswordOf(s.resolved);
  if (!password) {
    const message = '/bindPasswordSecretRef: reseed-root was asked for, and no bind password is declared';
    return stalled('BindPasswordMissing', message, { on: 'edit' });
  }
  const wrong = astrayFrom(s, live, differing);
  if (wrong) return elsewhere(wrong, 'reseed-root was asked for, and the declared password is not sent');
  const binddn = bindsAsAnother(s.spec, live) ? s.spec.bindDN : undefined;
  const account = binddn === undefined ? '' : `, and ${binddn} to bind with`;
  const body = {
    ...changedBody(s, live, differing),
    ...(binddn !== undefined && { binddn }),
    bindpass: password,
  };
  return change({
    verb: 'act',
    summary: `give ${mount} the bind password from ${password.source}${account}`,
    changes: differing,
    effect: { port: 'secrets', op: 'ldap.config.write', params: { mount }, body },
    own: ownAfterWrite({ root: 'declared', rotation: rotationOf(live) }, s.status.own, body, live),
    handledRequests: { 'reseed-root': token },
    applied: { ...applied, '/bindPasswordSecretRef': publicOf(password) },
  });
}

/** Nobody tells when another configuration binds with another account. */
const lookMs = 60_000;

function rotate({ ref, spec, status }: S, live: Live, token: string): Step<SecretsEffect> {
  const { mount = '' } = ref;
  return {
    verb: 'act',
    summary: `rotate the bind password of ${mount}, which only the service knows from then on`,
    changes: [],
    effect: { port: 'secrets', op: 'ldap.root.rotate', params: { mount } },
    locksOut: accountsOf(spec),
    dueMs: lookMs,
    intent: { op: 'rotate-root', token, evidence: { before: rotationOf(live) } },
    own: ownAfter(byService, status.own),
    handledRequests: { 'rotate-root': token },
  };
}

/** Why the password is not rotated. */
function refusal(s: S, live: Live): Plan<never> | undefined {
  if (bindsAsAnother(s.spec, live)) return another(s, live);
  const wrong = astrayFrom(s, live);
  return wrong && elsewhere(wrong, 'rotate-root was asked for, and the password is not rotated there');
}

const elsewhere = (wrong: Astray, what: string): Plan<never> =>
  stalled('AnotherServer', `${what}: ${astrayText(wrong)}`, { on: 'live' });

function another({ spec }: S, { binddn }: Live): Plan<never> {
  const message =
    `rotate-root was asked for, and the service binds with ${binddn} instead of ${spec.bindDN}, which drift leaves as found: ` +
    'only the service would know the password of that account from then on. Have bindDN corrected, or declare the one that is there';
  return stalled('AnotherBindDN', message, { on: 'live' });
}

function unknown({ spec }: S): Plan<never> {
  const message =
    'the answer to rotate-root was lost, and the service does not tell whether it was done. ' +
    `It is not repeated. Give rotate-root a new token to rotate the password of ${spec.bindDN} again, ` +
    'or set that password yourself, put it where bindPasswordSecretRef points, and give reseed-root a new token';
  return stalled('RootRotationUnknown', message, { on: 'live' });
}
