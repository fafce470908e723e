// The questions to the YAML threads, and their answers. The same code answers on the main thread, for short texts.
import { documentsIn, spotsIn, type Fast, type Pointed, type YamlDocument } from '../yaml/documents.ts';

/** Parse a limited number of documents, or locate some values in one document. */
export type YamlQuestion =
  | { readonly text: string; readonly documentsMax: number }
  | { readonly text: string; readonly document: YamlDocument; readonly asked: readonly Pointed[] };

/** Answers with `YamlDocument[]` or `Spot[]` as JSON: faster than cloning, and no value keeps the source text alive. */
export function answer(question: YamlQuestion, fast?: Fast): string {
  const { text } = question;
  if ('asked' in question) return JSON.stringify(spotsIn(text, question.document, question.asked));
  const documents: YamlDocument[] = [];
  for (const document of documentsIn(text, fast)) {
    if (documents.push(document) === question.documentsMax) break;
  }
  return JSON.stringify(documents);
}
