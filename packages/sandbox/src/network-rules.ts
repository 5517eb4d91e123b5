/**
 * Network rules: the user's delays and failures for requests of the page. The service worker applies them to
 * same-origin requests, the frame's network agent to `fetch` and XMLHttpRequest requests of other hosts.
 */
import { isRecord } from '@vitrine/project';

export interface NetworkRule {
  /** A path from the project's root or a whole URL; `*` matches any characters: "/api/*". */
  readonly pattern: string;
  readonly effect: RuleEffect;
}

export type RuleEffect =
  | { readonly kind: 'wait'; readonly ms: number }
  /** Fails the request like a network error. */
  | { readonly kind: 'fail' }
  /** Responds with this status and an empty body, without sending the request. */
  | { readonly kind: 'status'; readonly status: number };

export const ruleLimits = { rules: 20, pattern: 300, waitMs: 60_000 } as const;

/** Finds the first matching rule for a URL; `own` is the project's origin, which path patterns refer to. */
export function findMatchingRule(
  rules: readonly NetworkRule[],
  address: URL,
  own: string,
): NetworkRule | undefined {
  return rules.find(({ pattern }) => {
    const isPath = pattern.startsWith('/') || pattern.startsWith('*');
    if (isPath && !pattern.startsWith('*') && address.origin !== own) return false;
    const subject = isPath ? decodePath(address.pathname) : address.href.replace(/[?#].*$/, '');
    return matches(pattern, subject);
  });
}

/** Whether a pattern matches: "/api/*" matches "/api/users". */
function matches(pattern: string, subject: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return subject === pattern;
  if (!subject.startsWith(first)) return false;
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const part of rest) {
    const found = subject.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return subject.length - last.length >= at && subject.endsWith(last);
}

function decodePath(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch (error) {
    if (error instanceof URIError) return pathname;
    throw error;
  }
}

export function parseRules(input: unknown): NetworkRule[] | undefined {
  if (!Array.isArray(input) || input.length > ruleLimits.rules) return undefined;
  const rules = input.map(parseRule).filter((rule) => rule !== undefined);
  return rules.length === input.length ? rules : undefined;
}

function parseRule(input: unknown): NetworkRule | undefined {
  if (!isRecord(input)) return undefined;
  const { pattern } = input;
  const effect = parseEffect(input['effect']);
  if (typeof pattern !== 'string' || pattern === '' || pattern.length > ruleLimits.pattern)
    return undefined;
  return effect && { pattern, effect };
}

function parseEffect(input: unknown): RuleEffect | undefined {
  if (!isRecord(input)) return undefined;
  const { kind, ms, status } = input;
  if (kind === 'fail') return { kind };
  if (kind === 'wait' && isIntegerBetween(ms, 0, ruleLimits.waitMs)) return { kind, ms };
  if (kind === 'status' && isIntegerBetween(status, 200, 599)) return { kind, status };
  return undefined;
}

function isIntegerBetween(input: unknown, min: number, max: number): input is number {
  return typeof input === 'number' && Number.isInteger(input) && input >= min && input <= max;
}
