// Whom a request says it talks to. On loopback only this machine's names are answered: any other means that a page
// from elsewhere made its own name resolve to 127.0.0.1 (DNS rebinding).

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

/** Any port will do: port forwarding changes it, and a foreign name stays foreign on every port. */
export function namesLoopback(header: string | undefined): boolean {
  const name = /^(?<name>\[[^\]]*\]|[^:]*)(:\d*)?$/.exec(header ?? '')?.groups?.['name'] ?? '';
  return isLoopback(name.toLowerCase().replace(/^\[(.*)\]$/, '$1'));
}
