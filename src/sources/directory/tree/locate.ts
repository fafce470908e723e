// Locates values in files that were scanned before: scans keep no text, and few values are asked for.
import { join } from 'node:path';
import type { Problem } from '../../../core/text/problem.ts';
import { documentsIn, spotsIn, type YamlDocument } from '../yaml/documents.ts';
import { bytesPerManifestMax, readBounded } from './file.ts';
import type { Declared } from './scan.ts';

/** A problem of a declared object, with a JSON pointer to the value that it is about. */
export interface Pointing extends Pick<Problem, 'message' | 'key'> {
  readonly object: Pick<Declared, 'origin' | 'place'>;
  readonly pointer: string;
}

/** @returns problems at their values; at the object's place where its file is another by now */
export function located(root: string, found: readonly Pointing[]): readonly Problem[] {
  const files = Map.groupBy(found, ({ object }) => object.origin);
  return [...files].flatMap(([origin, all]) => {
    const file = readBounded(join(root, origin), bytesPerManifestMax);
    const text = 'bytes' in file ? file.bytes.toString() : '';
    const documents = new Map([...documentsIn(text)].map((one) => [positionOf(one.start), one]));
    return all.map(({ object: { place }, pointer, ...about }): Problem => {
      const document = documents.get(positionOf(place));
      const [spot] = document ? spotsIn(text, document, [{ pointer, of: 'value' }]) : [];
      if (!spot) return { origin, place, ...about };
      const { excerpt, caret, ...position } = spot;
      return {
        origin,
        place: { ...place, ...position },
        ...(excerpt !== undefined && { excerpt }),
        ...(caret !== undefined && { caret }),
        ...about,
      };
    });
  });
}

const positionOf = ({ line, column }: YamlDocument['start']): string => `${line}:${column}`;
