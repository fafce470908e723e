// `holdfast explain`: explains a kind and its fields, from the schema that checks them.
import { UsageError } from '../../core/errors.ts';
import { nearest } from '../../core/text/nearest.ts';
import { explained, type Explained } from '../../runtime/kinds/explain.ts';
import { apiVersion, kinds, namesOf } from '../../runtime/kinds/lookup.ts';
import { kindOf } from '../object-key.ts';
import { changeOf, defaultOf, limitsOf, refersTo, typeOf, valuesOf } from '../output/field-facts.ts';
import { table, type Terminal } from '../output/terminal.ts';

const width = 100;

/** @param what `KIND`, or `KIND.field.path`; `spec` may be omitted. @throws UsageError */
export function explain(
  what: string | undefined,
  { recursive }: { readonly recursive?: boolean },
  terminal: Terminal,
): void {
  if (what === undefined) return listKinds(terminal);
  const [name = '', ...path] = what.split('.').filter((step) => step !== '');
  const kind = kindOf(name, what);
  const whole = explained(kind);
  if (!whole) throw new UsageError(`${what}: there is no such kind`);
  const found = path.length === 0 ? whole : find(whole, path, what);
  for (const line of pageOf(found, recursive ?? false)) terminal.line(line);
}

/** As `kubectl api-resources` lists them. */
function listKinds(terminal: Terminal): void {
  const rows = [...kinds.keys()].map((kind) => {
    const [plural = '', ...short] = namesOf(kind);
    const description = explained(kind)?.schema['description'];
    return [
      kind,
      short.join(', '),
      plural,
      firstSentence(typeof description === 'string' ? description : ''),
    ];
  });
  terminal.line(table([['KIND', 'SHORT', 'PLURAL', 'WHAT IT DECLARES'], ...rows]));
  terminal.line();
  terminal.line('One kind: holdfast explain csivol. One field: holdfast explain csivol.create.capacity.');
}

const firstSentence = (text: string): string => text.split('. ')[0]?.replace(/\.$/, '') ?? '';

/** @throws UsageError that names a similar field, or all fields */
function find(whole: Explained, path: readonly string[], what: string): Explained {
  const isWritten = whole.fields.some((one) => one.path[0] === path[0]);
  let at = whole;
  for (const step of isWritten ? path : ['spec', ...path]) {
    const next = child(at, step);
    if (!next) {
      const known = at.fields.map(nameOf);
      const near = nearest(step, known);
      const hint = near === undefined ? `fields: ${known.join(', ') || 'none'}` : `did you mean ${near}?`;
      throw new UsageError(`${what}: ${[at.kind, ...at.path].join('.')} has no field ${step}; ${hint}`);
    }
    at = next;
  }
  return at;
}

const child = ({ fields }: Explained, step: string): Explained | undefined =>
  fields.find((one) => nameOf(one) === step) ?? fields.find((one) => nameOf(one) === '*');

const nameOf = ({ path }: Explained): string => path.at(-1) ?? '';

function pageOf(one: Explained, isRecursive: boolean): readonly string[] {
  const isKind = one.path.length === 0;
  // For a kind, the fields of `spec` are shown, because these are what users declare.
  const spec = isKind ? child(one, 'spec') : undefined;
  const { fields } = spec ?? one;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['KIND', one.kind],
    ['NAMES', isKind ? namesOf(one.kind).join(', ') : undefined],
    ['VERSION', apiVersion],
    ['FIELD', isKind ? undefined : `${one.path.join('.')} <${typeOf(one.schema)}>`],
    ['REQUIRED', isKind ? undefined : one.isRequired ? 'yes' : 'no'],
    ['DEFAULT', defaultOf(one)],
    ['VALUES', valuesOf(one.schema)],
    ['LIMITS', limitsOf(one.schema)],
    ['CHANGE', changeOf(one.field)],
    ['REFERS TO', refersTo(one)],
  ];
  const rows = facts.flatMap(([name, text]) =>
    text === undefined ? [] : [`${`${name}:`.padEnd(11)}${text}`],
  );
  const description = one.schema['description'];
  const rules = [...new Set([...one.rules, ...(spec?.rules ?? [])])].map((rule) => `    - ${rule}`);
  return [
    ...rows,
    ...(typeof description === 'string' ? ['', 'DESCRIPTION:', ...wrap(description, '    ')] : []),
    ...(rules.length > 0 ? ['', 'RULES:', ...rules] : []),
    ...(fields.length > 0
      ? [
          '',
          spec ? 'FIELDS OF spec:' : 'FIELDS:',
          ...fields.flatMap((field) => fieldLines(field, '  ', isRecursive)),
        ]
      : []),
  ];
}

function fieldLines(one: Explained, indent: string, isRecursive: boolean): readonly string[] {
  const { description } = one.schema;
  const mark = one.isRequired ? ' (required)' : '';
  const head = `${indent}${nameOf(one)} <${typeOf(one.schema)}>${mark}`;
  if (isRecursive) return [head, ...one.fields.flatMap((field) => fieldLines(field, `${indent}  `, true))];
  return [head, ...(typeof description === 'string' ? wrap(description, `${indent}    `) : []), ''];
}

/** @returns lines of at most `width` characters, unless a word is longer */
function wrap(text: string, indent: string): readonly string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(' ')) {
    if (line.length + word.length > width && line !== indent) {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
