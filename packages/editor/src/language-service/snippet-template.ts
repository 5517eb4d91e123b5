/**
 * Converts a Language Server Protocol snippet to CodeMirror's syntax: `color: ${1|red,blue|};$0` →
 * `color: ${1:red};${0}`.
 */
export function toSnippetTemplate(template: string): string {
  const tokens = /\\([\s\S])|\$(\d+)|\$\{(\d+)(?::([^}]*)|\|([^,|]*)[^|]*\|)?\}|([{}])/g;
  return template.replace(
    tokens,
    (all, escaped: string | undefined, bare, number, text, choice, brace: string | undefined) => {
      if (escaped !== undefined) return /[{}]/.test(escaped) ? `\\${escaped}` : escaped;
      // Literal braces have to be escaped.
      if (brace !== undefined) return `\\${brace}`;
      if (bare !== undefined) return `\${${bare}}`;
      const placeholder: string = text ?? choice ?? '';
      return placeholder === '' ? `\${${number}}` : `\${${number}:${placeholder}}`;
    },
  );
}
