import { realtimeLimits } from './limits.ts';

const prefix = 'realtime:';

/**
 * `realtime:room 1` → `room 1`; undefined for what is no channel's name. Names are letters, digits and
 * `_-:./@=+,#~()` and spaces, in Unicode's composed form, without `..`, so that no two are the same to
 * the eye or climb out of a prefix that a policy cuts off.
 */
export function parseTopic(topic: string): string | undefined {
  if (!topic.startsWith(prefix)) return undefined;
  const name = topic.slice(prefix.length);
  if (!/^[\p{L}\p{M}\p{N}_\-:./@=+,#~() ]+$/u.test(name)) return undefined;
  if (name.includes('..') || name !== name.normalize('NFC') || name !== name.trim())
    return undefined;
  return Buffer.byteLength(name) <= realtimeLimits.maxTopicBytes ? name : undefined;
}

export function formatTopic(name: string): string {
  return prefix + name;
}
