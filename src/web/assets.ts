// The files that pages load, read once. They lie in `assets/` beside this module, or beside its bundle.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { text, type Answer } from './answer.ts';

interface Asset {
  readonly type: string;
  readonly body: string;
  readonly tag: string;
}

export type Assets = ReadonlyMap<string, Asset>;

/** In loading order. */
export const styles = ['base.css', 'overview.css', 'list.css', 'detail.css', 'narrow.css'] as const;

const files = [...styles.map((name) => [name, 'text/css']), ['live.js', 'text/javascript']] as const;

/** @throws if a file is missing, which means that the installation is broken */
export const loadAssets = (): Assets =>
  new Map(
    files.map(([name = '', type = '']) => {
      const body = readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8');
      const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
      return [`/assets/${name}`, { type: `${type}; charset=utf-8`, body, tag }];
    }),
  );

export function assetAnswer(assets: Assets, path: string, known: string | undefined): Answer {
  const asset = assets.get(path);
  if (!asset) return text(404, 'There is no such file.');
  const { type, body, tag } = asset;
  const headers = { ETag: tag, 'Cache-Control': 'no-cache' };
  return known === tag ? { status: 304, type, body: '', headers } : { status: 200, type, body, headers };
}
