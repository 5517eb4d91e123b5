// What pages, workers and Node all have; this package may use nothing else of theirs.
declare class TextEncoder {
  encode(text: string): Uint8Array;
}
declare class URL {
  constructor(address: string);
  readonly href: string;
}
declare const crypto: {
  getRandomValues<T extends ArrayBufferView>(array: T): T;
};
interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
