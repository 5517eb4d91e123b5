import type { CustomMail } from './messages.ts';

/**
 * Parses a mail from JSON: `to` (one plain address), `subject` (one line) and `text`. Undefined
 * when invalid. Other fields, such as `from`, are ignored: they are for other mail services.
 */
export function parseMail(body: Uint8Array): CustomMail | undefined {
  const fields = parseObject(new TextDecoder().decode(body));
  const { to, subject, text } = fields;
  const matches = (value: unknown, pattern: RegExp) =>
    typeof value === 'string' && pattern.test(value);
  if (!matches(to, /^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/)) return undefined;
  if (!matches(subject, /^[^\r\n]{1,200}$/) || !matches(text, /\S/)) return undefined;
  return { kind: 'custom', to: String(to), subject: String(subject), text: String(text) };
}

function parseObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
