/** A template of the list on `/new`. */
export interface Template {
  /** Path below `/new`: `react`, or `@ann/k3…` for a project. */
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** One or two characters that stand for it. */
  readonly mark: string;
  /** Username of the project's owner. Null if it's the user's own or built in. */
  readonly author: string | null;
  /** Whether this instance doesn't carry all of its packages. False if that's unknown. */
  readonly needsRegistry: boolean;
}

export interface TemplateList {
  /** Projects that the user has marked as templates. */
  readonly own: readonly Template[];
  /** Public projects that the operator has marked as templates, except those in `own`. */
  readonly instance: readonly Template[];
  readonly builtIn: readonly Template[];
  /** False if the database didn't respond, so that `own` and `instance` are empty. */
  readonly isComplete: boolean;
}

/**
 * Filters templates by a query: each of its words is in the title, the description, the tags or the
 * author's name. Those whose title starts with the query come first.
 */
export function searchTemplates(templates: readonly Template[], query: string): Template[] {
  const text = normalize(query);
  const words = text.split(' ');
  const found = templates.filter(({ title, description, tags, author }) => {
    const searched = normalize([title, description, ...tags, author ?? ''].join(' '));
    return words.every((word) => searched.includes(word));
  });
  const rank = ({ title }: Template) => (normalize(title).startsWith(text) ? 0 : 1);
  return found.sort((a, b) => rank(a) - rank(b));
}

/** "  Web  Componénts" → "web components" */
function normalize(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .trim();
}
