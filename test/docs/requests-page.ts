// docs/reference/requests.md: what can be asked of an object, as the kinds declare it.
import { commonRequests, type RequestDeclaration } from '../../src/core/source/request.ts';
import { registry } from '../../src/kinds/registry.ts';

export const requestsPage = 'docs/reference/requests.md';

const row = (kind: string, { name, help, once, command }: RequestDeclaration): string => {
  const asked = command ? `\`holdfast ${command.name}\`` : '';
  return `| ${kind} | \`${name}\` | ${help[0]?.toUpperCase()}${help.slice(1)}. | ${once ? 'once for each value' : ''} | ${asked} |`;
};

export const requestsText = (): string =>
  [
    '# Requests',
    '',
    '<!-- Generated from the kinds by `npm run docs`. -->',
    '',
    'A request asks something of one object besides its spec. In Git it is an annotation, `holdfast.dev/<request>: <value>`; the',
    'command, where there is one, asks the running operator, and in a cluster sets the annotation. A request that stands when',
    'an object is first seen counts as answered. After an earlier state was restored, what is done once for each value is not',
    'done again.',
    '',
    '| Kind | Request | What it asks | Done | Command |',
    '| --- | --- | --- | --- | --- |',
    ...commonRequests.map((request) => row('each', request)),
    ...registry.flatMap(({ kind }) => kind.requests.map((request) => row(`\`${kind.name}\``, request))),
    '',
  ].join('\n');
