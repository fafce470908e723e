// What is wrong with a row.
import type { Item, Place } from './item.ts';
import { declaredType, declares, handlerOf, hasRow, hasTest, isRun, readsName } from './sources.ts';

export function problemsOf(row: Item): readonly string[] {
  const problems = [...clientProblems(row), ...embeddedProblems(row), ...testProblems(row)];
  if (row.item.trim() === '') problems.push('no item');
  return problems;
}

function clientProblems({ client }: Item): readonly string[] {
  if ('op' in client) return []; // proven by the compiler
  if (!('type' in client)) return undeclared(client);
  return declaredType(client.type.replace(/\..*/, '')) ? [] : [`no type ${client.type}`];
}

function embeddedProblems({ embedded, reads }: Item): readonly string[] {
  if ('served' in embedded) return handlerOf(embedded.served) ? [] : [`nobody serves ${embedded.served}`];
  const unread = reads !== undefined && !readsName(embedded.file, reads);
  return [...undeclared(embedded), ...(unread ? [`${embedded.file} does not read ${reads}`] : [])];
}

const undeclared = (place: Place): readonly string[] =>
  declares(place) ? [] : [`${place.file} declares no ${place.name}`];

function testProblems({ test: { file, title, row } }: Item): readonly string[] {
  if (!isRun(file)) return [`${file} is run by nothing`];
  if (!hasTest(file, title)) return [`${file} has no test '${title}'`];
  const isTable = /\$\w|%[a-z]/.test(title);
  if (isTable && row === undefined) return [`'${title}' is the title of a table: which row?`];
  return row === undefined || hasRow(file, row) ? [] : [`${file} has no row ${row}`];
}
