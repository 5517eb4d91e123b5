import { networkLimits, type RecordedBody } from '../../network-messages.ts';
import type { RuleEffect } from '../../network-rules.ts';
import type { RequestGate } from './network-gate.ts';
import {
  describeBody,
  isText,
  listHeaders,
  type RequestRecord,
  type RequestRecords,
} from './network-records.ts';
import { unknownLocation } from '../positions.ts';
import type { FailedCall } from '../tools/tool.ts';

/** Records `fetch` calls. `failed` maps the error that a page got to the network rule that caused it. */
export function watchFetch(
  records: RequestRecords,
  gate: RequestGate,
  failed: WeakMap<object, FailedCall>,
): void {
  const native = window.fetch;
  window.fetch = (input, options) => {
    const address = input instanceof Request ? input.url : String(input);
    const method = options?.method ?? (input instanceof Request ? input.method : 'GET');
    const record = records.addCall({ method: method.toUpperCase(), address, kind: 'fetch' });
    if (record?.details) recordRequest(record.details, input, options);
    const send = () => native.call(window, input, options);
    // The page gets the recorded promise; otherwise an uncaught failure would be reported without its rule.
    return decide(gate, address, send, signalOf(input, options)).then(
      (response) => {
        if (record) recordResponse(records, record, response);
        return response;
      },
      (error: unknown) => {
        if (record) finish(records, record, { hasFailed: true });
        const rule = gate.findFailing(address);
        if (rule !== undefined && error instanceof TypeError)
          failed.set(error, { rule, location: record?.request.startedBy ?? unknownLocation });
        throw error;
      },
    );
  };
}

/** Sends the request at once, later, or not at all, as the rules say. */
function decide(
  gate: RequestGate,
  address: string,
  send: () => Promise<Response>,
  signal: AbortSignal | null | undefined,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    gate.check(address, (effect) => {
      if (effect?.kind === 'wait') {
        const timer = setTimeout(() => resolve(send()), effect.ms);
        signal?.addEventListener('abort', () => {
          clearTimeout(timer);
          // The signal is aborted by now, so this rejects as the page expects.
          resolve(send());
        });
      } else if (effect?.kind === 'fail') reject(new TypeError('Failed to fetch'));
      else resolve(effect ? createResponse(effect) : send());
    });
  });
}

function createResponse({ status }: Extract<RuleEffect, { kind: 'status' }>): Response {
  return new Response([204, 205, 304].includes(status) ? null : '', { status });
}

function signalOf(input: RequestInfo | URL, options: RequestInit | undefined) {
  return options?.signal ?? (input instanceof Request ? input.signal : undefined);
}

function recordRequest(
  details: NonNullable<RequestRecord['details']>,
  input: RequestInfo | URL,
  options: RequestInit | undefined,
): void {
  try {
    const headers = options?.headers ?? (input instanceof Request ? input.headers : []);
    details.requestHeaders = listHeaders(new Headers(headers));
    details.requestBody = describeBody(options?.body);
  } catch (error) {
    // Invalid headers; the request itself throws too.
    if (!(error instanceof TypeError)) throw error;
  }
}

function recordResponse(records: RequestRecords, record: RequestRecord, response: Response): void {
  const { details } = record;
  if (details) details.responseHeaders = listHeaders(response.headers);
  const length = Number(response.headers.get('Content-Length') ?? Number.NaN);
  finish(records, record, {
    status: response.type === 'opaque' ? null : response.status,
    size: Number.isFinite(length) ? length : null,
    hasFailed: response.status >= 400,
  });
  if (!details || response.bodyUsed || response.body === null) return;
  if (!isText(response.headers.get('Content-Type') ?? '')) {
    details.responseBody = { text: '', note: 'The body isn’t text.' };
    return;
  }
  void readStart(response.clone()).then((body) => (details.responseBody = body));
}

function finish(
  records: RequestRecords,
  record: RequestRecord,
  known: { status?: number | null; size?: number | null; hasFailed: boolean },
): void {
  const { request: seen } = record;
  Object.assign(seen, known);
  seen.duration = performance.now() - seen.start;
  records.markChanged(record);
}

/** Reads as much as is kept and cancels the rest, so that an endless stream costs little. */
async function readStart({ body }: Response): Promise<RecordedBody> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    while (text.length <= networkLimits.bodyCharacters) {
      const part = await reader?.read();
      if (!part || part.done) return { text, note: '' };
      text += part.value;
    }
    await reader?.cancel();
  } catch {
    // The page aborted the request or the network failed; shows what was received.
    return {
      text: text.slice(0, networkLimits.bodyCharacters),
      note: 'The response was interrupted.',
    };
  }
  const note = 'Only the first 64 kB is shown.';
  return { text: text.slice(0, networkLimits.bodyCharacters), note };
}
