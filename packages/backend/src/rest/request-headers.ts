import { RestError, syntaxError } from './rest-error.ts';

/** The forms of answer that an `Accept` header can ask for. */
export interface AnswerForm {
  /** One object instead of a list; another number of rows than one is refused. */
  single: boolean;
  /** Members that are null are left out. */
  stripNulls: boolean;
  contentType: string;
}

const listType = 'application/json; charset=utf-8';

/**
 * Picks the first acceptable form. `application/json` and wildcards are a list;
 * `application/vnd.pgrst.object+json` is one object.
 */
export function parseAccept(header: string | null): AnswerForm {
  for (const given of (header ?? '*/*').split(',')) {
    const form = findForm(given);
    if (form) return form;
  }
  const shown = (header ?? '').slice(0, 100);
  throw new RestError(406, 'PGRST107', `None of these media types are available: ${shown}`);
}

function findForm(given: string): AnswerForm | undefined {
  const [type = '', ...options] = given.split(';').map((part) => part.trim().toLowerCase());
  const kept = options.filter((option) => !/^(q=|charset=utf-8$)/.test(option));
  if (kept.some((option) => option !== 'nulls=stripped')) return undefined;
  const stripNulls = kept.length > 0;
  const single =
    type === 'application/vnd.pgrst.object+json' || type === 'application/vnd.pgrst.object';
  if (!single && type !== 'application/vnd.pgrst.array+json' && stripNulls) return undefined;
  if (
    single ||
    type === 'application/vnd.pgrst.array+json' ||
    type === 'application/vnd.pgrst.array'
  ) {
    const suffix = stripNulls ? ';nulls=stripped' : '';
    const shape = single ? 'object' : 'array';
    const contentType = `application/vnd.pgrst.${shape}+json${suffix}; charset=utf-8`;
    return { single, stripNulls, contentType };
  }
  const plain =
    type === 'application/json' || type === '*/*' || type === 'application/*' || type === '';
  return plain ? { single: false, stripNulls: false, contentType: listType } : undefined;
}

/** Only JSON bodies are read. */
export function checkContentType(header: string | null): void {
  const type = (header ?? 'application/json').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return;
  throw new RestError(400, 'PGRST102', `Content-Type not acceptable: ${type?.slice(0, 100)}`);
}

/** `Accept-Profile` (reads) or `Content-Profile` (writes) may only name a schema that is served. */
export function checkProfile(header: string | null, schemas: readonly string[]): void {
  if (header === null || schemas.includes(header)) return;
  throw new RestError(406, 'PGRST106', `Invalid schema: ${header.slice(0, 100)}`, {
    hint: `Only the following schemas are exposed: ${schemas.join(', ')}`,
  });
}

/** `Range: 10-19` → from row 10, at most 10 rows; `10-` → from row 10. */
export function parseRange(
  range: string | null,
  unit: string | null,
): { offset: number; limit?: number } | undefined {
  if (unit !== null && unit !== 'items') {
    throw syntaxError('The Range-Unit header is not understood', 'expected items');
  }
  if (range === null) return undefined;
  const [, first, last] = /^(?:items=)?(\d{1,15})-(\d{1,15})?$/.exec(range.trim()) ?? [];
  if (first === undefined) {
    throw syntaxError('The Range header is not understood', 'expected two row numbers');
  }
  if (last === undefined) return { offset: Number(first) };
  if (Number(last) < Number(first)) {
    throw new RestError(416, 'PGRST103', 'Requested range not satisfiable', {
      details:
        'The lower boundary must be lower than or equal to the upper boundary in the Range header.',
    });
  }
  return { offset: Number(first), limit: Number(last) - Number(first) + 1 };
}

/** Headers that functions may read with `current_setting('request.headers')`: never credentials. */
const shownHeaders = ['user-agent', 'x-client-info', 'origin', 'accept-language', 'x-request-id'];

export function describeHeaders(headers: Headers): string {
  const shown: Record<string, string> = {};
  for (const name of shownHeaders) {
    const value = headers.get(name);
    if (value !== null) shown[name] = value;
  }
  return JSON.stringify(shown);
}
