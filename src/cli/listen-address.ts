import { UsageError } from '../core/errors.ts';
import type { Listen } from '../runtime/status-page.ts';

/** `host:port`, `[::1]:port`, or `off`. @throws UsageError */
export function parseListen(text: string): Listen | 'off' {
  if (text === 'off') return 'off';
  const [, host = '', port = ''] = /^(\[[0-9A-Fa-f:.]+\]|[-.A-Za-z0-9]+):([0-9]{1,5})$/.exec(text) ?? [];
  if (host !== '' && Number(port) <= 65_535)
    return { host: host.replaceAll(/[[\]]/g, ''), port: Number(port) };
  throw new UsageError(`--listen ${text}: expected host:port, such as 127.0.0.1:8080, or off`);
}

/** @throws UsageError if only one of the files is given */
export function withTls(listen: Listen | 'off', certFile?: string, keyFile?: string): Listen | 'off' {
  if (certFile === undefined && keyFile === undefined) return listen;
  if (certFile === undefined || keyFile === undefined)
    throw new UsageError('--tls-cert-file and --tls-key-file go together');
  return listen === 'off' ? listen : { ...listen, tls: { certFile, keyFile } };
}
