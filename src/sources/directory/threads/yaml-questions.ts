// What is asked of the threads that parse YAML, and the answer, which is the same on any thread.
import { documentsIn, spotsIn, type Pointed, type YamlDocument } from '../yaml/documents.ts';

/** Parse at most so many documents, or find some places in one. */
export type YamlQuestion =
  | { readonly text: string; readonly documentsMax: number }
  | { readonly text: string; readonly document: YamlDocument; readonly asked: readonly Pointed[] };

/** `YamlDocument[]` or `Spot[]` as JSON: quicker than cloning, and no value keeps the text alive that it was cut from. */
export function answer(question: YamlQuestion): string {
  const { text } = question;
  if ('asked' in question) return JSON.stringify(spotsIn(text, question.document, question.asked));
  const documents: YamlDocument[] = [];
  for (const document of documentsIn(text)) {
    if (documents.push(document) === question.documentsMax) break;
  }
  return JSON.stringify(documents);
}
