import { lookup } from 'node:dns';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { listRegistries, type RegistrySettings } from './registry-settings.ts';

/**
 * Decides which hosts may receive requests: the registries themselves, wherever they are, and the
 * listed tarball hosts, if they have public IP addresses.
 */
interface RegistryHosts {
  /**
   * `registry`: may be requested. `public`: may be requested through `createPublicOnlyAgent`. Undefined:
   * must not be requested.
   */
  classify(url: URL): 'registry' | 'public' | undefined;
}

export function createRegistryHosts(settings: RegistrySettings): RegistryHosts {
  const registries = new Set(listRegistries(settings).map(({ origin }) => origin));
  const listed = new Set(settings.tarballHosts);
  return {
    classify(url) {
      if (url.username !== '' || url.password !== '') return undefined;
      if (registries.has(url.origin)) return 'registry';
      const isListed = url.protocol === 'https:' && listed.has(url.host);
      return isListed && !isPrivateHost(url.hostname) ? 'public' : undefined;
    },
  };
}

/**
 * Whether a URL's host is a literal private IP address. Host names are checked when they are
 * resolved.
 */
function isPrivateHost(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) !== 0 && isPrivateAddress(address);
}

/**
 * HTTP agent that connects to the same IP address that it has checked, so that DNS rebinding can't
 * redirect the connection.
 */
export function createPublicOnlyAgent(protocol: string): HttpAgent {
  return protocol === 'https:'
    ? new HttpsAgent({ lookup: lookUpPublic })
    : new HttpAgent({ lookup: lookUpPublic });
}

const lookUpPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error !== null) return callback(error, '', 0);
    const [first] = found;
    if (first === undefined || found.some(({ address }) => isPrivateAddress(address))) {
      return callback(new Error('The host has a private address'), '', 0);
    }
    if (options.all === true) return callback(null, found);
    callback(null, first.address, first.family);
  });
};

/** Whether an IP address is outside of the public internet (IANA special-purpose registries). */
export function isPrivateAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return isPrivateAddress(mapped);
  if (isIP(address) === 4) return privateAddresses.check(address, 'ipv4');
  return !publicAddresses.check(address, 'ipv6') || privateAddresses.check(address, 'ipv6');
}

const privateAddresses = new BlockList();
const privateRanges = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const;
for (const [net, prefix] of privateRanges) privateAddresses.addSubnet(net, prefix, 'ipv4');
// Teredo, documentation and 6to4 addresses are in the public range but are not public hosts.
privateAddresses.addSubnet('2001::', 23, 'ipv6');
privateAddresses.addSubnet('2001:db8::', 32, 'ipv6');
privateAddresses.addSubnet('2002::', 16, 'ipv6');

const publicAddresses = new BlockList();
publicAddresses.addSubnet('2000::', 3, 'ipv6');
