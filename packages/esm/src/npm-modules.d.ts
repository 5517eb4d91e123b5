// Types of the used parts of npm modules that come without type declarations.

declare module '@npmcli/config' {
  export default class Config {
    constructor(options: {
      definitions: unknown;
      shorthands: unknown;
      flatten: unknown;
      nerfDarts: unknown;
      npmPath: string;
      argv: readonly string[];
      env: Record<string, string | undefined>;
      cwd: string;
      warn: boolean;
    });
    load(): Promise<void>;
    /** All settings, by the names that npm's libraries expect. */
    readonly flat: Record<string, unknown>;
  }
}

declare module '@npmcli/config/lib/definitions/index.js' {
  const all: {
    definitions: { readonly registry: { readonly default: string } };
    shorthands: unknown;
    flatten: unknown;
    nerfDarts: unknown;
  };
  export default all;
}

declare module 'npm-registry-fetch' {
  /** Credentials that npm would send to this URL. */
  export function getAuth(
    address: string,
    options: Record<string, unknown>,
  ): { token: string | null; auth: string | null; cert: string | null; key: string | null };
}

declare module 'make-fetch-happen' {
  interface Answer {
    readonly status: number;
    readonly headers: { get(name: string): string | null };
    readonly body: AsyncIterable<Uint8Array> & { resume(): void };
  }
  /** Options of version 16. Those of npm's configuration are passed on unchanged. */
  export default function makeFetch(
    address: string,
    options: Readonly<Record<string, unknown>>,
  ): Promise<Answer>;
}
