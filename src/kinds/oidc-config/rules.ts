// OIDCConfig: valid declarations that may fail at a login, by the rules of the identity provider. PURE.
import type { Stated } from '../../core/status/condition.ts';
import type { Spec } from './schema.ts';

const isOpen = (url: string): boolean =>
  url.startsWith('http://') && !/^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(url);

/** Each risk begins with the path of its field. */
export function risksOf({
  identityProvider,
  discoveryURL,
  jwtSupportedAlgs,
  providerConfig,
}: Spec): readonly string[] {
  const { fetchGroups = false, groupsRecurseMaxDepth = 0 } = providerConfig ?? {};
  const lacksRS256 = jwtSupportedAlgs !== undefined && !jwtSupportedAlgs.includes('RS256');
  return [
    ...(isOpen(discoveryURL) ? ['/discoveryURL: without TLS, others can answer for the issuer'] : []),
    ...(identityProvider === 'Hosted' && lacksRS256
      ? ['/jwtSupportedAlgs: a hosted provider signs with RS256, and its tokens would be refused']
      : []),
    ...(groupsRecurseMaxDepth > 0 && !fetchGroups
      ? ['/providerConfig/groupsRecurseMaxDepth: has no effect without fetchGroups']
      : []),
  ];
}

export function atRisk(spec: Spec): Stated {
  const risks = risksOf(spec);
  return risks.length > 0
    ? { type: 'LoginAtRisk', status: 'True', reason: 'ProviderRulesBroken', message: risks.join('; ') }
    : { type: 'LoginAtRisk', status: 'False', reason: 'ProviderRulesMet', message: '' };
}
