// docs/reference/kinds/*.md: everything about one kind, from its schema, its field table and its code.
import type { Field } from '../../src/core/planning/diff.ts';
import { conditionTypes } from '../../src/core/status/reasons.ts';
import { registry, type Registered } from '../../src/kinds/registry.ts';
import { defaultOf, limitsOf, refersTo, typeOf, valuesOf } from '../../src/cli/output/field-facts.ts';
import { explained, type Explained } from '../../src/runtime/kinds/explain.ts';
import { requestsOf } from '../../src/runtime/kinds/lookup.ts';
import { callsOf, examplesOf } from './kind-calls.ts';
import { conditionsOf, reasonsOf } from './kind-reasons.ts';
import { anchor, code, codes, generatedFrom, table } from './markdown.ts';

const folder = 'docs/reference/kinds';
const kindPage = (kind: string): string => `${folder}/${kind.toLowerCase()}.md`;

export const kindPages = (): readonly { readonly path: string; readonly text: string }[] => [
  ...registry.map((one) => ({ path: kindPage(one.kind.name), text: textOf(one) })),
  { path: `${folder}/README.md`, text: indexText() },
];

/** A field and all that are in it, in the order of the schema. */
const fieldsWithin = (one: Explained): readonly Explained[] =>
  one.fields.flatMap((field) => [field, ...fieldsWithin(field)]);

const partOf = (kind: string, part: 'spec' | 'status'): Explained => {
  const found = explained(kind)?.fields.find(({ path }) => path[0] === part);
  if (!found) throw new Error(`${kind} has no ${part}`);
  return found;
};

const pathOf = ({ path }: Explained): string => path.slice(1).join('.');

const sentence = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}.`;

/** What other columns say is left out. */
function meaningOf(one: Explained): string {
  const description = one.schema['description'];
  const values = valuesOf(one.schema);
  const limits = limitsOf(one.schema)?.replace(/(?<=form: )(.*)$/, (form) => code(form));
  const to = refersTo(one);
  const rules = one.rules.filter((rule) => !/declare another object instead|set replacePolicy/.test(rule));
  return [
    ...(typeof description === 'string' ? [description.replace(/ ?\bDefault: .+?\.(?=\s|$)/, '')] : []),
    ...(to === undefined ? [] : [`Refers to ${to}.`]),
    ...(values === undefined ? [] : [`One of ${codes(values.split(', '))}.`]),
    ...(limits === undefined ? [] : [sentence(limits)]),
    ...rules.map((rule) => `Rule: ${rule}.`),
  ].join(' ');
}

const changes = {
  'in-place': 'in place',
  replace: 'replaces',
  identity: 'refused',
  creation: 'not read',
} as const satisfies Record<Field['change'], string>;

function changeOf({ field, fields }: Explained): string {
  if (!field) return fields.length === 0 ? 'followed' : '';
  const unread = field.unreadable === 'always' ? ', drift unseen' : '';
  return changes[field.change] + unread + (field.compare === 'at-least' ? ', more is enough' : '');
}

const legend = [
  'A `*` stands for every name. A change of a field is',
  '',
  '- **in place**: it is written to what is there;',
  '- **replaces**: it needs a new external object, and `replacePolicy` decides whether there may be one;',
  '- **refused**: the field tells which external object is meant; declare another object instead;',
  '- **not read**: the field counts only when the external object is created;',
  '- **followed**: Holdfast goes by it from then on, and nothing is written to the service for it.',
  '',
  '*Drift unseen*: the service never shows the field, so a change from outside is not noticed. *More is enough*: a larger value than',
  'the declared one is in sync.',
];

const fieldRow = (one: Explained): readonly string[] => [
  code(pathOf(one)),
  `${typeOf(one.schema)}${one.isRequired ? ', required' : ''}`,
  defaultOf(one) ?? '',
  meaningOf(one),
  changeOf(one),
];

function textOf({ kind, declaration }: Registered): string {
  const { name } = kind;
  const spec = partOf(name, 'spec');
  const [example] = examplesOf(name);
  if (!example) throw new Error(`no example declares a ${name}`);
  const { plural, shortNames, scope, description } = declaration;
  const calls = callsOf(name).map(({ op, request, documented, nomad, when }) => [
    code(op),
    code(request),
    codes(documented) || 'none',
    nomad.join() === documented.join() ? 'the same' : codes(nomad),
    when,
  ]);
  return [
    `# ${name}`,
    '',
    generatedFrom('its schema, its field table and its code'),
    '',
    description,
    '',
    `${scope === 'Cluster' ? 'It has no namespace.' : 'It is in a namespace.'} Commands also take ${codes([plural, ...shortNames])}.`,
    '',
    '## Example',
    '',
    `[${example.path}](../../../${example.path}):`,
    '',
    '```yaml',
    example.text.replace(/^# yaml-language-server: .*\n/, '').trimEnd(),
    '```',
    '',
    '## Fields of spec',
    '',
    ...(spec.rules.length === 0 ? [] : [...spec.rules.map((rule) => `- Rule: ${rule}.`), '']),
    ...table(['Field', 'Type', 'Default', 'What it is', 'A change'], fieldsWithin(spec).map(fieldRow)),
    '',
    ...legend,
    '',
    '`status` is that of [every kind](README.md#fields-of-status).',
    '',
    '## Conditions',
    '',
    ...table(
      ['Type', 'Meaning while its status is `True`'],
      conditionsOf(name).map((type) => [code(type), conditionTypes[type]]),
    ),
    '',
    ...reasonLines(name),
    '',
    '## What its token needs',
    '',
    ...(calls.length === 0
      ? ['It makes no calls of its own.']
      : [
          ...table(['Call', 'Request', 'Permission', 'With `dialect: nomad`', 'When'], calls),
          '',
          '`holdfast policy` makes the policies of what you declare ([permissions](../../permissions.md)).',
        ]),
    '',
    ...(kind.connectionField === undefined ? [] : requestLines(name)),
  ].join('\n');
}

function reasonLines(kind: string): readonly string[] {
  const links = (origin: Parameters<typeof reasonsOf>[1]) =>
    reasonsOf(kind, origin).map((reason) => `[${reason}](../reasons.md#${anchor(reason)})`);
  const [own, service] = [links('kind'), links('service')];
  return [
    ...(own.length === 0 ? [] : [`Reasons of its own: ${own.join(', ')}.`, '']),
    ...(service.length === 0 ? [] : [`Reasons from what its services answer: ${service.join(', ')}.`, '']),
    'And [those of every kind](README.md#reasons-of-every-kind).',
  ];
}

const requestLines = (kind: string): readonly string[] => [
  '## What it can be asked',
  '',
  `${requestsOf(kind)
    .map(({ name }) => code(name))
    .join(', ')}: [annotations](../annotations.md#requests).`,
  '',
];

function indexText(): string {
  const [first] = registry.map(({ kind }) => kind.name);
  const names = registry.map(({ kind, declaration }) => [
    `[${kind.name}](${kind.name.toLowerCase()}.md)`,
    declaration.description,
  ]);
  const status = partOf(first ?? '', 'status');
  const rows = fieldsWithin(status).map((one) => [code(pathOf(one)), typeOf(one.schema), meaningOf(one)]);
  const everywhere = reasonsOf(first ?? '', 'all').map(
    (reason) => `[${reason}](../reasons.md#${anchor(reason)})`,
  );
  return [
    '# Kinds',
    '',
    generatedFrom('the kinds'),
    '',
    ...table(['Kind', 'What it is'], names),
    '',
    '## Fields of status',
    '',
    'Holdfast writes the status; in a directory it is in the state, and `holdfast get -o yaml` prints it. Connections alone have',
    '`recentDeletions`. `own` differs from kind to kind, and is for reading only.',
    '',
    ...table(['Field', 'Type', 'What it is'], rows),
    '',
    '## Reasons of every kind',
    '',
    `${everywhere.join(', ')}.`,
    '',
  ].join('\n');
}
