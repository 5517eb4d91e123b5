import { lookup } from 'node:dns';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { listRegistries, type RegistrySettings } from './registry-settings.ts';

/**
 * Which addresses may be asked: those on the registries' own hosts, wherever these are, and those
 * on the hosts for tarballs that are listed, as long as they are public addresses.
 */
export interface RegistryHosts {
  /** `registry`: ask it. `public`: ask it through `publicOnlyAgent`. Undefined: do not ask. */
  classify(address: URL): 'registry' | 'public' | undefined;
}

export function createRegistryHosts(settings: RegistrySettings): RegistryHosts {
  const registries = new Set(listRegistries(settings).map(({ origin }) => origin));
  const listed = new Set(settings.tarballHosts);
  return {
    classify(address) {
      if (address.username !== '' || address.password !== '') return undefined;
      if (registries.has(address.origin)) return 'registry';
      const isListed = address.protocol === 'https:' && listed.has(address.host);
      return isListed && !isPrivateHost(address.hostname) ? 'public' : undefined;
    },
  };
}

/** An address written as such; names are looked at when they are looked up. */
function isPrivateHost(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) !== 0 && isPrivateAddress(address);
}

/**
 * An agent that connects to the very address it has checked, so that a name cannot mean another
 * one a moment later.
 */
export function publicOnlyAgent(protocol: string): HttpAgent {
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

/** True for addresses that are not on the public internet (IANA special-purpose registries). */
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
// Teredo, documentation and 6to4 stand in the public range and lead elsewhere.
privateAddresses.addSubnet('2001::', 23, 'ipv6');
privateAddresses.addSubnet('2001:db8::', 32, 'ipv6');
privateAddresses.addSubnet('2002::', 16, 'ipv6');

const publicAddresses = new BlockList();
publicAddresses.addSubnet('2000::', 3, 'ipv6');
