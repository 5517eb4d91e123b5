// Platform APIs that pages, workers and Node all have. This package may use no others.
declare class TextEncoder {
  encode(text: string): Uint8Array;
}
declare class URL {
  static canParse(address: string, base: string): boolean;
  constructor(address: string, base?: string);
  readonly href: string;
  readonly origin: string;
  readonly pathname: string;
}
declare const crypto: {
  getRandomValues<T extends ArrayBufferView>(array: T): T;
};
declare function setTimeout(call: () => void, ms: number): number;
declare function clearTimeout(id: number | undefined): void;
declare const performance: { now(): number };
interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
