// Identity providers that need more than the standard (services.md#oidc-configuration), in neutral names.
import { readFileSync, statSync } from 'node:fs';
import type { SecretsDialect } from '../../../api/dialects.ts';
import type { Behaviour } from '../behaviour.ts';
import { neutralField, neutralValue, wireField, wireValue } from '../http/wire-names.ts';

export type ProviderConfig = Readonly<Record<string, unknown>>;

/** Providers of the real services whose configuration can't be checked here. */
const unchecked = ['cloud_directory', 'secureauth', 'ibmisam'];
const keyBytesMax = 64 * 1024;

/** @returns the configuration in neutral names, or a text that says what is wrong */
export function neutralProvider(dialect: SecretsDialect, given: ProviderConfig): ProviderConfig | string {
  if (Object.keys(given).length === 0) return {};
  const { provider } = given;
  if (typeof provider !== 'string') return "'provider' field not found in provider_config";
  const neutral = neutralValue(dialect, 'provider', provider);
  if (neutral !== 'workspace_directory' && !unchecked.includes(neutral ?? '')) {
    return `provider ${JSON.stringify(provider.slice(0, 100))} not found in custom providers`;
  }
  const fields = Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
    const field = neutralField(dialect, name);
    return field === undefined ? [] : [[field, value]];
  });
  return { ...Object.fromEntries(fields), provider: neutral };
}

/** The configuration as a read shows it: in the dialect's names, without the service account. */
export function shownProvider(dialect: SecretsDialect, config: ProviderConfig): ProviderConfig {
  const { workspace_service_account: _, ...others } = config;
  const entries = Object.entries(others).map(([name, value]): [string, unknown] => [
    wireField(dialect, name),
    name === 'provider' ? wireValue(dialect, name, String(value)) : value,
  ]);
  return Object.fromEntries(entries);
}

/** @returns a text that says what is wrong, or `undefined` */
export function providerProblem(
  dialect: SecretsDialect,
  behaviour: Behaviour,
  config: ProviderConfig,
): string | undefined {
  if (config['provider'] !== 'workspace_directory') return undefined;
  const problem = workspaceProblem(dialect, behaviour, config);
  const name = JSON.stringify(wireValue(dialect, 'provider', 'workspace_directory'));
  return problem === undefined ? undefined : `error initializing ${name} provider_config: ${problem}`;
}

const types: Readonly<Record<string, readonly [string, string]>> = {
  workspace_service_account: ['string', 'string'],
  workspace_admin_impersonate: ['string', 'string'],
  user_custom_schemas: ['string', 'string'],
  fetch_groups: ['boolean', 'bool'],
  fetch_user_info: ['boolean', 'bool'],
  groups_recurse_max_depth: ['number', 'int'],
};

function workspaceProblem(
  dialect: SecretsDialect,
  { workspaceIsWhole }: Behaviour,
  config: ProviderConfig,
): string | undefined {
  const named = (field: string) => `'${wireField(dialect, field)}'`;
  const isSet = (field: string) => !['', false, undefined].some((none) => config[field] === none);
  for (const [field, [type, said]] of Object.entries(types)) {
    const value = config[field];
    if (value !== undefined && typeof value !== type) return `${named(field)} expected type '${said}'`;
  }
  if (Number(config['groups_recurse_max_depth'] ?? 0) < 0) {
    return "'gsuite_recurse_max_depth' must be a positive integer";
  }
  if (!isSet('workspace_service_account')) return 'failed to find application default credentials';
  if (workspaceIsWhole && !isSet('workspace_admin_impersonate')) {
    return `${named('workspace_admin_impersonate')} is required`;
  }
  if (workspaceIsWhole && isSet('fetch_user_info') && !isSet('user_custom_schemas')) {
    return `${named('user_custom_schemas')} is required where 'fetch_user_info' is true`;
  }
  return isServiceAccount(String(config['workspace_service_account']))
    ? undefined
    : 'error parsing service account JSON';
}

/** Accepts a key, or the path of a key file on the server. */
function isServiceAccount(pathOrKey: string): boolean {
  try {
    const text = pathOrKey.startsWith('{') ? pathOrKey : fileText(pathOrKey);
    const key: unknown = JSON.parse(text);
    return key !== null && typeof key === 'object' && 'type' in key && key.type === 'service_account';
  } catch {
    return false;
  }
}

function fileText(path: string): string {
  const file = statSync(path);
  if (!file.isFile() || file.size > keyBytesMax) throw new Error('not a key file');
  return readFileSync(path, 'utf8');
}
