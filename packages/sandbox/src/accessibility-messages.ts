/** Messages between the host and the frame's agent that checks the page for accessibility issues. */
import { isRecord } from '@vitrine/project';
import { parseCount } from './console-values.ts';
import { parseSourceLocation, parseListUpTo, parsePair, parseStringUpTo } from './message-parts.ts';
import type { SourceLocation } from './message-parts.ts';

/** host → frame. */
export type ToAccessibility =
  /** Check the page now and after each change, until `rest`. */
  | { type: 'watch' }
  | { type: 'rest' }
  /** Highlight an element of the latest findings; null removes the highlight. */
  | { type: 'outline'; element: number | null };

/** frame → host. */
export type AccessibilityMessage =
  | { type: 'audit-started' }
  | { type: 'findings'; checks: number; findings: AccessibilityIssue[] }
  /** The checks failed; `message` says why. */
  | { type: 'audit-failed'; message: string };

export const impacts = ['critical', 'serious', 'moderate', 'minor'] as const;
export type Impact = (typeof impacts)[number];

/** A rule that the page violates, with the elements that violate it. */
export interface AccessibilityIssue {
  /** axe's rule id, such as "image-alt", or "click-only-div" for elements that only a pointer can use. */
  rule: string;
  impact: Impact;
  /** axe's description of the rule, shown for rules without a description of ours. */
  help: string;
  elements: IssueElement[];
  /** Number of further elements. */
  more: number;
}

export interface IssueElement {
  /** Id for the `outline` message. */
  id: number;
  /** Start tag, shortened: `<img src="a.png">`. */
  markup: string;
  name: string;
  attributes: [name: string, value: string][];
  /** Number of earlier elements with this tag in the document. */
  index: number;
  /** Number of elements with this tag in the document. */
  count: number;
  /** Where a framework reports that it was created, in the code that runs; '' and 0 if unknown. */
  made: SourceLocation;
}

/** Limits that the frame keeps and the host enforces. */
export const accessibilityLimits = {
  findings: 100,
  elements: 25,
  markup: 300,
  attributes: 20,
  text: 500,
} as const;

export function parseAccessibilityMessage(input: unknown): AccessibilityMessage | undefined {
  if (!isRecord(input)) return undefined;
  switch (input['type']) {
    case 'audit-started':
      return { type: 'audit-started' };
    case 'findings': {
      const checks = parseCount(input['checks']);
      const findings = parseListUpTo(accessibilityLimits.findings, input['findings'], parseFinding);
      return checks === undefined || !findings ? undefined : { type: 'findings', checks, findings };
    }
    case 'audit-failed': {
      const message = parseStringUpTo(accessibilityLimits.text, input['message']);
      return message === undefined ? undefined : { type: 'audit-failed', message };
    }
    default:
      return undefined;
  }
}

function parseFinding(input: unknown): AccessibilityIssue | undefined {
  if (!isRecord(input)) return undefined;
  const rule = parseStringUpTo(60, input['rule']);
  const impact = impacts.find((name) => name === input['impact']);
  const help = parseStringUpTo(accessibilityLimits.text, input['help']);
  const elements = parseListUpTo(accessibilityLimits.elements, input['elements'], parseElement);
  const more = parseCount(input['more']);
  if (rule === undefined || !impact || help === undefined) return undefined;
  if (!elements || more === undefined) return undefined;
  return { rule, impact, help, elements, more };
}

function parseElement(input: unknown): IssueElement | undefined {
  if (!isRecord(input)) return undefined;
  const [id, index, count] = ['id', 'index', 'count'].map((key) => parseCount(input[key]));
  const markup = parseStringUpTo(accessibilityLimits.markup, input['markup']);
  const name = parseStringUpTo(60, input['name']);
  const attributes = parseListUpTo(accessibilityLimits.attributes, input['attributes'], (pair) =>
    parsePair(accessibilityLimits.text, pair),
  );
  const made = parseSourceLocation(input['made']);
  if (id === undefined || index === undefined || count === undefined) return undefined;
  if (markup === undefined || name === undefined || !attributes || !made) return undefined;
  return { id, markup, name, attributes, index, count, made };
}
