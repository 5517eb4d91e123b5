/**
 * A template of the language services as the editor has them:
 * `color: ${1|red,blue|};$0` → `color: ${1:red};${0}`.
 */
export function toTemplate(template: string): string {
  const parts = /\\([\s\S])|\$(\d+)|\$\{(\d+)(?::([^}]*)|\|([^,|]*)[^|]*\|)?\}|([{}])/g;
  return template.replace(
    parts,
    (all, escaped: string | undefined, bare, number, text, choice, brace: string | undefined) => {
      if (escaped !== undefined) return /[{}]/.test(escaped) ? `\\${escaped}` : escaped;
      // Braces that stand for themselves.
      if (brace !== undefined) return `\\${brace}`;
      if (bare !== undefined) return `\${${bare}}`;
      const given: string = text ?? choice ?? '';
      return given === '' ? `\${${number}}` : `\${${number}:${given}}`;
    },
  );
}
