// Parses policies in HCL or JSON: paths with capabilities. The rest of the real language (parameters, wrapping) is
// refused, not ignored: a policy must not allow more than it says.
import { capabilities, type Capability, type Rule } from '../store/model.ts';

const block = /path\s+("(?:[^"\\]|\\.)*")\s*\{([^{}]*)\}/g;
const assignment = /^\s*capabilities\s*=\s*(\[[^\]]*\])\s*$/;

/** @returns the rules, or a text that says what is wrong */
export function parseRules(text: string): readonly Rule[] | string {
  if (text.trimStart().startsWith('{')) return rulesOfJson(text);
  const plain = text.replaceAll(/^\s*(#|\/\/).*$/gm, '');
  const rules: Rule[] = [];
  for (const [, path = '', body = ''] of plain.matchAll(block)) {
    const list = assignment.exec(body)?.[1]?.replace(/,\s*\]$/, ']');
    const rule =
      list === undefined ? 'expected capabilities = [...] only' : ruleOf(parsed(path), parsed(list));
    if (typeof rule === 'string') return `path ${path}: ${rule}`;
    rules.push(rule);
  }
  return plain.replaceAll(block, '').trim() === '' ? rules : 'expected path "..." { capabilities = [...] }';
}

function rulesOfJson(text: string): readonly Rule[] | string {
  const whole: unknown = parsed(text);
  const paths: unknown = new Map<string, unknown>(Object.entries(Object(whole))).get('path');
  const rules: Rule[] = [];
  for (const [path, body] of [paths].flat().flatMap((one) => Object.entries(Object(one)))) {
    const entries = Object.entries(Object(body));
    const [[name, list] = ['', []]] = entries;
    const isOnly = entries.length === 1 && name === 'capabilities';
    const rule = isOnly ? ruleOf(path, list) : 'expected capabilities only';
    if (typeof rule === 'string') return `path ${JSON.stringify(path)}: ${rule}`;
    rules.push(rule);
  }
  return paths === undefined ? 'expected {"path": {...}}' : rules;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function ruleOf(path: unknown, list: unknown): Rule | string {
  if (typeof path !== 'string' || !Array.isArray(list)) return 'expected a list of capabilities';
  const found: Capability[] = [];
  for (const name of list) {
    const capability = capabilities.find((one) => one === name);
    if (!capability) return `invalid capability ${JSON.stringify(name).slice(0, 100)}`;
    found.push(capability);
  }
  return { path: path.replace(/^\//, ''), capabilities: found };
}

/** The text of a policy that a fixture made. */
export const textOf = (rules: readonly Rule[]): string =>
  rules
    .map(
      ({ path, capabilities: given }) =>
        `path ${JSON.stringify(path)} {\n  capabilities = ${JSON.stringify(given)}\n}\n`,
    )
    .join('\n');
