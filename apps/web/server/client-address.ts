import { BlockList, isIP } from 'node:net';

/**
 * Says whence a request came: the address of the connection or, when that is one of `proxies`, what
 * they say in X-Forwarded-For. It is read from its end, where the nearest proxy wrote; what stands
 * before the first that is no proxy of ours may be anybody's claim.
 */
export function createAddressReader(
  proxies: readonly string[],
): (connection: string, forwardedFor: string | null) => string {
  const trusted = new BlockList();
  for (const proxy of proxies) addTo(trusted, proxy);
  return (connection, forwardedFor) => {
    const claimed = forwardedFor?.split(',') ?? [];
    let address = plain(connection);
    while (isAmong(trusted, address)) {
      const before = plain(claimed.pop() ?? '');
      if (isIP(before) === 0) break;
      address = before;
    }
    return address;
  };
}

/** Whether it is `10.0.0.1`, `10.0.0.0/8` or the like in either family. */
export function isProxy(text: string): boolean {
  const [address = '', bits] = text.split('/');
  const family = isIP(address);
  if (family === 0) return false;
  return bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/**
 * Whom a limit counts together: an IPv4 address, or the 64 bits of an IPv6 address that a connection
 * is given, within which everyone has as many addresses as they like.
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [start = '', end] = address.replace(/%.*$/, '').split('::');
  const head = start === '' ? [] : start.split(':');
  const tail = end === undefined || end === '' ? [] : end.split(':');
  const zeros = end === undefined ? 0 : 8 - head.length - tail.length - (end.includes('.') ? 1 : 0);
  const groups = [...head, ...Array.from({ length: zeros }, () => '0'), ...tail];
  return groups
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':');
}

function addTo(list: BlockList, proxy: string): void {
  const [address = '', bits] = proxy.split('/');
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  if (bits === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(bits), family);
}

function isAmong(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** `::ffff:10.0.0.1`, as sockets of both families have it → `10.0.0.1`. */
function plain(address: string): string {
  return address.trim().replace(/^::ffff:(?=\d+\.)/i, '');
}
