/* oxlint-disable typescript/no-unnecessary-type-conversion -- a page may pass anything */
import type { RuleEffect } from '../../network-rules.ts';
import type { RequestGate } from './network-gate.ts';
import {
  describeBody,
  truncateBody,
  listHeaders,
  type RequestRecord,
  type RequestRecords,
} from './network-records.ts';

/** Arguments of `open` and `setRequestHeader`, kept until `send`. */
interface Opened {
  method: string;
  address: string;
  isSync: boolean;
  headers: [string, string][];
}

/** URL that fails like a network error. */
const failingUrl = 'blob:nowhere';

export function watchXhr(records: RequestRecords, gate: RequestGate): void {
  const { prototype } = XMLHttpRequest;
  const native = {
    open: prototype.open,
    send: prototype.send,
    setRequestHeader: prototype.setRequestHeader,
  };
  const opened = new WeakMap<XMLHttpRequest, Opened>();

  prototype.open = function open(
    this: XMLHttpRequest,
    method: string,
    address: string | URL,
    ...rest: unknown[]
  ) {
    const isSync = rest[0] === false;
    opened.set(this, { method: String(method), address: String(address), isSync, headers: [] });
    Reflect.apply(native.open, this, [method, address, ...rest]);
  };
  prototype.setRequestHeader = function setRequestHeader(this: XMLHttpRequest, name, value) {
    native.setRequestHeader.call(this, name, value);
    opened.get(this)?.headers.push([String(name), String(value)]);
  };
  prototype.send = function send(this: XMLHttpRequest, body) {
    const call = opened.get(this);
    if (!call) return native.send.call(this, body);
    const { method, address, isSync, headers } = call;
    const record = records.addCall({ method: method.toUpperCase(), address, kind: 'fetch' });
    if (record) recordOutcome(records, record, this);
    if (record?.details) {
      record.details.requestHeaders = listHeaders(headers);
      record.details.requestBody = describeBody(body);
    }
    // A synchronous request blocks the page; it can't be delayed or failed.
    if (isSync) return native.send.call(this, body);
    gate.check(address, (effect) => sendAs(effect, this, body));
  };

  function sendAs(
    effect: RuleEffect | undefined,
    request: XMLHttpRequest,
    body: XMLHttpRequestBodyInit | Document | null | undefined,
  ): void {
    const send = () => {
      // Skipped if the page has aborted or reopened the request meanwhile.
      if (request.readyState === XMLHttpRequest.OPENED) native.send.call(request, body);
    };
    switch (effect?.kind) {
      case undefined:
        return send();
      case 'wait':
        return void setTimeout(send, effect.ms);
      case 'fail':
        native.open.call(request, 'GET', failingUrl, true);
        return send();
      case 'status':
        native.open.call(request, 'GET', 'data:,', true);
        Object.defineProperty(request, 'status', { value: effect.status, configurable: true });
        return send();
    }
  }
}

function recordOutcome(
  records: RequestRecords,
  record: RequestRecord,
  request: XMLHttpRequest,
): void {
  const { request: seen, details } = record;
  request.addEventListener(
    'loadend',
    () => {
      seen.status = request.status === 0 ? null : request.status;
      seen.hasFailed = request.status === 0 || request.status >= 400;
      seen.duration = performance.now() - seen.start;
      if (details) {
        details.responseHeaders = listHeaders(readHeaders(request));
        const isTextual = request.responseType === '' || request.responseType === 'text';
        details.responseBody = isTextual
          ? truncateBody(request.responseText)
          : { text: '', note: 'The response body wasn’t read as text.' };
      }
      records.markChanged(record);
    },
    { once: true },
  );
}

function readHeaders(request: XMLHttpRequest): [string, string][] {
  return request
    .getAllResponseHeaders()
    .split('\r\n')
    .filter((line) => line.includes(': '))
    .map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    });
}
