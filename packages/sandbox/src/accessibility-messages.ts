/** What is said between the host and the frame's tool that looks for what keeps people out of a page. */
import { isRecord, parseCount } from './console-values.ts';
import { parseCodePlace, parseListUpTo, parsePair, parseTextUpTo } from './message-parts.ts';
import type { CodePlace } from './protocol.ts';

/** host → frame. */
export type ToAccessibility =
  /** Look at the page now and after each change, until told to rest. */
  | { type: 'watch' }
  | { type: 'rest' }
  /** Draw an outline around an element of the newest findings; null: around none. */
  | { type: 'outline'; element: number | null };

/** frame → host. */
export type AccessibilitySaid =
  | { type: 'looking' }
  | { type: 'findings'; checks: number; findings: Finding[] }
  /** The page could not be looked at; one plain sentence says why. */
  | { type: 'not-looked'; sentence: string };

export const impacts = ['critical', 'serious', 'moderate', 'minor'] as const;
export type Impact = (typeof impacts)[number];

/** One rule that the page breaks, with the elements that break it. */
export interface Finding {
  /** axe's id: "image-alt"; or "click-only-div", for elements that only a pointer can use. */
  rule: string;
  impact: Impact;
  /** axe's own sentence, for rules that we have none for. */
  help: string;
  elements: FoundElement[];
  /** Elements beyond those listed. */
  more: number;
}

export interface FoundElement {
  /** Names it to `outline`. */
  id: number;
  /** Its opening tag, shortened: `<img src="a.png">`. */
  markup: string;
  name: string;
  attributes: [name: string, value: string][];
  /** How many of the document's elements with this tag, counted from 0, come before it. */
  index: number;
  /** How many elements of the document have this tag. */
  count: number;
  /** Where a framework says that it was made, in what runs; '' and 0 where none does. */
  made: CodePlace;
}

/** More than that nobody reads; the frame sends no more, the host takes no more. */
export const findingLimits = {
  findings: 100,
  elements: 25,
  markup: 300,
  attributes: 20,
  text: 500,
} as const;

export function parseAccessibilitySaid(input: unknown): AccessibilitySaid | undefined {
  if (!isRecord(input)) return undefined;
  switch (input['type']) {
    case 'looking':
      return { type: 'looking' };
    case 'findings': {
      const checks = parseCount(input['checks']);
      const findings = parseListUpTo(findingLimits.findings, input['findings'], parseFinding);
      return checks === undefined || !findings ? undefined : { type: 'findings', checks, findings };
    }
    case 'not-looked': {
      const sentence = parseTextUpTo(findingLimits.text, input['sentence']);
      return sentence === undefined ? undefined : { type: 'not-looked', sentence };
    }
    default:
      return undefined;
  }
}

function parseFinding(input: unknown): Finding | undefined {
  if (!isRecord(input)) return undefined;
  const rule = parseTextUpTo(60, input['rule']);
  const impact = impacts.find((name) => name === input['impact']);
  const help = parseTextUpTo(findingLimits.text, input['help']);
  const elements = parseListUpTo(findingLimits.elements, input['elements'], parseElement);
  const more = parseCount(input['more']);
  if (rule === undefined || !impact || help === undefined) return undefined;
  if (!elements || more === undefined) return undefined;
  return { rule, impact, help, elements, more };
}

function parseElement(input: unknown): FoundElement | undefined {
  if (!isRecord(input)) return undefined;
  const [id, index, count] = ['id', 'index', 'count'].map((key) => parseCount(input[key]));
  const markup = parseTextUpTo(findingLimits.markup, input['markup']);
  const name = parseTextUpTo(60, input['name']);
  const attributes = parseListUpTo(findingLimits.attributes, input['attributes'], (pair) =>
    parsePair(findingLimits.text, pair),
  );
  const made = parseCodePlace(input['made']);
  if (id === undefined || index === undefined || count === undefined) return undefined;
  if (markup === undefined || name === undefined || !attributes || !made) return undefined;
  return { id, markup, name, attributes, index, count, made };
}
