// OCI image layouts: a folder of blobs named by their digests (https://github.com/opencontainers/image-spec).
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const descriptor = z.looseObject({
  mediaType: z.string(),
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  size: z.int(),
  platform: z.looseObject({ os: z.string() }).exactOptional(),
});
export type Descriptor = z.infer<typeof descriptor>;

/** What is read of an image: whatever else there is stays. */
export const documents = {
  index: z.looseObject({ manifests: z.array(descriptor) }),
  manifest: z.looseObject({ config: descriptor, layers: z.array(descriptor) }),
  config: z.looseObject({
    config: z.looseObject({ Entrypoint: z.array(z.string()).exactOptional() }),
    rootfs: z.looseObject({ diff_ids: z.array(z.string()) }),
    history: z.array(z.unknown()).exactOptional(),
  }),
};

export const mediaTypes = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
} as const;

const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** @throws Error if it is another document */
export const parsed = <Schema extends z.ZodType>(schema: Schema, bytes: Buffer): z.infer<Schema> =>
  schema.parse(JSON.parse(bytes.toString('utf8')));

export class Layout {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The images in it. */
  index(): readonly Descriptor[] {
    return parsed(documents.index, readFileSync(join(this.#directory, 'index.json'))).manifests;
  }

  /** @throws Error if the blob is not what its descriptor says: then it is not the image that was pinned */
  read({ digest, size }: Descriptor): Buffer {
    const bytes = readFileSync(this.#blob(digest));
    if (digestOf(bytes) === digest && bytes.length === size) return bytes;
    throw new Error(`blob ${digest}: expected ${size} bytes of that digest, got ${digestOf(bytes)}`);
  }

  create(): void {
    mkdirSync(join(this.#directory, 'blobs/sha256'), { recursive: true });
    writeFileSync(join(this.#directory, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  }

  write(mediaType: string, content: Buffer | object): Descriptor {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
    const digest = digestOf(bytes);
    writeFileSync(this.#blob(digest), bytes);
    return { mediaType, digest, size: bytes.length };
  }

  /** What the layout is about. */
  publish(index: object): void {
    writeFileSync(join(this.#directory, 'index.json'), JSON.stringify(index));
  }

  #blob(digest: string): string {
    return join(this.#directory, 'blobs', digest.replace(':', '/'));
  }
}
