/** What a frame tells of something that went wrong in it; the host puts it into words. */
import { isRecord, parseCount } from './console-values.ts';
import { parseCodePlace } from './message-parts.ts';
import { ruleLimits } from './network-rules.ts';
import type { CodePlace } from './protocol.ts';

export type RuntimeProblem = ThrownProblem | UnloadedProblem;

interface FailedRequest {
  /** The pattern of a person's own rule that has failed it. */
  rule?: string;
}

/** Nothing caught it: an error, or the reason of a rejected promise. */
export interface ThrownProblem extends CodePlace, FailedRequest {
  kind: 'error' | 'rejection';
  /** The browser's words: "TypeError: x is not a function", or what was thrown, as a text. */
  sentence: string;
  /** '' for what is no error. */
  stack: string;
  /** The number of a rejection in its document, by which `rejection-handled` names it. */
  rejection?: number;
}

/** A file that the page asked for and did not get. The host finds where it is written. */
export interface UnloadedProblem extends FailedRequest {
  kind: 'resource';
  /** What asked: an element's name, `fetch`, `xmlhttprequest` or `css`. */
  by: string;
  /** The address as the page has it, which may be relative. */
  written: string;
  /** The project's path of it, '' for what is not of the project. */
  file: string;
  /** The document's path. */
  page: string;
  /** HTTP's, 0 where it is not known. */
  status: number;
  /** The attribute that is empty, where that is why. */
  attribute?: string;
  /** Where a script asked for it, if one did and it is known. */
  place?: CodePlace;
  /** Of a script that did not start: what it or its imports got that is no script, if known. */
  causes?: UnloadedCause[];
}

/** What came in place of a script. */
export interface UnloadedCause {
  address: string;
  /** The project's path of it, '' for what is not of the project. */
  file: string;
  /** HTTP's, 0 where nothing came. */
  status: number;
  /** "text/plain", '' where it is not known. */
  mediaType: string;
}

/** More of them say nothing new. */
export const mostCauses = 3;
const textLimit = 10_000;

export function parseRuntimeProblem(
  input: unknown,
  place: CodePlace | undefined,
): RuntimeProblem | undefined {
  if (!isRecord(input)) return undefined;
  switch (input['kind']) {
    case 'error':
    case 'rejection': {
      const [sentence, stack] = parseTexts(input['sentence'], input['stack']);
      if (sentence === undefined || stack === undefined || !place) return undefined;
      const rejection = parseCount(input['rejection']);
      const number = rejection === undefined ? {} : { rejection };
      return { kind: input['kind'], sentence, stack, ...number, ...parseRule(input), ...place };
    }
    case 'resource':
      return parseUnloaded(input);
    default:
      return undefined;
  }
}

function parseUnloaded(input: Record<string, unknown>): UnloadedProblem | undefined {
  const [by, written, file, page] = parseTexts(
    input['by'],
    input['written'],
    input['file'],
    input['page'],
  );
  const status = parseCount(input['status']);
  if (by === undefined || written === undefined || file === undefined) return undefined;
  if (page === undefined || status === undefined) return undefined;
  const causes = parseCauses(input['causes']);
  const [attribute] = parseTexts(input['attribute']);
  const place = parseCodePlace(input['place']);
  return {
    kind: 'resource',
    by,
    written,
    file,
    page,
    status,
    ...(causes.length > 0 && { causes }),
    ...(attribute !== undefined && { attribute }),
    ...(place && { place }),
    ...parseRule(input),
  };
}

function parseCauses(input: unknown): UnloadedCause[] {
  if (!Array.isArray(input)) return [];
  return input.slice(0, mostCauses).flatMap((each: unknown) => {
    if (!isRecord(each)) return [];
    const [address, file, mediaType] = parseTexts(each['address'], each['file'], each['mediaType']);
    const status = parseCount(each['status']);
    if (address === undefined || file === undefined || mediaType === undefined) return [];
    return status === undefined ? [] : [{ address, file, status, mediaType }];
  });
}

function parseRule({ rule }: Record<string, unknown>): FailedRequest {
  return typeof rule === 'string' && rule.length <= ruleLimits.pattern ? { rule } : {};
}

function parseTexts(...inputs: unknown[]): (string | undefined)[] {
  return inputs.map((input) =>
    typeof input === 'string' && input.length <= textLimit ? input : undefined,
  );
}
