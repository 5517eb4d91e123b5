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
