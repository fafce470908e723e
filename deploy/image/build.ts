// `npm run image -- --base DIR`: the program on a Node base, as an OCI image layout. The same sources and the same base give
// the same digest. The base is a layout, too, so nothing here speaks to a registry: docs/kubernetes.md has the commands.
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import about from '../../package.json' with { type: 'json' };
import { bundle } from '../../build.ts';
import { documents, Layout, mediaTypes, parsed, type Descriptor } from './layout.ts';
import { tar } from './tar.ts';

/** In the image. */
const home = 'holdfast';
/** `nonroot` of the distroless images; as a number, or Kubernetes can't tell that it is not root. */
const user = '65532:65532';

export interface ImageOptions {
  /** Folder of an OCI image layout with one image, for one platform or several. */
  readonly base: string;
  /** Digest that the base must have. */
  readonly baseDigest?: string;
  /** Folder of the layout that is made. */
  readonly out: string;
}

/**
 * Adds the program to each platform of the base: it is JavaScript, and the same on all.
 * @returns the digest of the image
 * @throws Error if the base is not one image, or not what its digests say; or if `out` holds anything else
 */
export async function buildImage({ base, baseDigest, out }: ImageOptions): Promise<string> {
  const from = new Layout(base);
  const [root, ...others] = from.index();
  if (!root || others.length > 0) throw new Error(`${base}: expected one image`);
  if (baseDigest !== undefined && root.digest !== baseDigest) {
    throw new Error(`${base}: expected the base ${baseDigest}, got ${root.digest}`);
  }
  if (!isReplaceable(out, base))
    throw new Error(
      `${out}: expected no folder, an empty one, or an image that is not the base: all in it goes`,
    );
  const content = mkdtempSync(join(tmpdir(), 'holdfast-image-'));
  try {
    await bundle(content);
    rmSync(out, { recursive: true, force: true });
    const to = new Layout(out);
    to.create();
    const layer = to.write(mediaTypes.layer, tar(content, home));
    const made = derived({ from, to, layer, base: root.digest }, root);
    const annotations = { 'org.opencontainers.image.ref.name': about.version };
    const index = { schemaVersion: 2, mediaType: mediaTypes.index, manifests: [{ ...made, annotations }] };
    to.publish(index);
    return made.digest;
  } finally {
    rmSync(content, { recursive: true, force: true });
  }
}

/** Whether nothing is lost with it but an earlier image. */
function isReplaceable(out: string, base: string): boolean {
  if (!existsSync(out)) return true;
  const names = readdirSync(out);
  const isOurs = names.every((name) => ['blobs', 'index.json', 'oci-layout'].includes(name));
  return isOurs && realpathSync(out) !== realpathSync(base);
}

interface Derivation {
  readonly from: Layout;
  readonly to: Layout;
  readonly layer: Descriptor;
  readonly base: string;
}

function derived(derivation: Derivation, descriptor: Descriptor): Descriptor {
  const { mediaType, platform } = descriptor;
  const made =
    mediaType === mediaTypes.index ? platforms(derivation, descriptor) : image(derivation, descriptor);
  return platform ? { ...made, platform } : made;
}

function platforms(derivation: Derivation, descriptor: Descriptor): Descriptor {
  const { manifests } = parsed(documents.index, derivation.from.read(descriptor));
  // The others are attestations: about the base, not about what is made of it.
  const images = manifests.filter(({ platform }) => platform?.os === 'linux');
  return derivation.to.write(mediaTypes.index, {
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests: images.map((one) => derived(derivation, one)),
  });
}

function image({ from, to, layer, base }: Derivation, descriptor: Descriptor): Descriptor {
  const { mediaType } = descriptor;
  if (mediaType !== mediaTypes.manifest) {
    throw new Error(`expected an OCI image, got ${mediaType}; skopeo copy --format oci converts`);
  }
  const manifest = parsed(documents.manifest, from.read(descriptor));
  const config = parsed(documents.config, from.read(manifest.config));
  const { Entrypoint: node = [] } = config.config;
  if (node.length === 0) throw new Error('expected a base whose entry point is Node, got one without');
  for (const one of manifest.layers) to.write(one.mediaType, from.read(one));
  const Labels = {
    'org.opencontainers.image.title': about.name,
    'org.opencontainers.image.version': about.version,
    'org.opencontainers.image.licenses': about.license,
    'org.opencontainers.image.base.digest': base,
  };
  const Entrypoint = [...node, `/${home}/holdfast.mjs`];
  return to.write(mediaTypes.manifest, {
    schemaVersion: 2,
    mediaType,
    config: to.write(mediaTypes.config, {
      ...config,
      config: { ...config.config, User: user, Entrypoint, Cmd: [], Labels },
      rootfs: { ...config.rootfs, diff_ids: [...config.rootfs.diff_ids, layer.digest] },
      history: [...(config.history ?? []), { created: '1970-01-01T00:00:00Z', created_by: 'npm run image' }],
    }),
    layers: [...manifest.layers, layer],
    annotations: Labels,
  });
}

if (import.meta.main) {
  const { base, ...rest } = parseArgs({
    options: {
      base: { type: 'string' },
      'base-digest': { type: 'string' },
      out: { type: 'string', default: 'dist/image' },
    },
  }).values;
  if (base === undefined) throw new Error('--base DIR: expected an OCI image layout of a Node base');
  const { out, 'base-digest': baseDigest } = rest;
  const digest = await buildImage({
    base: resolve(base),
    out: resolve(out),
    ...(baseDigest !== undefined && { baseDigest }),
  });
  process.stdout.write(`${out}: ${digest}\n`);
}
