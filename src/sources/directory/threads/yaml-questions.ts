// Questions to the threads that parse YAML, and their answers, which do not depend on the thread.
import { documentsIn, spotsIn, type Fast, type Pointed, type YamlDocument } from '../yaml/documents.ts';

/** Parse a limited number of documents, or find some places in one. */
export type YamlQuestion =
  | { readonly text: string; readonly documentsMax: number }
  | { readonly text: string; readonly document: YamlDocument; readonly asked: readonly Pointed[] };

/** `YamlDocument[]` or `Spot[]` as JSON: faster than cloning, and no value keeps the source text alive. */
export function answer(question: YamlQuestion, fast?: Fast): string {
  const { text } = question;
  if ('asked' in question) return JSON.stringify(spotsIn(text, question.document, question.asked));
  const documents: YamlDocument[] = [];
  for (const document of documentsIn(text, fast)) {
    if (documents.push(document) === question.documentsMax) break;
  }
  return JSON.stringify(documents);
}
