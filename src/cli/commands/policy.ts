// `holdfast policy`: the fewest permissions that the connections' tokens need, as policies of both services.
import { policiesFor, type Grant, type TokenPolicy } from '../../runtime/permissions.ts';
import type { ClusterOptions } from '../../runtime/kubernetes/cluster.ts';
import { exitCode, type ExitCode } from '../exit.ts';
import type { Terminal } from '../output/terminal.ts';
import type { Process } from '../process.ts';

export async function policy(
  declared: string | ClusterOptions,
  options: { readonly stateDir: string; readonly secretsDir?: string; readonly output: 'text' | 'json' },
  terminal: Terminal,
  process: Process,
): Promise<ExitCode> {
  const { policies, unknown } = await policiesFor(declared, options, process.asking);
  if (options.output === 'json')
    terminal.json(policies.map(({ connection, grants }) => ({ connection, rules: rulesOf(grants) })));
  else terminal.line(policies.map(hclOf).join('\n\n'));
  for (const key of unknown)
    terminal.note(`${key}: left out: it can't be used, or refers to something that is not declared`);
  return unknown.length === 0 ? exitCode.fine : exitCode.error;
}

const titles = {
  scheduler: 'an ACL policy of the scheduler',
  secrets: 'a policy of the secrets service; that of the name default is granted besides',
} as const;

/** The policy as HCL, which both services accept. */
const hclOf = ({ connection, service, grants }: TokenPolicy): string =>
  [`# For the token of ${connection}: ${titles[service]}.`, ...grants.map(blockOf)].join('\n\n');

const namesMax = 3;

function blockOf({ on, name, capabilities, objects }: Grant): string {
  const more = objects.length > namesMax ? ` and ${objects.length - namesMax} more` : '';
  const comment = `# ${objects.slice(0, namesMax).join(', ')}${more}`;
  const list = `[${capabilities.map((one) => JSON.stringify(one)).join(', ')}]`;
  const head = on === 'level' ? name : `${on} ${JSON.stringify(name)}`;
  const body = on === 'level' ? `policy = ${JSON.stringify(capabilities[0])}` : `capabilities = ${list}`;
  return `${comment}\n${head} {\n  ${body}\n}`;
}

/** The policy as JSON, which both services accept, too. */
function rulesOf(grants: readonly Grant[]): Readonly<Record<string, unknown>> {
  const of = (on: Grant['on']) => grants.filter((grant) => grant.on === on);
  const listed = (on: 'namespace' | 'path') =>
    of(on).length > 0 && {
      [on]: Object.fromEntries(of(on).map(({ name, capabilities }) => [name, { capabilities }])),
    };
  return {
    ...listed('namespace'),
    ...listed('path'),
    ...Object.fromEntries(of('level').map(({ name, capabilities }) => [name, { policy: capabilities[0] }])),
  };
}
