/** The part of Emmet that is used: its package's exports do not include its declarations. */
declare module 'emmet' {
  type SyntaxType = 'markup' | 'stylesheet';

  /** The abbreviation that ends at a position in a line. */
  export function extract(
    line: string,
    at: number,
    options: { readonly type: SyntaxType },
  ): { readonly abbreviation: string; readonly start: number; readonly end: number } | undefined;

  export function resolveConfig(config: { readonly type: SyntaxType }): {
    readonly snippets: Readonly<Record<string, string>>;
  };

  /** Throws for text that is not an abbreviation. */
  export default function expand(
    abbreviation: string,
    config: {
      readonly type: SyntaxType;
      readonly syntax: string;
      readonly options: Readonly<
        Record<string, string | boolean | ((index: number, placeholder: string) => string)>
      >;
    },
  ): string;
}
