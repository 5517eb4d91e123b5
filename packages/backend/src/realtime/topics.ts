import { realtimeLimits } from './limits.ts';

const prefix = 'realtime:';

/**
 * Parses the channel name of a topic: `realtime:room 1` → `room 1`; undefined when invalid. Names
 * consist of letters, digits, `_-:./@=+,#~()` and spaces, in Unicode's composed form, without `..`,
 * so that no two names look the same and none escapes a prefix that a policy compares.
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
