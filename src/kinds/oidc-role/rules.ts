// OIDCRole: valid declarations that may fail at a login, by the rules of the identity provider and of the method's
// configuration. PURE.
import type { Stated } from '../../core/status/condition.ts';
import type { Spec } from './schema.ts';

/** Outputs of an OIDCConfig. */
type Config = Readonly<Record<string, string>>;

const isIn = (list: readonly string[] | undefined, wanted: string): boolean =>
  list?.includes(wanted) === true;

const commandLine = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?\/oidc\/callback$/;
const webInterface = /\/ui\/[^/]+\/auth\/(.+)\/oidc\/callback$/;
const isOpen = (url: string): boolean =>
  url.startsWith('http://') && !/^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(url);

function callbackRisks({ allowedRedirectURIs = [] }: Spec, { mount = '' }: Config): readonly string[] {
  const field = '/allowedRedirectURIs';
  const mounts = allowedRedirectURIs.flatMap((one) => webInterface.exec(one)?.[1] ?? []);
  const isKnown = mounts.length > 0 || allowedRedirectURIs.some((one) => commandLine.test(one));
  return [
    ...allowedRedirectURIs
      .filter(isOpen)
      .map((one) => `${field}: ${one} is without TLS, so others can read the login`),
    ...mounts
      .filter((one) => one !== mount)
      .map((one) => `${field}: /auth/${one}/oidc/callback is not that of the mount ${mount}`),
    ...(isKnown
      ? []
      : [
          `${field}: has neither http://localhost:8250/oidc/callback nor …/ui/…/auth/${mount}/oidc/callback, so neither command line nor web interface can log in`,
        ]),
  ];
}

function audienceRisks({ boundAudiences = [] }: Spec, config: Config): readonly string[] {
  const { clientID = '', identityProvider, discoveryURL = '' } = config;
  const isDefaultServer = identityProvider === 'Enterprise' && /\/default\/?$/.test(discoveryURL);
  const hasDefault = boundAudiences.some((one) => one.startsWith('api://'));
  if (isDefaultServer && !(hasDefault && boundAudiences.includes(clientID)))
    return [
      `/boundAudiences: the default authorization server needs its audience (api://default) and the client ID (${clientID})`,
    ];
  return boundAudiences.length > 0 && !boundAudiences.includes(clientID)
    ? [`/boundAudiences: lacks the client ID (${clientID}), which tokens of a browser login name`]
    : [];
}

function cloudRisks({ groupsClaim, scopes }: Spec, { provider }: Config): readonly string[] {
  if (groupsClaim === undefined) return [];
  const readsDirectory = provider === 'cloud_directory';
  return [
    ...(groupsClaim === 'groups' ? [] : ['/groupsClaim: a cloud directory tells groups in the claim groups']),
    ...(scopes?.some((one) => one.endsWith('/.default')) === true
      ? []
      : ['/scopes: without the scope …/.default of the graph, groups are not told']),
    ...(readsDirectory && !isIn(scopes, 'profile')
      ? ['/scopes: without profile, users in more than 200 groups get none']
      : []),
    ...(readsDirectory
      ? []
      : [
          '/groupsClaim: users in more than 200 groups get none, unless the OIDCConfig has providerConfig.provider: cloud_directory',
        ]),
  ];
}

function workspaceRisks({ groupsClaim, claimMappings = {} }: Spec, config: Config): readonly string[] {
  const { fetchGroups, schemas = '' } = config;
  const read = schemas.split(',');
  const unread = Object.keys(claimMappings).filter((claim) => {
    const [, schema] = /^\/([^/]+)\/[^/]+$/.exec(claim) ?? [];
    return schema !== undefined && !read.includes(schema);
  });
  return [
    ...(groupsClaim !== undefined && fetchGroups !== 'true'
      ? [
          '/groupsClaim: a workspace directory tells groups only with providerConfig.fetchGroups of the OIDCConfig',
        ]
      : []),
    ...unread.map((claim) => `/claimMappings: the OIDCConfig does not read the schema of ${claim}`),
  ];
}

function providerRisks(spec: Spec, config: Config): readonly string[] {
  switch (config['identityProvider'] ?? '') {
    case 'CloudDirectory':
      return cloudRisks(spec, config);
    case 'WorkspaceDirectory':
      return workspaceRisks(spec, config);
    case 'Enterprise':
      return isIn(spec.scopes, 'profile') ? [] : ['/scopes: without profile, tokens lack most claims'];
    default:
      return [];
  }
}

/** Each risk begins with the path of its field. */
export function risksOf(spec: Spec, config: Config): readonly string[] {
  const verbose =
    spec.verboseLogging === true ? ['/verboseLogging: what the service logs may be secret'] : [];
  if (spec.roleType === 'jwt')
    return spec.boundAudiences === undefined || spec.boundAudiences.length === 0
      ? [...verbose, '/boundAudiences: without one, tokens that name an audience are refused']
      : verbose;
  const clientless =
    config['clientID'] === '' ? ['/configRef: the OIDCConfig has no client, so no login begins'] : [];
  return [
    ...clientless,
    ...callbackRisks(spec, config),
    ...(clientless.length > 0 ? [] : audienceRisks(spec, config)),
    ...providerRisks(spec, config),
    ...verbose,
  ];
}

export function atRisk(spec: Spec, config: Config): Stated {
  const risks = risksOf(spec, config);
  return risks.length > 0
    ? { type: 'LoginAtRisk', status: 'True', reason: 'ProviderRulesBroken', message: risks.join('; ') }
    : { type: 'LoginAtRisk', status: 'False', reason: 'ProviderRulesMet', message: '' };
}
