// What pages, workers and Node all have; this package may use nothing else of theirs.
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
